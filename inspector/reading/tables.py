"""Which tables a file has: also those that are nobody's, and what is only named like a table.

Only real tables are read. A view can run for ever, and a virtual table runs code that the file chooses.
"""

import sqlite3
from collections.abc import Iterator
from typing import Final

from inspector.layout.native import TABLES
from inspector.layout.tables import MOST_COLUMNS, StoredColumn, StoredTable, TableList
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.errors import SqliteTrouble, TookTooLong, primary_code
from inspector.reading.generated import is_stored
from inspector.reading.secrets import is_secret
from inspector.reading.values import integer, integer_or_none, text

MOST_TABLES: Final = 1_000

_ROWID_NAMES: Final = ("rowid", "_rowid_", "oid")
_SPAN_MS: Final = 20
_OURS: Final = ", ".join(f"'{name}'" for name in TABLES)
_NAMED: Final = "type IN ('table', 'view')"

IS_VIEW: Final = "A view is not read: what it would take to make its rows is for the file to say."
IS_VIRTUAL: Final = "A virtual table is not read: its rows are made by a module and not stored as such."
GENERATED: Final = "It is VIRTUAL: each value is worked out when it is read, however long that takes."
NOT_TOLD: Final = "Its values are secrets and are not read."
_TOO_MANY: Final = "Of {of:,} columns only the first {read:,} are read: {more:,} more are there."
_IN_ORDER_OF_ONE: Final = "Its rows stand in the order of a secret."
_NO_KEY: Final = "Its columns have taken all the names by which its rowid could be asked for. A statement reads it."
_NOT_UNDERSTOOD: Final = "What the file says of this table cannot be understood."


def quoted(name: str) -> str:
    """Return ``name`` as an identifier in SQL, whatever it holds.

    In backticks: SQLite takes a name in double quotes that is not there for a text, and then every row has it as its
    value. A column may be renamed at any moment.
    """
    return "`" + name.replace("`", "``") + "`"


def table_list(connection: ReadConnection, now_ms: int) -> TableList:
    """Return the tables of the file, at most 1,000 of them, and how many more there are.

    Those of section 11.1 come first, then all by name.
    """
    found = connection.rows(
        f"SELECT name, type, rootpage FROM {connection.schema} WHERE {_NAMED} "  # noqa: S608  names of ours
        f"ORDER BY lower(name) NOT IN ({_OURS}), name LIMIT ?",
        [MOST_TABLES + 1],
    )
    left_off = 0
    if len(found) > MOST_TABLES:
        many = connection.value(f"SELECT count(*) FROM {connection.schema} WHERE {_NAMED}")  # noqa: S608
        left_off = integer(many) - MOST_TABLES
    tables = tuple(_table(connection, row) for row in found[:MOST_TABLES])
    return TableList(tables, left_off, now_ms)


def find_table(connection: ReadConnection, name: str) -> StoredTable | None:
    """Return the table of exactly this name, or None where there is none."""
    found = connection.rows(
        f"SELECT name, type, rootpage FROM {connection.schema} WHERE {_NAMED} AND name = ? LIMIT 1",  # noqa: S608
        [name],
    )
    return _table(connection, found[0]) if found else None


def _table(connection: ReadConnection, row: Row) -> StoredTable:
    name, kind, rootpage = text(row[0]), text(row[1]), integer(row[2])
    is_ours = name.lower() in TABLES
    if kind == "view":
        return StoredTable(name, "view", is_ours, (), (), None, IS_VIEW)
    if rootpage <= 0:
        return StoredTable(name, "virtual", is_ours, (), (), None, IS_VIRTUAL)
    try:
        described = connection.rows(f"PRAGMA main.table_xinfo({quoted(name)})")
        if not described:
            return StoredTable(name, "table", is_ours, (), (), None, _NOT_UNDERSTOOD)
        columns = tuple(_columns(name, described))
        names = {column.name.lower() for column in columns}
        primary = sorted((integer(row[5]), text(row[1])) for row in described if integer(row[5]))
        key, why_not = _key(connection, name, names, tuple(column for _, column in primary))
    except TookTooLong:
        raise
    except SqliteTrouble:
        return StoredTable(name, "table", is_ours, (), (), None, _NOT_UNDERSTOOD)
    rows = _rows_at_most(connection, name, key) if len(key) == 1 and key[0] in _ROWID_NAMES else None
    return StoredTable(name, "table", is_ours, columns, key, rows, why_not, max(0, len(columns) - MOST_COLUMNS))


def _columns(table: str, described: list[Row]) -> Iterator[StoredColumn]:
    too_many = too_many_columns(len(described))
    for at, (_, name, declared, _, _, _, hidden) in enumerate(described):
        column, is_told = text(name), not is_secret(table, text(name))
        why_not = NOT_TOLD if not is_told else too_many if at >= MOST_COLUMNS else None
        yield StoredColumn(column, text(declared), why_not if is_stored(hidden) else GENERATED, is_secret=not is_told)


def too_many_columns(columns: int) -> str:
    """Say that of so many columns only the first are read."""
    return _TOO_MANY.format(of=columns, read=MOST_COLUMNS, more=columns - MOST_COLUMNS)


def _key(
    connection: ReadConnection, name: str, columns: set[str], primary: tuple[str, ...]
) -> tuple[tuple[str, ...], str | None]:
    """Return by what the rows of the table are told apart, and why they are not read where that cannot be used."""
    has_rowid = True
    for candidate in _ROWID_NAMES:
        if candidate in columns:
            continue
        try:
            connection.rows(f"SELECT {candidate} FROM main.{quoted(name)} LIMIT 0")  # noqa: S608  quoted
        except SqliteTrouble as error:
            if primary_code(error) != sqlite3.SQLITE_ERROR:
                raise
            has_rowid = False
            break
        return (candidate,), None
    if has_rowid:
        return (), _NO_KEY
    if any(is_secret(name, column) for column in primary):
        return primary, _IN_ORDER_OF_ONE
    return primary, None


def _rows_at_most(connection: ReadConnection, name: str, key: tuple[str, ...]) -> int | None:
    """Return how many rows the rowids leave room for: two looks into the tree, however many rows there are."""
    table = f"main.{quoted(name)}"
    try:
        with connection.within(_SPAN_MS):
            last = integer_or_none(connection.value(f"SELECT max({key[0]}) FROM {table} NOT INDEXED"))  # noqa: S608
            first = integer_or_none(connection.value(f"SELECT min({key[0]}) FROM {table} NOT INDEXED"))  # noqa: S608
    except (TookTooLong, *SqliteTrouble):
        return None
    return 0 if first is None or last is None else last - first + 1
