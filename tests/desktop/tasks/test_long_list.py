"""The Tasks view on a list much longer than what is loaded of it."""

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from inspector.desktop.tasks.blocks import BLOCK_ROWS, MOST_LOADED
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.tools import PillButton
from tests.desktop.tasks.long_list import ROWS, LongList
from tests.desktop.tasks.rows import row
from tests.support.finding import found


@pytest.fixture
def long(qtbot: QtBot) -> LongList:
    return LongList(qtbot)


def test_the_scroll_bar_reaches_every_task_and_what_was_shown_stays(long: LongList) -> None:
    assert long.view.rows.rowCount() == ROWS
    assert long.on_screen() == long.there.tasks[: len(long.on_screen())]
    assert str(long.view.table.currentIndex().siblingAtColumn(TaskColumn.TASK).data()) == long.there.tasks[3].id
    assert long.wanted == [], "all that is near is loaded"


def test_a_jump_loads_what_is_on_screen_once_scrolling_rests(long: LongList) -> None:
    for at in (2_000, 9_000, 10_000, 5_000):
        long.scroll_to(at)
    assert long.wanted == [], "not while it moves"
    assert set(long.on_screen()) == {None}

    long.qtbot.waitUntil(lambda: bool(long.wanted))

    assert len(long.wanted) == 1
    assert len(long.wanted[0]) <= 3
    long.answer()
    assert long.on_screen() == long.there.tasks[5_000 : 5_000 + len(long.on_screen())]


def test_slow_scrolling_finds_the_next_rows_there_already(long: LongList) -> None:
    long.jump(10_000)
    for at in range(10_010, 10_200, 10):
        long.scroll_to(at)
        assert None not in long.on_screen()
        long.rest()


def test_rows_that_are_not_loaded_say_so_and_ask_for_nothing(long: LongList) -> None:
    index = long.view.rows.index(10_000, TaskColumn.TASK)
    assert index.data() == "…"
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Task: not read yet"
    assert long.view.rows.index(10_000, TaskColumn.STATE).data() == ""
    long.view.grab()
    assert long.wanted == []


def test_the_selected_task_stays_selected_and_loaded_however_far_one_goes(long: LongList) -> None:
    long.jump(5_000)
    current = long.view.rows.index(5_004, 0)
    long.view.table.setCurrentIndex(current)
    kept = QPersistentModelIndex(current)
    told: list[object] = []
    long.view.task_selected.connect(told.append)

    for at in range(6_000, 11_500, 110):
        long.jump(at)

    assert long.view.rows.loaded_blocks <= MOST_LOADED + 4
    assert long.view.table.currentIndex() == kept
    assert long.view.rows.task_at(kept.row()) == long.there.tasks[5_004]
    assert told == []


def test_nothing_moves_when_blocks_above_turn_out_longer_or_shorter(long: LongList) -> None:
    long.jump(10_000)
    long.scroll_to(10_000)
    before = long.place()
    long.there.drop([task.id for task in long.there.tasks[4_000:4_400]])

    long.view.show_places(long.there.places(BLOCK_ROWS))
    assert long.place() == before
    assert long.view.rows.rowCount() == ROWS - 400

    stretches = long.view.rows.missing(3_900, 5_000)
    long.view.show_rows([(each, long.there.page_at(each)) for each in stretches])
    assert long.place() == before


def test_new_tasks_are_announced_and_move_nothing_in_the_middle_of_the_list(long: LongList) -> None:
    long.jump(6_345)
    before, at = long.place(), long.bar_at
    fresh = [row(ROWS + number) for number in range(450)]
    for task in fresh:
        long.there.add(task)

    for number in range(0, 450, 150):
        long.view.show_changes(tuple(fresh[number : number + 150]), ())

    assert (long.place(), long.bar_at) == (before, at)
    pill = found(long.view, PillButton)
    assert pill.text() == "450 new above"
    QTest.mouseClick(pill, Qt.MouseButton.LeftButton)
    long.answer()
    assert long.view.rows.rowCount() == ROWS + 450
    assert long.on_screen() == long.there.tasks[: len(long.on_screen())]
    long.jump(300)
    assert long.on_screen() == long.there.tasks[300 : 300 + len(long.on_screen())]


def test_more_new_tasks_than_a_page_holds_leave_no_hole(long: LongList) -> None:
    long.jump(6_345)
    for number in range(1_000):
        long.there.add(row(ROWS + number))

    long.view.refresh_page(long.there.page())

    assert long.view.rows.new_count == 201
    assert long.view.rows.misses_some_new
    long.view.show_places(long.there.places(BLOCK_ROWS))
    assert found(long.view, PillButton).text() == "1,000 new above"
    long.view.show_new()
    long.answer()
    assert long.view.rows.rowCount() == ROWS + 1_000
    long.jump(600)
    assert long.on_screen() == long.there.tasks[600 : 600 + len(long.on_screen())]


def test_a_change_of_rows_that_lie_together_is_one_signal_at_any_length(long: LongList) -> None:
    long.jump(10_000)
    told: list[tuple[int, int]] = []
    long.view.rows.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))
    changed = [row(int(task.id[5:]), "running") for task in long.there.tasks[10_000:10_010]]

    long.view.show_changes((*changed, row(7, "running")), ())

    assert told == [(10_000, 10_009)]


def test_typing_looks_at_what_is_loaded_and_no_further(long: LongList) -> None:
    model = long.view.rows
    start = model.index(0, TaskColumn.TASK)
    near, far = long.there.tasks[150].id, long.there.tasks[5_000].id
    role, flags = Qt.ItemDataRole.DisplayRole, Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchWrap
    assert [index.row() for index in model.match(start, role, near.upper(), 1, flags)] == [150]
    assert model.match(start, role, far, 1, flags) == []


def test_the_model_is_sound_while_it_grows_fills_and_shrinks(qtbot: QtBot) -> None:
    long = LongList(qtbot, 1_500)
    tester = QAbstractItemModelTester(long.view.rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
    long.jump(800)
    long.there.drop([task.id for task in long.there.tasks[900:960]])
    long.jump(920)
    long.view.show_changes((row(1_500),), (long.there.tasks[800].id,))
    long.view.show_places(long.there.places(BLOCK_ROWS))
    long.jump(0)
    tester.deleteLater()
