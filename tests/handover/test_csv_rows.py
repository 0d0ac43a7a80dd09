"""A CSV file that is read again holds what was stored, and nothing in it is a formula."""

import csv
import io

import pytest

from inspector.handover.cells import COLUMNS, TAKEN_OUT, Cell, LargeText, Whole, cells_of
from inspector.handover.csv_rows import REDACTED, csv_row, guarded
from inspector.layout.rows import EventRow, ModelRow, ResponseRow, StoredText, TaskDetail, TaskRow
from inspector.layout.whole import Part

PREFIXES = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]  # noqa: RUF001  what is guarded against


def again(*rows: list[str]) -> list[list[str]]:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows(rows)
    return list(csv.reader(io.StringIO(written.getvalue(), newline="")))


def stored(text: str) -> StoredText:
    return StoredText(text, len(text))


def rows_of(text: str) -> dict[Part, tuple[Cell, ...]]:
    """A row of each table with ``text`` in every column that can hold one."""
    task = TaskRow(text, text, text, text, text, text, -1, -2, -3, text, -4, None, None, None)
    rows: tuple[Whole, ...] = (
        TaskDetail(task, stored(text), stored(text), stored(text), None),
        EventRow(-1, text, -2, text, text, -3, -4, text, len(text)),
        ResponseRow(text, text, text, text, text, stored(text), -1, None),
        ModelRow(text, text, text, -1, text, text, text, -2, 0, 0),
    )
    parts = (Part.TASKS, Part.EVENTS, Part.RESPONSES, Part.MODELS)
    return {part: cells_of(row, with_secrets=True) for part, row in zip(parts, rows, strict=True)}


CELLS = [(part, column) for part in Part for column in COLUMNS[part]]


@pytest.mark.threat(id="T17")
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(("part", "column"), CELLS)
def test_no_text_of_any_column_is_a_formula(part: Part, column: str, prefix: str) -> None:
    text = f'{prefix}cmd|" /C calc"!A0'
    cells = rows_of(text)[part]
    (read,) = again(csv_row(cells))
    cell, shown = cells[COLUMNS[part].index(column)], read[COLUMNS[part].index(column)]

    if isinstance(cell, int):
        assert shown == str(cell)
    elif cell is None:
        assert shown == ""
    else:
        assert shown == f"'{text}"


@pytest.mark.parametrize(
    "text",
    [
        *("", "0000000000000001", "a,b", 'say "no"', "line\r\nline", "a\nb", "a\rb", "\0", "a\0b", "\x1b[2J", "'=1"),
        *(" =1", "x=1", "\x85", "\u2028\u202e", "é漢😀", "\\xff", "1,5;2", "\ufeff=1", '"', "\x1a"),
    ],
)
def test_any_other_text_comes_back_as_it_was_stored(text: str) -> None:
    assert again(csv_row(["first", text, "last"]), csv_row([text])) == [["first", text, "last"], [text]]


@pytest.mark.parametrize("number", [0, -1, 9007199254740993, 2**63 - 1, -(2**63)])
def test_a_number_keeps_every_digit_and_gets_nothing_before_it(number: int) -> None:
    assert csv_row([number]) == [str(number)]


def test_what_was_taken_out_is_marked_and_what_is_not_there_is_empty() -> None:
    assert csv_row([TAKEN_OUT, None, ""]) == [REDACTED, "", ""]


def test_a_large_text_is_a_text() -> None:
    assert csv_row([LargeText(stored("-1"), is_json=True)]) == ["'-1"]
    assert guarded("") == ""
