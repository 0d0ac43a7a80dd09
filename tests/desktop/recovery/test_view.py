"""The whole view, as a reader with mouse or keyboard sees it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.recovery.filter_bar import FilterBar
from inspector.desktop.recovery.grid import RecoveryGrid
from inspector.desktop.recovery.grid_model import CHOSEN_ROLE, MARKED_ROLE, TALLY_ROLE
from inspector.desktop.recovery.grouping import FOUND, POLICIES
from inspector.desktop.recovery.item_model import StepColumn
from inspector.desktop.recovery.step_detail import StepDetail
from inspector.desktop.recovery.summary import RestartSummary
from inspector.desktop.recovery.view import RecoveryView
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.table import DenseTable
from inspector.desktop.widgets.theme import Theme, apply_theme
from inspector.lmsp.recovery import Leftover, RecoveryPlan
from tests.desktop.recovery.plans import HOSTILE, every_combination, leftover, plan

W = TypeVar("W", bound=QWidget)
READ_AT = 1_796_130_131_417
CELLS = [(row, column) for row in range(4) for column in range(3)]
MIXED = (
    leftover("task_resumed"),
    leftover("task_blind", snapshot_seq=None),
    leftover("task_retried", "running", "retry"),
    leftover("task_failed", "running", "fail"),
    leftover("task_cancelled", "cancelling", "retry"),
    leftover("task_waiting", "queued", "retry"),
    leftover("task_strange", "archived", "retry"),
)


@pytest.fixture
def view(qtbot: QtBot) -> RecoveryView:
    made = RecoveryView(ZoneInfo("Europe/Berlin"))
    qtbot.addWidget(made)
    made.resize(1264, 808)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def themed(qapp: QApplication) -> Iterator[QApplication]:
    """The application, whose look the test may change: it is put back."""
    yield qapp
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())


def part(view: QWidget, kind: type[W]) -> W:
    found = view.findChild(kind)
    assert isinstance(found, kind)
    return found


def sentence(view: QWidget) -> EmptySentence:
    [shown] = (each for each in view.findChildren(EmptySentence) if each.isVisible())
    return shown


def listed(view: RecoveryView) -> list[str]:
    model = part(view, DenseTable).model()
    return [model.index(row, StepColumn.TASK).data() for row in range(model.rowCount())]


def chip(view: RecoveryView, word: str) -> Chip:
    return next(one for one in part(view, FilterBar).findChildren(Chip) if one.word == word)


def click_cell(view: RecoveryView, row: int, column: int) -> None:
    grid = part(view, RecoveryGrid)
    at = grid.visualRect(grid.model().index(row, column)).center()
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=at)


def select(view: RecoveryView, task_id: str) -> None:
    table = part(view, DenseTable)
    table.setCurrentIndex(table.model().index(listed(view).index(task_id), StepColumn.TASK))


def cell_with(view: RecoveryView, role: int) -> list[tuple[int, int]]:
    model = part(view, RecoveryGrid).model()
    return [cell for cell in CELLS if model.index(*cell).data(role)]


@pytest.mark.parametrize(("row", "column"), CELLS)
def test_a_click_on_a_cell_lists_exactly_the_tasks_that_it_counts(view: RecoveryView, row: int, column: int) -> None:
    everything = every_combination()
    view.show_plan(everything, READ_AT)

    click_cell(view, row, column)

    expected = [
        step.task_id for step in everything.steps if (step.found, step.effective) == (FOUND[row], POLICIES[column])
    ]
    assert listed(view) == expected
    assert part(view, RecoveryGrid).model().index(row, column).data(TALLY_ROLE).tasks == len(expected) > 0


def test_tasks_of_unknown_status_stand_outside_the_table_and_in_the_list(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    model = part(view, RecoveryGrid).model()
    assert sum(model.index(*cell).data(TALLY_ROLE).tasks for cell in CELLS) == 6
    assert "task_strange" in listed(view)
    assert "1 left alone: status is none of the seven" in part(view, RestartSummary).texts()
    assert chip(view, "Left alone").isVisible()


def test_the_bar_says_that_nothing_is_written_and_of_when_it_speaks(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    assert part(view, MessageBar).text() == (
        "Preview. Nothing is written. This is what a service does with these 6 leftover tasks when it starts on this "
        "file, as read at 14:02:11.417. One more task has a status it does not know."
    )


def test_nothing_can_be_applied_and_a_sentence_says_why(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    assert {button.text() for button in view.findChildren(QPushButton) if button.isVisible()} == {"Show task"}
    assert any(
        label.text().startswith("Recovery belongs to the service that starts next.")
        for label in view.findChildren(QLabel)
    )


def test_esc_lifts_the_chosen_cell_wherever_the_keyboard_is(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    for where in (part(view, RecoveryGrid), part(view, DenseTable)):
        click_cell(view, 2, 2)
        assert listed(view) == ["task_resumed", "task_blind"]

        QTest.keyClick(where, Qt.Key.Key_Escape)

        assert len(listed(view)) == len(MIXED)
        assert cell_with(view, CHOSEN_ROLE) == []


def test_a_second_click_on_the_chosen_cell_lifts_it(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    click_cell(view, 2, 2)
    click_cell(view, 2, 2)

    assert len(listed(view)) == len(MIXED)


def test_the_keyboard_walks_the_cells_and_chooses_one(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    grid = part(view, RecoveryGrid)
    grid.setFocus()
    grid.setCurrentIndex(grid.model().index(0, 0))

    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(grid, key)

    assert listed(view) == ["task_retried"]
    assert cell_with(view, CHOSEN_ROLE) == [(2, 1)]


def test_tab_leads_out_of_the_table(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    view.activateWindow()
    grid = part(view, RecoveryGrid)
    grid.setFocus()

    QTest.keyClick(grid, Qt.Key.Key_Tab)

    assert not grid.hasFocus()
    assert QApplication.focusWidget() is chip(view, "All")


def test_chips_narrow_within_the_chosen_cell(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    assert [chip(view, word).accessibleName() for word in ("All", "Moves", "Stays", "Warnings", "Left alone")] == [
        "All, 7",
        "Moves, 5",
        "Stays, 1",
        "Warnings, 2",
        "Left alone, 1",
    ]

    chip(view, "Warnings").click()
    assert listed(view) == ["task_blind", "task_strange"]

    click_cell(view, 2, 2)
    assert listed(view) == ["task_blind"]
    assert chip(view, "All").accessibleName() == "All, 2"


def test_an_empty_choice_says_so_and_leads_back(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    chip(view, "Warnings").click()
    click_cell(view, 0, 0)
    empty = sentence(view)

    assert empty.isVisible()
    assert empty.accessibleName() == "No task with a warning was found queued with the policy fail."

    empty.link_clicked.emit()
    assert len(listed(view)) == len(MIXED)
    assert part(view, DenseTable).isVisible()


def test_without_leftovers_one_sentence_stands_there(view: RecoveryView) -> None:
    view.show_plan(RecoveryPlan(()), READ_AT)

    assert sentence(view).accessibleName() == "No leftover tasks: a restart would change nothing."
    assert part(view, RecoveryGrid).isVisible()


def test_the_first_task_is_selected_and_its_cell_framed(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    assert view.selected == "task_resumed"
    assert cell_with(view, MARKED_ROLE) == [(2, 2)]

    select(view, "task_waiting")
    assert view.selected == "task_waiting"
    assert cell_with(view, MARKED_ROLE) == [(0, 1)]

    select(view, "task_strange")
    assert cell_with(view, MARKED_ROLE) == []


def test_the_selected_task_is_shown_field_by_field_with_its_event(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    texts = [label.text() for label in part(view, StepDetail).findChildren(QLabel) if label.isVisible()]
    assert texts.count("same") == 2
    assert "time of the restart" in texts
    assert '"type": "response.resumed"' in part(view, JsonView).shown_text()
    assert (
        '"data": {"reason": "server_restarted", "snapshot_seq": 5, "attempt": 2}' in part(view, JsonView).shown_text()
    )


def test_a_task_that_stays_has_a_sentence_instead_of_an_event(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    select(view, "task_waiting")

    assert not part(view, JsonView).isVisible()
    assert any(
        label.isVisible() and label.text().startswith("No event: the task stays queued")
        for label in view.findChildren(QLabel)
    )


def test_the_warning_of_the_selected_task_stands_in_words(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)

    select(view, "task_blind")

    texts = [label.text() for label in part(view, StepDetail).findChildren(QLabel) if label.isVisible()]
    assert "No snapshot: resumed without one" in texts


def test_the_task_itself_is_asked_for_by_link_and_by_enter(qtbot: QtBot, view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    link = next(button for button in view.findChildren(QPushButton) if button.text() == "Show task")

    with qtbot.waitSignal(view.task_requested) as asked:
        link.click()
    assert asked.args == ["task_resumed"]

    select(view, "task_failed")
    with qtbot.waitSignal(view.task_requested) as asked:
        QTest.keyClick(part(view, DenseTable), Qt.Key.Key_Return)
    assert asked.args == ["task_failed"]


def long_plan(*, seq: int = 10, without: frozenset[str] = frozenset()) -> RecoveryPlan:
    rows = [leftover(f"task_{nth:03d}", last_seq=seq) for nth in range(200)]
    return plan(*(row for row in rows if row.task_id not in without))


def test_a_plan_made_anew_keeps_selection_and_scroll_without_a_reset(qtbot: QtBot, view: RecoveryView) -> None:
    view.show_plan(long_plan(), READ_AT)
    table = part(view, DenseTable)
    select(view, "task_100")
    table.verticalScrollBar().setValue(2_333)
    kept = QPersistentModelIndex(table.currentIndex())
    model = table.model()

    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.assertNotEmitted(model.layoutChanged),
        qtbot.assertNotEmitted(table.selectionModel().currentRowChanged),
    ):
        for seq in range(11, 31):
            view.show_plan(long_plan(seq=seq), READ_AT + seq)

    assert kept.isValid()
    assert table.currentIndex() == kept
    assert view.selected == "task_100"
    assert table.verticalScrollBar().value() == 2_333
    assert '"seq": 31' in part(view, JsonView).shown_text()


def test_rows_that_go_above_leave_what_is_on_screen_in_its_place(view: RecoveryView) -> None:
    view.show_plan(long_plan(), READ_AT)
    table = part(view, DenseTable)
    select(view, "task_100")
    table.verticalScrollBar().setValue(table.verticalScrollBar().value() + 7)
    top = table.indexAt(QPoint(0, 0))
    name, offset = top.siblingAtColumn(StepColumn.TASK).data(), table.visualRect(top).top()

    gone = frozenset(f"task_{nth:03d}" for nth in range(0, 60, 2))
    view.show_plan(long_plan(without=gone), READ_AT)

    top = table.indexAt(QPoint(0, 0))
    assert (top.siblingAtColumn(StepColumn.TASK).data(), table.visualRect(top).top()) == (name, offset)
    assert table.currentIndex().siblingAtColumn(StepColumn.TASK).data() == "task_100"


def test_when_the_selected_task_ends_no_other_is_selected_unasked(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    select(view, "task_retried")

    view.show_plan(plan(*(row for row in MIXED if row.task_id != "task_retried")), READ_AT)

    assert view.selected == "task_retried"
    assert not part(view, DenseTable).currentIndex().isValid()
    assert cell_with(view, MARKED_ROLE) == []
    texts = [label.text() for label in part(view, StepDetail).findChildren(QLabel) if label.isVisible()]
    assert "task_retried" in texts
    assert "No longer left over: it has ended since. This is what was planned before." in texts


def test_a_selected_task_that_a_chip_hides_is_selected_again_when_it_is_back(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    select(view, "task_failed")

    chip(view, "Stays").click()
    assert view.selected == "task_failed"
    chip(view, "All").click()

    assert part(view, DenseTable).currentIndex().siblingAtColumn(StepColumn.TASK).data() == "task_failed"


def test_a_chosen_cell_stays_chosen_under_a_plan_made_anew(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    click_cell(view, 2, 2)

    view.show_plan(plan(*MIXED, leftover("task_new")), READ_AT)

    assert listed(view) == ["task_resumed", "task_blind", "task_new"]
    assert cell_with(view, CHOSEN_ROLE) == [(2, 2)]


def test_the_chip_of_tasks_left_alone_goes_only_when_it_is_not_pressed(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    chip(view, "Left alone").click()

    view.show_plan(plan(leftover("a")), READ_AT)
    assert chip(view, "Left alone").isVisible()

    chip(view, "All").click()
    assert not chip(view, "Left alone").isVisible()


def test_hostile_text_is_plain_everywhere(view: RecoveryView) -> None:
    view.show_plan(plan(Leftover(HOSTILE, HOSTILE, HOSTILE, 1, 1, None), leftover(HOSTILE, "queued", HOSTILE)), READ_AT)
    for row in range(2):
        table = part(view, DenseTable)
        table.setCurrentIndex(table.model().index(row, StepColumn.TASK))

        labels = [label for label in view.findChildren(QLabel) if label.text()]
        assert any("<b>task</b>" in label.text() for label in labels if isinstance(label, ElidedLabel))
        for label in labels:
            assert label.textFormat() is Qt.TextFormat.PlainText
            assert label.text().isprintable()
    assert not view.findChildren(QTextEdit)


def test_numbers_of_63_bits_keep_every_digit(view: RecoveryView) -> None:
    most = 2**63 - 1
    view.show_plan(plan(Leftover("a", "running", "retry", most - 1, most - 1, None)), READ_AT)

    texts = [label.text() for label in part(view, StepDetail).findChildren(QLabel) if label.isVisible()]
    assert "9,223,372,036,854,775,806" in texts
    assert "9,223,372,036,854,775,807" in texts
    assert str(most) in part(view, JsonView).shown_text()


@pytest.mark.parametrize(("width", "height"), [(1264, 808), (856, 548), (756, 468), (624, 460), (1700, 1000)])
@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_nothing_is_wider_than_the_view(
    qtbot: QtBot, themed: QApplication, width: int, height: int, theme: Theme
) -> None:
    apply_theme(themed, theme)
    view = RecoveryView(ZoneInfo("UTC"))
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show_plan(every_combination(), READ_AT)
    with qtbot.waitExposed(view):
        view.show()

    page = next(area for area in view.findChildren(QScrollArea) if area.isAncestorOf(part(view, RecoveryGrid)))
    content = page.widget()
    assert content is not None
    assert content.width() <= page.viewport().width()
    grid = part(view, RecoveryGrid)
    cells = [grid.visualRect(grid.model().index(*cell)) for cell in CELLS]
    assert max(cell.right() for cell in cells) <= grid.viewport().width()
    assert max(cell.bottom() for cell in cells) <= grid.viewport().height()
    summary, bar = part(view, RestartSummary), part(view, FilterBar)
    assert not summary.geometry().intersects(grid.geometry())
    assert bar.geometry().top() >= max(summary.geometry().bottom(), grid.geometry().bottom())
    assert not view.grab().isNull()


def test_a_larger_font_makes_the_table_larger(qtbot: QtBot, qapp: QApplication) -> None:
    view = RecoveryView(ZoneInfo("UTC"))
    qtbot.addWidget(view)
    before = part(view, RecoveryGrid).sizeHint()
    plain = qapp.font()
    larger = qapp.font()
    larger.setPixelSize(22)
    try:
        qapp.setFont(larger)
        after = part(view, RecoveryGrid).sizeHint()
    finally:
        qapp.setFont(plain)

    assert after.width() > before.width()
    assert after.height() > before.height()


def test_an_update_of_one_task_changes_one_row(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    told: list[tuple[int, int]] = []
    part(view, DenseTable).model().dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))

    changed = [replace(row, last_seq=99) if row.task_id == "task_failed" else row for row in MIXED]
    view.show_plan(plan(*changed), READ_AT + 250)

    assert told == [(3, 3)]


def test_another_file_begins_anew(view: RecoveryView) -> None:
    view.show_plan(plan(*MIXED), READ_AT)
    select(view, "task_failed")
    chip(view, "Moves").click()
    click_cell(view, 2, 0)

    view.clear()
    assert view.selected is None
    assert listed(view) == []
    assert sentence(view).accessibleName() == ""
    assert part(view, MessageBar).text() == "Preview. Nothing is written."
    assert cell_with(view, CHOSEN_ROLE) == cell_with(view, MARKED_ROLE) == []

    view.show_plan(plan(leftover("other"), leftover("task_failed", "running", "fail")), READ_AT)
    assert listed(view) == ["other", "task_failed"]
    assert view.selected == "other"


def test_the_id_of_the_current_task_is_copied_as_stored(view: RecoveryView) -> None:
    view.show_plan(plan(leftover("task_\u202eodd\n")), READ_AT)
    actions = {action.text(): action for action in part(view, DenseTable).actions()}

    actions["Copy task id"].trigger()

    assert QGuiApplication.clipboard().text() == "task_\u202eodd\n"
    assert set(actions) == {"Show task", "Copy task id"}
