"""How the table of section 11.3 is drawn: a cell, the header of a policy, the header of a state found."""

from typing import Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector.desktop.recovery.grid_model import (
    CHOSEN_ROLE,
    MARKED_ROLE,
    NOTE_HEADER_ROLE,
    PLACE_ROLE,
    STATUS_HEADER_ROLE,
    TALLY_ROLE,
    TOTAL_ROLE,
)
from inspector.desktop.recovery.grouping import Place, Tally
from inspector.desktop.recovery.words import cell_target
from inspector.desktop.widgets.fonts import at_least, counter_font, fixed_font, line_height, small_font, ui_font
from inspector.desktop.widgets.palette import Tokens, tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_state, paint_warning
from inspector.desktop.widgets.words import grouped

PADDING: Final = 12
_TO_WORD: Final = 6
_TO_NOTE: Final = 6
_TO_STATE: Final = 14
_ROW: Final = 54
_HEADER: Final = 30
_FOUND_WIDTH: Final = 148
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LONGEST_STATE: Final = "cancelled"


def cell_height() -> int:
    """Return the height of a cell: two lines of text and air."""
    return max(_ROW, line_height(ui_font()) + line_height(fixed_font()) + 20)


def policy_header_height() -> int:
    """Return the height of the line of policies."""
    return at_least(_HEADER)


def found_header_width() -> int:
    """Return the width of the column of states found."""
    state = PADDING + SHAPE + 8 + QFontMetrics(ui_font()).horizontalAdvance("cancelling")
    return max(_FOUND_WIDTH, state + 16 + QFontMetrics(ui_font()).horizontalAdvance("99,999") + PADDING)


class GridDelegate(QStyledItemDelegate):
    """Draws a cell: the count, the shape and word of the status afterwards, the event below."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        place: Place = index.data(PLACE_ROLE)
        tally: Tally = index.data(TALLY_ROLE)
        tokens = tokens_of(option.palette)
        behind = _ground(index, option, tokens)
        painter.save()
        painter.fillRect(option.rect, behind)
        _draw_lines(painter, option.rect, tokens)
        inner = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        count_width = _count_width(index.model())
        counts = QRect(inner.left(), inner.top(), count_width, inner.height())
        _write(
            painter,
            counts,
            grouped(tally.tasks),
            counter_font(bold=tally.tasks > 0),
            tokens.text if tally.tasks else tokens.text3,
            align=_RIGHT,
        )
        lines = inner.adjusted(count_width + _TO_STATE, 0, 0, 0)
        self._draw_becoming(painter, lines, place, tally, tokens, behind)
        _draw_frame(painter, option, index, tokens)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        plain, fixed = QFontMetrics(ui_font()), QFontMetrics(fixed_font())
        word = SHAPE + _TO_WORD + plain.horizontalAdvance(_LONGEST_STATE)
        event = fixed.horizontalAdvance(f"response.{_LONGEST_STATE}")
        width = 2 * PADDING + _count_width(index.model()) + _TO_STATE + max(word + 44, event)
        return QSize(width, cell_height())

    def _draw_becoming(
        self, painter: QPainter, box: QRect, place: Place, tally: Tally, tokens: Tokens, behind: QColor
    ) -> None:
        target, event = cell_target(place)
        upper, lower = line_height(ui_font()), line_height(fixed_font())
        top = box.top() + (box.height() - upper - lower - 4) // 2
        shape = QRectF(box.left(), top + (upper - SHAPE) / 2, SHAPE, SHAPE)
        paint_state(painter, shape, target, tokens, behind)
        word = QRect(box.left() + SHAPE + _TO_WORD, top, box.width() - SHAPE - _TO_WORD, upper)
        used = _write(painter, word, str(target), ui_font(), tokens.text if tally.tasks else tokens.text2)
        word.setLeft(word.left() + used + _TO_NOTE)
        if event is None:
            used = _write(painter, word, "stays", ui_font(), tokens.text2)
            word.setLeft(word.left() + used + _TO_NOTE)
        if tally.warnings and word.width() > SHAPE:
            word.setLeft(word.left() + 4)
            paint_warning(painter, QRectF(word.left(), top + (upper - SHAPE) / 2, SHAPE, SHAPE), tokens)
            word.setLeft(word.left() + SHAPE + 4)
            _write(painter, word, grouped(tally.warnings), ui_font(), tokens.warn_fg)
        below = QRect(box.left(), top + upper + 4, box.width(), lower)
        if event is None:
            _write(painter, below, "no event", fixed_font(), tokens.text3)
        else:
            color = tokens.text2 if tally.tasks else tokens.text3
            _write(painter, below, event, fixed_font(), color, elide=Qt.TextElideMode.ElideLeft)


class PolicyHeader(QHeaderView):
    """The line of policies above the cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), policy_header_height())

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        tokens = tokens_of(self.palette())
        model = self.model()
        painter.save()
        painter.fillRect(rect, tokens.header)
        _draw_lines(painter, rect, tokens)
        box = rect.adjusted(PADDING, 0, -PADDING, 0)
        word: str = model.headerData(section, Qt.Orientation.Horizontal)
        note: str = model.headerData(section, Qt.Orientation.Horizontal, NOTE_HEADER_ROLE)
        box.setLeft(box.left() + _write(painter, box, word, ui_font(bold=True), tokens.text) + 8)
        _write(painter, box, note, small_font(), tokens.text2)
        painter.restore()


