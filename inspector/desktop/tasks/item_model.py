"""The rows of the Tasks table: a run of the newest tasks that pass the filter, kept up to date in place."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from enum import IntEnum
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from inspector.desktop.widgets.cells import DISPLAY_ROLE, FLASH_ROLE, STATUS_ROLE, WARN_ROLE, WARN_STRONG
from inspector.desktop.widgets.words import age, clock_time, duration, grouped
from inspector.layout.pages import TaskFilter, TaskPage
from inspector.layout.rows import TaskRow
from inspector.layout.visible import visible
from inspector.lmsp.statuses import FINAL, known_status

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT: Final = QModelIndex()
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)

ROW_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 100
"""The ``TaskRow`` itself."""

QUIET_AFTER_MS: Final = 30_000
"""An unfinished task in a worker's hands that has written nothing for so long is marked."""

SAME_MOMENT_MS: Final = 1_000
SHOWN_CHARACTERS: Final = 300
"""A cell shows no more of a text."""


class TaskColumn(IntEnum):
    """The columns of the table, from the left."""

    STATE = 0
    TASK = 1
    MODEL = 2
    WAIT = 3
    RUN = 4
    EVENTS = 5
    LAST_EVENT = 6


HEADINGS: Final = ("State", "Task", "Model", "Wait", "Run", "Events", "Last event")
_COLUMNS: Final = len(TaskColumn)
_MOVES_WITH_TIME: Final = (TaskColumn.WAIT, TaskColumn.LAST_EVENT)


