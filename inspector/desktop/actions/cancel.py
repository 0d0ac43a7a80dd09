"""Cancel one task: asked for in a view, done over the session's own connection, its outcome handed back."""

from PySide6.QtCore import QObject, Signal

from inspector.desktop.session.session import Session


class CancelAction(QObject):
    """Cancels tasks, one at a time for each task: a second ask while the first is under way is the same ask.

    Signals:
        started: carries the id of the task that is being cancelled.
        done: carries the ``CancelResult``; emitted once for each :meth:`cancel` that started something.
    """

    started = Signal(str)
    done = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._under_way: set[str] = set()

    def cancel(self, task_id: str) -> None:
        """Ask the task to stop. The outcome comes with :attr:`done`, whatever it is."""
        if task_id not in self._under_way:
            self._under_way.add(task_id)
            self.started.emit(task_id)
            self._session.spawn(self._cancel(task_id))

    async def _cancel(self, task_id: str) -> None:
        try:
            self.done.emit(await self._session.cancel_task(task_id))
        finally:
            self._under_way.discard(task_id)
