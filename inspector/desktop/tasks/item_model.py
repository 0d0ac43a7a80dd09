"""The rows of the Tasks table for Qt: all tasks that pass the filter, newest first, of which some are loaded."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from inspector.desktop.moment import Moment
from inspector.desktop.tasks.blocks import Stretch, TaskBlocks
from inspector.desktop.tasks.order import end_of, order_of, runs
from inspector.desktop.tasks.places import settle
from inspector.desktop.tasks.waiting import WaitingTasks
from inspector.desktop.tasks.words import HEADINGS, NEVER_READ, NOT_LOADED, TaskColumn, changed_cells, task_cells
from inspector.desktop.widgets.cells import CELL_ROLES, DISPLAY_ROLE
from inspector.desktop.widgets.flash import GONE_MS
from inspector.desktop.widgets.row_cells import Cell
from inspector.layout.pages import TaskFilter, TaskKey, TaskPage, TaskPlaces
from inspector.layout.rows import TaskRow

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT: Final = QModelIndex()
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)

ROW_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 100
"""The ``TaskRow`` itself; None while the row is not loaded."""

_COLUMNS: Final = len(TaskColumn)
_MOVES_WITH_TIME: Final = (TaskColumn.WAIT, TaskColumn.LAST_EVENT)
_ON_ITS_WAY: Final = "not read yet"


class TaskItemModel(QAbstractTableModel):
    """Tasks, newest first. Rows are frozen values; nothing is asked for in ``data()``.

    At first it has the newest page, to which older ones are appended. Once it is told where the pages of the whole list
    begin, it has all rows: one that is not loaded shows that it is on its way, and the view says which it wants. A task
    that changed is updated in its place, and tasks that are new wait outside until :meth:`take_new` puts them on top:
    nothing moves by itself.

    Signals:
        more_wanted: the view has come to the end of the rows, and older ones exist.
        new_count_changed: carries how many tasks wait to be put on top.
    """

    more_wanted = Signal()
    new_count_changed = Signal(int)

    def __init__(self, zone: tzinfo, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._blocks = TaskBlocks(self)
        self._new = WaitingTasks()
        self._told_new = 0
        self._last_key: TaskKey | None = None
        self._more = False
        self._asked = False
        self._is_over = False
        self._moment = Moment()
        self._warm: dict[str, tuple[int, int]] = {}
        self._overdue: set[str] = set()

    def task_at(self, row: int) -> TaskRow | None:
        """Return the task in a row, or None where it is not loaded or there is no such row."""
        return self._blocks.task(row)

    def row_of(self, task_id: str) -> int | None:
        """Return the row of a task, or None where it is not among the loaded rows."""
        return self._blocks.row_of(task_id)

    @property
    def new_count(self) -> int:
        """How many tasks wait to be put on top."""
        return len(self._new)

    @property
    def misses_some_new(self) -> bool:
        """Whether some of those that wait have never been read, and their number is a guess."""
        return self._new.unlisted > 0

    @property
    def new_are_above(self) -> bool:
        """Whether all that wait belong above the first row."""
        return self._new.are_above(self._blocks.top())

    @property
    def is_whole(self) -> bool:
        """Whether there is a row for every task, loaded or not."""
        return not self._more

    @property
    def is_looking_on(self) -> bool:
        """Whether the last page ended early, and older tasks are being looked through for ones that pass."""
        return self._more and self._asked

    @property
    def is_over(self) -> bool:
        """Whether nothing more is read: a row that is not loaded never will be."""
        return self._is_over

    @property
    def is_all_read(self) -> bool:
        """Whether every row of the list is loaded."""
        return self.is_whole and not self._blocks.missing(0, len(self._blocks) - 1)

    @property
    def loaded_blocks(self) -> int:
        """How many blocks of rows are loaded."""
        return self._blocks.loaded

    def oldest(self) -> TaskKey | None:
        """Return the last row's task: where the next page begins."""
        return self._last_key

    def missing(self, first: int, last: int) -> tuple[Stretch, ...]:
        """Return what has to be read so that the rows ``first`` to ``last`` are loaded."""
        return self._blocks.missing(first, last)

    def missing_for(self, task: TaskRow) -> Stretch | None:
        """Return what has to be read so that the row of ``task`` is loaded; None where all rows are, around it."""
        return self._blocks.missing_for(task)

    def is_waiting(self, task_id: str) -> bool:
        """Say whether a task waits to be put on top."""
        return task_id in self._new

    def set_over(self, is_over: bool) -> None:
        """Say whether nothing more is read; rows that are not loaded then show that they never were."""
        if is_over != self._is_over:
            self._is_over = is_over
            if len(self._blocks):
                self.changed(0, len(self._blocks))

    def show_page(self, page: TaskPage) -> None:
        """Show this page instead of what was shown, for another filter or file: scroll and selection start anew."""
        self.beginResetModel()
        self._blocks.reset(page.tasks)
        self._take_end(page)
        self._warm.clear()
        self._overdue.clear()
        self.endResetModel()
        self._new.clear()
        self._tell_new()

    def refresh_page(self, page: TaskPage, *, keep: str | None = None) -> None:
        """Bring the rows in line with a newest page that was read again, and keep everything in its place.

        What should be in it and is not has gone, but for ``keep``.
        """
        self.update_rows(page.tasks, changed_at_ms=None)
        self.remove_rows(self._gone_from(page, keep))
        if page.more:
            self._new.follow_gap(page.tasks, self._blocks.top())
        self.add_new(page.tasks)
        self._tell_new()

    def append_page(self, page: TaskPage) -> None:
        """Add a page of older tasks at the end."""
        self._blocks.append([task for task in page.tasks if task.id not in self._new])
        self._take_end(page)

    def show_places(self, places: TaskPlaces) -> None:
        """Have a row for every task of the list: those that are not loaded are below those that are, or between."""
        above = settle(self._blocks, places)
        self._more = self._asked = False
        self._new.count_anew(above, self._blocks.top())
        self._tell_new()

    def fill(self, stretch: Stretch, page: TaskPage) -> None:
        """Load the rows that begin with ``stretch``; there may be more or fewer of them than was thought."""
        self._blocks.fill(stretch, page)
        self._new.drop(task.id for task in page.tasks if self._blocks.holds(task.id))
        self._tell_new()

    def unload(self, first: int, last: int, current: int) -> None:
        """Let go of rows that are not on screen, where many are loaded; the one that is selected stays."""
        self._blocks.unload(first, last, current)

    def add_new(self, tasks: Iterable[TaskRow]) -> None:
        """Let tasks that are not among the rows, and belong there, wait for :meth:`take_new`.

        Most belong above: they are new. Some belong further down: they have come into the filter, or a clock was set
        back. What belongs below the last row comes with a page that follows, and what belongs among rows that are not
        loaded comes with them.
        """
        top = self._blocks.top()
        end = order_of(self._last_key) if self._more and self._last_key else None
        for task in tasks:
            listed = self._blocks.holds(task.id) or task.id in self._new
            if not listed and (end is None or order_of(task) > end) and self._blocks.missing_for(task) is None:
                self._new.add(task, top)
        self._new.shorten(top)
        self._tell_new()

    def take_new(self) -> None:
        """Put the tasks that wait where they belong, each run of neighbours with one signal."""
        above, unlisted, others = self._new.take(self._blocks.top())
        if unlisted:
            self._blocks.insert_above(above, unlisted)
            self._blocks.insert(others)
        else:
            self._blocks.insert([*above, *others])
        self._tell_new()

    def update_rows(self, tasks: Iterable[TaskRow], *, changed_at_ms: int | None) -> None:
        """Update the tasks that are among the rows or wait above them; others are left out.

        Cells that changed are warm from ``changed_at_ms`` of the flash clock on (None: not at all). One signal for each
        run of rows that lie together.
        """
        touched: list[int] = []
        if changed_at_ms is not None:
            self._cool(changed_at_ms)
        for task in tasks:
            self._new.update(task)
            replaced = self._blocks.replace(task)
            if replaced is not None:
                row, old = replaced
                touched.append(row)
                if changed_at_ms is not None and (mask := changed_cells(old, task)):
                    self._warm.pop(task.id, None)
                    self._warm[task.id] = changed_at_ms, mask
        for first, last in runs(sorted(touched)):
            self.changed(first, last - first + 1)

    def remove_rows(self, task_ids: Iterable[str]) -> None:
        """Take these tasks away, one signal for each run of rows that lie together."""
        gone = list(task_ids)
        self._new.drop(gone)
        self._tell_new()
        self._blocks.remove(gone)

    def set_moment(self, moment: Moment, first: int, last: int) -> None:
        """Set the moment that ages are told of. Rows ``first`` to ``last`` are on screen.

        One signal for each run of them that says something else then.
        """
        if moment == self._moment:
            return
        on_screen = range(max(0, first), 1 + min(last, len(self._blocks) - 1))
        before = [self.row_cells(row) for row in on_screen]
        self._moment = moment
        moved = [row for row, cells in zip(on_screen, before, strict=True) if self.row_cells(row) != cells]
        left, right = _MOVES_WITH_TIME
        for top, bottom in runs(moved):
            self.dataChanged.emit(self.index(top, left), self.index(bottom, right))

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what a row shows. It is worked out once, until the task or the moment changes."""
        block, offset = self._blocks.at(row)
        if block.tasks is None or block.kept is None:
            return NEVER_READ if self._is_over else NOT_LOADED
        kept: tuple[Moment, Sequence[Cell]] | None = block.kept[offset]
        # The same object for as long as nothing moves.
        if kept is None or kept[0] is not self._moment:
            task = block.tasks[offset]
            cells = task_cells(task, self._moment, self._zone, self._warm.get(task.id))
            kept = block.kept[offset] = self._moment, cells
        return kept[1]

    @contextmanager
    def inserting(self, first: int, count: int) -> Iterator[None]:
        """Tell Qt of rows that arrive: the rows watch themselves (see ``Watcher``)."""
        self.beginInsertRows(_NO_PARENT, first, first + count - 1)
        yield
        self.endInsertRows()

    @contextmanager
    def removing(self, first: int, count: int) -> Iterator[None]:
        """Tell Qt of rows that go."""
        self.beginRemoveRows(_NO_PARENT, first, first + count - 1)
        yield
        self.endRemoveRows()

    def changed(self, first: int, count: int) -> None:
        """Tell Qt of rows that show something else now."""
        self.dataChanged.emit(self.index(first, 0), self.index(first + count - 1, _COLUMNS - 1))

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._blocks)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def canFetchMore(self, parent: Index) -> bool:
        return self._more and not self._asked and not self._is_over and not parent.isValid()

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
        read = CELL_ROLES.get(role)
        if read is not None:
            return read(self.row_cells(index.row())[index.column()])
        if role == ROW_ROLE:
            return self._blocks.task(index.row())
        if role == _ACCESSIBLE:
            row, column = index.row(), index.column()
            cells = self.row_cells(row)
            unread = _ON_ITS_WAY if cells is NOT_LOADED else NEVER_READ[TaskColumn.TASK].text
            return f"{HEADINGS[column]}: {unread if cells in (NOT_LOADED, NEVER_READ) else cells[column].text}"
        return None

    def match(
        self, start: Index, role: int, value: object, hits: int = 1, flags: Qt.MatchFlag = Qt.MatchFlag.MatchStartsWith
    ) -> list[QModelIndex]:
        # Typing into the table looks for a row that begins so. A million rows are not to be gone through: what is not
        # loaded is not looked at, and the flags are those of typing, which ignores case and begins anew at the top.
        del flags
        wanted = str(value).lower()
        found: list[QModelIndex] = []
        column = start.column()
        rows = self._blocks.loaded_rows()
        for row in (*(row for row in rows if row >= start.row()), *(row for row in rows if row < start.row())):
            index = self.index(row, column)
            if str(self.data(index, role)).lower().startswith(wanted):
                found.append(index)
                if len(found) == hits:
                    break
        return found

    def leavers(self, wanted: TaskFilter, tasks: Iterable[TaskRow], keep: str | None) -> list[str]:
        """Return the ids of those of these tasks, just read, that the filter would not let in any more, but ``keep``.

        One that was kept is named as soon as another one is.
        """
        self._overdue.update(task.id for task in tasks if not wanted.passes(task))
        self._overdue.difference_update(task.id for task in tasks if wanted.passes(task))
        leaving = [task_id for task_id in self._overdue if task_id != keep]
        self._overdue.difference_update(leaving)
        return leaving

    def _take_end(self, page: TaskPage) -> None:
        self._more = page.more
        # Where the page ended early, whoever asked for it goes on asking.
        self._asked = page.scanned_to is not None
        self._last_key = end_of(page) or self._last_key

    def _gone_from(self, page: TaskPage, keep: str | None) -> list[str]:
        """Return the loaded rows that lie where the newest page lies and are not in it."""
        there = {task.id for task in page.tasks}
        there.add(keep or "")
        end = order_of(page.tasks[-1]) if page.more and page.tasks else None
        gone = []
        for block in self._blocks.blocks:
            if block.tasks is None or (end is not None and block.tasks and order_of(block.tasks[0]) < end):
                break
            gone += [task.id for task in block.tasks if task.id not in there and (end is None or order_of(task) > end)]
        return gone

    def _cool(self, now_ms: int) -> None:
        """Forget which cells were warm long ago."""
        for task_id, (at_ms, _) in list(self._warm.items()):
            if now_ms - at_ms <= GONE_MS:
                break
            del self._warm[task_id]

    def _tell_new(self) -> None:
        if len(self._new) != self._told_new:
            self._told_new = len(self._new)
            self.new_count_changed.emit(self._told_new)
