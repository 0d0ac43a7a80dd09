"""One task: its large columns, its events page by page, and its log without data for the timeline."""

import sqlite3
from collections.abc import Iterator
from typing import Final

from inspector.layout.pages import PAGE_ROWS, EventPage, LogStretch, Tick
from inspector.layout.rows import EventRow, StoredText, TaskDetail
from inspector.lmsp.values import maker
from inspector.reading.connection import LONGEST_VALUE, ReadConnection, Row, Value
from inspector.reading.errors import is_too_big
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table
from inspector.reading.requests import STRETCH_EVENTS, TimelineRequest
from inspector.reading.task_rows import fit, task_row
from inspector.reading.values import integer, integer_or_none, stored_text, text

DETAIL_BYTES: Final = 64 << 10
"""The most of one large column in a task's detail."""

PREVIEW_BYTES: Final = 4 << 10
"""The most of one event's data in a page of events."""


def task_detail(connection: ReadConnection, shape: Shape, task_id: str) -> TaskDetail | None:
    """Return the task with its large columns and its response, as of one moment; None where it is not there."""
    with connection.one_moment():
        found = connection.rows(
            f"SELECT {shape.tasks.select(*TASK_COLUMNS)} FROM tasks WHERE id = ? LIMIT 1",  # noqa: S608  names of ours
            [task_id],
        )
        if not found:
            return None
        request, snapshot, error_message = (
            _large(connection, shape.tasks, column, ("id",), (task_id,), DETAIL_BYTES)
            for column in ("request", "snapshot", "error_message")
        )
        response = None
        if shape.responses is not None and "task_id" in shape.responses.columns:
            response = _large(connection, shape.responses, "body", ("task_id",), (task_id,), DETAIL_BYTES)
    return TaskDetail(task_row(found[0]), request, snapshot, error_message, response)


def event_page(
    connection: ReadConnection, shape: Shape, task_id: str, after_seq: int | None, before_seq: int | None, limit: int
) -> EventPage:
    """Return events of one task, rising: those after ``after_seq``, those before ``before_seq``, or the last."""
    limit = max(1, min(limit, PAGE_ROWS))
    forward = after_seq is not None
    bound = after_seq if forward else before_seq
    condition = "" if bound is None else f"AND seq {'>' if forward else '<'} :bound"
    number = shape.events.rowid or "NULL"
    plain = shape.events.select("seq", "type", "status", "attempt", "created_at")
    data = _start("data", shape.events)
    sql = f"""
        SELECT {number}, {plain}, {data}
        FROM task_events
        WHERE task_id = :task_id {condition}
        ORDER BY seq {"ASC" if forward else "DESC"}
        LIMIT :limit
    """  # noqa: S608  names and conditions of ours; every value is a parameter
    values: dict[str, Value] = {"task_id": task_id, "bytes": PREVIEW_BYTES, "limit": limit + 1}
    if bound is not None:
        values["bound"] = bound
    with connection.one_moment():
        rows = _with_data(connection, shape.events, sql, data, values)
        more = len(rows) > limit
        rows = rows[:limit] if forward else rows[:limit][::-1]
        if forward:
            before, after = after_seq is not None and _any(connection, task_id, "<=", after_seq), more
        else:
            before, after = more, before_seq is not None and _any(connection, task_id, ">=", before_seq)
    return EventPage(task_id, tuple(_events(task_id, rows)), more_before=before, more_after=after)


def event_data(connection: ReadConnection, shape: Shape, task_id: str, seq: int, limit: int) -> StoredText | None:
    """Return the data of one event, cut to ``limit`` bytes; None where there is no such event."""
    limit = max(1, min(limit, LONGEST_VALUE - 1))
    with connection.one_moment():
        return _large(connection, shape.events, "data", ("task_id", "seq"), (task_id, seq), limit)


def log_stretch(connection: ReadConnection, shape: Shape, request: TimelineRequest) -> LogStretch:
    """Return the next stretch of one task's log without its data. Each change of status in it stays, and its last."""
    task_id, after_seq = request.task_id, request.after_seq
    limit = max(1, min(request.limit, STRETCH_EVENTS))
    columns = shape.events.select("seq", "type", "status", "created_at")
    sql = f"SELECT {columns} FROM task_events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?"  # noqa: S608  ours
    rows = connection.rows(sql, [task_id, after_seq, limit + 1])
    more = len(rows) > limit
    rows = rows[:limit]
    if not rows:
        return LogStretch(task_id, (), 0, after_seq, request.status, more=False)
    last_seq, status = integer(rows[-1][0]), text(rows[-1][2])
    ticks = tuple(_ticks(rows if request.every <= 1 else _thinned(rows, request.status, request.every)))
    # Sequence numbers that are no numbers would be read again for ever.
    return LogStretch(task_id, ticks, len(rows), last_seq, status, more=more and last_seq > after_seq)


