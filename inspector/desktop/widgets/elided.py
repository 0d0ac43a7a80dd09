"""A line of plain text that is cut where it does not fit, and then shows the whole as a tooltip."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from inspector.desktop.widgets.fonts import ui_font
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.tips import show_tip

_LONGEST = 1_000


class ElidedLabel(QLabel):
    """Shows ``text`` on one line, cut at the right or in the middle. ``text()`` stays whole."""

    def __init__(
        self,
        text: str = "",
        *,
        tone: str = "text",
        face: Callable[[], QFont] = ui_font,
        middle: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Show ``text`` in the colour ``tone`` and the font ``face()``; ``middle``: cut in the middle, for ids."""
        super().__init__(parent)
        self._tone = tone
        self._face = face
        self._mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def set_tone(self, tone: str) -> None:
        """Change the colour to the token ``tone``."""
        if tone != self._tone:
            self._tone = tone
            self.update()

    def is_cut(self) -> bool:
        """Say whether the text does not fit now."""
        return self._metrics().horizontalAdvance(self._shown()) > self.contentsRect().width()

    def sizeHint(self) -> QSize:
        metrics = self._metrics()
        return QSize(metrics.horizontalAdvance(self._shown()) + 1, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        metrics = self._metrics()
        return QSize(min(metrics.horizontalAdvance("xxx…"), self.sizeHint().width()), metrics.height() + 2)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and not self.toolTip():
            show_tip(event.globalPos(), self.text() if self.is_cut() else "", self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.setFont(self._face())
        painter.setPen(tokens.tone(self._tone) if self.isEnabled() else tokens.text3)
        room = self.contentsRect()
        text = self._metrics().elidedText(self._shown(), self._mode, room.width())
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
        painter.drawText(room, flags, text)
        painter.end()

    def _shown(self) -> str:
        text = self.text()
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self._face())
