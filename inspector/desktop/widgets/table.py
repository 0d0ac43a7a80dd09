"""The table of every list: dense rows parted by hairlines, no grid, whole rows selected."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QTableView, QWidget

from inspector.desktop.widgets.cells import LAST_PAD, PAD, CellDelegate, TextDelegate
from inspector.desktop.widgets.drawing import draw_left, draw_right, one_line, small_face
from inspector.desktop.widgets.fonts import header_height, row_height, scaled
from inspector.desktop.widgets.lines import hairline, line_below, line_right
from inspector.desktop.widgets.palette import Tokens, tokens_of
from inspector.desktop.widgets.row_cells import RowCells
from inspector.desktop.widgets.row_painting import paint_rows
from inspector.desktop.widgets.viewport import own_viewport

ACCENT_BAR = 3
"""The width of the bar at the left of the current row."""

_ARROW = 7


class DenseHeader(QHeaderView):
    """The header of a ``DenseTable``: small words over the text they belong to, an arrow on the sorted column."""

    def __init__(self, parent: QWidget | None = None, *, dense: bool = False) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        own_viewport(self, QPalette.ColorRole.Button)
        self._dense = dense
        self._order_is_old = False
        self.setHighlightSections(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumSectionSize(28)
        self.setSectionsClickable(True)
        self.setSectionsMovable(True)
        self.setStretchLastSection(True)

    def set_order_is_old(self, is_old: bool) -> None:
        """Draw the arrow hollow: the rows have changed since they were sorted, and were left where they are."""
        if is_old != self._order_is_old:
            self._order_is_old = is_old
            self.viewport().update()

    def sizeHint(self) -> QSize:
        # Nobody asks a header along the top how wide it wishes to be, and Qt would measure every word of it to tell.
        return QSize(self.minimumSectionSize(), header_height(self._dense))

    def sectionSizeFromContents(self, section: int) -> QSize:
        word = one_line(self._word(section))
        width = small_face().metrics.horizontalAdvance(word) + PAD + LAST_PAD
        return QSize(width + (_ARROW + PAD if self._is_sorted(section) else 0), header_height(self._dense))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        tokens = tokens_of(self.palette())
        painter.fillRect(rect, tokens.header)
        last = self.visualIndex(section) == self.count() - 1 - self._hidden_at_the_end()
        right = self._is_right(section)
        room = rect.adjusted(PAD, 0, -(LAST_PAD if last and right else PAD), 0)
        word = one_line(self._word(section))
        is_sorted = self._is_sorted(section)
        if right:
            taken = draw_right(painter, room, word, small_face(), tokens.text2)
            arrow = room.right() + 1 - taken - PAD // 2 - _ARROW
        else:
            text_room = room.adjusted(0, 0, -_ARROW - PAD // 2, 0) if is_sorted else room
            arrow = room.left() + draw_left(painter, text_room, word, small_face(), tokens.text2) + PAD // 2
        if is_sorted:
            self._paint_arrow(painter, QPointF(arrow, room.center().y() + 1), tokens)
        line_below(painter, QRectF(rect), tokens.line)
        if not last:
            line_right(painter, QRectF(rect), tokens.line)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), tokens.header)
        line_below(painter, QRectF(self.viewport().rect()), tokens.line)
        painter.end()
        super().paintEvent(event)

    def _paint_arrow(self, painter: QPainter, at: QPointF, tokens: Tokens) -> None:
        tip = -2.0 if self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder else 2.0
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(hairline(tokens.text2))
        painter.setBrush(Qt.BrushStyle.NoBrush if self._order_is_old else tokens.text2)
        painter.translate(at)
        painter.drawPolygon(QPolygonF([QPointF(0, -tip), QPointF(_ARROW - 1, -tip), QPointF((_ARROW - 1) / 2, tip)]))
        painter.restore()

    def _word(self, section: int) -> object:
        model = self.model()
        return model.headerData(section, Qt.Orientation.Horizontal)

    def _is_sorted(self, section: int) -> bool:
        return self.isSortIndicatorShown() and self.sortIndicatorSection() == section

    def _is_right(self, section: int) -> bool:
        view = self.parent()
        delegate = view.itemDelegateForColumn(section) if isinstance(view, QAbstractItemView) else None
        return isinstance(delegate, CellDelegate) and delegate.right_aligned

    def _hidden_at_the_end(self) -> int:
        hidden = 0
        while hidden < self.count() and self.isSectionHidden(self.logicalIndex(self.count() - 1 - hidden)):
            hidden += 1
        return hidden


class _HeaderEnd(QWidget):
    """Carries the header on over the scroll bar, which so begins where the rows do."""

    def __init__(self, header: DenseHeader) -> None:
        super().__init__()
        self._header = header
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(0, self._header.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.header)
        line_below(painter, QRectF(self.rect()), tokens.line)
        painter.end()


class DenseTable(QTableView):
    """A table of dense rows: whole rows selected, scrolled by pixels, an accent bar on the current row.

    ``hover_row`` and ``last_column`` are for the delegates.
    """

    def __init__(self, parent: QWidget | None = None, *, dense: bool = False) -> None:
        """Make an empty table; ``dense`` rows are one pixel lower, for lists of events and results."""
        super().__init__(parent)
        own_viewport(self)
        self._dense = dense
        self.hover_row = -1
        self.last_column = -1
        self._rows: RowCells | None = None
        self._header = DenseHeader(self, dense=dense)
        self.setHorizontalHeader(self._header)
        self.addScrollBarWidget(_HeaderEnd(self._header), Qt.AlignmentFlag.AlignTop)
        self.setItemDelegate(TextDelegate(parent=self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        rows = self.verticalHeader()
        rows.hide()
        # Fixed sections: with one height for all rows, a million of them cost nothing.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(1)
        self._fit_to_font()

    def dense_header(self) -> DenseHeader:
        """Return the horizontal header."""
        return self._header

    def set_widths(self, widths: Sequence[int]) -> None:
        """Set the first columns' widths, given for the plain font; a larger font makes them wider."""
        for column, width in enumerate(widths):
            self.setColumnWidth(column, scaled(width))

    def mark_row(self, row: int | None) -> None:
        """Make a row the current and only selected one, or none; nobody is told, and only rows that change are painted.

        ``row`` is a row of the model, which need not be on screen.
        """
        shown = range(max(0, self.rowAt(0)), 1 + self._last_shown_row())
        selection = self.selectionModel()
        before = [selection.isRowSelected(each) for each in shown]
        current_before = self.currentIndex().row()
        selection.blockSignals(True)
        self.clearSelection()
        self.setCurrentIndex(QModelIndex() if row is None else self.model().index(row, 0))
        selection.blockSignals(False)
        for each, was_selected in zip(shown, before, strict=True):
            if selection.isRowSelected(each) != was_selected or each in (current_before, row):
                self._repaint_row(each)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_to_font()

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().currentChanged(current, previous)
        for index in (current, previous):
            if index.isValid():
                self._repaint_row(index.row())

    def viewportEvent(self, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.HoverMove, QEvent.Type.HoverEnter):
            self._hover(self.rowAt(int(event.position().y())))  # type: ignore[attr-defined]
        elif kind in (QEvent.Type.HoverLeave, QEvent.Type.Leave):
            self._hover(-1)
        return super().viewportEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        # What was under the pointer has moved away; the next move of the pointer says what is there now.
        self._hover(-1)

    def set_row_cells(self, rows: RowCells | None) -> None:
        """Paint from what ``rows`` gives row by row, the same as the model gives cell by cell; None: from the model."""
        self._rows = rows
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        header = self.horizontalHeader()
        shown = (header.logicalIndex(at) for at in range(header.count() - 1, -1, -1))
        self.last_column = next((column for column in shown if not header.isSectionHidden(column)), -1)
        if self._rows is None:
            super().paintEvent(event)
        else:
            paint_rows(self, self._rows, event.rect(), hover_row=self.hover_row, last_column=self.last_column)
        current = self.currentIndex()
        if current.isValid() and self.selectionModel().isRowSelected(current.row()):
            top, height = self.rowViewportPosition(current.row()), self.rowHeight(current.row())
            painter = QPainter(self.viewport())
            painter.fillRect(0, top, ACCENT_BAR, height, tokens_of(self.palette()).accent)
            painter.end()

    def _fit_to_font(self) -> None:
        self.verticalHeader().setDefaultSectionSize(row_height(self._dense))

    def _last_shown_row(self) -> int:
        last = self.rowAt(self.viewport().height() - 1)
        return last if last >= 0 else self.model().rowCount() - 1

    def _hover(self, row: int) -> None:
        if row != self.hover_row:
            before, self.hover_row = self.hover_row, row
            self._repaint_row(before)
            self._repaint_row(row)

    def _repaint_row(self, row: int) -> None:
        if row >= 0:
            area = QRect(0, self.rowViewportPosition(row), self.viewport().width(), self.rowHeight(row))
            self.viewport().update(area)
