"""The Tasks view, fed by hand."""

from datetime import UTC

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from inspector.desktop.moment import Moment
from inspector.desktop.tasks.filters import TaskFilters
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.row_button import Word
from inspector.desktop.widgets.tools import HeaderButton, LinkButton, PillButton
from inspector.layout.pages import Counts, TaskFilter, TaskKey, TaskPage
from inspector.lmsp.statuses import UNFINISHED
from tests.desktop.tasks.rows import NOW_MS, page, row
from tests.support.finding import found


@pytest.fixture
def view(qtbot: QtBot) -> TasksView:
    view = TasksView(UTC)
    qtbot.addWidget(view)
    view.resize(760, 400)
    with qtbot.waitExposed(view):
        view.show()
    return view


def chip(view: TasksView, word: str) -> Chip:
    return next(chip for chip in view.findChildren(Chip) if chip.word == word)


def scrolled(view: TasksView) -> int:
    return view.table.verticalScrollBar().value()


def top_task(view: TasksView) -> str:
    return str(view.rows.index(view.table.indexAt(QPoint(0, 0)).row(), TaskColumn.TASK).data())


def test_at_the_top_new_tasks_come_in_at_once(view: TasksView) -> None:
    view.show_page(page(*(row(number) for number in range(60, 0, -1))), selected=None)
    view.show_changes((row(61),), ())
    assert top_task(view) == "task_0061"
    assert scrolled(view) == 0


def test_scrolled_down_nothing_moves_and_new_tasks_are_announced(view: TasksView) -> None:
    view.show_page(page(*(row(number) for number in range(60, 0, -1))), selected="task_0041")
    view.table.verticalScrollBar().setValue(500)
    at, top = scrolled(view), top_task(view)

    view.show_changes((row(61), row(62), row(41, "running", last_seq=2)), ())

    assert (scrolled(view), top_task(view)) == (at, top)
    pill = found(view, PillButton)
    assert pill.text() == "2 new above"
    QTest.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert top_task(view) == "task_0062"
    assert str(view.table.currentIndex().siblingAtColumn(TaskColumn.TASK).data()) == "task_0041"


def test_rows_taken_away_above_leave_the_rows_on_screen_where_they_are(view: TasksView) -> None:
    view.show_page(page(*(row(number) for number in range(60, 0, -1))), selected=None)
    view.table.verticalScrollBar().setValue(507)
    top = top_task(view)
    offset = view.table.visualRect(view.table.indexAt(QPoint(0, 0))).top()

    view.show_changes((), ("task_0060", "task_0058"))

    assert top_task(view) == top
    assert view.table.visualRect(view.table.indexAt(QPoint(0, 0))).top() == offset


def test_a_task_that_leaves_the_filter_goes_but_not_while_it_is_selected(view: TasksView) -> None:
    view.want(TaskFilter(statuses=frozenset({"running"})))
    view.show_page(page(row(2, "running"), row(1, "running")), selected="task_0002")
    done = row(2, "completed", finished_at=5), row(1, "completed", finished_at=5)

    view.show_changes(done, ())
    assert view.rows.row_of("task_0002") == 0
    assert view.rows.row_of("task_0001") is None


def test_chips_add_up_unfinished_means_the_four_and_all_lifts_them(view: TasksView) -> None:
    asked: list[TaskFilter] = []
    view.filter_changed.connect(asked.append)

    for word in ("running", "failed", "Unfinished", "All"):
        QTest.mouseClick(chip(view, word), Qt.MouseButton.LeftButton)

    assert [wanted.statuses for wanted in asked] == [
        frozenset({"running"}),
        frozenset({"running", "failed"}),
        frozenset(UNFINISHED),
        frozenset(),
    ]
    assert chip(view, "All").isChecked()


def test_typing_asks_once_when_it_rests(view: TasksView, qtbot: QtBot) -> None:
    search = found(view, QLineEdit)
    with qtbot.waitSignal(view.filter_changed) as asked:
        QTest.keyClicks(search, "time")
        QTest.keyClick(search, Qt.Key.Key_Return)
    assert asked.args == [TaskFilter(text="time")]


