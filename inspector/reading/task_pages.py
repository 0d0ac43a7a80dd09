"""Tasks: pages by key, never by OFFSET; by id; and what recovery would find."""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, cast

from inspector.layout.pages import PAGE_ROWS, TaskFilter, TaskKey, TaskPage, TaskPlaces
from inspector.layout.rows import TaskRow
from inspector.lmsp.recovery import Leftover
from inspector.lmsp.statuses import FINAL, known_status
from inspector.lmsp.values import value
from inspector.reading.connection import MOST_VARIABLES, Parameters, ReadConnection, Row, Value
from inspector.reading.errors import is_too_big
from inspector.reading.filtering import conditions, where
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table
from inspector.reading.values import integer, integer_or_none, text, text_or_none

TOO_LARGE: Final = "(too large to be listed)"
"""What stands for a value that is too large for a list."""

_LATEST: Final = (1 << 63) - 1


def task_row(row: Row) -> TaskRow:
    """Return the task whose columns, in the order of TASK_COLUMNS, are ``row``."""
    if _fits(tuple(map(type, row))):
        return TaskRow(*cast("tuple[Any, ...]", row))
    task_id, client, model, kind, status, policy, snapshot, last, attempt, code, created, started, finished, updated = (
        row
    )
    return TaskRow(
        id=text(task_id),
        client_id=text_or_none(client),
        model_id=text_or_none(model),
        kind=text(kind),
        status=text(status),
        on_restart=text_or_none(policy),
        snapshot_seq=integer_or_none(snapshot),
        last_seq=integer(last),
        attempt=integer(attempt),
        error_code=text_or_none(code),
        created_at=integer_or_none(created),
        started_at=integer_or_none(started),
        finished_at=integer_or_none(finished),
        updated_at=integer_or_none(updated),
    )


_TEXT: Final = (str,)
_TEXT_OR_NONE: Final = (str, type(None))
_NUMBER: Final = (int,)
_NUMBER_OR_NONE: Final = (int, type(None))
_TYPES: Final = (
    *(_TEXT, _TEXT_OR_NONE, _TEXT_OR_NONE, _TEXT, _TEXT, _TEXT_OR_NONE, _NUMBER_OR_NONE, _NUMBER, _NUMBER),
    *(_TEXT_OR_NONE, _NUMBER_OR_NONE, _NUMBER_OR_NONE, _NUMBER_OR_NONE, _NUMBER_OR_NONE),
)
"""What a task's columns hold in any file that is not odd."""


@lru_cache(maxsize=256)
def _fits(types: tuple[type, ...]) -> bool:
    return all(kind in fitting for kind, fitting in zip(types, _TYPES, strict=True))


@value
class _Bound:
    key: TaskKey
    comparison: str


def task_page(
    connection: ReadConnection,
    shape: Shape,
    wanted: TaskFilter,
    after: TaskKey | None,
    limit: int,
    read_at_ms: int,
    *,
    start: TaskKey | None = None,
) -> TaskPage:
    """Return the ``limit`` newest tasks that pass ``wanted`` and come after the key ``after``, or from ``start`` on.

    Tasks without an integer as their time of creation stand last, by id.
    """
    limit = max(1, min(limit, PAGE_ROWS))
    found: list[TaskRow] = []
    key = after or start
    bound = None if key is None else _Bound(key, "<=" if after is None else "<")
    if "created_at" in shape.tasks.columns and not (bound and bound.key.created_at is None):
        found = _timed(connection, shape.tasks, wanted, bound, limit + 1)
    if len(found) <= limit and not shape.tasks.is_ours:
        last = bound if bound and bound.key.created_at is None else None
        found += _untimed(connection, shape.tasks, wanted, last, limit + 1 - len(found))
    return TaskPage(tuple(found[:limit]), more=len(found) > limit, read_at_ms=read_at_ms)


def _timed(
    connection: ReadConnection, tasks: Table, wanted: TaskFilter, bound: "_Bound | None", limit: int
) -> list[TaskRow]:
    if tasks.is_ours and wanted.statuses:
        # Each status has its index in the right order; together they would be sorted, all of them, for one page.
        found = [
            row
            for status in sorted(wanted.statuses)
            for row in _timed_of(connection, tasks, wanted, bound, limit, status=status)
        ]
        found.sort(key=lambda row: (row.created_at or 0, row.id), reverse=True)
        return found[:limit]
    return _timed_of(connection, tasks, wanted, bound, limit, status=None)


def _timed_of(
    connection: ReadConnection,
    tasks: Table,
    wanted: TaskFilter,
    bound: "_Bound | None",
    limit: int,
    *,
    status: str | None,
) -> list[TaskRow]:
    needed, values = conditions(wanted, tasks, statuses=status is None)
    if status is not None:
        needed.append("status = :status")
        values["status"] = status
    if not tasks.is_ours:
        needed.append("created_at <= :latest AND typeof(created_at) = 'integer'")
        values["latest"] = _LATEST
    if bound is not None:
        needed.append(f"(created_at, id) {bound.comparison} (:bound_created_at, :bound_id)")
        values |= {"bound_created_at": bound.key.created_at, "bound_id": bound.key.id}
    tail = f"{where(needed)} ORDER BY created_at DESC, id DESC LIMIT :limit"
    return _tasks(connection, tasks, tail, values | {"limit": limit})