def _thinned(rows: list[Row], status: str, every: int) -> list[Row]:
    """Return one row of ``every``, each with another status than the one before, and the last."""
    kept = []
    before: Value = status
    for place, row in enumerate(rows, start=1):
        if row[2] != before or place % every == 0:
            kept.append(row)
        before = row[2]
    return kept if kept and kept[-1] is rows[-1] else [*kept, rows[-1]]


def _ticks(rows: list[Row]) -> Iterator[Tick]:
    earlier = next((at for *_, at in rows if isinstance(at, int)), 0)
    for seq, kind, status, at in rows:
        earlier = at if isinstance(at, int) else earlier
        yield Tick(integer(seq), text(kind), text(status), earlier)


_made_events: Final = maker(EventRow)
_made_texts: Final = maker(StoredText)

_NUMBER: Final = frozenset({int})
_TEXT: Final = frozenset({str})
_TYPES: Final = (
    *(_NUMBER, _NUMBER, _TEXT, _TEXT, _NUMBER),
    *(frozenset({int, type(None)}), _TEXT, frozenset({type(None)})),
)
"""What the columns of a page of events hold in any file that is not odd, where no data is too long for its page."""


def _with_data(connection: ReadConnection, events: Table, sql: str, data: str, values: dict[str, Value]) -> list[Row]:
    """Return the rows of a page of events, each with the start of its data and the data's length."""
    if "data" in events.columns:
        plain = {name: value for name, value in values.items() if name != "bytes"}
        try:
            rows = connection.short_rows(sql.replace(data, "data, NULL"), plain, longest=PREVIEW_BYTES)
        except sqlite3.DataError as error:
            if not is_too_big(error):
                raise
        else:
            if all(type(row[6]) is str for row in rows):
                return rows
    try:
        return connection.rows(sql, values)
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
    rows = connection.rows(sql.replace(data, "NULL, NULL"), {name: values[name] for name in values if name != "bytes"})
    return [row[:-2] + _raw(connection, events, row[0], PREVIEW_BYTES) for row in rows]


def _events(task_id: str, rows: list[Row]) -> list[EventRow]:
    if fit(rows, _TYPES):
        texts = _made_texts((whole, len(whole)) for whole in [row[6] for row in rows])  # type: ignore[arg-type]
        return _made_events((row[0], task_id, *row[1:6], data) for row, data in zip(rows, texts, strict=True))
    return [_event(task_id, row) for row in rows]


def _event(task_id: str, row: Row) -> EventRow:
    number, seq, kind, status, attempt, created_at, data, length = row
    return EventRow(
        id=integer(number),
        task_id=task_id,
        seq=integer(seq),
        type=text(kind),
        status=text(status),
        attempt=integer(attempt),
        created_at=integer_or_none(created_at),
        data=stored_text(data, length) or StoredText("", 0),
    )


def _any(connection: ReadConnection, task_id: str, comparison: str, seq: int) -> bool:
    sql = f"SELECT 1 FROM task_events WHERE task_id = ? AND seq {comparison} ? LIMIT 1"  # noqa: S608  two literals
    return bool(connection.rows(sql, [task_id, seq]))


def _start(column: str, table: Table) -> str:
    """Return two columns: the first ``:bytes`` bytes of ``column``, and its length. As bytes, so a NUL ends nothing."""
    if column not in table.columns:
        return "NULL, NULL"
    return f"substr(CAST({column} AS BLOB), 1, :bytes), length(CAST({column} AS BLOB))"


def _large(
    connection: ReadConnection, table: Table, column: str, keys: tuple[str, ...], key: tuple[Value, ...], most: int
) -> StoredText | None:
    if column not in table.columns:
        return None
    matches = " AND ".join(f"{name} = :key_{at}" for at, name in enumerate(keys))
    values: dict[str, Value] = {f"key_{at}": value for at, value in enumerate(key)}
    sql = f"SELECT {_start(column, table)} FROM {table.name} WHERE {matches} LIMIT 1"  # noqa: S608  names of ours
    try:
        found = connection.rows(sql, values | {"bytes": most})
    except sqlite3.DataError as error:
        if table.rowid is None or not is_too_big(error):
            raise
        number = connection.value(f"SELECT {table.rowid} FROM {table.name} WHERE {matches} LIMIT 1", values)  # noqa: S608
        start, length = connection.blob_slice(table.name, column, integer(number), most)
        return stored_text(start, length)
    return stored_text(*found[0]) if found else None


def _raw(connection: ReadConnection, table: Table, number: Value, most: int) -> Row:
    """Return the start of one event's data and its length, where it may be larger than SQLite hands out."""
    try:
        return connection.blob_slice(table.name, "data", integer(number), most)
    except sqlite3.Error:  # NULL or a number has no bytes to open
        return (None, None)
