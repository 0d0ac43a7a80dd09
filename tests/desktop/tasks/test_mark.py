"""The table comes to a task, wherever in the list its row is, and keeps it marked."""

from dataclasses import replace
from datetime import UTC

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.desktop.tasks.blocks import BLOCK_ROWS
from inspector.desktop.tasks.view import TasksView
from inspector.layout.pages import TaskFilter
from inspector.layout.rows import TaskRow
from tests.desktop.tasks.long_list import ROWS, LongList
from tests.desktop.tasks.rows import TaskList, page, row


@pytest.fixture
def long(qtbot: QtBot) -> LongList:
    return LongList(qtbot)


def current(view: TasksView) -> TaskRow | None:
    """Return the task of the current row, which is also the selected one."""
    index = view.table.currentIndex()
    if not index.isValid():
        return None
    assert view.table.selectionModel().isRowSelected(index.row())
    return view.rows.task_at(index.row())


@pytest.mark.parametrize("at", [1_000, 6_789, ROWS - 1])
def test_a_task_that_is_not_loaded_is_loaded_gone_to_and_marked(long: LongList, at: int) -> None:
    told: list[object] = []
    long.view.task_selected.connect(told.append)
    task = long.there.tasks[at]

    long.view.mark_selected(task.id)
    assert current(long.view) is None
    long.view.seek(task)
    assert len(long.wanted) == 1, "one stretch is asked for"
    long.answer()

    assert current(long.view) == task
    assert task in long.on_screen()
    assert long.view.rows.row_of(task.id) == at
    assert told == [], "whoever selected it knows"


def test_it_is_gone_to_when_the_places_come_if_they_are_not_there_yet(qtbot: QtBot) -> None:
    long = LongList(qtbot, knows_places=False)
    task = long.there.tasks[9_000]
    long.view.seek(task)
    assert (long.wanted, long.bar_at) == ([], 0)

    long.view.show_places(long.there.places(BLOCK_ROWS))
    long.answer()

    assert current(long.view) == task
    assert task in long.on_screen()


def test_what_is_loaded_and_off_the_screen_is_brought_onto_it_and_what_is_on_it_moves_nothing(long: LongList) -> None:
    long.view.mark_selected(long.there.tasks[150].id)
    assert long.there.tasks[150] in long.on_screen()
    assert current(long.view) == long.there.tasks[150]
    at, shown = long.bar_at, long.on_screen()
    for task in (shown[0], shown[-2]):
        assert task is not None
        long.view.mark_selected(task.id)
        assert (long.bar_at, current(long.view)) == (at, task)


def test_one_that_waits_above_the_list_is_let_in(long: LongList) -> None:
    long.jump(6_000)
    fresh = row(ROWS)
    long.there.add(fresh)
    long.view.show_changes((fresh,), ())
    assert long.view.rows.new_count == 1

    long.view.seek(fresh)
    long.answer()

    assert current(long.view) == fresh
    assert long.on_screen()[0] == fresh


def test_one_that_is_too_new_to_be_known_is_gone_to_when_it_comes(long: LongList) -> None:
    long.jump(6_000)
    fresh = row(ROWS)
    long.view.seek(fresh)
    assert long.wanted == []

    long.there.add(fresh)
    long.view.show_changes((fresh,), ())
    long.answer()

    assert current(long.view) == fresh


def test_one_that_the_filter_keeps_out_is_told_of_and_nothing_moves(long: LongList) -> None:
    long.view.want(TaskFilter(statuses=frozenset({"queued"})))
    kept_out = replace(long.there.tasks[4_000], status="running")

    long.view.seek(kept_out)

    assert (long.wanted, long.bar_at, current(long.view)) == ([], 0, None)
    kept_out_words = ", the selected task is kept out by the filter"
    assert long.view.shown_sentence().endswith(kept_out_words)
    long.view.mark_selected("a task nobody knows")
    assert not long.view.shown_sentence().endswith(kept_out_words)
    long.view.mark_selected(kept_out.id)
    long.view.want(TaskFilter())
    assert not long.view.shown_sentence().endswith(kept_out_words)


def test_one_that_was_deleted_meanwhile_is_not_looked_for_again(long: LongList) -> None:
    task = long.there.tasks[7_000]
    long.view.seek(task)
    long.there.drop([task.id])
    long.answer()

    assert current(long.view) is None
    assert long.bar_at == 0
    long.view.show_changes((), ())
    assert long.wanted == []


def test_whoever_moves_on_is_not_taken_back(long: LongList) -> None:
    task = long.there.tasks[7_000]
    long.view.seek(task)
    QTest.keyClick(long.view.table, Qt.Key.Key_Down)
    long.answer()
    assert long.bar_at == 0
    assert current(long.view) == long.there.tasks[0]

    long.view.seek(long.there.tasks[8_000])
    long.view.mark_selected(long.there.tasks[1].id)
    long.answer()
    assert (long.bar_at, current(long.view)) == (0, long.there.tasks[1])

    long.view.seek(long.there.tasks[9_000])
    long.view.want(TaskFilter(text="task"))
    long.answer()
    assert long.bar_at == 0


def test_a_selected_task_is_marked_once_its_row_is_there_and_nothing_moves_for_it(long: LongList) -> None:
    task = long.there.tasks[5_003]
    long.view.mark_selected(task.id)

    long.jump(5_000)
    at = long.bar_at

    assert current(long.view) == task
    assert long.bar_at == at


def test_a_row_that_one_went_to_before_it_was_loaded_is_selected_when_it_is(long: LongList) -> None:
    told: list[object] = []
    long.view.task_selected.connect(told.append)
    long.view.table.setCurrentIndex(long.view.rows.index(8_000, 0))
    assert told == [None]

    long.rest()

    assert told == [None, long.there.tasks[8_000].id]
    assert current(long.view) == long.there.tasks[8_000]


def test_a_list_of_which_nothing_was_found_yet_has_its_rows_when_the_places_come(qtbot: QtBot) -> None:
    there = TaskList([row(7)])
    view = TasksView(UTC)
    qtbot.addWidget(view)
    with qtbot.waitExposed(view):
        view.show()
    view.show_page(replace(page(more=True), scanned_to=None), selected=None)
    wanted: list[object] = []
    view.rows_wanted.connect(wanted.append)

    view.show_places(there.places(BLOCK_ROWS))

    assert view.table.isVisible()
    assert view.rows.rowCount() == 1
    (stretches,) = wanted
    assert isinstance(stretches, tuple)
    view.show_rows([(each, there.page_at(each)) for each in stretches])
    assert view.rows.task_at(0) == row(7)
