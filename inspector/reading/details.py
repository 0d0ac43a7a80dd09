"""One task: its large columns, its events page by page, and its log without data for the timeline."""

import sqlite3
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import repeat
from typing import Final, NamedTuple

from inspector.layout.pages import PAGE_ROWS, EventPage, LogStretch, Tick
from inspector.layout.rows import NO_ID, EventRow, OddEventRow, StoredText, TaskDetail
from inspector.lmsp.values import extended, maker
from inspector.reading.connection import LONGEST_VALUE, Parameters, ReadConnection, Row, Value
from inspector.reading.errors import NotOpened, is_too_big
from inspector.reading.kinds import Kinds, long_texts, numbers, numbers_or_none, texts
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table, selected
from inspector.reading.requests import BEFORE_ALL, STRETCH_EVENTS, TimelineRequest
from inspector.reading.shown_ids import stored_id
from inspector.reading.task_rows import task_row
from inspector.reading.values import integer, integer_or_none, odd_ones, stored_text, text, untold

DETAIL_BYTES: Final = 64 << 10
"""The most of one large column in a task's detail."""

PREVIEW_BYTES: Final = 4 << 10
"""The most of one event's data in a page of events."""


def task_detail(connection: ReadConnection, shape: Shape, task_id: str) -> TaskDetail | None:
    """Return the task with its large columns and its response, as of one moment; None where it is not there."""
    with connection.one_moment():
        key = stored_id(connection, shape.tasks, "id", task_id)
        found = connection.rows(
            f"SELECT {shape.tasks.select(*TASK_COLUMNS)} FROM tasks WHERE id = ? LIMIT 1",  # noqa: S608  names of ours
            [key],
        )
        if not found:
            return None
        request, snapshot, error_message = (
            large_text(connection, shape.tasks, column, ("id",), (key,), DETAIL_BYTES)
            for column in ("request", "snapshot", "error_message")
        )
        response = None
        if shape.responses is not None and "task_id" in shape.responses.columns:
            key = stored_id(connection, shape.responses, "task_id", task_id)
            response = large_text(connection, shape.responses, "body", ("task_id",), (key,), DETAIL_BYTES)
    return TaskDetail(task_row(found[0], shape.tasks), request, snapshot, error_message, response)


def event_page(
    connection: ReadConnection, shape: Shape, task_id: str, after_seq: int | None, before_seq: int | None, limit: int
) -> EventPage:
    """Return events of one task, rising: those after ``after_seq``, those before ``before_seq``, or the last."""
    limit = max(1, min(limit, PAGE_ROWS))
    forward = after_seq is not None
    # From the beginning on: a number that is not there is above no other one.
    bound = None if after_seq == BEFORE_ALL else after_seq if forward else before_seq
    wanted = (connection, shape, task_id, bound, forward, limit + 1)
    found = None if shape.events.is_ours else _events_by_places(*wanted)
    events, behind = _events_in_rows(*wanted) if found is None else found
    more = len(events) > limit
    if more:
        del events[limit:]
    if not forward:
        events.reverse()
    before, after = (behind, more) if forward else (more, behind)
    return EventPage(task_id, tuple(events), more_before=before, more_after=after)


def _events_by_places(
    connection: ReadConnection, shape: Shape, task_id: str, bound: int | None, forward: bool, limit: int
) -> tuple[list[EventRow], bool] | None:
    from inspector.reading.places import log_by_places  # noqa: PLC0415  a native file needs none

    log = log_by_places(connection, shape, task_id)
    return None if log is None else log.page(bound, forward=forward, limit=limit)


def _events_in_rows(
    connection: ReadConnection, shape: Shape, task_id: str, bound: int | None, forward: bool, limit: int
) -> tuple[list[EventRow], bool]:
    asked = _Asked(task_id, stored_id(connection, shape.events, "task_id", task_id), bound, forward, limit)
    found = _plain_events(connection, shape.events, asked)
    events, behind = found if found is not None else _any_events(connection, shape.events, asked)
    if not events and bound is not None:
        behind = bool(connection.rows(_BEHIND.format("<=" if forward else ">="), [asked.key, bound]))
    return events, behind


