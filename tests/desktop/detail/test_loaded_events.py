from hypothesis import given
from hypothesis import strategies as st

from inspector.desktop.detail.item_model import EventItemModel
from inspector.desktop.detail.loaded_events import Missing, Place
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow
from tests.desktop.detail.pages import page


def loaded(model: EventItemModel) -> list[int | tuple[int, int]]:
    entries = [model.entry(row) for row in range(model.rowCount())]
    return [
        entry.seq if isinstance(entry, EventRow) else (entry.first_seq, entry.last_seq)
        for entry in entries
        if entry is not None
    ]


def model_of(*pages: EventPage) -> EventItemModel:
    model = EventItemModel(lambda: 0)
    for each in pages:
        model.show_page(each)
    return model


def test_newer_events_join_at_the_end_and_older_ones_at_the_beginning() -> None:
    model = model_of(page(range(11, 14)))
    assert model.show_page(page(range(14, 16))) is Place.AFTER
    assert model.show_page(page(range(9, 11))) is Place.BEFORE
    assert loaded(model) == list(range(9, 16))
    assert model.more_before


def test_an_event_that_is_loaded_is_not_taken_twice() -> None:
    model = model_of(page(range(1, 6)))
    assert model.show_page(page(range(3, 8))) is Place.AFTER
    assert model.show_page(page(range(3, 8))) is Place.NOWHERE
    assert loaded(model) == list(range(1, 8))


def test_older_events_that_overlap_bring_only_what_is_new() -> None:
    model = model_of(page(range(5, 9)))
    assert model.show_page(page(range(1, 7))) is Place.BEFORE
    assert loaded(model) == list(range(1, 9))
    assert not model.more_before


def test_a_page_around_all_that_is_loaded_takes_its_place() -> None:
    model = model_of(page(range(5, 7)))
    assert model.show_page(page(range(1, 10))) is Place.INSTEAD
    assert loaded(model) == list(range(1, 10))


def test_numbers_that_the_log_lacks_are_one_row_wherever_they_are() -> None:
    inside = model_of(page([1, 2, 3, 18, 19]))
    assert loaded(inside) == [1, 2, 3, (4, 17), 18, 19]
    at_the_seam = model_of(page([1, 2]), page([5, 6]))
    assert loaded(at_the_seam) == [1, 2, (3, 4), 5, 6]
    before_the_seam = model_of(page([8, 9]), page([4, 5]))
    assert loaded(before_the_seam) == [4, 5, (6, 7), 8, 9]
    at_the_beginning = model_of(page([4, 5], before=False))
    assert loaded(at_the_beginning) == [(1, 3), 4, 5]
    assert Missing(4, 17).events == 14


def test_an_unloaded_stretch_is_not_taken_for_a_missing_one() -> None:
    assert loaded(model_of(page([4, 5], before=True))) == [4, 5]


def test_a_page_from_elsewhere_takes_the_place_only_if_it_was_asked_for() -> None:
    model = model_of(page(range(500, 510), after=True))
    assert model.show_page(page(range(900, 905)), wanted=True) is Place.INSTEAD
    assert loaded(model) == list(range(900, 905))
    assert model.show_page(page(range(20, 30), after=True), wanted=True) is Place.INSTEAD
    assert loaded(model) == list(range(20, 30))


def test_news_from_the_end_leave_a_reader_in_the_middle_alone() -> None:
    model = model_of(page(range(990, 1_001)))
    model.show_page(page(range(20, 30), after=True), wanted=True)
    assert model.show_page(page(range(1_001, 1_004))) is Place.NOWHERE
    assert loaded(model) == list(range(20, 30))
    assert model.show_page(page(range(30, 35), after=True)) is Place.AFTER


def test_an_empty_page_changes_nothing() -> None:
    model = model_of(page(range(1, 4)))
    assert model.show_page(page([])) is Place.NOWHERE
    assert loaded(model) == [1, 2, 3]


@given(
    logs=st.lists(st.integers(1, 60), unique=True, min_size=1).map(sorted),
    pages=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 25), st.booleans()), min_size=1, max_size=8),
)
def test_whatever_comes_numbers_rise_and_none_stands_twice(logs: list[int], pages: list[tuple[int, int, bool]]) -> None:
    model = EventItemModel(lambda: 0)
    for after, limit, wanted in pages:
        seqs = [seq for seq in logs if seq > after][:limit]
        more_before = bool(seqs) and seqs[0] > logs[0]
        more_after = bool(seqs) and seqs[-1] < logs[-1]
        model.show_page(page(seqs, before=more_before, after=more_after), wanted=wanted)
        last = 0
        for item in loaded(model):
            first, end = (item, item) if isinstance(item, int) else item
            assert last < first <= end
            assert last in (0, first - 1), "no number is passed over in silence"
            last = end
        for seq in seqs:
            row = model.row_of(seq)
            assert row is None or loaded(model)[row] == seq
