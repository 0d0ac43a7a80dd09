"""Tabs as words with a line under the current one, each with a count or a remark after the word."""

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QWidget

from inspector.desktop.widgets.drawing import draw_left, small_face, ui_face
from inspector.desktop.widgets.fonts import at_least
from inspector.desktop.widgets.lines import frame, line_below
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.words import grouped

_PAD, _GAP, _UNDER = 10, 7, 2


class UnderlineTabs(QTabBar):
    """A bar of tabs; what they show is the owner's. ``currentChanged`` is Qt's own signal, arrow keys and focus too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)

    def add_tab(self, word: str, remark: int | str | None = None) -> int:
        """Add a tab and return its index; see ``set_remark``."""
        index = self.addTab(word.replace("&", "&&"))
        self.set_remark(index, remark)
        return index

    def set_remark(self, index: int, remark: int | str | None) -> None:
        """Show a count ("212") or a remark ("hidden", "5 of 19") after the word of tab ``index``."""
        text = grouped(remark) if isinstance(remark, int) else remark
        if text != self.tabData(index):
            self.setTabData(index, text)
            word = self._word(index)
            self.setAccessibleTabName(index, f"{word}, {text}" if text else word)
            # Qt keeps the widths of tabs until a tab's text is set.
            self.setTabText(index, self.tabText(index))

    def tabSizeHint(self, index: int) -> QSize:
        remark = self.tabData(index)
        width = ui_face(bold=True).metrics.horizontalAdvance(self._word(index)) + 2 * _PAD
        if remark:
            width += _GAP + small_face().metrics.horizontalAdvance(remark)
        return QSize(width, at_least(30))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and self.count():
            self.setTabText(0, self.tabText(0))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.window)
        line_below(painter, QRectF(self.rect()), tokens.line)
        for index in range(self.count()):
            rect = self.tabRect(index)
            if not rect.isValid() or not self.isTabVisible(index):
                continue
            current = index == self.currentIndex()
            word_color = tokens.text if current or self._is_hovered(rect) else tokens.text2
            if not self.isTabEnabled(index):
                word_color = tokens.text3
            room = rect.adjusted(_PAD, 0, 0, -1)
            taken = draw_left(painter, room, self._word(index), ui_face(bold=current), word_color)
            remark = self.tabData(index)
            if remark:
                draw_left(painter, room.adjusted(taken + _GAP, 0, 0, 0), remark, small_face(), tokens.text2)
            if current:
                under = QRect(rect.left(), self.height() - _UNDER, rect.width(), _UNDER)
                painter.fillRect(under, tokens.accent)
                if self.hasFocus():
                    frame(painter, QRectF(rect.adjusted(1, 2, -1, 0)), tokens.accent, 2, 3)
        painter.end()

    def _word(self, index: int) -> str:
        return self.tabText(index).replace("&&", "&")

    def _is_hovered(self, rect: QRect) -> bool:
        return self.underMouse() and rect.contains(self.mapFromGlobal(self.cursor().pos()))
