"""What the columns say of a hit."""

from datetime import UTC

import pytest

from inspector.desktop.search.words import HIDDEN, HitColumn, excerpt_cell, hit_cells
from tests.desktop.search.hits import NOW_MS, hit


def marked(excerpt: str, text: str = "needle") -> tuple[str, str | None]:
    """Return what is shown of an excerpt, and the marked part of it."""
    cell = excerpt_cell(hit(1, excerpt, text))
    return cell.text, None if cell.mark is None else cell.text[slice(*cell.mark)]


def test_a_hit_is_its_moment_its_task_its_number_its_type_and_what_stands_around_the_text() -> None:
    cells = hit_cells(hit(5, type="response.failed"), NOW_MS, UTC, is_covered=False)
    assert [cell.text for cell in cells] == [
        "00:55:00.005",
        "task_0005",
        "5",
        "response.failed",
        '{"delta":"a needle in it"}',
    ]
    assert cells[HitColumn.TYPE].status == "failed"
    earlier = hit_cells(hit(5), NOW_MS + 86_400_000, UTC, is_covered=False)
    assert earlier[HitColumn.TIME].text == "30 Nov 00:55:00.005"
    assert earlier[HitColumn.TYPE].status is None


def test_what_is_no_number_is_shown_as_it_is_stored() -> None:
    odd = hit(5, created_at=None, seq=0, odd=(("created_at", "now\u202e"), ("seq", "one")))
    cells = hit_cells(odd, NOW_MS, UTC, is_covered=False)
    assert (cells[HitColumn.TIME].text, cells[HitColumn.SEQ].text) == ("now\\u202e", "one")


def test_the_marked_part_is_the_text_as_it_is_stored() -> None:
    assert marked('{"delta":"a NEEDLE in it"}') == ('{"delta":"a NEEDLE in it"}', "NEEDLE")
    assert marked("needle") == ("needle", "needle")


def test_an_excerpt_that_is_cut_says_so_at_either_end() -> None:
    assert marked("n the needle an") == ("…n the needle an…", "needle")
    assert marked('{"delta":"needle an') == ('{"delta":"needle an…', "needle")


def test_line_breaks_are_blanks_and_what_acts_is_made_visible_without_moving_the_mark() -> None:
    shown, mark = marked('{\n\t"delta":"\x1b[31m\u202eneedle\u2066\x00"}')
    assert shown == '{  "delta":"\\u001b[31m\\u202eneedle\\u2066\\u0000"}'
    assert mark == "needle"


def test_data_that_is_no_text_has_no_mark() -> None:
    cell = excerpt_cell(hit(1, "x'00ff'", match_at=0, match_length=0))
    assert cell.mark is None


def test_what_is_covered_shows_nothing_of_the_data() -> None:
    cells = hit_cells(hit(5), NOW_MS, UTC, is_covered=True)
    assert (cells[HitColumn.DATA].text, cells[HitColumn.DATA].mark) == (HIDDEN, None)


@pytest.mark.parametrize("created_at", [None, -(2**63), 2**63 - 1])
def test_any_moment_and_any_text_give_one_line(created_at: int | None) -> None:
    hostile = hit(2**63 - 1, "\n" * 160, "\n", task_id="\x07" * 9_000, type="<b>\u202e" * 999, created_at=created_at)
    for cell in hit_cells(hostile, NOW_MS, UTC, is_covered=False):
        assert cell.text.isprintable()
        assert len(cell.text) < 4_000
