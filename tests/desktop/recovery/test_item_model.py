from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.recovery.item_model import HEADINGS, StepColumn, StepItemModel
from inspector.desktop.widgets.cells import NOTE_ROLE, STATUS_ROLE, WARN_ROLE
from inspector.lmsp.recovery import Leftover
from tests.desktop.recovery.plans import HOSTILE, every_combination, leftover, plan

ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole


def shown(*leftovers: Leftover) -> StepItemModel:
    model = StepItemModel()
    model.show_steps(plan(*leftovers).steps)
    return model


def texts(model: StepItemModel, row: int) -> list[str]:
    return [model.index(row, column).data() for column in StepColumn]


def test_a_row_for_each_step(qtmodeltester: ModelTester) -> None:
    model = StepItemModel()
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types

    model.show_steps(every_combination().steps)

    assert model.rowCount() == len(every_combination().steps)
    assert model.columnCount() == len(HEADINGS)


def test_what_a_row_says() -> None:
    model = shown(leftover("task_a"), leftover("task_b", "running", None), leftover("task_c", "queued", "retry"))

    assert texts(model, 0) == ["", "running", "task_a", "resume", "→", "running", "response.resumed", "1 → 2", ""]
    assert model.index(0, StepColumn.AFTER).data(NOTE_ROLE) == "from snapshot 5"
    assert model.index(0, StepColumn.EVENT).data(NOTE_ROLE) == "seq 11"
    assert texts(model, 1)[3:] == ["–", "→", "failed", "response.failed", "1", "No policy stored: taken as fail"]
    assert model.index(1, StepColumn.AFTER).data(STATUS_ROLE) == "failed"
    assert model.index(1, StepColumn.WARN).data(WARN_ROLE)
    assert not model.index(2, StepColumn.WARN).data(WARN_ROLE)
    assert texts(model, 2)[4:] == ["→", "queued", "none", "1", ""]
    assert model.index(2, StepColumn.AFTER).data(NOTE_ROLE) == "stays"


def test_each_cell_is_heard_with_its_heading() -> None:
    model = shown(leftover("task_a", snapshot_seq=None))

    heard = [model.index(0, column).data(ACCESSIBLE) for column in StepColumn]

    assert heard == [
        "Has a warning: yes",
        "Found: running",
        "Task: task_a",
        "Policy: resume",
        "Becomes: moves",
        "After: running no snapshot kept",
        "Event: response.resumed seq 11",
        "Attempt: 1 → 2",
        "Warning: No snapshot: resumed without one",
    ]


def test_a_plan_made_anew_keeps_its_rows(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    model = shown(leftover("a"), leftover("b"), leftover("c"))
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types
    kept = QPersistentModelIndex(model.index(2, StepColumn.TASK))

    with qtbot.assertNotEmitted(model.modelReset), qtbot.assertNotEmitted(model.layoutChanged):
        model.show_steps(plan(leftover("b"), leftover("c"), leftover("d")).steps)

    assert kept.data() == "c"
    assert [model.index(row, StepColumn.TASK).data() for row in range(3)] == ["b", "c", "d"]
    assert [model.row_of(task_id) for task_id in "abcd"] == [None, 0, 1, 2]


def test_the_same_plan_tells_nothing(qtbot: QtBot) -> None:
    model = shown(*(leftover(f"t{nth}") for nth in range(20)))

    with (
        qtbot.assertNotEmitted(model.dataChanged),
        qtbot.assertNotEmitted(model.rowsInserted),
        qtbot.assertNotEmitted(model.rowsRemoved),
        qtbot.assertNotEmitted(model.modelReset),
    ):
        model.show_steps(plan(*(leftover(f"t{nth}") for nth in range(20))).steps)


def test_only_the_cells_that_read_otherwise_are_told() -> None:
    model = shown(leftover("a"), leftover("b"), leftover("c"))
    told: list[tuple[int, int, int, int]] = []

    def remember(first: QModelIndex, last: QModelIndex) -> None:
        told.append((first.row(), first.column(), last.row(), last.column()))

    model.dataChanged.connect(remember)

    model.show_steps(plan(leftover("a"), leftover("b", last_seq=11), leftover("c")).steps)

    assert told == [(1, StepColumn.EVENT, 1, StepColumn.EVENT)]
    assert model.index(1, StepColumn.EVENT).data(NOTE_ROLE) == "seq 12"


def test_a_progress_that_no_cell_shows_is_not_told(qtbot: QtBot) -> None:
    model = shown(leftover("a", "queued", "retry", last_seq=1))

    with qtbot.assertNotEmitted(model.dataChanged):
        model.show_steps(plan(leftover("a", "queued", "retry", last_seq=2)).steps)

    step = model.step_at(0)
    assert step is not None
    assert step.last_seq == 2


def test_two_tasks_of_one_name_have_a_row_each(qtmodeltester: ModelTester) -> None:
    model = StepItemModel()
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types

    model.show_steps(plan(leftover("same"), leftover("same", "queued"), leftover("other")).steps)
    model.show_steps(plan(leftover("other"), leftover("same", "queued")).steps)

    assert [texts(model, row)[1:3] for row in range(model.rowCount())] == [["running", "other"], ["queued", "same"]]


def test_stored_text_is_shown_plain() -> None:
    model = shown(leftover(HOSTILE, HOSTILE, HOSTILE))

    for column in (StepColumn.FOUND, StepColumn.TASK, StepColumn.POLICY, StepColumn.AFTER):
        text = model.index(0, column).data()
        assert "<b>" in text
        assert "\\u202e" in text
        assert text.isprintable()
        assert model.index(0, column).data(ACCESSIBLE).isprintable()


def test_a_row_that_is_not_there_has_no_step() -> None:
    model = shown(leftover("a"))

    assert model.step_at(-1) is None
    assert model.step_at(1) is None
