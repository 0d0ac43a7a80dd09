"""The task that all views look at."""

from PySide6.QtCore import QObject, Signal


class Selection(QObject):
    """The selected task, shared by the views.

    Signals:
        changed: another task, or none, is selected now; carries its id or None. Emitted on the GUI thread, by whoever
            called :meth:`select`.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._task_id: str | None = None

    @property
    def task_id(self) -> str | None:
        """The id of the selected task, or None."""
        return self._task_id

    def select(self, task_id: str | None) -> None:
        """Select a task, or none. Selecting the same one again does nothing."""
        if task_id != self._task_id:
            self._task_id = task_id
            self.changed.emit(task_id)
