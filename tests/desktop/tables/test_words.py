"""What the Tables view says of values and rows."""

from dataclasses import replace

import pytest

from inspector.desktop.tables.words import heading, is_content, is_number_column, kind_words, page_words, shown_cell
from inspector.layout.tables import Storage, StoredCell, StoredColumn
from tests.desktop.tables.stored import HIDDEN, NULL, integer, table, text

BLOB = StoredCell(Storage.BLOB, "00ff", 2)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (NULL, "NULL"),
        (HIDDEN, "hidden"),
        (StoredCell(Storage.LEFT_OUT, "", 0), "not read"),
        (StoredCell(Storage.UNREAD, "", 0), "too large"),
        (integer(2**63 - 1), "9223372036854775807"),
        (text("<b>x</b>\n\u202e"), r"<b>x</b>\u000a\u202e"),
        (text("begins", length=1_000), "begins…"),
        (BLOB, "x'00ff'"),
    ],
)
def test_a_value_stands_on_one_visible_line(cell: StoredCell, words: str) -> None:
    assert shown_cell(cell, is_covered=False).text == words


@pytest.mark.parametrize("cell", [text("x" * 65), text('{"a":1}'), text("[1]"), BLOB])
def test_what_can_be_a_prompt_is_covered_with_its_size(cell: StoredCell) -> None:
    assert is_content(cell)
    covered = shown_cell(cell, is_covered=True).text
    assert covered.startswith("covered, ")
    assert cell.text not in covered


@pytest.mark.parametrize("cell", [text("x" * 64), text("{}"), integer(5), NULL, HIDDEN])
def test_what_can_be_none_is_not_covered(cell: StoredCell) -> None:
    assert not is_content(cell)
    assert shown_cell(cell, is_covered=True) == shown_cell(cell, is_covered=False)


def test_a_value_says_what_it_is() -> None:
    assert kind_words(text("é")) == "TEXT, 2 bytes"
    assert kind_words(BLOB) == "BLOB, 2 bytes"
    assert kind_words(integer(1)) == "INTEGER"
    assert kind_words(NULL) == "NULL"
    assert kind_words(HIDDEN) == "not read: a secret"
    assert kind_words(StoredCell(Storage.LEFT_OUT, "", 0)) == "not read"


def test_a_heading_is_the_name_and_the_declared_type() -> None:
    assert heading(StoredColumn("a\n", "INTEGER")) == r"a\u000a  INTEGER"
    assert heading(StoredColumn("a", "")) == "a"


def test_rows_are_told_as_far_as_they_are_known() -> None:
    assert page_words(table(), 3, more=False, is_first=True) == "3 rows"
    assert page_words(table(), 200, more=True, is_first=True) == "200 rows of at most 1,000 read so far"
    assert page_words(table(rows=None), 1, more=False, is_first=False) == "1 row, to the end"


def test_columns_that_are_left_out_are_counted() -> None:
    wide = replace(table(), columns_left_out=1)
    assert page_words(wide, 3, more=False, is_first=True) == "3 rows; only the first 2 columns, 1 more"
    assert page_words(wide, 200, more=True, is_first=True).endswith("read so far; only the first 2 columns, 1 more")


def test_a_column_of_numbers_may_hold_nulls_and_nothing_else() -> None:
    assert is_number_column([integer(1), NULL])
    assert not is_number_column([integer(1), text("a")])
    assert not is_number_column([NULL])
