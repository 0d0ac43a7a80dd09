"""The rows of the Tasks table, without a window."""

from dataclasses import replace
from datetime import UTC

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.moment import Moment
from inspector.desktop.tasks.item_model import ROW_ROLE, TaskItemModel
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.cells import DISPLAY_ROLE, FLASH_ROLE, STATUS_ROLE, WARN_ROLE
from inspector.layout.pages import TaskFilter
from inspector.layout.rows import TaskRow
from tests.desktop.tasks.rows import NOW_MS, page, row


@pytest.fixture
def model(qtmodeltester: ModelTester) -> TaskItemModel:
    model = TaskItemModel(UTC)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt leaves it untyped
    return model


def shown(model: TaskItemModel) -> list[str]:
    return [task.id for at in range(model.rowCount()) if (task := model.task_at(at))]


def text(model: TaskItemModel, at: int, column: TaskColumn) -> str:
    return str(model.index(at, column).data(DISPLAY_ROLE))


def test_a_changed_task_keeps_its_row_and_only_its_run_of_rows_is_told(model: TaskItemModel, qtbot: QtBot) -> None:
    model.show_page(page(*(row(number) for number in (5, 4, 3, 2, 1))))
    kept = QPersistentModelIndex(model.index(1, TaskColumn.STATE))
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))

    with qtbot.assertNotEmitted(model.modelReset):
        model.update_rows([row(4, "running"), row(3, "loading"), row(1, "loading")], changed_at_ms=7)

    assert kept.data() == "running"
    assert told == [(1, 2), (4, 4)]


def test_a_task_that_did_not_change_tells_nothing(model: TaskItemModel, qtbot: QtBot) -> None:
    model.show_page(page(row(2), row(1)))
    with qtbot.assertNotEmitted(model.dataChanged), qtbot.assertNotEmitted(model.modelReset):
        model.update_rows([row(2), row(1), row(99)], changed_at_ms=7)
    assert shown(model) == ["task_0002", "task_0001"]


def test_only_the_cells_that_changed_are_warm(model: TaskItemModel) -> None:
    model.show_page(page(row(1)))
    model.update_rows([row(1, "running", last_seq=2, started_at=NOW_MS)], changed_at_ms=7)
    warm = {column for column in TaskColumn if model.index(0, column).data(FLASH_ROLE) == 7}
    assert warm == {TaskColumn.STATE, TaskColumn.WAIT, TaskColumn.RUN, TaskColumn.EVENTS}


def test_new_tasks_wait_above_and_come_in_newest_first_when_asked(model: TaskItemModel, qtbot: QtBot) -> None:
    model.show_page(page(row(2), row(1)))
    kept = QPersistentModelIndex(model.index(0, TaskColumn.TASK))
    with qtbot.assertNotEmitted(model.rowsInserted):
        model.add_new([row(3), row(4), row(2)])
    assert model.new_count == 2
    assert model.new_are_above

    model.update_rows([row(3, "running")], changed_at_ms=7)
    with qtbot.assertNotEmitted(model.modelReset):
        model.take_new()

    assert shown(model) == ["task_0004", "task_0003", "task_0002", "task_0001"]
    assert text(model, 1, TaskColumn.STATE) == "running", "it changed while it waited"
    assert kept.row() == 2
    assert model.new_count == 0


def test_a_task_that_belongs_between_rows_comes_in_there_and_one_below_waits_for_its_page(
    model: TaskItemModel,
) -> None:
    model.show_page(page(row(9), row(6), row(3), more=True))
    inserted: list[tuple[int, int]] = []
    model.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))

    model.add_new([row(1), row(4), row(8), row(7), row(10)])
    assert model.new_count == 4
    assert not model.new_are_above
    model.take_new()

    assert shown(model) == [f"task_{number:04}" for number in (10, 9, 8, 7, 6, 4, 3)]
    assert inserted == [(0, 0), (2, 3), (5, 5)]
    assert [model.row_of(task) for task in shown(model)] == list(range(7))


def test_an_older_page_is_appended_once(qtbot: QtBot) -> None:
    model = TaskItemModel(UTC)  # Qt's tester would ask for the page itself
    model.show_page(page(row(4), row(3), more=True))
    with qtbot.waitSignal(model.more_wanted):
        model.fetchMore(QModelIndex())
    assert not model.canFetchMore(QModelIndex()), "one page is asked for at a time"

    model.append_page(page(row(3), row(2), more=True))

    assert shown(model) == ["task_0004", "task_0003", "task_0002"]
    assert model.canFetchMore(QModelIndex())


def test_tasks_that_are_gone_are_taken_away_in_runs_and_the_others_keep_their_index(model: TaskItemModel) -> None:
    model.show_page(page(*(row(number) for number in (6, 5, 4, 3, 2, 1))))
    kept = QPersistentModelIndex(model.index(3, TaskColumn.TASK))
    removed: list[tuple[int, int]] = []
    model.rowsRemoved.connect(lambda _parent, first, last: removed.append((first, last)))

    model.remove_rows(["task_0005", "task_0004", "task_0001", "task_9999"])

    assert removed == [(5, 5), (1, 2)]
    assert shown(model) == ["task_0006", "task_0003", "task_0002"]
    assert kept.data() == "task_0003"
    assert model.row_of("task_0002") == 2


def test_a_task_that_no_longer_passes_the_filter_is_named_but_not_the_selected_one(model: TaskItemModel) -> None:
    model.show_page(page(row(3, "running"), row(2, "completed"), row(1, "completed")))
    wanted = TaskFilter(statuses=frozenset({"running"}))
    done = row(2, "completed"), row(1, "completed")
    assert model.leavers(wanted, done, keep="task_0002") == ["task_0001"]


