import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, QPoint, QRect, QSortFilterProxyModel, Qt
from PySide6.QtGui import QAccessible, QHoverEvent, QPaintEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.cells import NumberDelegate
from inspector.desktop.widgets.fonts import line_height, row_height, ui_font
from inspector.desktop.widgets.palette import LIGHT
from inspector.desktop.widgets.table import ACCENT_BAR, DenseTable
from tests.desktop.widgets.pictures import has_color, seen

HEADERS = ["State", "Task", "Events"]


def shown(qtbot: QtBot, rows: int = 50, *, dense: bool = False) -> DenseTable:
    table = DenseTable(dense=dense)
    qtbot.addWidget(table)
    model = QStandardItemModel(0, 3, table)
    model.setHorizontalHeaderLabels(HEADERS)
    for row in range(rows):
        model.appendRow([QStandardItem(f"{name} {row}") for name in HEADERS])
    table.setModel(model)
    table.setItemDelegateForColumn(2, NumberDelegate(parent=table))
    table.resize(420, 300)
    with qtbot.waitExposed(table):
        table.show()
    return table


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(("dense", "height"), [(False, 25), (True, 24)])
def test_rows_and_header_have_the_height_of_the_design(qtbot: QtBot, dense: bool, height: int) -> None:
    table = shown(qtbot, dense=dense)

    assert table.rowHeight(0) == table.rowHeight(49) == height
    assert table.dense_header().height() == (24 if dense else 26)


def test_rows_grow_with_the_font_at_run_time(app: QApplication, qtbot: QtBot) -> None:
    table = shown(qtbot)
    font = app.font()
    font.setPixelSize(28)

    app.setFont(font)

    qtbot.waitUntil(lambda: table.rowHeight(0) == line_height(ui_font()) + 9)
    assert table.rowHeight(0) == row_height() > 25


@pytest.mark.usefixtures("app")
def test_a_table_is_dense_and_selects_whole_rows(qtbot: QtBot) -> None:
    table = shown(qtbot)

    assert not table.showGrid()
    assert not table.wordWrap()
    assert table.verticalHeader().isHidden()
    assert table.verticalScrollMode() is DenseTable.ScrollMode.ScrollPerPixel
    table.setCurrentIndex(table.model().index(3, 1))
    assert {index.row() for index in table.selectedIndexes()} == {3}
    assert len(table.selectedIndexes()) == 3


