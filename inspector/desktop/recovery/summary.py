"""What a restart would leave behind, in a few lines beside the table, and why nothing is applied from here."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from inspector.desktop.recovery.words import NO_APPLY, SummaryLine
from inspector.desktop.widgets.fonts import line_height, small_font, ui_font
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_state
from inspector.desktop.widgets.words import grouped

_MOST_LINES: Final = 5


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
        # As high as a line, so that it stands on the first line of words that take two.
        self.setFixedSize(SHAPE, line_height(ui_font()))


class RestartSummary(QWidget):
    """A line for each status after a restart: how many tasks, its shape, what happens to them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = _label(self.tr("After a restart"), "text2")
        self._counts: list[QLabel] = []
        self._shapes: list[ShapeMark] = []
        self._words: list[QLabel] = []
        self._why = _label(self.tr(NO_APPLY), "text2")
        self._why.setWordWrap(True)
        lines = QGridLayout()
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setHorizontalSpacing(8)
        lines.setVerticalSpacing(6)
        lines.setColumnStretch(2, 1)
        for row in range(_MOST_LINES):
            count, shape, words = _label(""), ShapeMark(), _label("")
            count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            words.setWordWrap(True)
            self._counts.append(count)
            self._shapes.append(shape)
            self._words.append(words)
            lines.addWidget(count, row, 0)
            lines.addWidget(shape, row, 1, Qt.AlignmentFlag.AlignTop)
            lines.addWidget(words, row, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._title)
        column.addLayout(lines)
        column.addSpacing(4)
        column.addWidget(self._why)
        column.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._lines = lines
        self._set_fonts()

    def show_lines(self, lines: Sequence[SummaryLine]) -> None:
        """Show these lines, in place: what reads the same is left alone."""
        for row in range(_MOST_LINES):
            line = lines[row] if row < len(lines) else None
            for part in (self._counts[row], self._shapes[row], self._words[row]):
                part.setVisible(line is not None)
            if line is None:
                continue
            self._counts[row].setText(grouped(line.tasks))
            self._counts[row].setFont(ui_font(bold=line.tasks > 0))
            self._shapes[row].show_status(line.status)
            self._words[row].setText(line.words)
            for part in (self._counts[row], self._words[row]):
                _set_tone(part, "" if line.tasks else "text3")

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), 18 * self.fontMetrics().averageCharWidth()), hint.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._set_fonts()

    def _set_fonts(self) -> None:
        self._title.setFont(small_font(bold=True))
        self._why.setFont(small_font())
        metrics = self.fontMetrics()
        self._lines.setColumnMinimumWidth(0, metrics.horizontalAdvance("999"))


def _label(text: str, tone: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("tone", tone)
    return label


def _set_tone(label: QLabel, tone: str) -> None:
    if label.property("tone") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)
