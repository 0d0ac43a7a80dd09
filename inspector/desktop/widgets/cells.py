"""How a cell is painted: the roles that a model may give, and the delegate that the others build on.

A delegate paints the whole cell itself: its ground (selected, flashing, under the pointer), the text cut to the width,
the hairline below, the frame of the current cell. Text is drawn as plain text.
"""

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem

from inspector.desktop.widgets.drawing import (
    Face,
    draw_left,
    draw_pixmap,
    draw_right,
    fixed_face,
    one_line,
    ui_face,
)
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.lines import frame
from inspector.desktop.widgets.palette import Tokens, mixed, tokens_of
from inspector.desktop.widgets.progress import BAR_HEIGHT, BAR_WIDTH, paint_progress
from inspector.desktop.widgets.row_cells import Cell, Ink
from inspector.desktop.widgets.shapes import SHAPE, state_pixmap, warning_pixmap
from inspector.desktop.widgets.style_states import style_states
from inspector.desktop.widgets.tips import show_tip

# Plain integers: looking an enum's member up inside data() doubles the time of a frame.
DISPLAY_ROLE: Final = int(Qt.ItemDataRole.DisplayRole)
TIP_ROLE: Final = int(Qt.ItemDataRole.ToolTipRole)
_USER: Final = int(Qt.ItemDataRole.UserRole)
STATUS_ROLE: Final = _USER + 1
"""The status as stored, whose shape stands before the word; None for no shape."""
FLASH_ROLE: Final = _USER + 2
"""When the cell changed, by ``FlashClock.now_ms``; None if it did not."""
WARN_ROLE: Final = _USER + 3
"""Truthy: the warning triangle stands in the cell. ``WARN_STRONG``: and the text is bold."""
DIM_ROLE: Final = _USER + 4
"""1 (or True): the captions' colour. ``DIM_LEAST``: the least text's colour."""
NOTE_ROLE: Final = _USER + 5
"""A few words after the text, in the captions' colour: "stays", "from snapshot 150", "seq 213"."""
ICON_ROLE: Final = _USER + 6
"""``(name, tone)`` of an icon before the text; the tone as for ``Tokens.tone``."""
BOLD_ROLE: Final = _USER + 7
"""Truthy: the text is bold."""
PROGRESS_ROLE: Final = _USER + 8
"""A fraction from 0 to 1: a progress bar stands there instead of an icon."""

CELL_ROLES: Final[dict[int, Callable[[Cell], object]]] = {
    DISPLAY_ROLE: lambda cell: cell.text,
    STATUS_ROLE: lambda cell: cell.status,
    WARN_ROLE: lambda cell: cell.warn or None,
    DIM_ROLE: lambda cell: cell.dim or None,
    FLASH_ROLE: lambda cell: cell.flash_at_ms,
}
"""What a model that has its rows as cells gives under each role."""

WARN_STRONG: Final = 2
DIM_LEAST: Final = 2

PAD: Final = 8
LAST_PAD: Final = 14
"""To the right of the last column, so that the scroll bar covers no digit."""
GAP: Final = 6
"""From a shape or an icon to its word."""
Index = QModelIndex | QPersistentModelIndex