def test_escape_lifts_the_filter(view: TasksView, qtbot: QtBot) -> None:
    view.want(TaskFilter(text="x", statuses=frozenset({"failed"})))
    search = found(view, QLineEdit)
    with qtbot.waitSignal(view.filter_changed) as asked:
        QTest.keyClick(search, Qt.Key.Key_Escape)
    assert asked.args == [TaskFilter()]
    assert search.text() == ""


def test_counts_stand_on_the_chips_and_an_unknown_status_gets_one_of_its_own(view: TasksView) -> None:
    view.show_counts(Counts({"queued": 2, "running": 3, "cancelling": 1, "completed": 1_000, "paused": 4}))
    said = {each.word: each.accessibleName() for each in view.findChildren(Chip) if each.isVisible()}
    assert said["All"] == "All, 1,010"
    assert said["Unfinished"] == "Unfinished, 6"
    assert said["completed"] == "completed, 1,000"
    assert said["other"] == "other, 4"


def test_the_end_of_the_rows_asks_for_older_ones_after_the_last(view: TasksView, qtbot: QtBot) -> None:
    rows = [row(number) for number in range(60, 0, -1)]
    view.show_page(page(*rows, more=True), selected=None)
    with qtbot.waitSignal(view.older_wanted) as wanted:
        view.table.scrollToBottom()
    assert wanted.args == [TaskKey(rows[-1].created_at, rows[-1].id)]


def test_without_rows_it_says_so_and_offers_to_lift_the_filter(view: TasksView, qtbot: QtBot) -> None:
    view.show_page(page(), selected=None)
    assert not view.table.isVisible()
    view.want(TaskFilter(text="nothing"))
    view.show_page(page(), selected=None)
    with qtbot.waitSignal(view.filter_changed) as asked:
        QTest.mouseClick(found(view, LinkButton), Qt.MouseButton.LeftButton)
    assert asked.args == [TaskFilter()]


def test_selecting_a_row_is_told_and_marking_one_is_not(view: TasksView, qtbot: QtBot) -> None:
    view.show_page(page(row(2), row(1)), selected=None)
    with qtbot.assertNotEmitted(view.task_selected):
        view.mark_selected("task_0001")
    with qtbot.waitSignal(view.task_selected) as told:
        QTest.keyClick(view.table, Qt.Key.Key_Up)
    assert told.args == ["task_0002"]


def test_counts_that_newer_ones_follow_late_are_marked_with_their_age(
    view: TasksView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.desktop.tasks.view.LATE_MS", 1)
    view.show_page(page(row(1)), selected=None)
    view.set_moment(Moment(NOW_MS))
    view.show_counts(Counts({"queued": 1}, read_at_ms=NOW_MS - 12_000))
    assert view.shown_sentence() == "Rows 1–1 shown"

    view.expect_counts()

    qtbot.waitUntil(lambda: view.shown_sentence() == "Rows 1–1 shown, counted 12 s ago")
    assert chip(view, "queued").accessibleName() == "queued, 1", "what is known stays"
    view.show_counts(Counts({"queued": 2}, read_at_ms=NOW_MS))
    assert view.shown_sentence() == "Rows 1–1 shown"


def test_counts_of_another_filter_go_when_the_right_ones_are_late(
    view: TasksView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.desktop.tasks.view.OTHERS_LATE_MS", 1)
    view.show_counts(Counts({"queued": 7}))
    view.expect_counts(of_another_filter=True)
    qtbot.waitUntil(lambda: chip(view, "queued").accessibleName() == "queued")


def test_a_page_that_ended_early_is_no_proof_that_nothing_matches(view: TasksView) -> None:
    view.want(TaskFilter(text="rare"))
    view.show_page(TaskPage((), True, NOW_MS, TaskKey(5, "task_5")), selected=None)
    assert "so far" in found(view, EmptySentence).accessibleName()
    view.append_page(page(row(1)))
    assert view.table.isVisible()


def test_of_many_statuses_in_a_filter_eight_are_named(view: TasksView) -> None:
    found(view, TaskFilters).want(TaskFilter(frozenset(f"odd-{number:05}" for number in range(60_000))))
    words = [part.text for each in view.findChildren(HeaderButton) for part in each.parts() if isinstance(part, Word)]
    (told,) = (word for word in words if word.startswith("Status: "))
    assert told.startswith("Status: odd-00000, odd-00001, ")
    assert told.endswith(", odd-00007 and 59,992 more")
