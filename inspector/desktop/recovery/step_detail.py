"""One task before and after a restart, field by field, and the event that would be written with the move."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from inspector.desktop.recovery.shape_mark import ShapeMark
from inspector.desktop.recovery.words import (
    ARROW,
    SAME,
    FieldChange,
    event_text,
    field_changes,
    no_event_words,
    one_line,
    policy_words,
    warning_words,
)
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import fixed_font, line_height, small_font, ui_font
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.lines import PaneSplitter
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import SHAPE, paint_warning
from inspector.desktop.widgets.strips import plain_label
from inspector.desktop.widgets.tools import LinkButton
from inspector.lmsp.recovery import RecoveryStep

_PADDING: Final = 12
_SHARE: Final = 100
_HEIGHT: Final = 206
_SIDE_BY_SIDE_FROM: Final = 56
"""In widths of an average character: below it the event stands under the fields."""


class StepDetail(QWidget):
    """What a restart would do to one task.

    Signals:
        task_requested: the task itself is wanted; carries its id.
    """

    task_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._step: RecoveryStep | None = None
        self._fields = _Fields(self)
        self._fields.link.clicked.connect(self._on_link)
        self._event = _EventPane(self)
        self._splitter = PaneSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self._fields)
        self._splitter.addWidget(self._event)
        self._splitter.setSizes([5 * _SHARE, 7 * _SHARE])
        self._nothing = plain_label(tone="text2", wraps=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._nothing.setContentsMargins(_PADDING, _PADDING, _PADDING, _PADDING)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self._splitter)

    @property
    def step(self) -> RecoveryStep | None:
        """The step that is shown."""
        return self._step

    def show_nothing(self, *, can_select: bool) -> None:
        """Show that no task is selected, and, where there is one to select, that it can be."""
        self._step = None
        self._nothing.setText(self.tr("Select a task to see what a restart would do to it.") if can_select else "")
        self._stack.setCurrentWidget(self._nothing)

    def show_step(self, step: RecoveryStep, *, is_left_over: bool = True) -> None:
        """Show one step; ``is_left_over``: whether the newest plan still has the task."""
        self._stack.setCurrentWidget(self._splitter)
        self._fields.show_step(step, is_left_over=is_left_over)
        self._event.show_step(step)
        self._step = step

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= _SIDE_BY_SIDE_FROM * self.fontMetrics().averageCharWidth() * 2
        self._splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _on_link(self) -> None:
        if self._step is not None:
            self.task_requested.emit(self._step.task_id)


class _WarningMark(QWidget):
    """The warning triangle before its words."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(SHAPE, line_height(ui_font()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_warning(painter, QRectF(0, (self.height() - SHAPE) / 2, SHAPE, SHAPE), tokens_of(self.palette()))
        painter.end()


class _After(ElidedLabel):
    """The value afterwards: bold where it is another one."""

    def __init__(self) -> None:
        self._changed = False
        super().__init__(face=lambda: fixed_font(bold=self._changed))

    def set_changed(self, changed: bool) -> None:
        self._changed = changed
        self.set_tone("text" if changed else "text2")
        self.updateGeometry()


_Parts = tuple[QLabel, ElidedLabel, QLabel, _After]


class _Fields(QScrollArea):
    """The title of the task, and a line for each column of its row."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName(self.tr("Before and after"))
        self._shape = ShapeMark()
        self._task = ElidedLabel(face=_bold_fixed, middle=True)
        self._found = ElidedLabel(tone="text2")
        self.link = LinkButton(self.tr("Show task"))
        self._gone = plain_label(
            self.tr("No longer left over: it has ended since. This is what was planned before."), wraps=True
        )
        self._triangle = _WarningMark()
        self._warning = plain_label(wraps=True)
        warning = QHBoxLayout()
        warning.setSpacing(8)
        warning.addWidget(self._triangle, 0, Qt.AlignmentFlag.AlignTop)
        warning.addWidget(self._warning, 1)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(self._shape)
        title.addWidget(self._task)
        title.addWidget(self._found)
        title.addStretch(1)
        title.addWidget(self.link)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(3, 3)
        self._rows: list[_Parts] = []
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(_PADDING, 8, _PADDING, 8)
        column.setSpacing(6)
        column.addLayout(title)
        column.addWidget(self._gone)
        column.addLayout(warning)
        column.addLayout(self._grid)
        column.addStretch(1)
        self.setWidget(inner)

    def show_step(self, step: RecoveryStep, *, is_left_over: bool) -> None:
        self._shape.show_status(step.found)
        self._task.setText(one_line(step.task_id))
        self._found.setText(f"{one_line(step.found)}, {policy_words(step)}")
        self._gone.setVisible(not is_left_over)
        self._warning.setText(warning_words(step))
        for part in (self._triangle, self._warning):
            part.setVisible(bool(step.warnings))
        changes = field_changes(step)
        while len(self._rows) < len(changes):
            self._add_row()
        for row, parts in enumerate(self._rows):
            for part in parts:
                part.setVisible(row < len(changes))
            if row < len(changes):
                _show_change(changes[row], parts)

    def texts(self) -> Sequence[tuple[str, ...]]:
        """Return the lines that are shown."""
        return [tuple(part.text() for part in parts) for parts in self._rows if not parts[0].isHidden()]

    def _add_row(self) -> None:
        row = len(self._rows)
        caption, arrow = plain_label(tone="text2"), plain_label(tone="text3")
        before, after = ElidedLabel(face=fixed_font), _After()
        for column, part in enumerate((caption, before, arrow, after)):
            self._grid.addWidget(part, row, column)
        self._rows.append((caption, before, arrow, after))


class _EventPane(QWidget):
    """The event as JSON, or the sentence why none is written."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        words = self.tr("Event that would be written, in the same transaction")
        self._caption = ElidedLabel(words, tone="text2", face=lambda: small_font(bold=True))
        self._json = JsonView(numbered=False)
        self._json.setAccessibleName(words)
        self._json.set_pretty(False)
        self._none = plain_label(tone="text2", wraps=True)
        self._none.setContentsMargins(_PADDING, 0, _PADDING, 0)
        self._none.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._json)
        self._stack.addWidget(self._none)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        caption = QHBoxLayout()
        caption.setContentsMargins(_PADDING, 0, _PADDING, 0)
        caption.addWidget(self._caption, 1)
        column.addLayout(caption)
        column.addWidget(body, 1)

    def show_step(self, step: RecoveryStep) -> None:
        text = event_text(step)
        if text is None:
            self._none.setText(no_event_words(step))
            self._stack.setCurrentWidget(self._none)
        else:
            self._stack.setCurrentWidget(self._json)
            self._json.show_text(text)


def _show_change(change: FieldChange, parts: _Parts) -> None:
    caption, before, arrow, after = parts
    same = change.after is None
    caption.setText(change.name)
    before.setText(change.before)
    arrow.setText("" if same else ARROW)
    after.setText(SAME if change.after is None else change.after)
    after.set_changed(not same)


def _bold_fixed() -> QFont:
    return fixed_font(bold=True)
