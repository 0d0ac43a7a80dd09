from dataclasses import replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.event_list import EventList
from inspector.desktop.detail.item_model import EventColumn
from inspector.desktop.detail.loaded_events import MOST_LOADED
from inspector.desktop.widgets.flash import FlashClock
from inspector.layout.pages import PAGE_ROWS, EventPage
from tests.desktop.detail.pages import event, page
from tests.desktop.timeline.histories import T0, TASK
from tests.desktop.widgets.pictures import seen

ROWS = 8
"""About so many rows are on screen."""


@pytest.fixture
def events(qtbot: QtBot) -> EventList:
    made = EventList(FlashClock(still=True))
    qtbot.addWidget(made)
    made.resize(560, 24 + ROWS * 24)
    made.show()
    qtbot.waitExposed(made)
    made.show_page(page(range(101, 201)), wanted=False)
    return made


def top(events: EventList) -> tuple[str, int]:
    """The first row on screen, and where it is."""
    index = events.indexAt(QPoint(0, 0))
    return index.siblingAtColumn(EventColumn.SEQ).data(), events.visualRect(index).top()


def is_at_end(events: EventList) -> bool:
    bar = events.verticalScrollBar()
    return bar.value() == bar.maximum() > 0


@pytest.mark.parametrize("text", ["", "delta"])
def test_rows_painted_in_one_go_look_as_they_do_cell_by_cell(events: EventList, text: str) -> None:
    kinds = ["response.loading", "made.up", "response.output_text.delta", "response.completed", "e\u0301" * 40]
    log = [replace(event(seq), type=kinds[seq % len(kinds)]) for seq in (*range(1, 190), *range(195, 201))]
    events.forget()
    events.show_page(EventPage(TASK, tuple(log), more_before=False, more_after=False), wanted=True)
    events.events.set_zero(T0)
    events.set_filter(text, changes_only=False)
    events.setCurrentIndex(events.model().index(events.model().rowCount() - 4, 0))

    at_once = seen(events.viewport())
    events.set_row_cells(None)

    assert at_once == seen(events.viewport())


def test_a_log_is_followed_from_its_first_page_on(events: EventList) -> None:
    assert events.is_following
    assert is_at_end(events)
    events.show_page(page(range(201, 231)), wanted=False)
    assert is_at_end(events)


def test_scrolling_up_lets_go_and_what_is_on_screen_stays(events: EventList, qtbot: QtBot) -> None:
    with qtbot.waitSignal(events.follow_changed) as followed:
        events.verticalScrollBar().setValue(events.verticalScrollBar().maximum() - 300)
    assert followed.args == [False]
    before = top(events)
    events.show_page(page(range(201, 231)), wanted=False)
    assert top(events) == before
    assert not events.is_following


def test_end_takes_hold_again(events: EventList, qtbot: QtBot) -> None:
    events.verticalScrollBar().setValue(500)
    with qtbot.waitSignal(events.follow_changed) as followed, qtbot.waitSignal(events.event_chosen) as chosen:
        QTest.keyClick(events, Qt.Key.Key_End)
    assert followed.args == [True]
    assert chosen.args == [event(200)]
    assert is_at_end(events)
    events.show_page(page(range(201, 231)), wanted=False)
    assert is_at_end(events)