def _untimed(
    connection: ReadConnection, tasks: Table, wanted: TaskFilter, bound: "_Bound | None", limit: int
) -> list[TaskRow]:
    needed, values = conditions(wanted, tasks)
    if "created_at" in tasks.columns:
        needed.append("typeof(created_at) <> 'integer'")
    if bound is not None:
        needed.append(f"id {bound.comparison} :bound_id")
        values["bound_id"] = bound.key.id
    return _tasks(connection, tasks, f"{where(needed)} ORDER BY id DESC LIMIT :limit", values | {"limit": limit})


def task_places(
    connection: ReadConnection, shape: Shape, wanted: TaskFilter, every: int, read_at_ms: int
) -> TaskPlaces:
    """Return how many tasks pass ``wanted``, and the key of each ``every``-th."""
    every = max(1, every)
    total = 0
    starts: list[TaskKey] = []
    after = None
    while True:
        page = task_page(connection, shape, wanted, after, PAGE_ROWS, read_at_ms)
        starts += [TaskKey(row.created_at, row.id) for row in page.tasks[-total % every :: every]]
        total += len(page.tasks)
        if not page.more:
            return TaskPlaces(total, every, tuple(starts), read_at_ms)
        after = TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)


def tasks_by_id(connection: ReadConnection, shape: Shape, ids: Sequence[str]) -> tuple[TaskRow, ...]:
    """Return those of these tasks that are there, in no particular order."""
    found: list[TaskRow] = []
    for start in range(0, len(ids), MOST_VARIABLES):
        some: Sequence[Value] = ids[start : start + MOST_VARIABLES]
        found += _tasks(connection, shape.tasks, f"WHERE id IN ({', '.join('?' * len(some))})", some)
    return tuple(found)


def _tasks(connection: ReadConnection, tasks: Table, tail: str, values: Parameters) -> list[TaskRow]:
    """Return the tasks that ``tail``, all that follows FROM, asks for. A value too large for a list takes none away."""
    sql = f"SELECT {tasks.select(*TASK_COLUMNS)} FROM tasks {tail}"  # noqa: S608  names and conditions of ours
    try:
        with connection.short_values():
            return [task_row(row) for row in connection.rows(sql, values)]
    except sqlite3.DataError as error:
        if tasks.rowid is None or not is_too_big(error):
            raise
    numbers = connection.rows(f"SELECT {tasks.rowid} FROM tasks {tail}", values)  # noqa: S608  as above
    with connection.short_values():
        return [task_row(_value_by_value(connection, tasks, number)) for (number,) in numbers]


def _value_by_value(connection: ReadConnection, tasks: Table, number: Value) -> Row:
    found: list[Value] = []
    for column in TASK_COLUMNS:
        sql = f"SELECT {tasks.select(column)} FROM tasks WHERE {tasks.rowid} = ?"  # noqa: S608  names of ours
        try:
            found.append(connection.value(sql, [number]))
        except sqlite3.DataError:
            found.append(TOO_LARGE)
    return tuple(found)


_NOT_FINAL: Final = (
    "status < 'cancelled'",
    "status > 'cancelled' AND status < 'completed'",
    "status > 'completed' AND status < 'failed'",
    "status > 'failed'",
    "status IS NULL",
)
"""The gaps between the final statuses: so an unknown status is found too, and each gap by the index on the status."""


_LOG_END: Final = """,
    coalesce((SELECT max(seq) FROM task_events WHERE task_id = tasks.id), 0),
    (SELECT status FROM task_events WHERE task_id = tasks.id ORDER BY seq DESC LIMIT 1)"""


def leftovers(connection: ReadConnection, shape: Shape) -> tuple[Leftover, ...]:
    """Return what recovery has to know of every task that is in no final status, oldest first."""
    columns = shape.tasks.select("created_at", "id", "status", "on_restart", "attempt", "last_seq", "snapshot_seq")
    # Only where an index finds the end of a log: elsewhere it counts as known from the task's row.
    columns += _LOG_END if shape.events.is_ours else ", NULL, NULL"
    with connection.one_moment():
        # One statement for all the gaps would walk over every task instead.
        rows = [
            row
            for gap in _NOT_FINAL
            for row in connection.rows(f"SELECT {columns} FROM tasks WHERE {gap}")  # noqa: S608  names of ours
        ]
    rows.sort(key=lambda row: (integer(row[0]), text(row[1])))
    return tuple(
        Leftover(
            task_id=text(task_id),
            status=text(status),
            on_restart=text_or_none(policy),
            attempt=integer(attempt),
            last_seq=integer(last_seq),
            snapshot_seq=integer_or_none(snapshot_seq),
            log_seq=integer_or_none(log_seq),
            log_ended=known_status(log_status) in FINAL,
        )
        for _, task_id, status, policy, attempt, last_seq, snapshot_seq, log_seq, log_status in rows
    )
