import pytest

from inspector.commands.table import Column, aligned, cells_of, cut

COLUMNS = (Column("TASK"), Column("SEQ", right=True), Column("MODEL", gives_way=True))


def test_columns_are_as_wide_as_what_they_hold() -> None:
    assert aligned(COLUMNS, [["task-1", "7", "m"], ["t", "1204", "mistral"]], None) == [
        "TASK     SEQ  MODEL",
        "task-1     7  m",
        "t       1204  mistral",
    ]


def test_a_narrow_terminal_takes_width_from_the_columns_that_give_way_only() -> None:
    lines = aligned(COLUMNS, [["task-1", "7", "a-rather-long-model-name"]], 27)
    assert lines == ["TASK    SEQ  MODEL", "task-1    7  a-rather-lon.."]


@pytest.mark.parametrize("limit", [1, 2, 5, 12, 20, 24, 40, 80])
def test_no_line_is_wider_than_the_terminal(limit: int) -> None:
    rows = [["task-1", "7", "a-rather-long-model-name"], ["日本語" * 5, "1", "é" * 30]]
    assert all(cells_of(line) <= limit for line in aligned(COLUMNS, rows, limit))


def test_the_widest_columns_give_way_first() -> None:
    columns = (Column("A", gives_way=True), Column("B", gives_way=True))
    assert aligned(columns, [["a" * 40, "b" * 10]], 32)[1] == "a" * 18 + "..  " + "b" * 10
    assert aligned(columns, [["a" * 40, "b" * 40]], 32)[1] == "a" * 13 + "..  " + "b" * 13 + ".."


@pytest.mark.parametrize(("text", "cells"), [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("é", 1)])
def test_a_character_takes_the_cells_that_a_terminal_gives_it(text: str, cells: int) -> None:
    assert cells_of(text) == cells


def test_wide_and_combining_characters_keep_the_columns_straight() -> None:
    columns = (Column("A"), Column("B"))
    lines = aligned(columns, [["日本", "x"], ["e\u0301e", "y"], ["abcd", "z"]], None)
    assert [cells_of(line) for line in lines[1:]] == [7, 7, 7]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdef", 5, "abc.."), ("日本語", 5, "日.."), ("日本語", 4, "日..")],
)
def test_a_text_is_cut_at_a_whole_character(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


@pytest.mark.threat(id="T18")
@pytest.mark.parametrize("sign", ["x", "é", "日"])
def test_one_huge_cell_makes_no_other_line_longer_and_takes_no_time(sign: str) -> None:
    rows = [["t", "1", sign * 1_000_000], ["t", "1", "m"], [sign * 1_000_000, "1", "m"]]

    piped = aligned(COLUMNS, rows, None)
    assert [len(line) > 1_000 for line in piped] == [False, True, False, True]
    assert [sign * 1_000_000 in line for line in piped] == [False, True, False, True]
    assert all(cells_of(line) <= 80 for line in aligned(COLUMNS, rows, 80))


def test_no_rows_are_the_words_alone() -> None:
    assert aligned(COLUMNS, [], None) == ["TASK  SEQ  MODEL"]
