"""Stored text, JSON mostly, with numbered lines: as it is stored, or laid out over lines with every token kept."""

import re

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from inspector.desktop.widgets.fonts import fixed_font, small_font
from inspector.desktop.widgets.json_text import cut, laid_out
from inspector.desktop.widgets.lines import frame
from inspector.desktop.widgets.palette import Tokens, tokens_of

_KEY = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:)')
_STRING_OR_NUMBER = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|(?P<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)')
_COLOURED = 2_000
"""The most characters of one line that are coloured."""
_LONG_LINE = 4_000
"""From here on a line is broken anywhere: looking for words takes a time that grows with its square."""


class JsonView(QWidget):
    """Shows one stored text, read only; nothing in it is taken for markup.

    The caller passes text of data through ``visible()`` (keeping newlines and tabs) before it is shown.
    """

    def __init__(self, parent: QWidget | None = None, *, numbered: bool = True) -> None:
        super().__init__(parent)
        self._stored = ""
        self._length: int | None = None
        self._is_pretty = True
        self._editor = _Editor(self, numbered=numbered)
        self._note = QLabel(self)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setProperty("tone", "text2")
        self._note.setWordWrap(True)
        self._note.setContentsMargins(12, 4, 12, 6)
        self._note.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._editor, 1)
        layout.addWidget(self._note)
        self.setFocusProxy(self._editor)
        self._fit_to_font()

    def show_text(self, text: str, *, length: int | None = None) -> None:
        """Show ``text``; ``length`` is the stored length where ``text`` is only its beginning.

        Text that is no JSON, is nested too deep, or was cut, is shown as stored. The place is kept if the text is the
        same as before.
        """
        if (text, length) == (self._stored, self._length):
            return
        self._stored, self._length = text, length
        self._show()

    def set_pretty(self, is_pretty: bool) -> None:
        """Lay JSON out over lines, or show it as stored."""
        if is_pretty != self._is_pretty:
            self._is_pretty = is_pretty
            self._show()

    def clear(self) -> None:
        """Show nothing."""
        self.show_text("")

    def shown_text(self) -> str:
        """Return what is shown now."""
        return self._editor.toPlainText()

    def note(self) -> str:
        """Return the sentence below the text, empty where there is none."""
        return self._note.text()

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self._editor.setAccessibleName(name)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit_to_font()

    def _show(self) -> None:
        shown, note = cut(self._stored, self._length)
        if self._is_pretty and not note:
            pretty = laid_out(shown)
            if pretty is not None:
                shown, note = cut(pretty)
        self._editor.show_text(shown)
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def _fit_to_font(self) -> None:
        self._note.setFont(small_font())
        # A font of its own hides from the editor that the application's has changed.
        self._editor.fit_to_font()


class _Editor(QPlainTextEdit):
    """The text, with its line numbers in the margin."""

    def __init__(self, parent: QWidget, *, numbered: bool) -> None:
        super().__init__(parent)
        self._numbered = numbered
        self._margin = _LineNumbers(self)
        self._colours = _Highlighter(self.document(), tokens_of(self.palette()))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)
        self.document().setDocumentMargin(6)
        self.blockCountChanged.connect(self._fit_margin)
        self.updateRequest.connect(self._on_update_request)
        self.fit_to_font()

    def fit_to_font(self) -> None:
        """Take the fixed font in the size that belongs to the application's font."""
        self.setFont(fixed_font())
        self.setTabStopDistance(QFontMetrics(fixed_font()).horizontalAdvance(" ") * 4)
        self._fit_margin()

    def show_text(self, text: str) -> None:
        """Show ``text`` from its first line on."""
        wrap = QTextOption.WrapMode
        long = any(len(line) > _LONG_LINE for line in text.split("\n"))
        self.setWordWrapMode(wrap.WrapAnywhere if long else wrap.WrapAtWordBoundaryOrAnywhere)
        self.setPlainText(text)

    def margin_width(self) -> int:
        """Return the width of the line numbers."""
        if not self._numbered:
            return 6
        digits = len(str(max(10, self.blockCount())))
        return 16 + QFontMetrics(fixed_font()).horizontalAdvance("0") * digits

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Paint the numbers of the lines that are seen into the margin."""
        tokens = tokens_of(self.palette())
        painter = QPainter(self._margin)
        painter.fillRect(event.rect(), tokens.base)
        painter.setFont(fixed_font())
        painter.setPen(tokens.text3)
        block = self.firstVisibleBlock()
        line = QFontMetrics(fixed_font()).height()
        while self._numbered and block.isValid():
            top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
            if top > event.rect().bottom():
                break
            room = QRectF(0, top, self._margin.width() - 6, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            block = block.next()
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inner = self.contentsRect()
        self._margin.setGeometry(QRect(inner.left(), inner.top(), self.margin_width(), inner.height()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._colours.recolour(tokens_of(self.palette()))
            self._margin.update()
        elif event.type() is QEvent.Type.StyleChange and self.font() != fixed_font():
            # A new style sheet gives a widget back the font that it had under the old one.
            self.fit_to_font()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            frame(painter, QRectF(self.viewport().rect()), tokens_of(self.palette()).accent, 2)
            painter.end()

    def _fit_margin(self) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)

    def _on_update_request(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())


class _LineNumbers(QWidget):
    """The margin of an editor, painted by it."""

    def __init__(self, editor: _Editor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_numbers(event)


class _Highlighter(QSyntaxHighlighter):
    """Keys in the accent colour, numbers bold; nothing is coloured by what it means."""

    def __init__(self, document: QTextDocument, tokens: Tokens) -> None:
        super().__init__(document)
        self._key = QTextCharFormat()
        self._number = QTextCharFormat()
        self._number.setFontWeight(QFont.Weight.DemiBold)
        self._key.setForeground(tokens.accent)

    def recolour(self, tokens: Tokens) -> None:
        """Use the accent colour of ``tokens`` from now on."""
        if self._key.foreground().color() != tokens.accent:
            self._key.setForeground(tokens.accent)
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        text = text[:_COLOURED]
        # Qt counts in UTF-16 units; beyond the first character outside the basic plane the two counts part.
        wide = not text.isascii() and any(ord(character) > 0xFFFF for character in text)
        for found in _STRING_OR_NUMBER.finditer(text):
            if found["number"] is not None:
                style = self._number
            elif _KEY.match(text, found.start()):
                style = self._key
            else:
                continue
            start, end = found.span()
            if wide:
                start, end = _utf16(text, start), _utf16(text, end)
            self.setFormat(start, end - start, style)


def _utf16(text: str, position: int) -> int:
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2
