"""The title of the detail pane: the task's state, its id, and the one action."""

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import at_least, fixed_font, title_font
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import paint_state
from inspector.desktop.widgets.tips import tip
from inspector.desktop.widgets.tools import FlatTool
from inspector.layout.rows import TaskRow
from inspector.layout.visible import visible
from inspector.lmsp.statuses import UNFINISHED

_SHAPE = 17
_LONGEST = 300
_STATUS_AT_MOST = 140


class StateShape(QWidget):
    """The shape of a status. The word beside it says the same to a screen reader."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._status = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_status(self, status: str) -> None:
        """Show the shape of ``status``."""
        if status != self._status:
            self._status = status
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(_SHAPE, _SHAPE)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        paint_state(painter, QRectF(0, 0, _SHAPE, _SHAPE), self._status, tokens, tokens.base)
        painter.end()


class TitleRow(QWidget):
    """State, id and "Cancel task…".

    Signals:
        cancel_clicked: the reader wants the task cancelled; nothing was asked yet.
    """

    cancel_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._task_id = ""
        self._shape = StateShape(self)
        self._status = ElidedLabel(face=title_font, parent=self)
        self._id = ElidedLabel(face=fixed_font, middle=True, parent=self)
        self._copy = FlatTool(icon="copy", parent=self)
        self._copy.setAccessibleName(self.tr("Copy the task's id"))
        self._copy.setToolTip(self.tr("Copy the task's id"))
        self._cancel = QPushButton(self.tr("Cancel task…"), self)
        self._cancel.setAutoDefault(False)
        self._cancel.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 4, 12, 4)
        line.setSpacing(8)
        line.addWidget(self._shape)
        line.addWidget(self._status)
        line.addWidget(self._id)
        line.addWidget(self._copy)
        line.addStretch(1)
        line.addWidget(self._cancel)
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._task_id))
        self._cancel.clicked.connect(self.cancel_clicked)

    @property
    def cancel_button(self) -> QPushButton:
        """The one action."""
        return self._cancel

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), at_least(40, title_font(), room=18))

    def show_task(self, task: TaskRow, *, why_not: str | None) -> None:
        """Show a task; ``why_not`` says why nothing may be written to its file, where that is so."""
        self._task_id = task.id
        self._shape.show_status(task.status)
        self._status.setText(visible(task.status[:_LONGEST]))
        # A status gives no letter away before the id does; an unknown one may be of any length.
        self._status.setMinimumWidth(min(self._status.sizeHint().width(), _STATUS_AT_MOST))
        self._id.setText(visible(task.id[:_LONGEST]))
        is_unfinished = task.status in UNFINISHED
        if not is_unfinished:
            why_not = self.tr("Nothing to cancel: this task is {status}.").format(
                status=visible(task.status[:_LONGEST])
            )
        self._cancel.setEnabled(why_not is None)
        self._cancel.setToolTip("" if why_not is None else tip(why_not))
        self._cancel.setAccessibleDescription(why_not or "")
