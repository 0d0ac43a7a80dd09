"""Rows of tasks as they are stored, as what a list shows of them."""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final

from inspector.layout.rows import TOO_LARGE, OddTaskRow, TaskRow
from inspector.lmsp.values import extended, maker
from inspector.reading.connection import (
    LONGEST_SHORT_VALUE,
    Parameters,
    ReadConnection,
    Row,
    Value,
)
from inspector.reading.errors import is_too_big
from inspector.reading.kinds import Kinds, numbers, numbers_or_none, texts, texts_or_none
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table, selected
from inspector.reading.shown_ids import in_portions, is_in_quotes, other_ids, shown_id
from inspector.reading.values import integer, integer_or_none, odd_ones, text, text_or_none, untold

_made: Final = maker(TaskRow)

_KINDS: Final = Kinds(
    *(texts, texts_or_none, texts_or_none, texts, texts, texts_or_none, numbers_or_none, numbers, numbers),
    *(texts_or_none, numbers_or_none, numbers_or_none, numbers_or_none, numbers_or_none),
)
"""What a task's columns hold in any file that is not odd."""

_NUMBERS: Final = frozenset(
    ("snapshot_seq", "last_seq", "attempt", "created_at", "started_at", "finished_at", "updated_at")
)

_PLACE: Final = attrgetter("created_at", "id")

_FEW: Final = 8
"""So many rows are looked at one by one; more of them by the column."""


def task_rows(rows: Sequence[Row], tasks: Table) -> list[TaskRow]:
    """Return the tasks of this table whose columns, in the order of TASK_COLUMNS, are ``rows``."""
    if not tasks.worked_out:
        few = len(rows) <= _FEW
        fit = all(map(_KINDS.fit_row, rows)) if few else _KINDS.fit_columns(list(zip(*rows, strict=True)))
        if fit and (tasks.is_ours or not any(isinstance(row[0], str) and is_in_quotes(row[0]) for row in rows)):
            return _made(rows)
    return [_read(row, tasks) for row in rows]


def newest_first(tasks: list[TaskRow]) -> list[TaskRow]:
    """Return ``tasks`` in the order of lists: by creation time and id, falling."""
    if len(tasks) < 2:
        return tasks
    try:
        return sorted(tasks, key=_PLACE, reverse=True)
    except TypeError:  # one is without a time
        return sorted(tasks, key=lambda task: (task.created_at or 0, task.id), reverse=True)


def task_row(row: Row, tasks: Table) -> TaskRow:
    """Return the task of this table whose columns, in the order of TASK_COLUMNS, are ``row``."""
    return task_rows([row], tasks)[0]


def _read(row: Row, tasks: Table) -> TaskRow:
    task_id, client, model, kind, status, policy, snapshot, last, attempt, code, created, started, finished, updated = (
        row
    )
    task = TaskRow(
        id=shown_id(task_id, tasks),
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
    stored = zip(TASK_COLUMNS, row, strict=True)
    odd = odd_ones(
        (column, None if column in tasks.worked_out else value) for column, value in stored if column in _NUMBERS
    )
    odd += untold((("id", task_id), ("kind", kind), ("status", status)))
    return extended(OddTaskRow, task, odd) if odd else task


def tasks_by_id(connection: ReadConnection, shape: Shape, ids: Sequence[str]) -> tuple[TaskRow, ...]:
    """Return those of these tasks that are there, in no particular order."""
    tasks = shape.tasks
    found = [row for some in in_portions(ids) for row in _tasks_in(connection, tasks, some)]
    if not tasks.is_ours:
        missing = dict.fromkeys(ids)
        # A text may be stored that looks like a blob which is meant.
        found = [row for row in found if row.id in missing]
        for row in found:
            missing.pop(row.id, None)
        others = list(other_ids(connection, tasks, "id", list(missing)))
        rows = (row for some in in_portions(others) for row in _tasks_in(connection, tasks, some))
        found += [row for row in rows if row.id in missing]
    return tuple(found)


def _tasks_in(connection: ReadConnection, tasks: Table, ids: Sequence[Value]) -> list[TaskRow]:
    return selected_tasks(connection, tasks, f"WHERE id IN ({', '.join('?' * len(ids))})", ids)


def selected_tasks(connection: ReadConnection, tasks: Table, tail: str, values: Parameters) -> list[TaskRow]:
    """Return the tasks that ``tail``, all that follows FROM, asks for. A value too large for a list takes none away."""
    try:
        rows = connection.rows(_selecting(tasks.columns, tail), values, longest=LONGEST_SHORT_VALUE)
        return task_rows(rows, tasks)
    except sqlite3.DataError as error:
        if tasks.rowid is None or not is_too_big(error):
            raise
    numbers = connection.rows(f"SELECT {tasks.rowid} FROM tasks {tail}", values)  # noqa: S608  as above
    return [_read(_value_by_value(connection, tasks, number), tasks) for (number,) in numbers]


@lru_cache(maxsize=64)
def _selecting(columns: frozenset[str], tail: str) -> str:
    return f"SELECT {selected(columns, TASK_COLUMNS)} FROM tasks {tail}"  # noqa: S608  names and conditions of ours


def _value_by_value(connection: ReadConnection, tasks: Table, number: Value) -> Row:
    found: list[Value] = []
    for column in TASK_COLUMNS:
        sql = f"SELECT {tasks.select(column)} FROM tasks WHERE {tasks.rowid} = ?"  # noqa: S608  names of ours
        try:
            rows = connection.rows(sql, [number], longest=LONGEST_SHORT_VALUE)
            found.append(rows[0][0] if rows else None)
        except sqlite3.DataError:
            found.append(TOO_LARGE)
    return tuple(found)