def test_home_asks_for_the_beginning_of_the_log_and_goes_to_it_where_it_is_loaded(
    events: EventList, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(events.start_wanted):
        QTest.keyClick(events, Qt.Key.Key_Home)
    assert not events.is_following

    events.show_page(page(range(1, 101)), wanted=False)
    with qtbot.assertNotEmitted(events.start_wanted), qtbot.waitSignal(events.event_chosen) as chosen:
        QTest.keyClick(events, Qt.Key.Key_Home)
    assert chosen.args == [event(1)]


def test_older_events_are_asked_for_near_the_top_only(events: EventList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(events.before_wanted):
        events.verticalScrollBar().setValue(1_000)
    with qtbot.waitSignal(events.before_wanted):
        events.verticalScrollBar().setValue(30)


def test_older_events_join_above_without_moving_what_is_on_screen(events: EventList) -> None:
    events.verticalScrollBar().setValue(30)
    before = top(events)
    events.show_page(page(range(1, 101)), wanted=False)
    assert top(events) == before


def test_nothing_is_asked_for_before_the_first_event(events: EventList, qtbot: QtBot) -> None:
    events.show_page(page(range(1, 101)), wanted=False)
    with qtbot.assertNotEmitted(events.before_wanted):
        events.verticalScrollBar().setValue(5)
        events.verticalScrollBar().setValue(0)


def test_newer_events_are_asked_for_at_the_end_of_a_stretch(events: EventList, qtbot: QtBot) -> None:
    events.follow(False)
    events.show_page(page(range(20, 60), after=True), wanted=True)
    events.verticalScrollBar().setValue(100)
    with qtbot.waitSignal(events.after_wanted):
        events.verticalScrollBar().setValue(events.verticalScrollBar().maximum())


def test_following_from_the_middle_asks_for_the_end(events: EventList, qtbot: QtBot) -> None:
    events.follow(False)
    events.show_page(page(range(20, 60), after=True), wanted=True)
    with qtbot.waitSignal(events.end_wanted):
        events.follow(True)


def test_a_page_that_takes_the_place_of_others_is_no_choice_of_the_reader(events: EventList) -> None:
    events.go_to(event(150))
    told: list[str] = []
    for name in ("follow_changed", "event_chosen", "before_wanted", "after_wanted", "end_wanted", "start_wanted"):
        getattr(events, name).connect(lambda *_, name=name: told.append(name))
    events.show_page(page(range(20, 60), after=True), wanted=True)
    events.doItemsLayout()
    assert not told


def test_a_larger_list_still_stands_at_its_end(events: EventList) -> None:
    events.resize(560, 24 + 2 * ROWS * 24)
    events.doItemsLayout()
    assert events.is_following
    assert is_at_end(events)
    events.resize(560, 24 + ROWS * 24)
    events.doItemsLayout()
    assert is_at_end(events)


def test_a_chosen_row_is_told_and_one_that_is_set_is_not(events: EventList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(events.event_chosen):
        events.go_to(event(150))
    assert events.currentIndex().siblingAtColumn(EventColumn.SEQ).data() == "150"
    with qtbot.waitSignal(events.event_chosen) as chosen:
        QTest.keyClick(events, Qt.Key.Key_Down)
    assert chosen.args == [event(151)]


def test_going_to_an_event_shows_it_and_lets_go_of_the_end(events: EventList) -> None:
    events.go_to(event(120))
    assert events.viewport().rect().contains(events.visualRect(events.currentIndex()).center())
    assert not events.is_following


def test_the_chosen_row_stays_while_pages_join(events: EventList) -> None:
    events.go_to(event(150))
    kept = QPersistentModelIndex(events.currentIndex())
    events.show_page(page(range(201, 231)), wanted=False)
    events.show_page(page(range(1, 101)), wanted=False)
    assert events.currentIndex() == kept
    assert events.currentIndex().siblingAtColumn(EventColumn.SEQ).data() == "150"
    assert events.selectionModel().isRowSelected(events.currentIndex().row())


def test_an_event_that_the_filter_holds_back_is_not_current(events: EventList) -> None:
    events.set_filter("word 110", changes_only=False)
    events.go_to(event(150))
    assert not events.currentIndex().isValid()
    assert events.shown.rowCount() == 1


def test_the_keyboard_comes_in_at_the_last_row_on_screen_and_chooses_nothing(events: EventList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(events.event_chosen):
        events.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(events.hasFocus)
    assert events.is_following
    assert events.currentIndex().siblingAtColumn(EventColumn.SEQ).data() == "200"


@pytest.mark.parametrize("width", [300, 400, 560, 1_200])
def test_columns_share_the_width_that_there_is(events: EventList, width: int) -> None:
    events.resize(width, events.height())
    widths = [events.columnWidth(column) for column in EventColumn if not events.isColumnHidden(column)]
    assert sum(widths) <= events.viewport().width() + 60
    assert events.columnWidth(EventColumn.DATA) >= 40


def test_large_numbers_have_room(events: EventList) -> None:
    before = events.columnWidth(EventColumn.SEQ)
    events.make_room_for(12_345_678)
    assert events.columnWidth(EventColumn.SEQ) > before


def read_down(events: EventList, upto: int) -> None:
    """Read the log from the middle of the list to ``upto``, page by page."""
    for first in range(201, upto, PAGE_ROWS):
        events.show_page(page(range(first, first + PAGE_ROWS), after=True), wanted=False)


def test_however_far_one_reads_a_bounded_number_of_events_is_kept(events: EventList) -> None:
    events.follow(False)
    read_down(events, 3 * MOST_LOADED)
    assert events.events.rowCount() == MOST_LOADED
    assert events.events.more_before
    for _ in range(30):
        first = events.events.first_seq or 0
        events.show_page(page(range(max(1, first - PAGE_ROWS), first)), wanted=False)
        assert events.events.rowCount() <= MOST_LOADED
    assert events.events.more_after


def test_what_is_let_go_of_moves_nothing_that_is_on_screen(events: EventList) -> None:
    read_down(events, MOST_LOADED)
    bar = events.verticalScrollBar()
    bar.setValue(bar.maximum() - 300)
    before = top(events)
    last = events.events.last_seq or 0
    events.show_page(page(range(last + 1, last + 1 + PAGE_ROWS)), wanted=False)
    assert events.events.rowCount() == MOST_LOADED
    assert top(events) == before


def test_news_from_the_end_are_not_joined_to_a_stretch_that_lost_it(events: EventList) -> None:
    read_down(events, 2 * MOST_LOADED)
    newest = events.events.last_seq or 0
    for _ in range(3):
        first = events.events.first_seq or 0
        events.show_page(page(range(first - PAGE_ROWS, first)), wanted=False)
    last = events.events.last_seq or 0
    assert last < newest
    events.show_page(page(range(newest + 1, newest + 3)), wanted=False)
    assert events.events.last_seq == last
