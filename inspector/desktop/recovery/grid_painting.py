"""How the table of section 11.3 is drawn: a cell, the header of a policy, the header of a state found."""

from typing import Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
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
from inspector.desktop.widgets.drawing import Face, draw_left, draw_right, fixed_face, small_face, ui_face
from inspector.desktop.widgets.fonts import at_least, counter_font, fixed_font, line_height, ui_font
from inspector.desktop.widgets.lines import frame, line_above, line_below, line_right
from inspector.desktop.widgets.palette import Tokens, tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_state, paint_warning
from inspector.desktop.widgets.words import grouped

PADDING: Final = 12
_TO_WORD: Final = 6
_TO_NOTE: Final = 6
_BETWEEN_LINES: Final = 2
_TO_STATE: Final = 14
_ROW: Final = 54
_COMPACT_ROW: Final = 43
_HEADER: Final = 30
_FOUND_WIDTH: Final = 148
_TO_COUNT: Final = 4
_LONGEST_STATE: Final = "cancelled"
_STAYS: Final = "stays"


def cell_height(*, compact: bool) -> int:
    """Return the height of a cell: two lines of text and air, less of it in a compact table."""
    lines = line_height(ui_font()) + line_height(fixed_font())
    return max(_COMPACT_ROW, lines + 11) if compact else max(_ROW, lines + 20)


def policy_header_height() -> int:
    """Return the height of the line of policies."""
    return at_least(_HEADER)


def policy_header_width(model: QAbstractItemModel) -> int:
    """Return the width of the widest policy with what else counts under it."""
    return max(
        ui_face(bold=True).metrics.horizontalAdvance(model.headerData(column, Qt.Orientation.Horizontal))
        + _TO_NOTE
        + small_face().metrics.horizontalAdvance(model.headerData(column, Qt.Orientation.Horizontal, NOTE_HEADER_ROLE))
        for column in range(model.columnCount())
    )


def found_header_width() -> int:
    """Return the width of the column of states found."""
    metrics = ui_face().metrics
    state = PADDING + SHAPE + 8 + metrics.horizontalAdvance("cancelling")
    return max(_FOUND_WIDTH, state + 16 + metrics.horizontalAdvance("9,999") + PADDING)


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
        face = _counter_face(bold=tally.tasks > 0)
        draw_right(painter, counts, grouped(tally.tasks), face, tokens.text if tally.tasks else tokens.text3)
        lines = inner.adjusted(count_width + _TO_STATE, 0, 0, 0)
        self._draw_becoming(painter, lines, place, tally, tokens, behind)
        _draw_frame(painter, option, index, tokens)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        word = SHAPE + _TO_WORD + ui_face().metrics.horizontalAdvance(_LONGEST_STATE)
        event = fixed_face().metrics.horizontalAdvance(f"response.{_LONGEST_STATE}")
        warnings = grouped(_most(index.model(), warnings=True))
        warned = 2 * _TO_NOTE + SHAPE + _TO_COUNT + ui_face().metrics.horizontalAdvance(max(warnings, "99", key=len))
        width = 2 * PADDING + _count_width(index.model()) + _TO_STATE + max(word + warned, event)
        header = 2 * PADDING + policy_header_width(index.model())
        return QSize(max(width, header), cell_height(compact=False))

    def _draw_becoming(
        self, painter: QPainter, box: QRect, place: Place, tally: Tally, tokens: Tokens, behind: QColor
    ) -> None:
        target, event = cell_target(place)
        upper, lower = line_height(ui_font()), line_height(fixed_font())
        top = box.top() + (box.height() - upper - lower - _BETWEEN_LINES) // 2
        shape = QRectF(box.left(), top + (upper - SHAPE) / 2, SHAPE, SHAPE)
        paint_state(painter, shape, target, tokens, behind)
        word = QRect(box.left() + SHAPE + _TO_WORD, top, box.width() - SHAPE - _TO_WORD, upper)
        used = draw_left(painter, word, str(target), ui_face(), tokens.text if tally.tasks else tokens.text2)
        word.setLeft(word.left() + used + _TO_NOTE)
        # Where it does not fit, "no event" below says it.
        if event is None and ui_face().metrics.horizontalAdvance(_STAYS) <= word.width():
            used = draw_left(painter, word, _STAYS, ui_face(), tokens.text2)
            word.setLeft(word.left() + used + _TO_NOTE)
        if tally.warnings:
            word.setLeft(word.left() + _TO_NOTE)
            paint_warning(painter, QRectF(word.left(), top + (upper - SHAPE) / 2, SHAPE, SHAPE), tokens)
            word.setLeft(word.left() + SHAPE + _TO_COUNT)
            draw_left(painter, word, grouped(tally.warnings), ui_face(), tokens.warn_fg)
        below = QRect(box.left(), top + upper + _BETWEEN_LINES, box.width(), lower)
        # All events begin alike, so that a narrow cell cuts them there.
        written = fixed_face().metrics.elidedText(event or "no event", Qt.TextElideMode.ElideLeft, below.width())
        draw_left(painter, below, written, fixed_face(), tokens.text2 if event and tally.tasks else tokens.text3)