def event_data(connection: ReadConnection, shape: Shape, task_id: str, seq: int, limit: int) -> StoredText | None:
    """Return the data of one event, cut to ``limit`` bytes; None where there is no such event."""
    limit = max(1, min(limit, LONGEST_VALUE - 1))
    with connection.one_moment():
        if not shape.events.is_ours:
            from inspector.reading.places import log_by_places  # noqa: PLC0415  as above

            log = log_by_places(connection, shape, task_id)
            if log is not None:
                return log.data(seq, limit)
        key = stored_id(connection, shape.events, "task_id", task_id)
        return large_text(connection, shape.events, "data", ("task_id", "seq"), (key, seq), limit)


def log_stretch(connection: ReadConnection, shape: Shape, request: TimelineRequest) -> LogStretch:
    """Return the next stretch of one task's log without its data. Each change of status in it stays, and its last."""
    limit = max(1, min(request.limit, STRETCH_EVENTS))
    if not shape.events.is_ours:
        from inspector.reading.places import log_by_places  # noqa: PLC0415  as above

        log = log_by_places(connection, shape, request.task_id)
        if log is not None:
            rows = log.ticks(max(request.after_seq, 0), limit + 1)
            return stretch_of(connection, shape, request, rows, are_numbered=False)
    key, after_seq = stored_id(connection, shape.events, "task_id", request.task_id), request.after_seq
    columns = shape.events.select("seq", "type", "status", "created_at")
    above = "" if after_seq == BEFORE_ALL else "AND seq > :after"
    sql = f"SELECT {columns} FROM task_events WHERE task_id = :task {above} ORDER BY seq LIMIT :limit"  # noqa: S608  ours
    values: dict[str, Value] = {"task": key, "limit": limit + 1}
    rows = connection.rows(sql, values | ({"after": after_seq} if above else {}))
    return stretch_of(connection, shape, request, rows)


def stretch_of(
    connection: ReadConnection, shape: Shape, request: TimelineRequest, rows: list[Row], *, are_numbered: bool = True
) -> LogStretch:
    """Return the stretch that a log's next rows make: seq, type, status and time of one more than it may have.

    ``are_numbered`` is False where a place stands for seq.
    """
    task_id, after_seq = request.task_id, request.after_seq
    limit = max(1, min(request.limit, STRETCH_EVENTS))
    more = len(rows) > limit
    rows = _with_statuses(rows[:limit], request.status)
    if not rows:
        return LogStretch(task_id, (), 0, after_seq, request.status, more=False)
    last_seq, status = integer(rows[-1][0]), text(rows[-1][2])
    if not any(isinstance(at, int) for *_, at in rows):
        rows = _at_their_task_s_time(connection, shape, task_id, rows)
    kept = rows if request.every <= 1 else _thinned(rows, request.status, request.every)
    ticks = tuple(_ticks(kept, are_numbered=are_numbered))
    # Sequence numbers that are no numbers would be read again for ever.
    return LogStretch(task_id, ticks, len(rows), last_seq, status, more=more and last_seq > after_seq)


def _with_statuses(rows: list[Row], status: str) -> list[Row]:
    """Return the rows, where one has no status with that of the one before it: it left the task as it was."""
    if all(row[2] is not None for row in rows):
        return rows
    found: list[Row] = []
    before: Value = status
    for seq, kind, stored, at in rows:
        before = before if stored is None else stored
        found.append((seq, kind, before, at))
    return found


def _thinned(rows: list[Row], status: str, every: int) -> list[Row]:
    """Return one row of ``every``, each with another status than the one before, and the last."""
    kept = []
    before: Value = status
    for place, row in enumerate(rows, start=1):
        if row[2] != before or place % every == 0:
            kept.append(row)
        before = row[2]
    return kept if kept and kept[-1] is rows[-1] else [*kept, rows[-1]]


