import pytest
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.cells import DISPLAY_ROLE, FLASH_ROLE, NumberDelegate
from inspector.desktop.widgets.flash import FULL_MS, GONE_MS, STILL_MS, FlashClock
from inspector.desktop.widgets.palette import LIGHT, mixed
from inspector.desktop.widgets.table import DenseTable
from tests.desktop.widgets.pictures import seen


class Time:
    def __init__(self) -> None:
        self.now = 10_000

    def __call__(self) -> int:
        return self.now


class OneColumn(QAbstractTableModel):
    """Rows whose cells say when they changed; counts how often it was asked for each row's text."""

    def __init__(self, changed: dict[int, int], rows: int = 200) -> None:
        super().__init__()
        self.changed = changed
        self.rows = rows
        self.asked: list[int] = []

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802 # Qt's own
        return 0 if parent.isValid() else self.rows

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802 # Qt's own
        return 0 if parent.isValid() else 1

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = DISPLAY_ROLE) -> object:
        if role == DISPLAY_ROLE:
            self.asked.append(index.row())
            return "7"
        return self.changed.get(index.row()) if role == FLASH_ROLE else None


@pytest.mark.parametrize(
    ("passed", "strength"),
    [(0, 1.0), (FULL_MS - 1, 1.0), (FULL_MS, 1.0), (1_000, 0.5), (GONE_MS, 0.0), (10**9, 0.0), (-5, 1.0)],
)
def test_a_change_is_full_first_and_fades_then(qapp: QApplication, passed: int, strength: float) -> None:
    time = Time()
    clock = FlashClock(qapp, now_ms=time)
    changed = time.now
    time.now += passed

    assert clock.strength(changed) == pytest.approx(strength)
    clock.deleteLater()


@pytest.mark.parametrize(("passed", "strength"), [(0, 1.0), (STILL_MS - 1, 1.0), (STILL_MS, 0.0)])
def test_where_nothing_may_move_it_is_one_step(qapp: QApplication, passed: int, strength: float) -> None:
    time = Time()
    clock = FlashClock(qapp, now_ms=time, still=True)
    changed = time.now
    time.now += passed

    assert clock.strength(changed) == strength
    clock.deleteLater()


def test_what_did_not_change_is_cold(qapp: QApplication) -> None:
    clock = FlashClock(qapp)

    assert clock.strength(None) == 0.0
    assert clock.strength(clock.now_ms()) == 1.0
    clock.deleteLater()


def shown(qtbot: QtBot, model: OneColumn, clock: FlashClock) -> DenseTable:
    table = DenseTable()
    qtbot.addWidget(table)
    model.setParent(table)
    clock.setParent(table)
    table.setModel(model)
    table.setItemDelegateForColumn(0, NumberDelegate(clock, table))
    table.resize(200, 200)
    with qtbot.waitExposed(table):
        table.show()
    return table


@pytest.mark.usefixtures("app")
def test_the_clock_runs_while_a_cell_that_is_seen_is_warm_and_stops_when_it_is_cold(qtbot: QtBot) -> None:
    time = Time()
    clock = FlashClock(now_ms=time)
    model = OneColumn({2: time.now, 199: time.now})
    table = shown(qtbot, model, clock)

    qtbot.waitUntil(lambda: clock.runs)
    time.now += GONE_MS
    qtbot.waitUntil(lambda: not clock.runs)

    assert table.isVisible()


@pytest.mark.usefixtures("app")
def test_a_cell_out_of_sight_does_not_keep_it_running(qtbot: QtBot) -> None:
    clock = FlashClock(now_ms=Time())
    table = shown(qtbot, OneColumn({199: 10_000}), clock)
    table.grab()

    assert not clock.runs


@pytest.mark.usefixtures("app")
def test_nothing_that_changed_lets_it_rest(qtbot: QtBot) -> None:
    clock = FlashClock(now_ms=Time())
    table = shown(qtbot, OneColumn({}), clock)
    table.grab()

    assert not clock.runs


@pytest.mark.usefixtures("app")
def test_only_warm_cells_are_painted_again(qtbot: QtBot) -> None:
    time = Time()
    clock = FlashClock(now_ms=time)
    model = OneColumn({2: time.now})
    table = shown(qtbot, model, clock)
    qtbot.waitUntil(lambda: clock.runs)
    model.asked.clear()

    qtbot.waitUntil(lambda: len(model.asked) >= 2)

    assert table.isVisible()
    assert set(model.asked) == {2}
    time.now += GONE_MS
    qtbot.waitUntil(lambda: not clock.runs)


@pytest.mark.usefixtures("app")
def test_a_table_that_is_gone_is_not_painted(qtbot: QtBot, qapp: QApplication) -> None:
    time = Time()
    clock = FlashClock(now_ms=time)
    model = OneColumn({2: time.now})
    table = shown(qtbot, model, clock)
    clock.setParent(qapp)
    model.setParent(qapp)
    qtbot.waitUntil(lambda: clock.runs)

    with qtbot.waitSignal(table.destroyed):
        table.deleteLater()
    clock.tick()

    qtbot.waitUntil(lambda: not clock.runs)
    model.deleteLater()
    clock.deleteLater()


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(("passed", "strength"), [(0, 1.0), (1_000, 0.5), (GONE_MS, 0.0)])
def test_the_selected_row_keeps_its_selection_under_the_flash(qtbot: QtBot, passed: int, strength: float) -> None:
    time = Time()
    clock = FlashClock(now_ms=time)
    model = OneColumn({1: time.now, 3: time.now})
    table = shown(qtbot, model, clock)
    table.selectRow(1)
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)

    time.now += passed
    image = seen(table.viewport())

    def ground(row: int) -> str:
        return image.pixelColor(60, table.rowViewportPosition(row) + 5).name()

    assert ground(1) == mixed(LIGHT.flash, LIGHT.select, strength).name()
    assert ground(3) == mixed(LIGHT.flash, LIGHT.base, strength).name()
    time.now += GONE_MS
    qtbot.waitUntil(lambda: not clock.runs)