class CellDelegate(QStyledItemDelegate):
    """Paints the ground of a cell and leaves its content to ``paint_content``."""

    right_aligned = False
    """Whether the column's header stands at the right as well."""

    def __init__(self, flash: FlashClock | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flash = flash

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = tokens_of(option.palette)
        view = option.widget
        rect = option.rect
        behind = self._ground(option, view, index, tokens)
        painter.fillRect(rect, behind)
        right = LAST_PAD if index.column() == getattr(view, "last_column", -1) else PAD
        self.paint_content(painter, rect.adjusted(PAD, 0, -right, -1), index, tokens)
        device = painter.device()
        thin = 1.0 / device.devicePixelRatio()
        painter.fillRect(QRectF(rect.x(), rect.y() + rect.height() - thin, rect.width(), thin), tokens.line)
        if option.state & style_states().focus:
            frame(painter, QRectF(rect), tokens.accent)

    def paint_content(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> None:
        """Paint what ``index`` shows into ``room``, which is the cell without its padding."""
        raise NotImplementedError

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        """Paint ``cell`` as :meth:`paint_content` paints an index that shows the same."""
        raise NotImplementedError

    def content_width(self, index: Index) -> int:
        """Return how wide ``index`` would be if nothing were cut, without padding."""
        raise NotImplementedError

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.content_width(index) + PAD + LAST_PAD, ui_face().metrics.height() + 9)

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() is not QEvent.Type.ToolTip or not index.isValid():
            return False
        text = index.data(TIP_ROLE)
        if not text and self.content_width(index) > option.rect.width() - 2 * PAD:
            text = index.data(DISPLAY_ROLE)
        show_tip(event.globalPos(), "" if text is None else str(text), view)
        return True

    def _ground(self, option: QStyleOptionViewItem, view: Any, index: Index, tokens: Tokens) -> QColor:  # noqa: ANN401
        state, states = option.state, style_states()
        if state & states.selected:
            ground = tokens.select if state & states.active else tokens.select_in
        elif index.row() == getattr(view, "hover_row", -1):
            ground = tokens.hover
        else:
            ground = tokens.base
        if self._flash is None:
            return ground
        strength = self._flash.strength(asked(index, FLASH_ROLE))
        if strength <= 0.0:
            return ground
        if isinstance(view, QAbstractItemView):
            self._flash.warm(view, index)
        return tokens.flash if strength >= 1.0 else mixed(tokens.flash, ground, strength)

    def flash_over(self, ground: QColor, cell: Cell, index: Index, view: QAbstractItemView, ink: Ink) -> QColor | None:
        """Return the ground of a cell that changed lately, or None where it is the row's own, ``ground``."""
        strength = 0.0 if self._flash is None else self._flash.strength(cell.flash_at_ms)
        if self._flash is None or strength <= 0.0:
            return None
        self._flash.warm(view, index)
        return ink.tokens.flash if strength >= 1.0 else mixed(ink.tokens.flash, ground, strength)


def asked(index: Index, role: int) -> Any:  # noqa: ANN401
    """Return what the model gives for ``role``, without the way through Qt: models are ours, and frames are many."""
    return index.model().data(index, role)


def dim_color(dim: object, tokens: Tokens) -> QColor:
    """Return the colour of text with the value ``dim`` under ``DIM_ROLE``."""
    if not dim:
        return tokens.text
    return tokens.text3 if dim == DIM_LEAST else tokens.text2


class TextDelegate(CellDelegate):
    """Text at the left: an icon, a progress or a warning before it, a note after it, each where the model gives one."""

    def __init__(
        self,
        flash: FlashClock | None = None,
        parent: QObject | None = None,
        *,
        tone: str = "text",
        middle: bool = False,
    ) -> None:
        """Paint in the colour ``tone`` where the model does not dim a cell; ``middle``: cut in the middle."""
        super().__init__(flash, parent)
        self._tone = tone
        self._middle = middle

    def paint_content(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> None:
        room = self.paint_mark(painter, room, index, tokens)
        text = one_line(asked(index, DISPLAY_ROLE))
        dim = asked(index, DIM_ROLE)
        color = dim_color(dim, tokens) if dim else tokens.tone(self._tone)
        taken = draw_left(painter, room, text, self.face(index), color, middle=self._middle)
        note = asked(index, NOTE_ROLE)
        if note:
            left = taken + GAP if taken else 0
            draw_left(painter, room.adjusted(left, 0, 0, 0), one_line(note), self.note_face(), tokens.text2)

    def paint_mark(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> QRect:
        """Paint what stands before the text, and return the room that is left for the text."""
        ratio = painter.device().devicePixelRatio()
        icon = asked(index, ICON_ROLE)
        if icon is not None:
            name, tone = icon
            draw_pixmap(painter, room, icon_pixmap(name, tokens.tone(tone), SHAPE, ratio), SHAPE)
            return room.adjusted(SHAPE + GAP, 0, 0, 0)
        done = asked(index, PROGRESS_ROLE)
        if done is not None:
            top = room.top() + (room.height() - BAR_HEIGHT + 1) // 2
            bar = QRectF(room.left(), top, min(BAR_WIDTH, room.width()), BAR_HEIGHT)
            if bar.isValid():
                paint_progress(painter, bar, done, tokens)
            return room.adjusted(BAR_WIDTH + GAP, 0, 0, 0)
        if asked(index, WARN_ROLE):
            draw_pixmap(painter, room, warning_pixmap(SHAPE, tokens, ratio), SHAPE)
            return room.adjusted(SHAPE + GAP, 0, 0, 0)
        return room

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        if cell.warn:
            draw_pixmap(painter, room, warning_pixmap(SHAPE, ink.tokens, ink.ratio), SHAPE)
            room = room.adjusted(SHAPE + GAP, 0, 0, 0)
        self._paint_text(painter, room, cell, ink, ink.ui_bold if cell.warn == WARN_STRONG else ink.ui)

    def _paint_text(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink, face: Face) -> None:
        color = dim_color(cell.dim, ink.tokens) if cell.dim else ink.tokens.tone(self._tone)
        draw_left(painter, room, one_line(cell.text), face, color, middle=self._middle)

    def mark_width(self, index: Index) -> int:
        """Return the width of what stands before the text, with its gap."""
        if asked(index, ICON_ROLE) is None and asked(index, PROGRESS_ROLE) is not None:
            return BAR_WIDTH + GAP
        return SHAPE + GAP if asked(index, ICON_ROLE) is not None or asked(index, WARN_ROLE) else 0

    def face(self, index: Index) -> Face:
        """Return the face of the text."""
        return ui_face(bold=bool(asked(index, BOLD_ROLE)) or asked(index, WARN_ROLE) == WARN_STRONG)

    def note_face(self) -> Face:
        """Return the face of the note."""
        return ui_face()

    def content_width(self, index: Index) -> int:
        note = one_line(asked(index, NOTE_ROLE))
        width = self.face(index).metrics.horizontalAdvance(one_line(asked(index, DISPLAY_ROLE)))
        return self.mark_width(index) + width + (GAP + self.note_face().metrics.horizontalAdvance(note) if note else 0)


class StateDelegate(TextDelegate):
    """A status: its shape, then the word in the plain text colour, then a note where there is one."""

    def paint_mark(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> QRect:
        status = asked(index, STATUS_ROLE)
        if status is None:
            return room
        ratio = painter.device().devicePixelRatio()
        draw_pixmap(painter, room, state_pixmap(str(status), SHAPE, tokens, ratio), SHAPE)
        return room.adjusted(SHAPE + GAP, 0, 0, 0)

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        if cell.status is not None:
            draw_pixmap(painter, room, state_pixmap(cell.status, SHAPE, ink.tokens, ink.ratio), SHAPE)
            room = room.adjusted(SHAPE + GAP, 0, 0, 0)
        self._paint_text(painter, room, cell, ink, ink.ui_bold if cell.warn == WARN_STRONG else ink.ui)

    def mark_width(self, index: Index) -> int:
        return 0 if asked(index, STATUS_ROLE) is None else SHAPE + GAP


class FixedDelegate(TextDelegate):
    """An id, a digest, a path: in the fixed font, cut in the middle, since both ends tell."""

    def __init__(self, flash: FlashClock | None = None, parent: QObject | None = None, *, tone: str = "text") -> None:
        super().__init__(flash, parent, tone=tone, middle=True)

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        if cell.warn:
            draw_pixmap(painter, room, warning_pixmap(SHAPE, ink.tokens, ink.ratio), SHAPE)
            room = room.adjusted(SHAPE + GAP, 0, 0, 0)
        self._paint_text(painter, room, cell, ink, ink.fixed)

    def face(self, index: Index) -> Face:
        return fixed_face(bold=bool(asked(index, BOLD_ROLE)))


class EventTypeDelegate(StateDelegate):
    """The type of an event: what all have in common in the least colour, so that the eye reads what differs."""

    _COMMON = "response."

    def paint_content(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> None:
        room = self.paint_mark(painter, room, index, tokens)
        text = one_line(asked(index, DISPLAY_ROLE))
        face = self.face(index)
        if text.startswith(self._COMMON):
            taken = draw_left(painter, room, self._COMMON, face, tokens.text3)
            room = room.adjusted(taken, 0, 0, 0)
            text = text[len(self._COMMON) :]
        taken = draw_left(painter, room, text, face, dim_color(asked(index, DIM_ROLE), tokens))
        note = asked(index, NOTE_ROLE)
        if note:
            left = taken + GAP if taken else 0
            draw_left(painter, room.adjusted(left, 0, 0, 0), one_line(note), ui_face(), tokens.text2)

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        if cell.status is not None:
            draw_pixmap(painter, room, state_pixmap(cell.status, SHAPE, ink.tokens, ink.ratio), SHAPE)
            room = room.adjusted(SHAPE + GAP, 0, 0, 0)
        text = one_line(cell.text)
        if text.startswith(self._COMMON):
            taken = draw_left(painter, room, self._COMMON, ink.fixed, ink.tokens.text3)
            room = room.adjusted(taken, 0, 0, 0)
            text = text[len(self._COMMON) :]
        draw_left(painter, room, text, ink.fixed, dim_color(cell.dim, ink.tokens))

    def face(self, index: Index) -> Face:
        return fixed_face()


class NumberDelegate(CellDelegate):
    """A number, a duration, an age: at the right, after a warning triangle where the model warns."""

    right_aligned = True

    def __init__(self, flash: FlashClock | None = None, parent: QObject | None = None, *, tone: str = "text") -> None:
        super().__init__(flash, parent)
        self._tone = tone

    def paint_content(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> None:
        warn = asked(index, WARN_ROLE)
        ratio = painter.device().devicePixelRatio() if warn else 1.0
        text, face = one_line(asked(index, DISPLAY_ROLE)), self._face(index, warn)
        self._paint(painter, room, text, face, asked(index, DIM_ROLE), warn, tokens, ratio)

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        face = ink.ui_bold if cell.warn == WARN_STRONG else ink.ui
        self._paint(painter, room, one_line(cell.text), face, cell.dim, cell.warn, ink.tokens, ink.ratio)

    def _paint(
        self,
        painter: QPainter,
        room: QRect,
        text: str,
        face: Face,
        dim: object,
        warn: object,
        tokens: Tokens,
        ratio: float,
    ) -> None:
        start = room.left()
        if warn:
            room = room.adjusted(SHAPE + GAP, 0, 0, 0)
        color = dim_color(dim, tokens) if dim else tokens.tone(self._tone)
        taken = draw_right(painter, room, text, face, color)
        if warn:
            left = max(start, room.right() + 1 - taken - (GAP if taken else 0) - SHAPE)
            # A narrow cell shows the triangle rather than the number, and neither beyond its edge.
            mark = QRect(left, room.top(), room.right() + 1 - left, room.height())
            draw_pixmap(painter, mark, warning_pixmap(SHAPE, tokens, ratio), SHAPE)

    def content_width(self, index: Index) -> int:
        warn = asked(index, WARN_ROLE)
        width = self._face(index, warn).metrics.horizontalAdvance(one_line(asked(index, DISPLAY_ROLE)))
        return width + (SHAPE + GAP if warn else 0)

    def _face(self, index: Index, warn: object) -> Face:
        return ui_face(bold=warn == WARN_STRONG or bool(asked(index, BOLD_ROLE)))