class Corner(QWidget):
    """The corner of the table: it says what the column of states is."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.header)
        _draw_lines(painter, self.rect(), tokens)
        line_above(painter, QRectF(self.rect()), tokens.line)
        _draw_left_line(painter, self.rect(), tokens)
        draw_left(painter, self.rect().adjusted(PADDING, 0, -PADDING, 0), self._words, small_face(), tokens.text2)
        painter.end()


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
        line_above(painter, QRectF(rect), tokens.line)
        box = rect.adjusted(PADDING, 0, -PADDING, 0)
        word: str = model.headerData(section, Qt.Orientation.Horizontal)
        note: str = model.headerData(section, Qt.Orientation.Horizontal, NOTE_HEADER_ROLE)
        box.setLeft(box.left() + draw_left(painter, box, word, ui_face(bold=True), tokens.text) + _TO_NOTE)
        draw_left(painter, box, note, small_face(), tokens.text2)
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
        _draw_left_line(painter, rect, tokens)
        status: str = model.headerData(section, Qt.Orientation.Vertical, STATUS_HEADER_ROLE)
        total: str = model.headerData(section, Qt.Orientation.Vertical, TOTAL_ROLE)
        box = rect.adjusted(PADDING, 0, -PADDING, 0)
        shape = QRectF(box.left(), rect.top() + (rect.height() - SHAPE) / 2, SHAPE, SHAPE)
        paint_state(painter, shape, status, tokens, tokens.header)
        draw_left(painter, box.adjusted(SHAPE + 8, 0, 0, 0), status, ui_face(), tokens.text)
        draw_right(painter, box, total, ui_face(), tokens.text2)
        painter.restore()


def _ground(index: QModelIndex | QPersistentModelIndex, option: QStyleOptionViewItem, tokens: Tokens) -> QColor:
    if index.data(CHOSEN_ROLE):
        return tokens.select
    return tokens.hover if option.state & QStyle.StateFlag.State_MouseOver else tokens.base


def _draw_frame(
    painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex, tokens: Tokens
) -> None:
    """Frame the cell of the selected task, and more thinly the cell where the keyboard is."""
    if index.data(MARKED_ROLE):
        frame(painter, QRectF(option.rect), tokens.accent, 2)
    elif option.state & QStyle.StateFlag.State_HasFocus and getattr(option.widget, "shows_cursor", True):
        frame(painter, QRectF(option.rect), tokens.accent)


def _draw_lines(painter: QPainter, rect: QRect, tokens: Tokens) -> None:
    line_right(painter, QRectF(rect), tokens.line)
    line_below(painter, QRectF(rect), tokens.line)


def _draw_left_line(painter: QPainter, rect: QRect, tokens: Tokens) -> None:
    thin = 1.0 / painter.device().devicePixelRatio()
    painter.fillRect(QRectF(rect.left(), rect.top(), thin, rect.height()), tokens.line)


def _counter_face(*, bold: bool) -> Face:
    font = counter_font(bold=bold)
    return Face(font, QFontMetrics(font))


def _count_width(model: QAbstractItemModel) -> int:
    """Return the width of the widest count, so that what stands beside the counts lies on one line in all cells."""
    most = grouped(_most(model, warnings=False))
    return max(24, _counter_face(bold=True).metrics.horizontalAdvance(most))


def _most(model: QAbstractItemModel, *, warnings: bool) -> int:
    tallies = (
        model.index(row, column).data(TALLY_ROLE)
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    )
    most: int = max(tally.warnings if warnings else tally.tasks for tally in tallies)
    return most
