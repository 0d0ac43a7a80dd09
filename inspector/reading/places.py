"""Logs in which no number leads to an event: there is none, or something else, or one stands there more than once.

Such an event is known by its place in its log, from 1 on, in the order that a description names, else in which the
events were written. What a service adds comes last, so a place stays what it is while one reads on. To find a place
costs a step in an index for each event before it, and no look at their rows.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from inspector.layout.rows import EventRow, StoredText
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.details import event_of, large_text, rows_with_data, start_of
from inspector.reading.recognising import Shape, Table, selected
from inspector.reading.shown_ids import stored_id
from inspector.reading.values import integer, stored_text

_COLUMNS: Final = ("seq", "type", "status", "attempt", "created_at")
_OF_TASK: Final = "FROM task_events WHERE task_id = :task"


class LogByPlaces(Protocol):
    """One task's log, whose events are found by their places."""

    def page(self, bound: int | None, *, forward: bool, limit: int) -> tuple[list[EventRow], bool]:
        """Return the first events behind the place ``bound``, or the last before it, the last first.

        None is the beginning, or the end. Also whether there are others on the other side of the bound.
        """

    def ticks(self, after: int, limit: int) -> list[Row]:
        """Return place, type, status and time of the events behind the place ``after``."""

    def data(self, place: int, limit: int) -> StoredText | None:
        """Return the first ``limit`` bytes of an event's data; None where there is no such place."""


def log_by_places(connection: ReadConnection, shape: Shape, task_id: str) -> LogByPlaces | None:
    """Return the log of a task in a layout of others; None where its own numbers lead to its events."""
    if shape.description is not None:
        from inspector.reading.line_pages import line_log, lines_of  # noqa: PLC0415  few files hold any

        lines = lines_of(shape)
        if lines is not None:
            return line_log(connection, shape, lines, task_id)
    key = stored_id(connection, shape.events, "task_id", task_id)
    return _RowLog(connection, shape.events, task_id, key) if has_places(connection, shape.events, key) else None


def has_places(connection: ReadConnection, events: Table, key: Value) -> bool:
    """Say whether events of the task whose id is stored as ``key`` are found by their places."""
    if events.is_ours or not events.order:
        return False
    if "seq" in events.worked_out:
        return True
    asked = (events, key, connection.data_version())
    if connection.last_log is None or connection.last_log[0] != asked:
        counted = "count(*), count(CASE WHEN typeof(seq) = 'integer' THEN 1 END), count(DISTINCT seq)"
        ((every, numbers, apart),) = connection.rows(f"SELECT {counted} {_OF_TASK}", {"task": key})
        # Asked for each page of a log, which may be long.
        connection.last_log = asked, not every == numbers == apart
    return connection.last_log[1]


def places_of(connection: ReadConnection, events: Table, key: Value, numbers: Sequence[Value]) -> Mapping[Value, int]:
    """Return the places of some events of a task by their rowids."""
    wanted = {f"number_{at}": number for at, number in enumerate(numbers)}
    sql = (
        f"SELECT number, place FROM (SELECT {events.rowid} AS number, row_number() OVER ({_order(events)}) AS place "  # noqa: S608
        f"{_OF_TASK}) WHERE number IN ({', '.join(f':{name}' for name in wanted)})"
    )
    return {number: integer(place) for number, place in connection.rows(sql, {"task": key, **wanted})}


@value
class _RowLog:
    """A log whose events are rows."""

    connection: ReadConnection
    events: Table
    task_id: str
    key: Value
    """The task's id as the events have it."""

    def page(self, bound: int | None, *, forward: bool, limit: int) -> tuple[list[EventRow], bool]:
        connection, events = self.connection, self.events
        with connection.one_moment():
            every = integer(connection.value(f"SELECT count(*) {_OF_TASK}", {"task": self.key}))
            if forward:
                first = min(max(bound or 0, 0), every)
                behind = first > 0
            else:
                end = every if bound is None else min(max(bound - 1, 0), every)
                first, limit = max(end - limit, 0), min(limit, end)
                behind = end < every
            columns = f"{events.rowid or 'NULL'}, {selected(events.columns, _COLUMNS)}"
            rows = rows_with_data(
                connection, events, lambda data: self._sql(f"{columns}, {data}"), self._values(first, limit)
            )
        found = [event_of(self.task_id, row, events, place) for place, row in enumerate(rows, first + 1)]
        return found if forward else found[::-1], behind

    def ticks(self, after: int, limit: int) -> list[Row]:
        columns = selected(self.events.columns, ("type", "status", "created_at"))
        rows = self.connection.rows(self._sql(columns), self._values(after, limit))
        return [(place, *row) for place, row in enumerate(rows, after + 1)]

    def data(self, place: int, limit: int) -> StoredText | None:
        if place < 1:
            return None
        if self.events.rowid is None:
            start = start_of("data", self.events).replace(":bytes", str(limit))
            rows = self.connection.rows(self._sql(start), self._values(place - 1, 1))
            return stored_text(*rows[0]) if rows else None
        rows = self.connection.rows(self._sql(self.events.rowid), self._values(place - 1, 1))
        number = self.events.rowid
        return large_text(self.connection, self.events, "data", (number,), rows[0], limit) if rows else None

    def _sql(self, columns: str) -> str:
        return f"SELECT {columns} {_OF_TASK} {_order(self.events)} LIMIT :limit OFFSET :first"

    def _values(self, first: int, limit: int) -> Mapping[str, Value]:
        return {"task": self.key, "limit": limit, "first": first}


def _order(events: Table) -> str:
    return f"ORDER BY {', '.join(events.order)}"
