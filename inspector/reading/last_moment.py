"""The last moment that a file tells of: what is unfinished in one that nobody writes to lasted at least until then.

A task that runs in a copy of last month has not run for a month.
"""

from contextlib import suppress
from typing import Final

from inspector.reading.connection import ReadConnection
from inspector.reading.errors import SqliteTrouble, Unanswered
from inspector.reading.recognising import Shape, Table

_LOOKED_AT: Final = 100
"""So many of the newest events and tasks: no index knows their times in order, and a clock may have gone backwards."""

_TIMES: Final = {
    "task_events": ("created_at",),
    "tasks": ("created_at", "started_at", "finished_at", "updated_at"),
}


def last_moment_ms(connection: ReadConnection, shape: Shape) -> int | None:
    """Return the latest time that the newest events and tasks tell, in Unix milliseconds; None where none tells one.

    What is damaged tells none.
    """
    found = [_latest(connection, table) for table in (shape.events, shape.tasks)]
    return max((at_ms for at_ms in found if at_ms is not None), default=None)


def _latest(connection: ReadConnection, table: Table) -> int | None:
    times = [column for column in _TIMES[table.name] if column in table.columns - table.worked_out]
    if table.rowid is None or not times:
        return None
    with suppress(Unanswered, *SqliteTrouble):
        rows = connection.rows(
            f"SELECT {', '.join(times)} FROM {table.name} ORDER BY {table.rowid} DESC LIMIT ?",  # noqa: S608  ours
            [_LOOKED_AT],
        )
        return max((value for row in rows for value in row if isinstance(value, int)), default=None)
    return None
