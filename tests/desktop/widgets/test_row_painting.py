"""Rows painted in one go look as Qt's own way paints them cell by cell."""

from collections.abc import Sequence
from typing import Any

import pytest
from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.cells import (
    DIM_ROLE,
    DISPLAY_ROLE,
    FLASH_ROLE,
    STATUS_ROLE,
    WARN_ROLE,
    WARN_STRONG,
    FixedDelegate,
    NumberDelegate,
    StateDelegate,
    TextDelegate,
)
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.row_cells import Cell
from inspector.desktop.widgets.table import DenseTable
from inspector.desktop.widgets.theme import Theme, apply_theme
from tests.desktop.widgets.pictures import seen

ROWS = 60
STATUSES = ("queued", "loading", "running", "cancelling", "completed", "failed", "cancelled", "paused")
HOSTILE = ("plain", "W" * 300, "e\u0301" * 90, "عربي " * 9, "two\nlines", "", "–")
FIELD = {DISPLAY_ROLE: 0, STATUS_ROLE: 1, WARN_ROLE: 2, DIM_ROLE: 3, FLASH_ROLE: 4}


class Rows(QAbstractTableModel):
    """Sixty rows of every kind of cell, given in both ways; it counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_rows: list[int] = []
        self.asked_cells = 0

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802 # Qt's own
        return 0 if parent.isValid() else ROWS

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802 # Qt's own
        return 0 if parent.isValid() else 4

    def cells(self, row: int) -> Sequence[Cell]:
        status = STATUSES[row % len(STATUSES)]
        return (
            Cell(status, status if row % 5 else None, flash_at_ms=900 if row % 7 == 3 else None),
            Cell(f"task_{row * 7919:026}", dim=row % 3),
            Cell(HOSTILE[row % len(HOSTILE)], warn=1 if row % 9 == 0 else 0),
            Cell(
                f"{row}.{row % 10} s", None, WARN_STRONG if row % 4 == 0 else 0, row % 3, 100 if row % 6 == 2 else None
            ),
        )

    def row_cells(self, row: int) -> Sequence[Cell]:
        self.asked_rows.append(row)
        return self.cells(row)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = DISPLAY_ROLE) -> Any:  # noqa: ANN401 # any
        self.asked_cells += 1
        return self.cells(index.row())[index.column()][FIELD[role]] if role in FIELD else None


class Both:
    """One table that can paint in both ways."""

    def __init__(self, qtbot: QtBot) -> None:
        self.model = Rows()
        self.table = DenseTable()
        qtbot.addWidget(self.table)
        self.model.setParent(self.table)
        self.table.setModel(self.model)
        clock = FlashClock(self.table, now_ms=lambda: 1_000, still=False)
        for column, kind in enumerate((StateDelegate, FixedDelegate, TextDelegate, NumberDelegate)):
            self.table.setItemDelegateForColumn(column, kind(clock, self.table))
        self.table.set_widths([108, 142, 100, 66])
        self.table.resize(460, 500)
        with qtbot.waitExposed(self.table):
            self.table.show()

    def pictures(self) -> tuple[QImage, QImage]:
        """Return the picture by Qt's own way and the one painted in one go."""
        self.table.set_row_cells(None)
        one = seen(self.table.viewport())
        self.table.set_row_cells(self.model)
        return one, seen(self.table.viewport())


@pytest.fixture
def both(app: QApplication, qtbot: QtBot) -> Both:  # noqa: ARG001 # the theme has to be there
    return Both(qtbot)


def test_every_kind_of_cell_looks_the_same(both: Both) -> None:
    one, other = both.pictures()
    assert one == other


def test_in_the_dark_and_with_a_larger_font_too(both: Both, app: QApplication) -> None:
    apply_theme(app, Theme.DARK)
    font = app.font()
    font.setPixelSize(19)
    app.setFont(font)
    one, other = both.pictures()
    assert one == other


def test_selected_rows_the_row_under_the_pointer_and_the_current_cell_look_the_same(both: Both, qtbot: QtBot) -> None:
    table = both.table
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    table.setCurrentIndex(both.model.index(4, 1))
    table.selectionModel().select(both.model.index(9, 0), flags)
    table.hover_row = 6
    focused = both.pictures()
    assert focused[0] == focused[1]

    table.clearFocus()
    unfocused = both.pictures()
    assert unfocused[0] == unfocused[1]
    assert unfocused[0] != focused[0]


@pytest.mark.parametrize("scrolled", [7, 25, 999_999])
def test_scrolled_to_anywhere_it_looks_the_same(both: Both, scrolled: int) -> None:
    both.table.verticalScrollBar().setValue(scrolled)
    both.table.horizontalScrollBar().setValue(11)
    one, other = both.pictures()
    assert one == other


def test_columns_moved_and_hidden_look_the_same(both: Both) -> None:
    both.table.dense_header().moveSection(3, 0)
    both.table.setColumnHidden(2, True)
    one, other = both.pictures()
    assert one == other


def test_a_frame_asks_for_each_row_on_screen_once_and_for_no_cell(both: Both) -> None:
    both.pictures()
    both.model.asked_rows.clear()
    both.model.asked_cells = 0

    seen(both.table.viewport())

    assert both.model.asked_rows == list(range(-(-both.table.viewport().height() // both.table.rowHeight(0))))
    assert both.model.asked_cells == 0


def test_a_part_of_the_viewport_asks_for_the_rows_in_it(both: Both) -> None:
    both.pictures()
    both.table.viewport().repaint()
    both.model.asked_rows.clear()
    height = both.table.rowHeight(0)

    both.table.viewport().repaint(0, 3 * height + 2, 50, height)

    assert both.model.asked_rows == [3, 4]


def test_below_the_last_row_there_is_the_ground(both: Both) -> None:
    both.table.resize(460, 5_000)
    one, other = both.pictures()
    assert one == other
