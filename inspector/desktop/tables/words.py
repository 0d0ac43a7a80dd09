"""What the Tables view says of stored values and tables. Pure: no widget."""

from collections.abc import Sequence
from typing import Final

from inspector.desktop.widgets.cells import DIM_LEAST
from inspector.desktop.widgets.row_cells import Cell
from inspector.desktop.widgets.words import byte_size, counted, grouped
from inspector.layout.tables import RowPage, StatementAnswer, Storage, StoredCell, StoredColumn, StoredTable
from inspector.layout.visible import visible

_SHORT_BYTES: Final = 64
"""A longer text can be a prompt or an output; so can any JSON."""

_EMPTY_BYTES: Final = len("{}")
_JSON_STARTS: Final = ("{", "[", '"')
_NAMES: Final = {
    Storage.NULL: "NULL",
    Storage.INTEGER: "INTEGER",
    Storage.REAL: "REAL",
    Storage.TEXT: "TEXT",
    Storage.BLOB: "BLOB",
}

HIDDEN: Final = "hidden"
LEFT_OUT: Final = "not read"
COVERED: Final = "covered"
UNREAD: Final = "too large"
NO_TABLE: Final = "Choose a table, or type a statement in SQL."
RESULT: Final = "Result"
EARLIER_RESULT: Final = "Result of an earlier statement"


def is_content(cell: StoredCell) -> bool:
    """Say whether a value can hold prompts and outputs: it is long, or JSON, or bytes of whatever kind."""
    if cell.storage is Storage.TEXT:
        return cell.length > _SHORT_BYTES or (cell.length > _EMPTY_BYTES and cell.text.startswith(_JSON_STARTS))
    return cell.storage is Storage.BLOB


def shown_cell(cell: StoredCell, *, is_covered: bool) -> Cell:
    """Return a value as it stands in a row, on one line."""
    match cell.storage:
        case Storage.NULL:
            return Cell("NULL", dim=DIM_LEAST)
        case Storage.HIDDEN:
            return Cell(HIDDEN, dim=DIM_LEAST)
        case Storage.LEFT_OUT:
            return Cell(LEFT_OUT, dim=DIM_LEAST)
        case Storage.UNREAD:
            return Cell(UNREAD, dim=DIM_LEAST)
    if is_covered and is_content(cell):
        return Cell(f"{COVERED}, {byte_size(cell.length)}", dim=DIM_LEAST)
    if cell.storage is Storage.BLOB:
        return Cell(f"x'{cell.text}{'…' if cell.is_cut else ''}'", dim=1)
    return Cell(f"{visible(cell.text)}…" if cell.is_cut else visible(cell.text))


def kind_words(cell: StoredCell) -> str:
    """Say what a value is and how large: "TEXT, 138 bytes"."""
    match cell.storage:
        case Storage.HIDDEN:
            return "not read: a secret"
        case Storage.LEFT_OUT:
            return "not read"
        case Storage.UNREAD:
            return "too large to be read here"
        case Storage.TEXT | Storage.BLOB:
            return f"{_NAMES[cell.storage]}, {counted(cell.length, 'byte')}"
    return _NAMES[cell.storage]


def heading(column: StoredColumn) -> str:
    """Return the words over a column: its name and its declared type."""
    return visible(f"{column.name}  {column.declared}".rstrip()[:200])


def rows_words(table: StoredTable) -> str:
    """Say how many rows a table has, as far as that is known without counting."""
    if table.why_not is not None:
        return table.kind if table.kind != "table" else "–"
    if table.rows_at_most is None:
        return "–"
    return grouped(table.rows_at_most)


def page_words(table: StoredTable, rows: int, *, more: bool, is_first: bool) -> str:
    """Say which rows of a table are on screen."""
    columns = _columns_words(table)
    if not more and is_first:
        return counted(rows, "row") + columns
    of = "" if table.rows_at_most is None else f" of at most {grouped(table.rows_at_most)}"
    return f"{counted(rows, 'row')}{of}{' read so far' if more else ', to the end'}{columns}"


def _columns_words(table: StoredTable) -> str:
    """Say that only the first columns are read, and how many more there are; nothing where all are."""
    return _columns_left_out(len(table.columns) - table.columns_left_out, table.columns_left_out)


def _columns_left_out(shown: int, more: int) -> str:
    return f"; only the first {counted(shown, 'column')}, {grouped(more)} more" if more else ""


def answer_words(answer: StatementAnswer) -> str:
    """Say what a statement gave and how long it took."""
    more = ", and there are more" if answer.more else ""
    columns = _columns_left_out(len(answer.columns), answer.columns_left_out)
    return f"{counted(len(answer.rows), 'row')}{more}, {grouped(answer.took_ms)} ms{columns}"


def running_words(most_s: float) -> str:
    """Say that a statement runs, and for how long at most."""
    return f"Running; it is stopped after {most_s:g} s."


def not_pasted_words(characters: int, most: int) -> str:
    """Say why a text was not taken into the statement, which would have so many characters, and what takes more."""
    return (
        f"Not pasted: the statement would have {counted(characters, 'character')}, {grouped(most)} are the most here. "
        "The command sql takes more."
    )


def damage_words(page: RowPage) -> str:
    """Say where the table is damaged, or nothing."""
    return "" if page.broken is None else visible(page.broken)


def is_number_column(cells: Sequence[StoredCell]) -> bool:
    """Say whether a column of these values is one of numbers, which stand at the right."""
    kinds = {cell.storage for cell in cells}
    return bool(kinds & {Storage.INTEGER, Storage.REAL}) and kinds <= {Storage.INTEGER, Storage.REAL, Storage.NULL}
