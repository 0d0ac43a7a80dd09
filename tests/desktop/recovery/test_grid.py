"""What the eye sees of the table: painted, and looked at pixel by pixel."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.desktop.recovery.grid import RecoveryGrid
from inspector.desktop.recovery.grid_model import GridItemModel, place_at
from inspector.desktop.recovery.grouping import tallies
from inspector.desktop.widgets.palette import DARK, LIGHT, Tokens, qpalette
from tests.desktop.recovery.plans import every_combination


@pytest.fixture
def model() -> GridItemModel:
    made = GridItemModel()
    made.show_tallies(tallies(every_combination()))
    return made


@pytest.fixture
def grid(qtbot: QtBot, model: GridItemModel) -> RecoveryGrid:
    made = RecoveryGrid(model)
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    return made


def cell_of(grid: RecoveryGrid, row: int, column: int) -> QRect:
    rect = grid.visualRect(grid.model().index(row, column))
    return rect.translated(grid.viewport().pos())


def frame_colors(image: QImage, cell: QRect) -> set[str]:
    inner = cell.adjusted(0, 0, -1, -1)
    return {
        image.pixelColor(inner.left(), inner.center().y()).name(),
        image.pixelColor(inner.left() + 1, inner.center().y()).name(),
        image.pixelColor(inner.center().x(), inner.top()).name(),
        image.pixelColor(inner.center().x(), inner.top() + 1).name(),
    }


def grabbed(grid: RecoveryGrid, tokens: Tokens) -> QImage:
    grid.setPalette(qpalette(tokens))
    return grid.grab().toImage()


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_the_cell_of_the_selected_task_has_an_accent_frame_of_two_pixels(
    grid: RecoveryGrid, model: GridItemModel, tokens: Tokens
) -> None:
    model.mark(place_at(2, 2))

    image = grabbed(grid, tokens)

    assert frame_colors(image, cell_of(grid, 2, 2)) == {tokens.accent.name()}
    assert tokens.accent.name() not in frame_colors(image, cell_of(grid, 1, 1))


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_the_chosen_cell_has_the_fill_of_a_selection(grid: RecoveryGrid, model: GridItemModel, tokens: Tokens) -> None:
    model.choose(place_at(1, 0))

    image = grabbed(grid, tokens)

    def ground(row: int, column: int) -> QColor:
        return image.pixelColor(cell_of(grid, row, column).bottomRight() - QPoint(4, 4))

    assert ground(1, 0).name() == tokens.select.name()
    assert ground(1, 1).name() == tokens.base.name()


def test_the_cell_where_the_keyboard_is_has_a_frame_once_the_keyboard_is_used(qtbot: QtBot, grid: RecoveryGrid) -> None:
    with qtbot.waitActive(grid):
        grid.show()
        grid.activateWindow()
    grid.setPalette(qpalette(LIGHT))
    grid.setFocus(Qt.FocusReason.OtherFocusReason)
    assert LIGHT.accent.name() not in frame_colors(grid.grab().toImage(), cell_of(grid, 0, 0))

    QTest.keyClick(grid, Qt.Key.Key_Right)

    assert LIGHT.accent.name() in frame_colors(grid.grab().toImage(), cell_of(grid, 0, 1))


def test_all_twelve_cells_fit_into_the_size_that_the_table_asks_for(grid: RecoveryGrid) -> None:
    image = grid.grab().toImage()
    whole = QRect(0, 0, grid.width(), grid.height())

    assert all(whole.contains(cell_of(grid, row, column)) for row in range(4) for column in range(3))
    assert image.size() == grid.size()


def test_a_compact_table_is_lower(grid: RecoveryGrid) -> None:
    before = grid.sizeHint().height()

    grid.set_compact(True)

    assert grid.sizeHint().height() < before
    assert grid.height() == grid.sizeHint().height()


def test_the_table_says_how_it_is_used(grid: RecoveryGrid) -> None:
    assert grid.accessibleName() == "Table 11.3: state found at startup by policy"
    assert grid.accessibleDescription() == "Enter lists only the tasks of a cell, Esc all again."
    assert grid.focusPolicy() & Qt.FocusPolicy.TabFocus
