"""Pages of any table by its key, as it is stored: whatever its name, its columns and its values are."""

import sqlite3
from typing import Final

from inspector.layout.pages import PAGE_ROWS
from inspector.layout.tables import KeyPart, RowKey, RowPage, Storage, StoredCell, StoredColumn, StoredRow, StoredTable
from inspector.reading.connection import LONGEST_SHORT_VALUE, ReadConnection, Row, StoredBytes, Value
from inspector.reading.errors import NotOpened, SqliteTrouble, Unanswered, is_damage, is_too_big
from inspector.reading.requests import TableRowsRequest, TableValueRequest
from inspector.reading.rowids import first_readable
from inspector.reading.secrets import may_be_secret, secret_setting
from inspector.reading.stored_cells import HIDDEN, UNREAD, cell_of, cell_of_column, key_part
from inspector.reading.tables import find_table, quoted
from inspector.reading.values import integer

_NO_VALUES: Final[tuple[Value, ...]] = ()

VALUE_CHARS: Final = 65_536
"""The most characters of one value that is asked for by itself."""

_START_BYTES: Final = 2_048
"""Of a value that is too long for a row, so many bytes are read."""

_FIRST_ROWID: Final = -(1 << 63)

_LARGE_ROWS: Final = 50
"""Where values are large a page has no more rows: each value is asked for by itself."""


def table_rows(connection: ReadConnection, request: TableRowsRequest, now_ms: int) -> RowPage:
    """Return the page that ``request`` names. Raises Unanswered where there is no such table, or it is not read."""
    table = _readable(connection, request.table)
    limit = max(1, min(request.limit, PAGE_ROWS))
    rows: list[StoredRow] = []
    broken = None
    try:
        _read(connection, table, request, limit + 1, rows)
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
        limit = min(limit, _LARGE_ROWS)
        rows = _large_rows(connection, table, request, limit + 1)
    except SqliteTrouble as error:
        if not is_damage(error):
            raise
        rows = _before_damage(connection, table, request, rows)
        broken = _where(rows, request)
    more = len(rows) > limit
    rows = rows[:limit]
    resumes = None
    if broken is not None and not more and not _has_primary(table) and not request.backwards:
        behind = rows[-1].key if rows else request.key
        resumes = _behind_damage(connection, table, _rowid(behind))
    if request.backwards:
        rows.reverse()
    return RowPage(table, tuple(rows), more, None if more else broken, resumes, now_ms)


def table_value(connection: ReadConnection, request: TableValueRequest) -> StoredCell | None:
    """Return one value, at most 65,536 characters of it, or None where there is no such row any more.

    Raises Unanswered where there is no such table or column, or it is not read.
    """
    table = _readable(connection, request.table)
    column = next((each for each in table.columns if each.name == request.column), None)
    if column is None:
        raise Unanswered("The table has no such column any more.")
    return _cell(connection, table, request.key, column, VALUE_CHARS)


def _readable(connection: ReadConnection, name: str) -> StoredTable:
    table = find_table(connection, name)
    if table is None:
        raise Unanswered("There is no such table in this file.")
    if table.why_not is not None:
        raise Unanswered(table.why_not)
    return table


def _read(
    connection: ReadConnection, table: StoredTable, request: TableRowsRequest, limit: int, rows: list[StoredRow]
) -> None:
    """Add the rows to ``rows``, one by one as they are read."""
    expressions = [_expression(table, column) for column in table.columns if column.why_not is None]
    flags = [_flag(table, column) for column in table.columns if column.why_not is None and _flag(table, column)]
    sql, values = _page(table, request, [*expressions, *flags], limit)
    keys = len(table.key)

    def take(row: Row) -> bool:
        rows.append(StoredRow(tuple(map(key_part, row[:keys])), _cells(table, row[keys:])))
        return True

    connection.each(sql, values, take, longest=LONGEST_SHORT_VALUE)


def _cells(table: StoredTable, row: Row) -> tuple[StoredCell, ...]:
    left = iter(row)
    cells = [cell_of(next(left)) if column.why_not is None else cell_of_column(column) for column in table.columns]
    for at, column in enumerate(table.columns):
        if column.why_not is None and _flag(table, column) and next(left):
            cells[at] = HIDDEN
    return tuple(cells)


def _expression(table: StoredTable, column: StoredColumn) -> str:
    flag = _flag(table, column)
    return f"CASE WHEN {flag} THEN NULL ELSE {quoted(column.name)} END" if flag else quoted(column.name)


def _flag(table: StoredTable, column: StoredColumn) -> str:
    """Return what is true in SQL where a value of this column is a secret, or nothing where none is."""
    if not may_be_secret(table.name, column.name):
        return ""
    keys = (each.name for each in table.columns if each.name.lower() == "key")
    return next((secret_setting(quoted(key)) for key in keys), "1")


def _page(
    table: StoredTable, request: TableRowsRequest, expressions: list[str], limit: int
) -> tuple[str, tuple[Value, ...]]:
    """Return the statement of a page, the key's columns first, and its values."""
    names = [quoted(name) for name in table.key] if _has_primary(table) else [*table.key]
    where, values = "", _NO_VALUES
    if request.key is not None:
        places, values = _bound(request.key)
        sign = ("<" if request.backwards else ">") + ("=" if request.inclusive else "")
        where = f"WHERE ({', '.join(names)}) {sign} ({places})"
    direction = " DESC" if request.backwards else ""
    order = ", ".join(name + direction for name in names)
    # A damaged index must not decide which rows there are.
    indexed = "" if _has_primary(table) else "NOT INDEXED"
    return (
        f"SELECT {', '.join([*names, *expressions])} FROM main.{quoted(table.name)} {indexed} {where} "  # noqa: S608
        f"ORDER BY {order} LIMIT {limit}",
        values,
    )