class FoundHeader(QHeaderView):
    """The column of states found at startup, with how many tasks were found in each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        return QSize(found_header_width(), super().sizeHint().height())

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        tokens = tokens_of(self.palette())
        model = self.model()
        painter.save()
        painter.fillRect(rect, tokens.header)
        _draw_lines(painter, rect, tokens)
        status: str = model.headerData(section, Qt.Orientation.Vertical, STATUS_HEADER_ROLE)
        total: str = model.headerData(section, Qt.Orientation.Vertical, TOTAL_ROLE)
        box = rect.adjusted(PADDING, 0, -PADDING, 0)
        shape = QRectF(box.left(), rect.top() + (rect.height() - SHAPE) / 2, SHAPE, SHAPE)
        paint_state(painter, shape, status, tokens, tokens.header)
        _write(painter, box.adjusted(SHAPE + 8, 0, 0, 0), status, ui_font(), tokens.text)
        _write(painter, box, total, ui_font(), tokens.text2, align=_RIGHT)
        painter.restore()


def _ground(index: QModelIndex | QPersistentModelIndex, option: QStyleOptionViewItem, tokens: Tokens) -> QColor:
    if index.data(CHOSEN_ROLE):
        return tokens.select
    return tokens.hover if option.state & QStyle.StateFlag.State_MouseOver else tokens.base


def _draw_lines(painter: QPainter, rect: QRect, tokens: Tokens) -> None:
    """Draw the right and the lower hairline of a cell."""
    painter.fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), tokens.line)
    painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), tokens.line)


def _draw_frame(
    painter: QPainter,
    option: QStyleOptionViewItem,
    index: QModelIndex | QPersistentModelIndex,
    tokens: Tokens,
) -> None:
    """Frame the cell of the selected task, and more thinly the cell where the keyboard is."""
    if index.data(MARKED_ROLE):
        width = 2
    elif option.state & QStyle.StateFlag.State_HasFocus:
        width = 1
    else:
        return
    rect = option.rect
    for side in (
        QRect(rect.left(), rect.top(), rect.width(), width),
        QRect(rect.left(), rect.bottom() - width + 1, rect.width(), width),
        QRect(rect.left(), rect.top(), width, rect.height()),
        QRect(rect.right() - width + 1, rect.top(), width, rect.height()),
    ):
        painter.fillRect(side, tokens.accent)


def _count_width(model: QAbstractItemModel) -> int:
    """Return the width of the widest count, so that what stands beside the counts lies on one line in all cells."""
    widest = max(
        model.index(row, column).data(TALLY_ROLE).tasks
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    )
    return max(24, QFontMetrics(counter_font()).horizontalAdvance(grouped(widest)))


def _write(
    painter: QPainter,
    box: QRect,
    text: str,
    font: QFont,
    color: QColor,
    *,
    align: Qt.AlignmentFlag = _LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> int:
    """Write one line into ``box``, elided where it is too narrow; return the width used."""
    if box.width() <= 0 or not text:
        return 0
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, elide, box.width())
    painter.setFont(font)
    painter.setPen(color)
    painter.drawText(box, align | Qt.TextFlag.TextSingleLine, shown)
    return metrics.horizontalAdvance(shown)
