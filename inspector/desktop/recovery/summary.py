"""What a restart would leave behind, in a few lines beside the table, and why nothing is applied from here."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.desktop.recovery.words import NO_APPLY, SummaryLine
from inspector.desktop.widgets.drawing import draw_left, draw_right, ui_face
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import small_font
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_state
from inspector.desktop.widgets.strips import plain_label
from inspector.desktop.widgets.words import grouped

_MOST_LINES: Final = 5
_GAP: Final = 8
_BETWEEN_COLUMNS: Final = 28
_LINE_AT_LEAST: Final = 120


class _Line(QWidget):
    """Count, shape and words of one status, painted: a live plan changes them several times a second."""

    def __init__(self) -> None:
        super().__init__()
        self._line = SummaryLine(0, "", "")
        self._count_width = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_line(self, line: SummaryLine, count_width: int) -> None:
        if (line, count_width) == (self._line, self._count_width):
            return
        self._line, self._count_width = line, count_width
        self.setAccessibleName(self.text())
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        return f"{grouped(self._line.tasks)} {self._line.words}"

    def sizeHint(self) -> QSize:
        metrics = ui_face().metrics
        width = self._count_width + 2 * _GAP + SHAPE + metrics.horizontalAdvance(self._line.words) + 2
        return QSize(width, metrics.height() + 1)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), _LINE_AT_LEAST), hint.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        color = tokens.text if self._line.tasks else tokens.text3
        painter = QPainter(self)
        count = QRect(0, 0, self._count_width, self.height())
        draw_right(painter, count, grouped(self._line.tasks), ui_face(bold=self._line.tasks > 0), color)
        shape = QRectF(count.right() + 1 + _GAP, (self.height() - SHAPE) / 2, SHAPE, SHAPE)
        paint_state(painter, shape, self._line.status, tokens, tokens.base)
        words = self.rect().adjusted(self._count_width + SHAPE + 2 * _GAP, 0, 0, 0)
        draw_left(painter, words, self._line.words, ui_face(), color)
        painter.end()


class RestartSummary(QWidget):
    """A line for each status after a restart: how many tasks, its shape, what happens to them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(self.tr("After a restart"), tone="text2", face=lambda: small_font(bold=True))
        self._lines = [_Line() for _ in range(_MOST_LINES)]
        self._why = plain_label(self.tr(NO_APPLY), tone="text2", wraps=True)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_BETWEEN_COLUMNS)
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
        self._set_columns(1)

    def one_column_width(self) -> int:
        """Return the width in which no line is cut, if all stand below one another."""
        return max(line.sizeHint().width() for line in self._lines)

    def fit_below(self, width: int) -> None:
        """Take two columns in ``width`` where they fit: below the table there is more width than height."""
        self._set_columns(2 if 2 * self.one_column_width() + _BETWEEN_COLUMNS <= width else 1)

    def fit_beside(self) -> None:
        """Take one column, as beside the table."""
        self._set_columns(1)

    def show_lines(self, lines: Sequence[SummaryLine]) -> None:
        """Show these lines, in place: what reads the same is left alone."""
        widest = max((line.tasks for line in lines), default=0)
        count_width = ui_face(bold=True).metrics.horizontalAdvance(max(grouped(widest), "99", key=len))
        for at, part in enumerate(self._lines):
            part.setVisible(at < len(lines))
            if at < len(lines):
                part.show_line(lines[at], count_width)

    def texts(self) -> tuple[str, ...]:
        """Return the lines that are shown."""
        return tuple(line.text() for line in self._lines if not line.isHidden())

    def _set_columns(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        rows = -(-_MOST_LINES // columns)
        for at, line in enumerate(self._lines):
            self._grid.addWidget(line, at % rows, at // rows)
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
