"""Stored rows for the tests of the Tables view."""

from inspector.layout.tables import (
    RowKey,
    RowPage,
    StatementAnswer,
    Storage,
    StoredCell,
    StoredColumn,
    StoredRow,
    StoredTable,
    TableList,
)

COLUMNS = (StoredColumn("id", "INTEGER"), StoredColumn("data", "TEXT"), StoredColumn("token_hash", "", "a secret"))


def integer(number: int) -> StoredCell:
    return StoredCell(Storage.INTEGER, str(number), 0)


def text(words: str, *, length: int | None = None) -> StoredCell:
    whole = len(words.encode())
    return StoredCell(Storage.TEXT, words, length or whole, length is not None)


NULL = StoredCell(Storage.NULL, "", 0)
HIDDEN = StoredCell(Storage.HIDDEN, "", 0)


def table(
    name: str = "notes", *, rows: int | None = 1_000, is_ours: bool = False, why_not: str | None = None
) -> StoredTable:
    return StoredTable(name, "table", is_ours, COLUMNS, ("rowid",), rows, why_not)


def row(number: int, words: str = "short") -> StoredRow:
    return StoredRow((number,), (integer(number), text(words), HIDDEN))


def page(
    first: int,
    last: int,
    *,
    name: str = "notes",
    more: bool = False,
    broken: str | None = None,
    resumes_at: RowKey | None = None,
    words: str = "short",
) -> RowPage:
    rows = tuple(row(number, words) for number in range(first, last + 1))
    return RowPage(table(name), rows, more, broken, resumes_at, 1)


def tables(*found: StoredTable) -> TableList:
    return TableList(found, 0, 1)


def answer(*rows: tuple[StoredCell, ...], more: bool = False) -> StatementAnswer:
    return StatementAnswer(tuple(f"c{at}" for at in range(len(rows[0]) if rows else 1)), rows, more, 12, 1)
