from hypothesis import given
from hypothesis import strategies as st

from inspector.desktop.recovery.row_edits import row_edits, runs

KEYS = st.lists(st.integers(0, 30), unique=True, max_size=20)


def carried_out(old: list[int], new: list[int]) -> list[int]:
    rows = list(old)
    edits = row_edits(old, new)
    for first, last in edits.removed:
        del rows[first : last + 1]
    for first, last in edits.inserted:
        rows[first:first] = new[first : last + 1]
    return rows


@given(KEYS, KEYS)
def test_the_edits_make_the_old_list_into_the_new_one(old: list[int], new: list[int]) -> None:
    assert carried_out(old, new) == new


@given(KEYS)
def test_a_list_that_is_the_same_needs_no_edit(keys: list[int]) -> None:
    edits = row_edits(keys, list(keys))

    assert edits.removed == edits.inserted == ()


@given(KEYS, st.sets(st.integers(0, 30)))
def test_a_row_that_stays_between_rows_that_go_is_not_touched(old: list[int], gone: set[int]) -> None:
    new = [key for key in old if key not in gone]

    assert row_edits(old, new).inserted == ()


def test_neighbours_go_and_come_together() -> None:
    edits = row_edits(["a", "b", "c", "d"], ["a", "d", "e", "f"])

    assert edits.removed == ((1, 2),)
    assert edits.inserted == ((2, 3),)


def test_runs_of_neighbours() -> None:
    assert list(runs([0, 1, 2, 5, 7, 8])) == [(0, 2), (5, 5), (7, 8)]
    assert list(runs([])) == []
