"""Strips across the window or a pane: bars of controls, and the caption over a part of a pane."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import at_least, small_font
from inspector.desktop.widgets.lines import line_above, line_below
from inspector.desktop.widgets.palette import tokens_of


class Strip(QWidget):
    """A ground with hairlines; what stands in it is the owner's, in any layout. It grows with its content."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        ground: str = "window",
        height: int = 40,
        wraps: bool = False,
        above: bool = False,
        below: bool = True,
    ) -> None:
        """Paint the token ``ground``, with a hairline ``above`` or ``below``, at least ``height`` high.

        ``wraps``: its layout goes on in a next line where the strip is narrow (``FlowLayout``).
        """
        super().__init__(parent)
        self._ground = ground
        self._height = height
        self._above = above
        self._below = below
        vertical = QSizePolicy.Policy.Minimum if wraps else QSizePolicy.Policy.Fixed
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        policy.setHeightForWidth(wraps)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, at_least(self._height)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.tone(self._ground))
        if self._above:
            line_above(painter, QRectF(self.rect()), tokens.line)
        if self._below:
            line_below(painter, QRectF(self.rect()), tokens.line)
        painter.end()


class CaptionStrip(Strip):
    """The caption of a part of a pane: "**Data of event 206** 138 bytes, as stored", controls at the right."""

    def __init__(
        self, caption: str = "", note: str = "", parent: QWidget | None = None, *, above: bool = False
    ) -> None:
        super().__init__(parent, ground="header", height=28, above=above)
        self._caption = ElidedLabel(tone="text2", face=lambda: small_font(bold=True), parent=self)
        self._note = ElidedLabel(tone="text2", face=small_font, parent=self)
        self._controls = QHBoxLayout(self)
        self._controls.setContentsMargins(12, 0, 8, 0)
        self._controls.setSpacing(8)
        self._controls.addWidget(self._caption)
        self._controls.addWidget(self._note, 1)
        self.set_caption(caption, note)

    def set_caption(self, caption: str, note: str = "") -> None:
        """Replace both texts."""
        self._caption.setText(caption)
        self._note.setText(note)
        self.setAccessibleName(f"{caption}, {note}" if note else caption)

    def add_control(self, control: QWidget) -> None:
        """Put ``control`` at the right, after those that are there."""
        self._controls.addWidget(control)


def plain_label(text: str = "", *, tone: str = "text", wraps: bool = False, parent: QWidget | None = None) -> QLabel:
    """Return a label of plain text in the colour ``tone`` ("text", "text2", "text3", "accent", "warn")."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if tone != "text":
        label.setProperty("tone", tone)
    label.setText(text)
    return label