def _has_primary(table: StoredTable) -> bool:
    """Say whether the rows stand in the order of a primary key, and have no rowid."""
    return table.key[0] in {column.name for column in table.columns}


def _bound(key: RowKey) -> tuple[str, tuple[Value, ...]]:
    places = ", ".join("CAST(? AS TEXT)" if isinstance(part, tuple) else "?" for part in key)
    return places, tuple(part[0] if isinstance(part, tuple) else part for part in key)


def _large_rows(
    connection: ReadConnection, table: StoredTable, request: TableRowsRequest, limit: int
) -> list[StoredRow]:
    """Return the rows where a value of them is too large to come with all the others."""
    sql, values = _page(table, request, [], limit)
    keys: list[RowKey] = []

    def take(row: Row) -> bool:
        keys.append(tuple(map(key_part, row)))
        return True

    connection.each(sql, values, take)
    rows = []
    for key in keys:
        cells = [
            (_cell(connection, table, key, column) or UNREAD) if column.why_not is None else cell_of_column(column)
            for column in table.columns
        ]
        rows.append(StoredRow(key, tuple(cells)))
    return rows


def _cell(
    connection: ReadConnection, table: StoredTable, key: RowKey, column: StoredColumn, most: int = 0
) -> StoredCell | None:
    """Return one value by itself; ``most`` characters of it, or as many as stand in a row."""
    if column.why_not is not None:
        return cell_of_column(column)
    names = [quoted(name) for name in table.key] if _has_primary(table) else [*table.key]
    places, values = _bound(key)
    shown, flag = quoted(column.name), _flag(table, column) or "0"
    where = f"FROM main.{quoted(table.name)} WHERE ({', '.join(names)}) = ({places}) LIMIT 1"
    known = _first(connection, f"SELECT typeof({shown}), {flag} {where}", values)
    if known is None:
        return None
    kind, is_secret = known
    if is_secret:
        return HIDDEN
    bytes_wanted = most * 4 or _START_BYTES
    if kind in (StoredBytes(b"text"), StoredBytes(b"blob")):
        whole = f"SELECT substr(CAST({shown} AS BLOB), 1, {bytes_wanted}), length(CAST({shown} AS BLOB)) {where}"
    else:
        whole = f"SELECT {shown}, 0 {where}"
    try:
        start, length = _first(connection, whole, values) or (None, 0)
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
        if _has_primary(table) or not isinstance(key[0], int):
            return UNREAD
        try:
            start, length = connection.blob_slice(table.name, column.name, key[0], bytes_wanted)
        except NotOpened:
            return UNREAD
    if kind == StoredBytes(b"text") and isinstance(start, bytes):
        start = StoredBytes(start)
    if isinstance(start, bytes):
        return cell_of(start, integer(length), *([most] if most else []))
    return cell_of(start)


def _before_damage(
    connection: ReadConnection, table: StoredTable, request: TableRowsRequest, rows: list[StoredRow]
) -> list[StoredRow]:
    """Return the rows before a damaged one: the driver reads a row ahead, and drops the last good one at a fault."""
    longer: list[StoredRow] = []
    try:
        _read(connection, table, request, len(rows) + 1, longer)
    except SqliteTrouble as error:
        if not is_damage(error):
            raise
    return longer if len(longer) > len(rows) else rows


def _rowid(key: RowKey | None) -> int:
    return key[0] if key is not None and isinstance(key[0], int) else _FIRST_ROWID


def _where(rows: list[StoredRow], request: TableRowsRequest) -> str:
    key = rows[-1].key if rows else request.key
    side = "before" if request.backwards else "after"
    if key is None:
        return "The file is damaged here: the first rows cannot be read."
    return f"The file is damaged here: rows {side} {_words(key)} cannot be read."


def _words(key: RowKey) -> str:
    if len(key) == 1 and isinstance(key[0], int):
        return f"rowid {key[0]}"
    return f"the key ({', '.join(_word(part) for part in key)})"


def _word(part: KeyPart) -> str:
    cell = cell_of(StoredBytes(part[0]) if isinstance(part, tuple) else part)
    return f"x'{cell.text}'" if cell.storage is Storage.BLOB else cell.text


def _behind_damage(connection: ReadConnection, table: StoredTable, behind: int) -> RowKey | None:
    """Return a rowid from which on rows can be read again, or None."""

    def reads(start: int) -> tuple[bool, bool]:
        """Return whether no damage is met from ``start`` on, and whether a row is there."""
        rows: list[StoredRow] = []
        try:
            _read(connection, table, TableRowsRequest(table.name, (start,), inclusive=True), 1, rows)
        except sqlite3.DataError as error:
            return is_too_big(error), True
        except SqliteTrouble as error:
            if not is_damage(error):
                raise
            return False, False
        return True, bool(rows)

    start = first_readable(reads, behind)
    return None if start is None else (start,)


def _first(connection: ReadConnection, sql: str, values: tuple[Value, ...]) -> Row | None:
    found: list[Row] = []

    def take(row: Row) -> bool:
        found.append(row)
        return False

    connection.each(sql, values, take)
    return found[0] if found else None
