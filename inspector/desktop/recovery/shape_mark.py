"""The shape of a status as a widget of its own."""

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector.desktop.widgets.fonts import line_height, ui_font
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_state


class ShapeMark(QWidget):
    """The shape of a status beside its word. It says nothing to those who hear: the word does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._status = ""
        self._fit()

    def show_status(self, status: str) -> None:
        """Show the shape of this status; one that is none of the seven has the diamond."""
        if status != self._status:
            self._status = status
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = tokens_of(self.palette())
        box = QRectF(0, (self.height() - SHAPE) / 2, SHAPE, SHAPE)
        paint_state(painter, box, self._status, tokens, tokens.base)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit()

    def _fit(self) -> None:
        self.setFixedSize(SHAPE, line_height(ui_font()))
