"""What has changed since the last look: the events above the last one seen, at a cost of what changed (design 5).

Only the native layout holds a service to an event for each change. In any other one new tasks are also found by their
rowids, and after a commit that neither tells of the views ask anew.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final

from inspector.layout.opened import LayoutKind
from inspector.layout.pages import PAGE_ROWS
from inspector.layout.rows import TaskRow
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.errors import SqliteTrouble
from inspector.reading.messages import Moved
from inspector.reading.recognising import Shape
from inspector.reading.shown_ids import shown_id
from inspector.reading.task_rows import tasks_by_id
from inspector.reading.values import integer

MOST_EVENTS = 1_000
"""The most events that one look follows; above it the views ask anew."""

MOST_TOLD = 4 * PAGE_ROWS
"""How many rows are remembered as handed out."""

UNTOLD_EVERY_S: Final = 1.0
"""How often the views ask anew, at most, because of commits of which nothing tells what they changed."""


class Feed:
    """Follows one database, also over a change of the connection that reads it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` tells seconds that never go back."""
        self._clock = clock
        self._shape: Shape | None = None
        self._last_event_id: int | None = None
        self._last_task: int | None = None
        self._untold = False
        self._untold_next_at = float("-inf")
        self._last_cleanup: Value = None
        self._data_version: int | None = None
        self._noticed: int | None = None
        self._watched: tuple[str, ...] = ()
        self._told: dict[str, TaskRow] = {}
        self._just_told: deque[Sequence[TaskRow]] = deque()
        self._just_told_rows = 0
        self._newly_watched = False

    def start(self, connection: ReadConnection, shape: Shape) -> None:
        """Take the database as it is for seen. What of it is damaged is left to the questions that meet it."""
        self._data_version = connection.data_version()
        with suppress(*SqliteTrouble):
            self._take_for_seen(connection, shape)
        self._shape = shape

    def _take_for_seen(self, connection: ReadConnection, shape: Shape) -> None:
        with connection.one_moment():
            self._last_event_id = _last_event_id(connection, shape)
            self._last_task = _last_task(connection, shape)
            self._last_cleanup = _last_cleanup(connection, shape)

    def forget_connection(self) -> None:
        """Expect changes at the next look, whatever its connection says: it is a new one, which has seen none."""
        self._data_version = None

    @property
    def is_due(self) -> bool:
        """Whether there may be something to tell also where the file stands still: of a new connection, or put off."""
        return self._data_version is None or self._is_due()

    def tell(self, rows: Sequence[TaskRow]) -> None:
        """Remember that these rows have been handed out as they are: only what differs is worth a push."""
        # Sorted in only when something has changed: a page is handed out far more often.
        self._just_told.append(rows)
        self._just_told_rows += len(rows)
        while self._just_told_rows - len(self._just_told[0]) >= MOST_TOLD:
            self._just_told_rows -= len(self._just_told.popleft())

    def _sort_in(self) -> None:
        for row in chain.from_iterable(self._just_told):
            self._told.pop(row.id, None)
            self._told[row.id] = row
        self._just_told.clear()
        self._just_told_rows = 0
        for task_id in list(self._told)[:-MOST_TOLD]:
            del self._told[task_id]

    def watch(self, task_ids: Sequence[str]) -> None:
        """Take these tasks for the ones on screen: their rows are read again by key whenever anything has changed."""
        self._watched = tuple(dict.fromkeys(task_ids))[:PAGE_ROWS]
        # What changed between the page that showed them and this moment was not watched: look at them once.
        self._newly_watched = True

    def is_behind(self, connection: ReadConnection) -> bool:
        """Say whether there may be something to tell: one pragma, however large the database is."""
        # Asked before anything is read: what is committed meanwhile shows again at the next look, instead of never.
        self._noticed = connection.data_version()
        return self._noticed != self._data_version or self._newly_watched or self._is_due()

    def _is_due(self) -> bool:
        return self._untold and self._clock() >= self._untold_next_at

    def changes(self, connection: ReadConnection, shape: Shape, read_at_ms: int) -> Moved | None:
        """Return what has changed since the last time, or None for nothing that shows. After :meth:`is_behind`.

        Of another shape than the last time all is new: the views ask anew.
        """
        moved = self._changes(connection, shape, read_at_ms)
        self.skip()
        return moved

    def skip(self) -> None:
        """Take what :meth:`is_behind` noticed for told."""
        self._data_version = self._noticed
        self._newly_watched = False

    def fell_behind(self, read_at_ms: int) -> Moved:
        """Return what there is to say where the changes could not be read."""
        self.skip()
        return Moved((), (), self._last_event_id or 0, 0, fell_behind=True, cleaned=False, read_at_ms=read_at_ms)

    # Not as of one moment, which would last as long as all that is done with the rows: a task that moves meanwhile is
    # told as it is then, and again at the next look.
    def _changes(self, connection: ReadConnection, shape: Shape, read_at_ms: int) -> Moved | None:
        is_anew = self._shape is not shape and self._shape != shape
        if is_anew:
            self._shape = None
            self._told.clear()
            self._just_told.clear()
            self._just_told_rows = 0
            self._untold = False
            self._take_for_seen(connection, shape)
        changed, last_event_id, events, fell_behind = self._new_events(connection, shape)
        cleanup = _last_cleanup(connection, shape)
        cleaned = cleanup != self._last_cleanup
        new_tasks, last_task = self._new_tasks(connection, shape)
        changed |= new_tasks
        if not events_tell_all(shape) and not is_anew and self._noticed != self._data_version:
            # Without numbers of its own no event is told from an old one.
            self._untold |= shape.events.rowid is None or not (events or new_tasks or cleaned or fell_behind)
        wanted = [*dict.fromkeys([*self._watched, *changed])]
        if len(wanted) - len(self._watched) > PAGE_ROWS:
            fell_behind, wanted = True, list(self._watched)
        found = {row.id: row for row in tasks_by_id(connection, shape, wanted)}
        self._sort_in()
        rows = tuple(row for task_id, row in found.items() if task_id in changed or self._told.get(task_id) != row)
        # Where there are no tasks at all, for as long as the schema is another one, none of them is known to be gone.
        gone = tuple(task_id for task_id in self._watched if task_id not in found and not _has_no_tasks(shape))
        self._last_event_id, self._last_task, self._last_cleanup = last_event_id, last_task, cleanup
        self._shape = shape
        self.tell(rows)
        self._watched = tuple(task_id for task_id in self._watched if task_id not in gone)
        fell_behind |= self._take_untold() or is_anew
        if not (rows or gone or events or fell_behind or cleaned):
            return None
        return Moved(rows, gone, last_event_id, events, fell_behind, cleaned, read_at_ms)

    def _take_untold(self) -> bool:
        """Say whether the views are to ask anew now because of what nothing told of."""
        if not self._is_due():
            return False
        self._untold, self._untold_next_at = False, self._clock() + UNTOLD_EVERY_S
        return True

    def _new_events(self, connection: ReadConnection, shape: Shape) -> tuple[dict[str, None], int, int, bool]:
        """Return the tasks of the new events, the last event's number, how many there are, and whether too many."""
        last = self._last_event_id or 0
        rowid = shape.events.rowid
        if rowid is None:  # nothing tells new events from old ones
            return {}, 0, 0, False
        rows = connection.rows(
            f"SELECT {rowid}, task_id FROM task_events WHERE {rowid} > ? ORDER BY {rowid} LIMIT ?",  # noqa: S608
            [last, MOST_EVENTS + 1],
        )
        newest = _last_event_id(connection, shape)
        if len(rows) > MOST_EVENTS or newest < last:
            return {}, newest, len(rows), True
        # Not the newest: it may be of a commit after the rows were read.
        seen = integer(rows[-1][0]) if rows else last
        return dict.fromkeys(shown_id(task_id, shape.events) for _, task_id in rows), seen, len(rows), False

    def _new_tasks(self, connection: ReadConnection, shape: Shape) -> tuple[dict[str, None], int]:
        """Return the tasks with rowids above the last one seen, one more than a page at most, and the last one now.

        None where events tell of them.
        """
        last, rowid = self._last_task or 0, shape.tasks.rowid
        if rowid is None or events_tell_all(shape):
            return {}, 0
        rows = connection.rows(
            f"SELECT {rowid}, id FROM tasks WHERE {rowid} > ? ORDER BY {rowid} LIMIT ?",  # noqa: S608
            [last, PAGE_ROWS + 1],
        )
        if 0 < len(rows) <= PAGE_ROWS:
            return dict.fromkeys(shown_id(task_id, shape.tasks) for _, task_id in rows), integer(rows[-1][0])
        # More than a page are not told one by one, and the last may have been deleted.
        newest = _last_task(connection, shape)
        ids = dict.fromkeys(shown_id(task_id, shape.tasks) for _, task_id in rows)
        return ids, newest if rows else min(last, newest)


def events_tell_all(shape: Shape) -> bool:
    """Say whether the layout lets no task change but with an event."""
    return shape.kind is LayoutKind.NATIVE and not shape.missing_triggers


def _has_no_tasks(shape: Shape) -> bool:
    return shape.kind is LayoutKind.UNKNOWN


def _last_event_id(connection: ReadConnection, shape: Shape) -> int:
    return _highest(connection, "task_events", shape.events.rowid)


def _last_task(connection: ReadConnection, shape: Shape) -> int:
    return 0 if events_tell_all(shape) else _highest(connection, "tasks", shape.tasks.rowid)


def _highest(connection: ReadConnection, table: str, rowid: str | None) -> int:
    if rowid is None:
        return 0
    return integer(connection.value(f"SELECT max({rowid}) FROM {table}"))  # noqa: S608  names of ours


def _last_cleanup(connection: ReadConnection, shape: Shape) -> Value:
    if shape.config is None or not {"key", "value"} <= shape.config.columns:
        return None
    return connection.value("SELECT value FROM service_config WHERE key = 'retention.last_run'")
