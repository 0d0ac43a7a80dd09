"""The menu of one task in the Tasks table."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from inspector.layout.rows import TaskRow
from inspector.lmsp.statuses import UNFINISHED


class TaskMenu(QMenu):
    """What can be done with one task. It goes when it is closed.

    Signals:
        cancel_requested: carries the id of the task that is to be cancelled.
    """

    cancel_requested = Signal(str)

    def __init__(self, task: TaskRow, parent: QWidget, *, may_act: bool) -> None:
        """Offer what ``task`` can be asked for; ``may_act``: whether tasks may be cancelled here."""
        super().__init__(parent)
        cancel = self.addAction(self.tr("Cancel task…"))
        cancel.setEnabled(may_act and task.status in UNFINISHED)
        cancel.triggered.connect(lambda: self.cancel_requested.emit(task.id))
        self.addAction(self.tr("Copy id")).triggered.connect(lambda: QGuiApplication.clipboard().setText(task.id))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