def _at_their_task_s_time(connection: ReadConnection, shape: Shape, task_id: str, rows: list[Row]) -> list[Row]:
    """Return rows none of which has a time with that of their task's creation: no time at all would be 1970."""
    columns = shape.tasks.select("created_at")
    key = stored_id(connection, shape.tasks, "id", task_id)
    created_at = connection.value(f"SELECT {columns} FROM tasks WHERE id = ? LIMIT 1", [key])  # noqa: S608  ours
    return [(*row[:3], created_at) for row in rows]


def _ticks(rows: list[Row], *, are_numbered: bool) -> Iterator[Tick]:
    earlier = next((at for *_, at in rows if isinstance(at, int)), 0)
    for seq, kind, status, at in rows:
        earlier = at if isinstance(at, int) else earlier
        yield Tick(integer(seq), text(kind), text(status), earlier, are_numbered and isinstance(seq, int))


_made_events: Final = maker(EventRow)

_KINDS: Final = Kinds(numbers, numbers, texts, texts, numbers, numbers_or_none, long_texts)
"""What the columns of a page of events hold in any file that is not odd."""

_BEHIND: Final = "SELECT 1 FROM task_events WHERE task_id = ?1 AND seq {} ?2 LIMIT 1"


class _Asked(NamedTuple):
    """Events of one task: the first ``limit`` after ``bound``, or the last before it; without one from an end on."""

    task_id: str
    key: Value
    """The task's id as the events have it."""
    bound: int | None
    forward: bool
    limit: int

    @property
    def values(self) -> tuple[Value, ...]:
        """What is bound to the statement of :func:`_page_sql`."""
        return (self.key, self.limit) if self.bound is None else (self.key, self.limit, self.bound)

    def sql(self, events: Table, data: str) -> str:
        """Return the statement; ``data`` are the columns that stand for the data."""
        return _page_sql(events.columns, events.rowid, self.forward, self.bound is not None, data)


def _plain_events(connection: ReadConnection, events: Table, asked: _Asked) -> tuple[list[EventRow], bool] | None:
    """Return the events, and whether there are others behind the bound. None where a row is odd, or its data long."""
    if "data" not in events.columns:
        return None
    try:
        rows = connection.rows(asked.sql(events, "data"), asked.values, longest=PREVIEW_BYTES)
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
        return None
    if not rows:
        return [], False
    columns = list(zip(*rows, strict=True))
    if not _KINDS.fit_columns(columns):
        return None
    ids, seqs, kinds, statuses, attempts, times, data, behind = columns
    lengths = map(len, data)
    same = repeat(asked.task_id)
    made = _made_events(zip(ids, same, seqs, kinds, statuses, attempts, times, data, lengths, strict=False))
    return made, bool(behind[0])


def _any_events(connection: ReadConnection, events: Table, asked: _Asked) -> tuple[list[EventRow], bool]:
    """Return the same whatever the rows hold."""
    rows = rows_with_data(connection, events, partial(asked.sql, events), asked.values)
    return [event_of(asked.task_id, row, events) for row in rows], bool(rows and rows[0][8])


def rows_with_data(
    connection: ReadConnection, events: Table, sql: Callable[[str], str], values: Parameters
) -> list[Row]:
    """Return rows of events for :func:`event_of`, as far as that goes also where the data of one is too large.

    ``sql`` gives the statement for the two columns of :func:`start_of`; seven and eight of a row, the first its number.
    """
    start = start_of("data", events).replace(":bytes", str(PREVIEW_BYTES))
    try:
        return connection.rows(sql(start), values)
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
        with connection.one_moment():
            rows = connection.rows(sql("NULL, NULL"), values)
            return [(*row[:6], *_raw(connection, events, row[0], PREVIEW_BYTES), *row[8:]) for row in rows]