def test_ages_follow_the_moment_and_only_rows_on_screen_are_told(model: TaskItemModel) -> None:
    running = row(2, "running", started_at=NOW_MS - 17_300, created_at=NOW_MS - 19_200, updated_at=NOW_MS - 100)
    done = row(1, "completed", started_at=1_796_000_002_000, finished_at=1_796_000_044_100)
    model.show_page(page(running, done))
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))

    model.set_moment(Moment(NOW_MS), 0, 0)

    assert told == [(0, 0)]
    assert text(model, 0, TaskColumn.WAIT) == "1.9 s"
    assert text(model, 0, TaskColumn.RUN) == "17.3 s"
    assert text(model, 0, TaskColumn.LAST_EVENT) == "0.1 s"
    assert text(model, 1, TaskColumn.RUN) == "42.1 s"


def test_rows_whose_ages_say_the_same_at_another_moment_are_not_told(model: TaskItemModel) -> None:
    new, old = row(2, "running", updated_at=NOW_MS - 100), row(1, "completed", updated_at=NOW_MS - 7_200_000)
    model.show_page(page(new, old, replace(new, id="task_0000", created_at=1)))
    model.set_moment(Moment(NOW_MS), 0, 2)
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))

    model.set_moment(Moment(NOW_MS + 250), 0, 2)

    assert told == [(0, 0), (2, 2)]


def test_where_nothing_moves_an_unfinished_task_lasted_at_least_to_the_file_s_last_moment(model: TaskItemModel) -> None:
    started, updated = 1_796_000_002_000, 1_796_000_004_500
    running = row(3, "running", created_at=started - 1_000, started_at=started, updated_at=updated)
    waiting = row(2, "queued", created_at=started, updated_at=updated)
    done = row(1, "completed", created_at=started - 500, started_at=started, finished_at=updated)
    model.show_page(page(running, waiting, done))
    spans = (TaskColumn.WAIT, TaskColumn.RUN)
    assert [text(model, 0, column) for column in spans] == ["1.0 s", "≥ 2.5 s"]

    model.set_moment(Moment(None, NOW_MS + 30 * 86_400_000, started + 17_300), 0, 2)

    assert [text(model, 0, column) for column in spans] == ["1.0 s", "≥ 17.3 s"]
    assert [text(model, 1, column) for column in spans] == ["≥ 17.3 s", "–"]
    assert [text(model, 2, column) for column in spans] == ["500 ms", "2.5 s"]
    assert text(model, 0, TaskColumn.LAST_EVENT) == "30 Nov 00:53"


def test_a_task_that_ended_nobody_stored_when_does_not_run_on(model: TaskItemModel) -> None:
    model.show_page(page(row(2, "completed", started_at=NOW_MS - 9), row(1, "paused", started_at=NOW_MS - 9)))
    model.set_moment(Moment(NOW_MS), 0, 1)
    assert [text(model, at, TaskColumn.RUN) for at in range(2)] == ["–", "–"]


def test_where_nothing_moves_a_last_event_that_is_not_today_s_has_its_date(model: TaskItemModel) -> None:
    model.show_page(page(row(1)))
    told: list[int] = []
    model.dataChanged.connect(lambda first, _last: told.append(first.row()))

    model.set_moment(Moment(None, NOW_MS), 0, 0)
    assert text(model, 0, TaskColumn.LAST_EVENT) == "00:53:21"
    model.set_moment(Moment(None, NOW_MS + 3 * 86_400_000), 0, 0)
    assert text(model, 0, TaskColumn.LAST_EVENT) == "30 Nov 00:53"
    assert told == [0]


def test_a_silent_task_in_a_workers_hands_is_marked(model: TaskItemModel) -> None:
    model.show_page(page(row(3, "running"), row(2, "queued"), row(1, "completed", finished_at=NOW_MS)))
    model.set_moment(Moment(NOW_MS), 0, 2)
    marks = [bool(model.index(at, TaskColumn.LAST_EVENT).data(WARN_ROLE)) for at in range(3)]
    assert marks == [True, False, False]


@pytest.mark.threat(id="T13")
@pytest.mark.threat(id="T15")
@pytest.mark.threat(id="T18")
@pytest.mark.parametrize(
    "hostile",
    [
        replace(row(1), id="\x1b]0;pwned\x07", status="\u202edeliaf", model_id="<img src=x>" * 200),
        replace(row(1), created_at=None, updated_at=None, last_seq=2**63 - 1),
        replace(row(1), created_at=-(2**63), started_at=2**63 - 1, finished_at=-1, updated_at=2**63 - 1),
    ],
)
def test_what_a_hostile_file_holds_is_one_short_line_of_visible_text(model: TaskItemModel, hostile: TaskRow) -> None:
    model.show_page(page(hostile))
    model.set_moment(Moment(NOW_MS), 0, 0)
    for column in TaskColumn:
        words = text(model, 0, column)
        assert words.isprintable()
        assert len(words) <= 2_000
    assert model.index(0, TaskColumn.STATE).data(STATUS_ROLE) == hostile.status
    assert model.index(0, TaskColumn.TASK).data(ROW_ROLE) == hostile


def test_it_is_a_table_without_children(model: TaskItemModel) -> None:
    model.show_page(page(row(1)))
    assert isinstance(model, QAbstractItemModel)
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.columnCount(model.index(0, 0)) == 0
    assert model.data(QModelIndex()) is None
