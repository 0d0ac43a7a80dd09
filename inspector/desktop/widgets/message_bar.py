"""A bar of one message: a bold fact, its plain consequence, at most two verbs, and a way to close it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from inspector.desktop.widgets.fact_text import FactText
from inspector.desktop.widgets.fonts import at_least
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.lines import line_below
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.tools import FlatTool, LinkButton

_LEFT, _RIGHT, _ABOVE, _GAP = 12, 12, 10, 8
_ICON = 16
_NARROW = 280
"""Where less than this is left for the text, the verbs go below it."""


_LOOKS = {
    MessageKind.INFO: ("info_bg", "info", "accent"),
    MessageKind.WARN: ("warn_bg", "warning", "warn_fg"),
    MessageKind.ERROR: ("error_bg", "error", "failed"),
    MessageKind.PAUSED: ("select_in", "pause", "text"),
}


class MessageBar(QWidget):
    """One message across a view or the window. Its height follows from its text and width; nothing of it is cut.

    Signals:
        verb_clicked: a verb or a link was clicked; carries its text.
        closed: the user closed the bar; it has hidden itself.
    """

    verb_clicked = Signal(str)
    closed = Signal()

    def __init__(
        self,
        kind: str = MessageKind.INFO,
        fact: str = "",
        consequence: str = "",
        *,
        verbs: Sequence[str] = (),
        links: Sequence[str] = (),
        closable: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        """Show a message of ``kind`` ("info", "warn", "error", "paused"); see ``set_message``."""
        super().__init__(parent)
        self._kind = MessageKind(kind)
        self._text = FactText(parent=self)
        self._controls: list[QPushButton] = []
        self._names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._close = FlatTool(icon="close", parent=self)
        self._close.setAccessibleName(self.tr("Close"))
        self._close.clicked.connect(self._on_close_clicked)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_message(kind, fact, consequence, verbs=verbs, links=links, closable=closable)

    def set_message(
        self,
        kind: str,
        fact: str,
        consequence: str = "",
        *,
        verbs: Sequence[str] = (),
        links: Sequence[str] = (),
        closable: bool = True,
    ) -> None:
        """Replace the message. ``verbs`` are buttons, ``links`` go somewhere; buttons that stay keep the focus."""
        self._kind = MessageKind(kind)
        self._text.set_text(fact, consequence)
        self.setAccessibleName(self._text.text())
        if (tuple(verbs), tuple(links)) != self._names:
            self._make_controls(tuple(verbs), tuple(links))
        self._close.setVisible(closable)
        self._close.setEnabled(closable)
        self.updateGeometry()
        self._place()
        self.update()

    def text(self) -> str:
        """Return the message as one text."""
        return self._text.text()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        text_width, below = self._room(width)
        height = self._text.heightForWidth(text_width) + 2 * _ABOVE
        if below:
            height += self._controls_height() + _GAP
        elif self._controls:
            height = max(height, self._controls_height() + 10)
        return max(height, at_least(36))

    def sizeHint(self) -> QSize:
        width = self._text.one_line_width() + self._beside() + _LEFT + _ICON + _GAP
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        widest = max((control.sizeHint().width() for control in self._controls), default=0)
        narrowest = max(160, widest + _LEFT + _RIGHT)
        return QSize(narrowest, self.heightForWidth(max(self.width(), narrowest)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.heightForWidth(event.size().width()) != self.heightForWidth(event.oldSize().width()):
            self.updateGeometry()
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        ground, icon, tone = _LOOKS[self._kind]
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.tone(ground))
        line_below(painter, QRectF(self.rect()), tokens.line)
        top = self._text.y() + (self._first_line() - _ICON) // 2
        painter.drawPixmap(_LEFT, top, icon_pixmap(icon, tokens.tone(tone), _ICON, self.devicePixelRatio()))
        painter.end()

    def _make_controls(self, verbs: tuple[str, ...], links: tuple[str, ...]) -> None:
        for control in self._controls:
            control.hide()
            control.deleteLater()
        self._names = (verbs, links)
        self._controls = []
        for name in links:
            self._add_control(LinkButton(name, self), name)
        for name in verbs:
            button = QPushButton(name.replace("&", "&&"), self)
            button.setAutoDefault(False)
            self._add_control(button, name)

    def _add_control(self, control: QPushButton, name: str) -> None:
        control.setAccessibleName(name)
        control.clicked.connect(lambda: self.verb_clicked.emit(name))
        control.setVisible(True)
        self._controls.append(control)

    def _first_line(self) -> int:
        return self._text.fontMetrics().height()

    def _controls_height(self) -> int:
        return max((control.sizeHint().height() for control in self._controls), default=0)

    def _beside(self) -> int:
        """Return the width of all that may stand beside the text, with gaps."""
        width = sum(control.sizeHint().width() + _GAP for control in self._controls) + _RIGHT
        return width + (self._close.sizeHint().width() if self._close.isEnabled() else 0) + _GAP

    def _room(self, width: int) -> tuple[int, bool]:
        """Return the width of the text and whether the controls stand below it."""
        start = _LEFT + _ICON + _GAP + 2
        beside = width - start - self._beside()
        if not self._controls or beside >= min(_NARROW, self._text.one_line_width()):
            return max(1, beside), False
        close = self._close.sizeHint().width() + _GAP if self._close.isEnabled() else 0
        return max(1, width - start - close - _RIGHT), True

    def _place(self) -> None:
        start = _LEFT + _ICON + _GAP + 2
        text_width, below = self._room(self.width())
        text_height = self._text.heightForWidth(text_width)
        free = self.height() - text_height - (self._controls_height() + _GAP if below else 0)
        top = max(0, free // 2)
        self._text.setGeometry(start, top, text_width, text_height)
        close = self._close.sizeHint()
        right = self.width() - _RIGHT
        if self._close.isEnabled():
            right += 5  # the cross stands on the pane's padding, its hover frame reaches over it
            middle = top + self._first_line() // 2
            self._close.setGeometry(right - close.width(), middle - close.height() // 2, close.width(), close.height())
            right -= close.width() + _GAP
        if below:
            left, controls_top = start, top + text_height + _GAP
            for control in self._controls:
                hint = control.sizeHint()
                control.setGeometry(left, controls_top, hint.width(), hint.height())
                left += hint.width() + _GAP
            return
        for control in reversed(self._controls):
            hint = control.sizeHint()
            middle = self.height() // 2 if text_height <= self._first_line() + 4 else top + self._first_line() // 2
            controls_top = max(4, middle - hint.height() // 2)
            control.setGeometry(right - hint.width(), controls_top, hint.width(), hint.height())
            right -= hint.width() + _GAP

    def _on_close_clicked(self) -> None:
        self.hide()
        self.closed.emit()
