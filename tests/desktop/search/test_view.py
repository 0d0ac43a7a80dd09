"""The Search view, fed by hand."""

from collections.abc import Callable, Iterator
from datetime import UTC

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QProgressBar, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.search.standing import State
from inspector.desktop.search.view import SearchView
from inspector.desktop.search.words import HIDDEN, HitColumn
from inspector.desktop.widgets.empty import EmptySentence
from tests.desktop.search.hits import answer, hit, progress
from tests.support.finding import found


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[SearchView]:
    window = QWidget()
    qtbot.addWidget(window)
    view = SearchView(UTC)
    column = QVBoxLayout(window)
    # Others take the keyboard in a window, too.
    column.addWidget(QLineEdit())
    column.addWidget(view)
    column.addWidget(QLineEdit())
    window.resize(1_200, 600)
    with qtbot.waitExposed(window):
        window.show()
    yield view
    window.close()


def said(view: SearchView) -> str:
    """Return the sentence that stands where there is no hit; nothing where there is one."""
    empty = found(view, EmptySentence)
    return empty.accessibleName() if empty.isVisible() else ""


def data(view: SearchView, row: int = 0) -> str:
    return str(view.hits.index(row, HitColumn.DATA).data())


def test_before_a_search_it_says_what_can_be_done(view: SearchView) -> None:
    assert said(view).startswith("Type a text and press Return")
    assert not view.strip.isVisible()
    view.set_paused(True)
    assert "Paused" in said(view)


def test_return_in_the_field_asks_and_an_empty_one_asks_nothing(view: SearchView) -> None:
    asked: list[str] = []
    view.search_requested.connect(asked.append)
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    assert asked == []
    QTest.keyClicks(view.bar.field, "a b ")
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    assert asked == ["a b "], "also the last blank is looked for"


def test_hits_appear_as_they_are_found_with_how_far_it_is(view: SearchView, qtbot: QtBot) -> None:
    view.show_begun("needle")
    assert said(view) == "No event holds “needle” so far."
    assert view.strip.text == "Searching, 0 hits"

    view.show_progress(progress(1_000_000, 10_000_000, hit(9), hit(7)))

    assert view.hits.rowCount() == 2, "the first ones at once"
    assert view.strip.text == "Searched 1.0 of 10.0 million events, 2 hits"
    assert said(view) == ""
    assert found(view, QProgressBar).value() == 100
    assert found(view, QProgressBar).accessibleDescription() == view.strip.text

    for number in range(5, 0, -1):
        view.show_progress(progress(2_000_000, 10_000_000, hit(number)))
    assert view.hits.rowCount() == 2, "what comes fast is gathered"
    qtbot.waitUntil(lambda: view.hits.rowCount() == 7)
    assert view.strip.text == "Searched 2.0 of 10.0 million events, 7 hits"


def test_what_is_told_twice_is_shown_once(view: SearchView, qtbot: QtBot) -> None:
    view.show_begun("needle")
    view.show_progress(progress(1, 9, hit(9)))
    view.show_progress(progress(2, 9, hit(7)))
    # A search that its process did not survive is told from its beginning again.
    view.show_progress(progress(1, 9, hit(9), hit(7)))
    view.show_progress(progress(3, 9, hit(4)))
    qtbot.waitUntil(lambda: view.hits.rowCount() > 1)
    view.show_progress(progress(3, 9, hit(3)))
    view.show_answer(answer(*(hit(number) for number in (9, 7, 4, 3, 1))))
    hits = [view.hits.hit_at(row) for row in range(view.hits.rowCount())]
    assert hits == [hit(number) for number in (9, 7, 4, 3, 1)]


def test_at_the_end_all_hits_are_there_and_nothing_can_be_stopped(view: SearchView) -> None:
    view.show_begun("needle")
    view.show_progress(progress(5, 10, hit(9)))
    view.show_answer(answer(hit(9), hit(7), hit(3)))

    assert [view.hits.hit_at(row) for row in range(3)] == [hit(9), hit(7), hit(3)]
    assert view.strip.text == "Searched all 10 events, 3 hits, as of 00:55:00"
    assert not view.strip.stop_button.isVisible()
    assert not view.strip.more_button.isVisible()
    assert not found(view, QProgressBar).isVisible()


def test_without_a_hit_it_says_so(view: SearchView) -> None:
    view.show_begun("needle")
    view.show_answer(answer())
    assert said(view) == "No event holds “needle”."


def test_where_it_has_found_enough_it_offers_to_go_on_behind_the_last(view: SearchView) -> None:
    asked: list[object] = []
    view.more_requested.connect(asked.append)
    view.show_begun("needle")
    view.show_answer(answer(hit(9), hit(7), searched_to=7))
    assert view.strip.text == "The newest 2 hits, as of 00:55:00"

    QTest.mouseClick(view.strip.more_button, Qt.MouseButton.LeftButton)
    view.show_going_on()
    view.show_progress(progress(1, 4, hit(5)))
    view.show_answer(answer(hit(5), hit(4)))

    assert asked == [7]
    assert view.hits.rowCount() == 4
    assert view.strip.text == "Searched all 6 events, 4 hits, as of 00:55:00"


@pytest.mark.parametrize("way", ["button", "field", "table"])
def test_a_search_is_stopped_by_its_button_and_by_escape(view: SearchView, way: str) -> None:
    asked: list[None] = []
    view.stop_requested.connect(lambda: asked.append(None))
    view.bar.field.setText("needle")
    view.show_begun("needle")
    view.show_progress(progress(1, 4, hit(5)))
    if way == "button":
        QTest.mouseClick(view.strip.stop_button, Qt.MouseButton.LeftButton)
    else:
        QTest.keyClick(view.bar.field if way == "field" else view.table, Qt.Key.Key_Escape)
    assert asked == [None]
    view.show_stopped(State.STOPPED)
    assert view.strip.text == "Stopped after 1 of 4 events, 1 hit"
    assert view.bar.field.text() == "needle"


