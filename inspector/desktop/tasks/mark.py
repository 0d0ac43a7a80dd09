"""Which task is marked in the Tasks table, and how the table comes to it: also where its row is not loaded yet."""

from PySide6.QtWidgets import QAbstractItemView

from inspector.desktop.tasks.blocks import Stretch
from inspector.desktop.tasks.item_model import TaskItemModel
from inspector.desktop.tasks.table import TasksTable
from inspector.layout.rows import TaskRow


class TaskMark:
    """The current row of the table, as a task. It is told after each change of the rows, and announces nothing."""

    def __init__(self, table: TasksTable, rows: TaskItemModel) -> None:
        self._table = table
        self._rows = rows
        self._task_id: str | None = None
        self._sought: TaskRow | None = None
        self._is_awaited = False

    @property
    def task_id(self) -> str | None:
        """The task that is marked, or would be if its row were loaded."""
        return self._task_id

    @property
    def is_shown(self) -> bool:
        """Whether its row is the current one."""
        current = self._current()
        return current is not None and current.id == self._task_id

    def set(self, task_id: str | None, *, go_there: bool) -> None:
        """Mark a task, or none: at once where its row is loaded, else when it is. ``go_there``: bring it on screen."""
        self._task_id = task_id
        self._is_awaited = False
        if self._sought is not None and self._sought.id != task_id:
            self._sought = None
        self._put()
        row = None if task_id is None else self._rows.row_of(task_id)
        if go_there and row is not None:
            self._go_to(row)

    def seek(self, task: TaskRow) -> None:
        """Mark a task, and go to it as soon as its row is there: it may be not loaded yet, or too new to be known."""
        self.set(task.id, go_there=False)
        self._sought = task

    def give_up(self) -> None:
        """Go nowhere any more."""
        self._sought = None

    def missing(self) -> tuple[Stretch, ...]:
        """Return what has to be read first of all, so that the table can go where it is to go."""
        stretch = None if self._sought is None else self._rows.missing_for(self._sought)
        return () if stretch is None else (stretch,)

    def moved_to(self, row: int) -> None:
        """Hear that the reader went to a row; one that is not loaded is the marked one when it is."""
        task = self._rows.task_at(row)
        self._is_awaited = row >= 0 and task is None
        if row >= 0:
            self._sought = None
        if task is not None:
            self._task_id = task.id

    def follow(self) -> str | None:
        """Mark and go to what the rows have now; return the task of a row that the reader went to before it was there.

        None where there is no such row.
        """
        current = self._current()
        if self._is_awaited:
            if current is None:
                return None
            self._is_awaited = False
            self._task_id = current.id
            return current.id
        self._go_to_sought()
        is_bare = not self._table.currentIndex().isValid()
        if is_bare and self._task_id is not None and self._rows.row_of(self._task_id) is not None:
            self._put()
        return None

    def _go_to_sought(self) -> None:
        if self._sought is None:
            return
        row = self._rows.row_of(self._sought.id)
        if row is None and self._rows.is_waiting(self._sought.id):
            self._rows.take_new()
            row = self._rows.row_of(self._sought.id)
        if row is not None:
            self._sought = None
            self._put()
            self._go_to(row)

    def _current(self) -> TaskRow | None:
        return self._rows.task_at(self._table.currentIndex().row())

    def _put(self) -> None:
        """Make the task's row the current one, where it is among the rows; otherwise no row is."""
        if self._task_id is not None and self.is_shown:
            return
        self._table.mark_row(None if self._task_id is None else self._rows.row_of(self._task_id))

    def _go_to(self, row: int) -> None:
        first, last = self._table.shown_rows()
        if not first <= row <= last:
            # Rows that have just come count for the scroll bar once they are laid out.
            self._table.doItemsLayout()
            self._table.scrollTo(self._rows.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