@lru_cache(maxsize=32)
def _page_sql(columns: frozenset[str], rowid: str | None, forward: bool, bounded: bool, data: str) -> str:
    """Return the statement of a page of events. Its values: the task, how many, and the bound where there is one.

    One statement, so that all of it is as of one moment. The last column says whether there are events behind the
    bound.
    """
    condition, behind = "", "NULL"
    if bounded:
        condition = f"AND seq {'>' if forward else '<'} ?3"
        behind = f"EXISTS (SELECT 1 FROM task_events WHERE task_id = ?1 AND seq {'<=' if forward else '>='} ?3)"  # noqa: S608
    return f"""
        SELECT
            {rowid or "NULL"}, {selected(columns, ("seq", "type", "status", "attempt", "created_at"))}, {data},
            {behind}
        FROM task_events
        WHERE task_id = ?1 {condition}
        ORDER BY seq {"ASC" if forward else "DESC"}
        LIMIT ?2
    """  # noqa: S608  names and conditions of ours; every value is a parameter


def event_of(task_id: str | None, row: Row, events: Table, place: int | None = None) -> EventRow:
    """Return one event by its number, seq, type, status, attempt, time, and the two columns of :func:`start_of`.

    ``place``: where it stands in its log, if that and not its seq leads to it. ``task_id`` is None for that of no task.
    """
    number, seq, kind, status, attempt, created_at, start, length = row[:8]
    data = stored_text(start, length) or StoredText("", 0)
    event = EventRow(
        id=integer(number),
        task_id=NO_ID if task_id is None else task_id,
        seq=integer(seq) if place is None else place,
        type=text(kind),
        status=text(status),
        attempt=integer(attempt),
        created_at=integer_or_none(created_at),
        data_text=data.text,
        data_length=data.length,
    )
    stored_seq = None if place is None and "seq" in events.worked_out else seq
    odd = odd_ones((("id", number), ("seq", stored_seq), ("attempt", attempt), ("created_at", created_at)))
    if place is not None and isinstance(seq, int):
        odd += (("seq", seq),)
    odd += untold((("task_id", task_id), ("type", kind), ("status", status), ("data", start if length is None else "")))
    return extended(OddEventRow, event, odd) if odd else event


def start_of(column: str, table: Table) -> str:
    """Return two columns: the first ``:bytes`` bytes of ``column``, and its length. As bytes, so a NUL ends nothing."""
    if column not in table.columns:
        return "NULL, NULL"
    return f"substr(CAST({column} AS BLOB), 1, :bytes), length(CAST({column} AS BLOB))"


def large_text(
    connection: ReadConnection, table: Table, column: str, keys: tuple[str, ...], key: tuple[Value, ...], most: int
) -> StoredText | None:
    """Return a large column of the first row whose ``keys`` are ``key``, cut to ``most`` bytes; None for nothing."""
    if column not in table.columns:
        return None
    matches = " AND ".join(f"{name} = :key_{at}" for at, name in enumerate(keys))
    values: dict[str, Value] = {f"key_{at}": value for at, value in enumerate(key)}
    sql = f"SELECT {start_of(column, table)} FROM {table.name} WHERE {matches} LIMIT 1"  # noqa: S608  names of ours
    try:
        found = connection.rows(sql, values | {"bytes": most})
    except sqlite3.DataError as error:
        if table.rowid is None or not is_too_big(error):
            raise
        number = connection.value(f"SELECT {table.rowid} FROM {table.name} WHERE {matches} LIMIT 1", values)  # noqa: S608
        try:
            return stored_text(*connection.blob_slice(table.name, column, integer(number), most))
        except NotOpened:
            return StoredText("", LONGEST_VALUE)
    return stored_text(*found[0]) if found else None


def _raw(connection: ReadConnection, table: Table, number: Value, most: int) -> Row:
    """Return the start of one event's data and its length, where it may be larger than SQLite hands out."""
    try:
        return connection.blob_slice(table.name, "data", integer(number), most)
    except sqlite3.Error:  # NULL or a number has no bytes to open
        return (None, None)
