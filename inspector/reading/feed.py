"""What has changed since the last look: the events above the last one seen, at a cost of what changed (design 5)."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain

from inspector.layout.pages import PAGE_ROWS
from inspector.layout.rows import TaskRow
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.errors import SqliteTrouble
from inspector.reading.messages import Moved
from inspector.reading.recognising import Shape
from inspector.reading.task_rows import tasks_by_id
from inspector.reading.values import integer, text

MOST_EVENTS = 1_000
"""The most events that one look follows; above it the views ask anew."""

MOST_TOLD = 4 * PAGE_ROWS
"""How many rows are remembered as handed out."""


class Feed:
    """Follows one database, also over a change of the connection that reads it."""

    def __init__(self) -> None:
        self._last_event_id: int | None = None
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

    def _take_for_seen(self, connection: ReadConnection, shape: Shape) -> None:
        with connection.one_moment():
            self._last_event_id = _last_event_id(connection, shape)
            self._last_cleanup = _last_cleanup(connection, shape)

    def forget_connection(self) -> None:
        """Expect changes at the next look, whatever its connection says: it is a new one, which has seen none."""
        self._data_version = None

    @property
    def is_new(self) -> bool:
        """Whether the connection has not been asked yet."""
        return self._data_version is None

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
        return self._noticed != self._data_version or self._newly_watched

    def changes(self, connection: ReadConnection, shape: Shape, read_at_ms: int) -> Moved | None:
        """Return what has changed since the last time, or None for nothing that shows. After :meth:`is_behind`."""
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
        changed, last_event_id, events, fell_behind = self._new_events(connection, shape)
        cleanup = _last_cleanup(connection, shape)
        wanted = [*dict.fromkeys([*self._watched, *changed])]
        if len(wanted) - len(self._watched) > PAGE_ROWS:
            fell_behind, wanted = True, list(self._watched)
        found = {row.id: row for row in tasks_by_id(connection, shape, wanted)}
        self._sort_in()
        rows = tuple(row for task_id, row in found.items() if task_id in changed or self._told.get(task_id) != row)
        gone = tuple(task_id for task_id in self._watched if task_id not in found)
        cleaned = cleanup != self._last_cleanup
        self._last_event_id, self._last_cleanup = last_event_id, cleanup
        self.tell(rows)
        self._watched = tuple(task_id for task_id in self._watched if task_id in found)
        if not (rows or gone or events or fell_behind or cleaned):
            return None
        return Moved(rows, gone, last_event_id, events, fell_behind, cleaned, read_at_ms)

    def _new_events(self, connection: ReadConnection, shape: Shape) -> tuple[dict[str, None], int, int, bool]:
        """Return the tasks of the new events, the last event's number, how many there are, and whether too many."""
        last = self._last_event_id or 0
        rowid = shape.events.rowid
        if rowid is None:  # nothing tells new events from old ones: whatever changed, ask anew
            return {}, 0, 0, True
        rows = connection.rows(
            f"SELECT {rowid}, task_id FROM task_events WHERE {rowid} > ? ORDER BY {rowid} LIMIT ?",  # noqa: S608
            [last, MOST_EVENTS + 1],
        )
        newest = _last_event_id(connection, shape)
        if len(rows) > MOST_EVENTS or newest < last:
            return {}, newest, len(rows), True
        # Not the newest: it may be of a commit after the rows were read.
        seen = integer(rows[-1][0]) if rows else last
        return dict.fromkeys(text(task_id) for _, task_id in rows), seen, len(rows), False


def _last_event_id(connection: ReadConnection, shape: Shape) -> int:
    if shape.events.rowid is None:
        return 0
    return integer(connection.value(f"SELECT max({shape.events.rowid}) FROM task_events"))  # noqa: S608


def _last_cleanup(connection: ReadConnection, shape: Shape) -> Value:
    if shape.config is None or not {"key", "value"} <= shape.config.columns:
        return None
    return connection.value("SELECT value FROM service_config WHERE key = 'retention.last_run'")
