"""Whether another database was written over a file that is at rest or in rollback-journal mode.

There SQLite reads each change of the file as a transaction. What a service's own transactions never do tells the other
database: they only raise the numbers that a header counts, write no first page without raising them, and in the native
layout write no event anew. What cannot be known: another database whose header counts further, of another layout or
whose own log goes on behind the last event that was seen. It is read as what the service made of the file.
"""

from contextlib import suppress
from typing import Final

from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.errors import SqliteTrouble
from inspector.reading.feed import events_tell_all
from inspector.reading.header import LONGEST_PAGE, counts_of, first_bytes, is_lower, page_bytes
from inspector.reading.recognising import Shape
from inspector.reading.values import integer

_EVENT: Final = "SELECT id, task_id, seq, created_at FROM task_events"


def first_page(path: str) -> bytes:
    """Return the first page of the database at ``path``; nothing where that cannot be read.

    Opens and closes the file: not for a process that holds a lock on it.
    """
    first = first_bytes(path, LONGEST_PAGE)
    return first[: page_bytes(first)]


def begins_another(first: bytes, before: bytes) -> bool:
    """Say whether ``first`` begins another database than the one that began with ``before``.

    ``before`` is the first page as a transaction left it, and ``first`` as it is now, whatever is under way. False
    where either is no database, or not known.
    """
    counts, earlier = counts_of(first), counts_of(before)
    if counts is None or earlier is None:
        return False
    if any(is_lower(now, then) for now, then in zip(counts, earlier, strict=True)):
        return True
    size = page_bytes(before)
    return counts.changes == earlier.changes and first[:size] != before[:size]


@value
class NewestEvent:
    """The newest event of a file in the native layout, by which it is known again."""

    row: Row
    cookie: int
    """The count of changes of the schema then: who lays the tables out anew may begin their log anew."""

    def is_denied(self, connection: ReadConnection, shape: Shape) -> bool:
        """Say whether the file holds another event in its place, or has not come as far. False where it is damaged."""
        if not events_tell_all(shape):
            return False
        number = integer(self.row[0])
        with suppress(*SqliteTrouble), connection.one_moment():
            if _cookie(connection) != self.cookie:
                return False
            for row in connection.rows(f"{_EVENT} WHERE id = ?", [number]):
                return row != self.row
            # The event of a task that a cleanup deleted: no other one gets its number.
            reached = connection.value("SELECT max(seq) FROM sqlite_sequence WHERE name = 'task_events'")
            return integer(reached) < number
        return False


def newest_event(connection: ReadConnection, shape: Shape) -> NewestEvent | None:
    """Return the newest event, or None where there is none, or nothing tells it from another one."""
    if not events_tell_all(shape):
        return None
    with suppress(*SqliteTrouble), connection.one_moment():
        for row in connection.rows(f"{_EVENT} ORDER BY id DESC LIMIT 1"):
            return NewestEvent(row, _cookie(connection))
    return None


def _cookie(connection: ReadConnection) -> int:
    return integer(connection.value("PRAGMA schema_version"))