@pytest.mark.parametrize("found_some", [True, False])
def test_a_button_that_goes_leaves_the_keyboard_where_one_goes_on(view: SearchView, *, found_some: bool) -> None:
    view.show_begun("needle")
    if found_some:
        view.show_progress(progress(1, 4, hit(5)))
    view.strip.stop_button.setFocus()
    view.show_stopped(State.STOPPED)
    assert (view.table if found_some else view.bar.field).hasFocus()


def test_what_is_over_is_not_stopped_by_a_pause(view: SearchView) -> None:
    view.show_begun("needle")
    view.show_answer(answer(hit(9)))
    view.show_stopped(State.STOPPED_BY_PAUSE)
    assert view.strip.text == "Searched all events, 1 hit, as of 00:55:00"


def test_escape_empties_the_field_where_nothing_is_searched(view: SearchView) -> None:
    asked: list[None] = []
    view.stop_requested.connect(lambda: asked.append(None))
    view.bar.focus()
    QTest.keyClicks(view.bar.field, "needle")
    QTest.keyClick(view.bar.field, Qt.Key.Key_Escape)
    assert view.bar.field.text() == ""
    assert asked == []


def by_return(view: SearchView) -> None:
    view.bar.focus()
    QTest.keyClick(view.bar.field, Qt.Key.Key_Down)
    QTest.keyClick(view.table, Qt.Key.Key_Down)
    QTest.keyClick(view.table, Qt.Key.Key_Return)


def by_click(view: SearchView) -> None:
    at = view.table.visualRect(view.hits.index(1, HitColumn.DATA)).center()
    QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=at)


@pytest.mark.parametrize("choose", [by_return, by_click])
def test_return_or_a_click_on_a_hit_chooses_its_event(view: SearchView, choose: Callable[[SearchView], None]) -> None:
    chosen: list[tuple[str, int]] = []
    view.hit_chosen.connect(lambda task_id, seq: chosen.append((task_id, seq)))
    view.show_begun("needle")
    view.show_answer(answer(hit(9), hit(7)))

    choose(view)

    assert chosen[-1] == ("task_0007", 7)
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "task_0007"


def test_what_is_covered_is_shown_when_it_is_wanted(view: SearchView) -> None:
    wanted: list[None] = []
    view.uncover_wanted.connect(lambda: wanted.append(None))
    view.set_covered(True)
    view.show_begun("needle")
    assert not view.strip.uncover_link.isVisible(), "there is nothing to show"
    view.show_answer(answer(hit(9)))
    assert data(view) == HIDDEN

    QTest.mouseClick(view.strip.uncover_link, Qt.MouseButton.LeftButton)
    assert wanted == [None]
    view.set_covered(False)

    assert "needle" in data(view)
    assert not view.strip.uncover_link.isVisible()


def test_a_failure_and_a_lost_file_are_told_in_place_of_hits_and_above_them(view: SearchView) -> None:
    view.show_begun("needle")
    view.show_failed("The events of this file hold no data.")
    assert said(view) == view.strip.text == "The events of this file hold no data."

    view.show_begun("needle")
    view.show_progress(progress(1, 4, hit(5)))
    view.show_lost()
    assert view.strip.text == "The file cannot be read any more. 1 hit of “needle” until then."
    assert view.hits.rowCount() == 1


def test_another_search_and_another_file_leave_nothing_of_the_last(view: SearchView) -> None:
    view.bar.field.setText("needle")
    view.show_begun("needle")
    view.show_progress(progress(1, 4, hit(9)))
    view.show_progress(progress(2, 4, hit(8)))
    view.show_begun("other")
    assert view.hits.rowCount() == 0
    assert view.strip.text == "Searching, 0 hits"

    view.show_progress(progress(1, 4, hit(5)))
    view.show_progress(progress(2, 4, hit(4)))
    view.clear()

    assert view.hits.rowCount() == 0
    assert view.bar.field.text() == ""
    assert said(view).startswith("Type a text")


def test_what_is_on_screen_stays_there_while_hits_come(view: SearchView, qtbot: QtBot) -> None:
    view.show_begun("needle")
    view.show_progress(progress(1, 9_000, *(hit(number) for number in range(2_000, 1_000, -1))))
    view.table.verticalScrollBar().setValue(5_003)
    top = view.table.indexAt(QPoint(0, 0)).row()
    view.table.setCurrentIndex(view.hits.index(top + 2, 0))
    resets: list[None] = []
    view.hits.modelReset.connect(lambda: resets.append(None))

    view.show_progress(progress(2, 9_000, *(hit(number) for number in range(1_000, 0, -1))))
    qtbot.waitUntil(lambda: view.hits.rowCount() == 2_000)

    assert view.table.verticalScrollBar().value() == 5_003
    assert view.table.currentIndex().row() == top + 2
    assert resets == []


def test_a_narrow_view_leaves_the_type_out(view: SearchView) -> None:
    assert not view.table.isColumnHidden(HitColumn.TYPE)
    view.window().resize(800, 400)
    assert view.table.isColumnHidden(HitColumn.TYPE)


def test_every_control_has_a_name(view: SearchView) -> None:
    assert view.bar.field.accessibleName() == "Search all events for a text"
    assert view.table.accessibleName() == "Events that were found"
    assert found(view, QProgressBar).accessibleName() == "Search of all events"
