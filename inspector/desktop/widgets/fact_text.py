"""A bold sentence of fact and a plain one of consequence, as one wrapped paragraph of plain text."""

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.desktop.widgets.fonts import ui_font
from inspector.desktop.widgets.palette import tokens_of

_LEADING = 3
"""What is added to the font's height between two lines."""

LONGEST = 4_000
"""The most characters of a sentence that are laid out: a name from a file in it may be longer than anybody reads."""


class FactText(QWidget):
    """Shows ``fact`` bold and ``consequence`` after it, wrapped to the width there is. It cuts nothing up to LONGEST.

    The height follows from the width (``heightForWidth``).
    """

    def __init__(self, fact: str = "", consequence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fact = ""
        self._consequence = ""
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_text(fact, consequence)

    def set_text(self, fact: str, consequence: str = "") -> None:
        """Replace both sentences."""
        fact, consequence = _shortened(fact), _shortened(consequence)
        if (fact, consequence) == (self._fact, self._consequence):
            return
        self._fact, self._consequence = fact, consequence
        self.setAccessibleName(self.text())
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return both sentences as one text."""
        return " ".join(part for part in (self._fact, self._consequence) if part)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._height(self._laid_out(width))

    def one_line_width(self) -> int:
        """Return the width at which the text needs one line only."""
        layout = self._laid_out(1 << 20)
        return int(layout.lineAt(0).naturalTextWidth()) + 2 if layout.lineCount() else 0

    def sizeHint(self) -> QSize:
        width = self.one_line_width()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, QFontMetrics(ui_font()).height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(tokens_of(self.palette()).text)
        layout = self._laid_out(self.width())
        layout.draw(painter, QPointF(0, max(0, (self.height() - self._height(layout)) // 2)))
        painter.end()

    def _laid_out(self, width: int) -> QTextLayout:
        layout = QTextLayout(self.text(), ui_font(), self)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        # A path or an id may be one long word, and must not be cut either.
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        bold = QTextLayout.FormatRange()
        bold.start = 0
        # In UTF-16 units, as Qt counts.
        bold.length = len(self._fact.encode("utf-16-le", "surrogatepass")) // 2
        style = QTextCharFormat()
        style.setFontWeight(QFont.Weight.DemiBold)
        bold.format = style
        layout.setFormats([bold])
        step = QFontMetrics(ui_font()).height() + _LEADING
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, (layout.lineCount() - 1) * step))
        layout.endLayout()
        return layout

    @staticmethod
    def _height(layout: QTextLayout) -> int:
        metrics = QFontMetrics(ui_font())
        return max(1, layout.lineCount()) * (metrics.height() + _LEADING) - _LEADING


def _shortened(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST]}…"