class TaskItemModel(QAbstractTableModel):
    """Tasks, newest first. Rows are frozen values; nothing is asked for in ``data()``.

    A page that follows is appended, a task that changed is updated in its place, and tasks that are new wait outside
    until :meth:`take_new` puts them on top: nothing moves by itself.

    Signals:
        more_wanted: the view has come to the end of the rows, and older ones exist.
        new_count_changed: carries how many tasks wait to be put on top.
    """

    more_wanted = Signal()
    new_count_changed = Signal(int)

    def __init__(self, zone: tzinfo, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._rows: list[TaskRow] = []
        self._at: dict[str, int] = {}
        self._new: dict[str, TaskRow] = {}
        self._more = False
        self._asked = False
        self._now_ms: int | None = None
        self._changed: dict[str, tuple[int, int]] = {}

    def task_at(self, row: int) -> TaskRow | None:
        """Return the task in a row, or None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, task_id: str) -> int | None:
        """Return the row of a task, or None where it is not among the rows."""
        return self._at.get(task_id)

    @property
    def new_count(self) -> int:
        """How many tasks wait to be put on top."""
        return len(self._new)

    @property
    def new_are_above(self) -> bool:
        """Whether all that wait belong above the first row."""
        return not self._rows or all(_order(task) > _order(self._rows[0]) for task in self._new.values())

    def oldest(self) -> TaskRow | None:
        """Return the last row's task: where the next page begins."""
        return self._rows[-1] if self._rows else None

    def show_page(self, page: TaskPage) -> None:
        """Show this page instead of what was shown, for another filter or file: scroll and selection start anew."""
        self.beginResetModel()
        self._rows = list(page.tasks)
        self._more = page.more
        self._asked = False
        self._changed.clear()
        self._number_rows()
        self.endResetModel()
        self._drop_new()

    def refresh_page(self, page: TaskPage) -> None:
        """Bring the rows in line with a newest page that was read again, and keep everything in its place."""
        self.update_rows(page.tasks, changed_at_ms=None)
        self.add_new(page.tasks)

    def append_page(self, page: TaskPage) -> None:
        """Add a page of older tasks at the end."""
        fresh = [task for task in page.tasks if task.id not in self._at and task.id not in self._new]
        self._more = page.more
        self._asked = False
        if fresh:
            first = len(self._rows)
            self.beginInsertRows(_NO_PARENT, first, first + len(fresh) - 1)
            self._rows.extend(fresh)
            self._at.update((task.id, first + offset) for offset, task in enumerate(fresh))
            self.endInsertRows()

    def add_new(self, tasks: Iterable[TaskRow]) -> None:
        """Let tasks that are not among the rows, and belong there, wait for :meth:`take_new`.

        Most belong above: they are new. Some belong further down: they have come into the filter, or a clock was set
        back. What belongs below the last row comes with a page that follows.
        """
        before = len(self._new)
        oldest = _order(self._rows[-1]) if self._rows and self._more else None
        for task in tasks:
            if task.id not in self._at and (oldest is None or _order(task) > oldest):
                self._new[task.id] = task
        if len(self._new) != before:
            self.new_count_changed.emit(len(self._new))

    def take_new(self) -> None:
        """Put the tasks that wait where they belong, each run of neighbours with one signal."""
        waiting = sorted(self._new.values(), key=_order)
        while waiting:
            place = bisect_left(self._rows, _falling(waiting[-1]), key=_falling)
            below = None if place == len(self._rows) else _order(self._rows[place])
            fresh = [waiting.pop()]
            while waiting and (below is None or _order(waiting[-1]) > below):
                fresh.append(waiting.pop())
            self._insert(place, fresh)
        self._drop_new()

    def update_rows(self, tasks: Iterable[TaskRow], *, changed_at_ms: int | None) -> None:
        """Update the tasks that are among the rows or wait above them; others are left out.

        Cells that changed are warm from ``changed_at_ms`` of the flash clock on (None: not at all). One signal for each
        run of rows that lie together.
        """
        touched: list[int] = []
        for task in tasks:
            row = self._at.get(task.id)
            if row is None:
                if task.id in self._new:
                    self._new[task.id] = task
                continue
            old = self._rows[row]
            if old != task:
                self._rows[row] = task
                touched.append(row)
                if changed_at_ms is not None:
                    mask = _changed_cells(old, task)
                    if mask:
                        self._changed[task.id] = (changed_at_ms, mask)
        for first, last in _runs(sorted(touched)):
            self.dataChanged.emit(self.index(first, 0), self.index(last, _COLUMNS - 1))

    def remove_rows(self, task_ids: Iterable[str]) -> None:
        """Take these tasks away, one signal for each run of rows that lie together."""
        gone = set(task_ids)
        waiting = len(self._new)
        for task_id in gone & set(self._new):
            del self._new[task_id]
        if len(self._new) != waiting:
            self.new_count_changed.emit(len(self._new))
        rows = sorted(self._at[task_id] for task_id in gone if task_id in self._at)
        for first, last in reversed(list(_runs(rows))):
            self.beginRemoveRows(_NO_PARENT, first, last)
            del self._rows[first : last + 1]
            self._number_rows()
            self.endRemoveRows()

    def leavers(self, wanted: TaskFilter, keep: str | None) -> list[str]:
        """Return the ids of the rows that the filter would not let in any more, without ``keep``."""
        return [task.id for task in self._rows if task.id != keep and not wanted.passes(task)]

    def set_now(self, now_ms: int | None, first: int, last: int) -> None:
        """Set the moment that ages are told of; None where nothing moves. Rows ``first`` to ``last`` are on screen."""
        if now_ms == self._now_ms:
            return
        self._now_ms = now_ms
        last = min(last, len(self._rows) - 1)
        if 0 <= first <= last:
            left, right = _MOVES_WITH_TIME
            self.dataChanged.emit(self.index(first, left), self.index(last, right))

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def canFetchMore(self, parent: Index) -> bool:
        return self._more and not self._asked and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self._asked = True
            self.more_wanted.emit()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY_ROLE) -> object:
        if orientation == Qt.Orientation.Horizontal and role == DISPLAY_ROLE and 0 <= section < _COLUMNS:
            return HEADINGS[section]
        return None

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> object:
        if not index.isValid():
            return None
        task = self._rows[index.row()]
        column = index.column()
        if role == DISPLAY_ROLE:
            return self._text(task, column)
        if role == FLASH_ROLE:
            warm = self._changed.get(task.id)
            return warm[0] if warm and warm[1] >> column & 1 else None
        if role == STATUS_ROLE:
            return task.status if column == TaskColumn.STATE else None
        if role == WARN_ROLE:
            return WARN_STRONG if column == TaskColumn.LAST_EVENT and self._is_quiet(task) else None
        if role == ROW_ROLE:
            return task
        if role == _ACCESSIBLE:
            return f"{HEADINGS[column]}: {self._text(task, column)}"
        return None

    def _text(self, task: TaskRow, column: int) -> str:
        match column:
            case TaskColumn.STATE:
                return visible(task.status[:SHOWN_CHARACTERS])
            case TaskColumn.TASK:
                return visible(task.id[:SHOWN_CHARACTERS])
            case TaskColumn.MODEL:
                return visible((task.model_id or "–")[:SHOWN_CHARACTERS])
            case TaskColumn.WAIT:
                return _span(task.created_at, task.started_at or self._end_of(task))
            case TaskColumn.RUN:
                return _span(task.started_at, self._end_of(task))
            case TaskColumn.EVENTS:
                return grouped(task.last_seq)
            case _:
                return self._last_event(task)

    def _end_of(self, task: TaskRow) -> int | None:
        """Return when the task ended; for an unfinished one now, and where nothing moves its last sign of life."""
        if task.finished_at is not None:
            return task.finished_at
        return task.updated_at if self._now_ms is None else self._now_ms

    def _last_event(self, task: TaskRow) -> str:
        if task.updated_at is None or self._now_ms is None:
            return clock_time(task.updated_at, None, self._zone, digits=0)
        since = self._now_ms - task.updated_at
        # The moment on screen is a little older than what was just read; a clock that was set back is another matter.
        return age(0 if -SAME_MOMENT_MS < since < 0 else since)

    def _is_quiet(self, task: TaskRow) -> bool:
        status = known_status(task.status)
        return (
            self._now_ms is not None
            and task.updated_at is not None
            and status not in FINAL
            and status != "queued"
            and self._now_ms - task.updated_at >= QUIET_AFTER_MS
        )

    def _insert(self, place: int, tasks: list[TaskRow]) -> None:
        self.beginInsertRows(_NO_PARENT, place, place + len(tasks) - 1)
        self._rows[place:place] = tasks
        self._number_rows()
        self.endInsertRows()

    def _number_rows(self) -> None:
        self._at = {task.id: row for row, task in enumerate(self._rows)}

    def _drop_new(self) -> None:
        if self._new:
            self._new.clear()
            self.new_count_changed.emit(0)