@pytest.mark.usefixtures("app")
def test_the_current_row_has_the_bar_and_no_other(qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.setCurrentIndex(table.model().index(3, 0))
    table.setCurrentIndex(table.model().index(4, 0))
    image = seen(table.viewport())

    for row in range(8):
        y = table.rowViewportPosition(row) + 5
        barred = [image.pixelColor(x, y) == LIGHT.accent for x in range(ACCENT_BAR)]
        assert all(barred) if row == 4 else not any(barred)
        assert image.pixelColor(ACCENT_BAR + 1, y) != LIGHT.accent


class Painted(QObject):
    """Remembers what of a widget was painted."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.areas: list[QRect] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's own
        del watched
        if isinstance(event, QPaintEvent):
            self.areas.append(event.rect())
        return False


@pytest.mark.usefixtures("app")
def test_a_row_is_marked_without_a_word_and_only_what_changes_is_painted(qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.setCurrentIndex(table.model().index(2, 1))
    table.selectionModel().select(
        table.model().index(4, 0), QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    )
    table.repaint()
    painted = Painted(table)
    told: list[object] = []
    table.selectionModel().currentChanged.connect(told.append)
    table.selectionModel().selectionChanged.connect(told.append)
    table.viewport().installEventFilter(painted)

    table.mark_row(5)

    qtbot.waitUntil(lambda: bool(painted.areas))
    assert told == []
    assert {index.row() for index in table.selectedIndexes()} == {5}
    assert table.currentIndex().row() == 5
    top, below = table.rowViewportPosition(2), table.rowViewportPosition(6)
    assert all(top <= area.top() and area.bottom() < below for area in painted.areas)
    image = seen(table.viewport())
    barred = [image.pixelColor(0, table.rowViewportPosition(row) + 5) == LIGHT.accent for row in range(8)]
    assert barred == [row == 5 for row in range(8)]

    table.mark_row(None)
    assert not table.currentIndex().isValid()
    assert table.selectedIndexes() == []


@pytest.mark.usefixtures("app")
def test_a_hairline_parts_the_rows_and_nothing_the_columns(qtbot: QtBot) -> None:
    table = shown(qtbot)
    image = seen(table.viewport())
    bottom = table.rowViewportPosition(3) + table.rowHeight(3) - 1
    edge = table.columnViewportPosition(1) - 1

    assert all(image.pixelColor(x, bottom) == LIGHT.line for x in range(5, 250))
    assert image.pixelColor(5, bottom - 1) == LIGHT.base
    assert image.pixelColor(edge, bottom - 3) == LIGHT.base


@pytest.mark.usefixtures("app")
def test_the_row_under_the_pointer_is_told_from_the_others_whole(qtbot: QtBot) -> None:
    table = shown(qtbot)
    at = QPoint(20, table.rowViewportPosition(2) + 4)
    table.hover_row = -1

    QApplication.sendEvent(table.viewport(), QHoverEvent(QEvent.Type.HoverMove, at, at, QPoint()))
    assert table.hover_row == 2
    image = seen(table.viewport())

    for column in range(3):
        assert image.pixelColor(table.columnViewportPosition(column) + 1, at.y()) == LIGHT.hover
    assert image.pixelColor(1, table.rowViewportPosition(3) + 4) == LIGHT.base
    table.verticalScrollBar().setValue(30)
    assert table.hover_row == -1, "another row is there now"


@pytest.mark.usefixtures("app")
def test_numbers_and_their_header_stand_at_the_right_clear_of_the_scroll_bar(qtbot: QtBot) -> None:
    table = shown(qtbot)
    header = seen(table.dense_header().viewport())
    body = seen(table.viewport())

    def right_of_ink(image: object, y: range, ground: object) -> int:
        return max(
            x
            for x in range(table.columnViewportPosition(2) + 2, table.viewport().width())
            if any(image.pixelColor(x, row) != ground for row in y)  # type: ignore[attr-defined]
        )

    last = table.viewport().width() - 1
    number = right_of_ink(body, range(4, 20), LIGHT.base)
    word = right_of_ink(header, range(4, 20), LIGHT.header)
    assert 13 <= last - number <= 17
    assert abs(number - word) <= 2


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("dense", [False, True])
def test_the_header_goes_on_over_the_scroll_bar(qtbot: QtBot, dense: bool) -> None:
    table = shown(qtbot, dense=dense)
    image = seen(table)
    height = table.dense_header().height()
    x = table.width() - 3

    assert table.verticalScrollBar().isVisible()
    assert table.verticalScrollBar().mapTo(table, QPoint()).y() >= height
    assert [image.pixelColor(x, y) for y in (2, height - 2, height - 1)] == [LIGHT.header, LIGHT.header, LIGHT.line]


@pytest.mark.usefixtures("app")
def test_the_last_column_is_the_last_that_is_seen(qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.grab()
    assert table.last_column == 2

    table.setColumnHidden(2, True)
    table.grab()
    assert table.last_column == 1

    table.dense_header().moveSection(0, 2)
    table.grab()
    assert table.last_column == 0


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("section", [0, 2])
def test_the_sorted_column_has_an_arrow_which_is_hollow_while_the_order_is_old(qtbot: QtBot, section: int) -> None:
    table = shown(qtbot)
    header = table.dense_header()
    plain = seen(header.viewport())
    header.setSortIndicatorShown(True)
    header.setSortIndicator(section, Qt.SortOrder.DescendingOrder)
    down = seen(header.viewport())
    header.setSortIndicator(section, Qt.SortOrder.AscendingOrder)
    up = seen(header.viewport())
    header.set_order_is_old(True)
    hollow = seen(header.viewport())
    pictures = [plain, down, up, hollow]

    assert all(one != other for at, one in enumerate(pictures) for other in pictures[at + 1 :])
    # Every difference lies in that column.
    left = header.sectionViewportPosition(section)
    right = left + header.sectionSize(section)
    assert all(
        plain.pixel(x, y) == up.pixel(x, y)
        for x in range(plain.width())
        if not left <= x < right
        for y in range(plain.height())
    )


@pytest.mark.usefixtures("app")
def test_the_current_cell_is_framed_while_the_table_has_the_focus(qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.setCurrentIndex(table.model().index(2, 1))
    rect = table.visualRect(table.currentIndex())
    table.clearFocus()
    assert seen(table.viewport()).pixelColor(rect.center().x(), rect.top()) != LIGHT.accent

    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    image = seen(table.viewport())

    assert image.pixelColor(rect.center().x(), rect.top()) == LIGHT.accent
    assert image.pixelColor(rect.right(), rect.center().y()) == LIGHT.accent
    assert image.pixelColor(table.columnViewportPosition(2) + 4, rect.top()) != LIGHT.accent


@pytest.mark.usefixtures("app")
def test_a_selection_without_focus_is_quieter(qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.selectRow(2)
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    assert has_color(seen(table.viewport()), LIGHT.select)

    table.clearFocus()

    assert has_color(seen(table.viewport()), LIGHT.select_in)
    assert not has_color(seen(table.viewport()), LIGHT.select)


def test_widths_are_given_for_the_plain_font(app: QApplication, qtbot: QtBot) -> None:
    table = shown(qtbot)
    table.set_widths([100, 120])
    assert [table.columnWidth(column) for column in (0, 1)] == [100, 120]

    font = app.font()
    font.setPixelSize(26)
    app.setFont(font)
    table.set_widths([100, 120])

    assert [table.columnWidth(column) for column in (0, 1)] == [200, 240]


@pytest.mark.usefixtures("app")
def test_a_reader_of_the_screen_finds_cells_with_their_text(qtbot: QtBot) -> None:
    table = shown(qtbot, rows=3)
    interface = QAccessible.queryAccessibleInterface(table)

    names = {interface.child(at).text(QAccessible.Text.Name) for at in range(interface.childCount())}
    assert {*HEADERS, "State 0", "Task 1", "Events 2"} <= names


@pytest.mark.usefixtures("app")
def test_delegates_work_through_a_proxy_and_with_no_model_at_all(qtbot: QtBot) -> None:
    table = shown(qtbot)
    proxy = QSortFilterProxyModel(table)
    proxy.setSourceModel(table.model())
    table.setModel(proxy)
    assert has_color(seen(table.viewport()), LIGHT.text)

    table.setModel(QStandardItemModel(table))

    assert not has_color(seen(table.viewport()), LIGHT.text)
