"""Buttons painted as a row of marks and words: the base of chips, tools, the mode badge and the pill."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from inspector.desktop.widgets.drawing import Face, draw_left, ui_face
from inspector.desktop.widgets.fonts import at_least
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.lines import frame
from inspector.desktop.widgets.palette import Tokens, mixed, tokens_of
from inspector.desktop.widgets.shapes import state_pixmap, warning_pixmap
from inspector.lmsp.values import value

RADIUS = 4
FOCUS_WIDTH = 2


@value
class Word:
    """A word of a button."""

    text: str
    tone: str = "text"
    face: Callable[[], Face] = ui_face


@value
class Icon:
    """An icon of a button, in the colour ``tone``."""

    name: str
    size: int = 16
    tone: str = "text"


@value
class Shape:
    """The shape of a status; ``None`` is the warning triangle."""

    status: str | None
    size: int = 13


Part = Word | Icon | Shape


class RowButton(QToolButton):
    """A button that paints its parts in a row, on a ground that tells hovered, pressed, checked and focused.

    What it does on a click, keyboard and screen readers it has from ``QToolButton``; ``text()`` is its first word.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def parts(self) -> Sequence[Part]:
        """Return what stands in the button, from left to right."""
        raise NotImplementedError

    def plain_height(self) -> int:
        """Return the height with the plain font; a larger font makes the button higher."""
        return 26

    def pad(self) -> int:
        """Return the room at the left and at the right."""
        return 10

    def gap(self) -> int:
        """Return the room between two parts."""
        return 6

    def ground(self, tokens: Tokens) -> QColor | None:
        """Return the colour behind the parts, None for what lies below the button."""
        if self.isChecked() or self.isDown():
            return tokens.select
        return tokens.hover if self._is_hovered() else None

    def edge(self, tokens: Tokens) -> QColor | None:
        """Return the colour of the frame, None for no frame."""
        return tokens.accent if self.isChecked() else None

    def radius(self) -> float:
        """Return the radius of the corners."""
        return RADIUS

    def refresh(self) -> None:
        """Take over that the parts are others now."""
        words = [part.text for part in self.parts() if isinstance(part, Word) and part.text]
        # In a button's text, "&" would make a shortcut.
        self.setText(words[0].replace("&", "&&") if words else "")
        if words:
            self.setAccessibleName(", ".join(words))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        widths = [_width(part) for part in self.parts()]
        width = sum(widths) + self.gap() * max(0, len(widths) - 1) + 2 * self.pad()
        height = at_least(self.plain_height(), ui_face().font)
        return QSize(max(width, height), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        rect = QRectF(self.rect())
        ground = self.ground(tokens)
        if ground is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), self.radius(), self.radius())
            painter.restore()
        edge = self.edge(tokens)
        if self.hasFocus():
            frame(painter, rect, tokens.accent, FOCUS_WIDTH, self.radius())
        elif edge is not None:
            frame(painter, rect, edge, 1, self.radius())
        self._paint_parts(painter, tokens)
        painter.end()

    def ink(self, part: Part, tokens: Tokens) -> QColor:
        """Return the colour of ``part``."""
        color = tokens.text if isinstance(part, Shape) else tokens.tone(part.tone)
        return color if self.isEnabled() else mixed(color, self.ground(tokens) or tokens.window, 0.5)

    def _paint_parts(self, painter: QPainter, tokens: Tokens) -> None:
        parts = self.parts()
        wanted = sum(_width(part) for part in parts) + self.gap() * max(0, len(parts) - 1)
        room = self.rect()
        left = max((room.width() - wanted) // 2, 0) if wanted + 2 * self.pad() <= room.width() else self.pad()
        ratio = self.devicePixelRatio()
        for part in parts:
            if isinstance(part, Word):
                text_room = QRect(left, 0, max(0, room.width() - left - min(self.pad(), 4)), room.height())
                draw_left(painter, text_room, part.text, part.face(), self.ink(part, tokens))
            else:
                top = (room.height() - part.size) // 2
                painter.setOpacity(1.0 if self.isEnabled() or isinstance(part, Icon) else 0.5)
                painter.drawPixmap(left, top, self._pixmap(part, tokens, ratio))
                painter.setOpacity(1.0)
            left += _width(part) + self.gap()

    def _pixmap(self, part: Icon | Shape, tokens: Tokens, ratio: float) -> QPixmap:
        if isinstance(part, Icon):
            return icon_pixmap(part.name, self.ink(part, tokens), part.size, ratio)
        if part.status is None:
            return warning_pixmap(part.size, tokens, ratio)
        return state_pixmap(part.status, part.size, tokens, ratio)

    def _is_hovered(self) -> bool:
        return self.isEnabled() and self.underMouse()


def _width(part: Part) -> int:
    return part.face().metrics.horizontalAdvance(part.text) if isinstance(part, Word) else part.size