def _order(task: TaskRow) -> tuple[int, str]:
    return (task.created_at or 0, task.id)


def _falling(task: TaskRow) -> tuple[int, tuple[int, ...]]:
    """Return a key that rises down the rows: later times and greater ids come first."""
    created_at, task_id = _order(task)
    # The end of an id counts above every character, as in the other direction it counts below.
    return -created_at, (*(-ord(character) for character in task_id), 1)


def _span(start_ms: int | None, end_ms: int | None) -> str:
    return duration(None if start_ms is None or end_ms is None else end_ms - start_ms)


def _changed_cells(old: TaskRow, new: TaskRow) -> int:
    """Return the changed columns as bits."""
    changed = (
        (TaskColumn.STATE, old.status != new.status),
        (TaskColumn.WAIT, old.started_at != new.started_at),
        (TaskColumn.RUN, (old.started_at, old.finished_at) != (new.started_at, new.finished_at)),
        (TaskColumn.EVENTS, old.last_seq != new.last_seq),
        (TaskColumn.LAST_EVENT, old.updated_at != new.updated_at),
    )
    return sum(1 << column for column, differs in changed if differs)


def _runs(rows: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield the first and last of each run of neighbours in rising ``rows``."""
    first = last = -1
    for row in rows:
        if first >= 0 and row == last + 1:
            last = row
            continue
        if first >= 0:
            yield first, last
        first = last = row
    if first >= 0:
        yield first, last
