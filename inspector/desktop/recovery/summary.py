"""What a restart would leave behind, in a few lines beside the table, and why nothing is applied from here."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from inspector.desktop.recovery.labels import set_text, set_tone
from inspector.desktop.recovery.words import NO_APPLY, SummaryLine
from inspector.desktop.widgets.fonts import line_height, small_font, ui_font
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_state
from inspector.desktop.widgets.strips import plain_label
from inspector.desktop.widgets.words import grouped

_MOST_LINES: Final = 5
_NARROWEST: Final = 210


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


class _Line(QWidget):
    """Count, shape and words of one status."""

    def __init__(self) -> None:
        super().__init__()
        self._count = plain_label()
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self._shape = ShapeMark()
        self._words = plain_label(wraps=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._count, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._shape, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)

    def show_line(self, line: SummaryLine, count_width: int) -> None:
        self._count.setMinimumWidth(count_width)
        set_text(self._count, grouped(line.tasks))
        self._shape.show_status(line.status)
        set_text(self._words, line.words)
        for label in (self._count, self._words):
            set_tone(label, "text" if line.tasks else "text3")
        self._count.setFont(ui_font(bold=line.tasks > 0))  # after the tone, with which the style takes its own font

    def text(self) -> str:
        return f"{self._count.text()} {self._words.text()}"


class RestartSummary(QWidget):
    """A line for each status after a restart: how many tasks, its shape, what happens to them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = plain_label(self.tr("After a restart"), tone="text2")
        self._lines = [_Line() for _ in range(_MOST_LINES)]
        self._why = plain_label(self.tr(NO_APPLY), tone="text2", wraps=True)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(28)
        self._grid.setVerticalSpacing(7)
        self._columns = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._title)
        column.addLayout(self._grid)
        column.addSpacing(4)
        column.addWidget(self._why)
        column.addStretch(1)
        self._set_fonts()
        self.set_columns(1)

    def set_columns(self, columns: int) -> None:
        """Put the lines into this many columns: one beside the table, two below it."""
        if columns == self._columns:
            return
        self._columns = columns
        rows = -(-_MOST_LINES // columns)
        for at, line in enumerate(self._lines):
            self._grid.addWidget(line, at % rows, at // rows)
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def show_lines(self, lines: Sequence[SummaryLine]) -> None:
        """Show these lines, in place: what reads the same is left alone."""
        widest = max((line.tasks for line in lines), default=0)
        count_width = self.fontMetrics().horizontalAdvance(max(grouped(widest), "99", key=len))
        for at, part in enumerate(self._lines):
            part.setVisible(at < len(lines))
            if at < len(lines):
                part.show_line(lines[at], count_width)

    def texts(self) -> tuple[str, ...]:
        """Return the lines that are shown."""
        return tuple(line.text() for line in self._lines if not line.isHidden())

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), _NARROWEST), hint.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._set_fonts()

    def _set_fonts(self) -> None:
        self._title.setFont(small_font(bold=True))
        self._why.setFont(small_font())
