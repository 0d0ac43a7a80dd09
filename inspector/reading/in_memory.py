"""What a connection has in memory for itself alone: views and tables that its questions meet before the file's own.

An unqualified name in a question leads to them first, so the questions stay as they are.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.reading.connection import ReadConnection, Row
from inspector.reading.generated import is_stored
from inspector.reading.tables import quoted
from inspector.reading.values import integer, text

_AFFINITIES: Final = (
    (("INT",), "INTEGER"),
    (("CHAR", "CLOB", "TEXT"), "TEXT"),
    (("BLOB",), ""),
    (("REAL", "FLOA", "DOUB"), "REAL"),
)
"""Which parts of a declared type mean which one, the first that is found (SQLite, datatype3, 3.1)."""


def define_views(connection: ReadConnection, views: Mapping[str, str]) -> None:
    """Let each name stand for the rows of a SELECT of ours. Raises sqlite3.Error."""
    connection.make_in_memory(*(f"CREATE TEMP VIEW {name} AS {select}" for name, select in views.items()))


def forget_in_memory(connection: ReadConnection) -> None:
    """Let all names stand for what the file holds again. Raises sqlite3.Error."""
    # All are ours: nothing else makes one in memory. The views first, which may be of the tables.
    found = connection.rows(
        "SELECT type, name FROM sqlite_temp_master WHERE type IN ('view', 'table') ORDER BY type DESC"
    )
    if found:
        connection.make_in_memory(*(f"DROP {text(kind)} temp.{quoted(text(name))}" for kind, name in found))
    connection.has_in_memory = False


def copy_table(connection: ReadConnection, table: str, copy: str, rowid: str | None) -> None:
    """Copy what is stored in a table of the file, read without its indexes, and index the copy as the table is.

    ``copy`` is the name of the copy; the rows keep their rowids, which the table calls ``rowid``. Raises sqlite3.Error
    or UnicodeError, also where the table cannot be read to its end; then nothing is left of the copy.
    """
    target = f"temp.{quoted(copy)}"
    described = connection.rows(f"PRAGMA main.table_xinfo({quoted(table)})")
    indexes = connection.rows(f"PRAGMA main.index_list({quoted(table)})")
    columns = [row for row in described if is_stored(row[6])]
    key = [row for row in columns if integer(row[5])]
    is_number = rowid is not None and len(key) == 1 and not any(text(row[3]) == "pk" for row in indexes)
    names = [quoted(text(row[1])) for row in columns]
    declared = [
        f"{name} {'INTEGER PRIMARY KEY' if is_number and row in key else _affinity(text(row[2]))}"
        for name, row in zip(names, columns, strict=True)
    ]
    filled = ", ".join(names if rowid is None or is_number else [rowid, *names])
    stored = frozenset(text(row[1]) for row in columns)
    connection.make_in_memory(f"CREATE TABLE {target} ({', '.join(declared)})")
    try:
        connection.make_in_memory(
            f"INSERT INTO {target} ({filled}) SELECT {filled} FROM main.{quoted(table)} NOT INDEXED",  # noqa: S608
            *_index_statements(connection, indexes, copy, stored),
        )
    except BaseException:
        connection.make_in_memory(f"DROP TABLE {target}")
        raise


def copy_of(table: str) -> str:
    """Return the name of the copy of a table whose own name is taken by a view."""
    return f"copy of {table}"


def copied(table: str) -> str:
    """Return where that copy is read, for a FROM."""
    return f"temp.{quoted(copy_of(table))}"


def _affinity(declared: str) -> str:
    """Return a type under which values of a declared type stay as they are stored, and compare as in their table."""
    kind = declared.upper()
    if kind in ("", "ANY"):
        return ""
    return next((found for parts, found in _AFFINITIES if any(part in kind for part in parts)), "NUMERIC")


def _index_statements(
    connection: ReadConnection, indexes: list[Row], copy: str, stored: frozenset[str]
) -> Iterator[str]:
    """Give what makes these indexes on a copy, but for those that are of a part of the rows, or of expressions."""
    for number, (_, name, _, _, is_partial) in enumerate(indexes):
        described = connection.rows(f"PRAGMA main.index_xinfo({quoted(text(name))})")
        key = [
            (text(column), integer(falls), text(collation))
            for _, _, column, falls, collation, is_key in described if integer(is_key)
        ]  # fmt: skip
        if not integer(is_partial) and all(column in stored for column, _, _ in key):
            parts = [f"{quoted(column)} COLLATE {quoted(by)}{' DESC' if falls else ''}" for column, falls, by in key]
            yield f"CREATE INDEX temp.{quoted(f'{copy} {number}')} ON {quoted(copy)} ({', '.join(parts)})"
