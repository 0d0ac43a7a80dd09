"""Pages of tasks by key, and where they begin."""

import time
from typing import Final

from inspector.layout.pages import PAGE_ROWS, TaskFilter, TaskKey, TaskPage
from inspector.layout.rows import TaskRow
from inspector.reading.connection import ReadConnection
from inspector.reading.recognising import Shape
from inspector.reading.shown_ids import spans
from inspector.reading.task_list import Bound, task_list
from inspector.reading.task_rows import newest_first, selected_tasks
from inspector.reading.task_walk import TaskWalk

AT_ONCE_MS: Final = 10
"""How long a page of a filter that no index serves is tried for by one statement, before it is walked for."""

WALK_S: Final = 0.03
"""How long a page walks for tasks that pass, until it says how far it came instead."""


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
    key = after or start
    bound = None if key is None else Bound(key, inclusive=after is None)
    parts = task_list(connection, shape, wanted, bound)
    if not any(part.tests for part in parts):
        found: list[TaskRow] = []
        for part in parts:
            found += part.rows(connection, bound if part is parts[0] else None, None, limit + 1 - len(found))
            if len(found) > limit:
                break
        return TaskPage(tuple(found[:limit]), len(found) > limit, read_at_ms)
    return _walked(connection, TaskWalk(parts, bound), limit, read_at_ms)


def _walked(connection: ReadConnection, walk: TaskWalk, limit: int, read_at_ms: int) -> TaskPage:
    ends_at = time.monotonic() + WALK_S
    found: list[TaskRow] = []
    while not walk.has_ended and len(found) <= limit:
        rows = walk.page(connection, limit + 1 - len(found), AT_ONCE_MS)
        if rows is None:
            break
        found += rows
    while not walk.has_ended and len(found) <= limit:
        if walk.walked and walk.at is not None and time.monotonic() > ends_at:
            return TaskPage(tuple(found), True, read_at_ms, walk.at)
        found += walk.rows(connection, limit + 1 - len(found))
    return TaskPage(tuple(found[:limit]), len(found) > limit, read_at_ms)


def tasks_by_prefix(connection: ReadConnection, shape: Shape, prefix: str, wanted: TaskFilter) -> tuple[TaskRow, ...]:
    """Return the tasks that pass ``wanted`` and whose id begins with ``prefix``, newest first; at most a page.

    As it is typed; only where none does, in small letters or in capitals; then the start of a blob, or a whole number.
    Empty without an index on the ids.
    """
    if not prefix or not shape.orders.by_id:
        return ()
    found: list[TaskRow] = []
    spellings = (prefix, prefix.lower(), prefix.upper())
    for at, spelled in enumerate(spellings):
        if found or spelled in spellings[:at]:
            continue
        behind = _behind(spelled)
        if behind is None:
            rows = selected_tasks(connection, shape.tasks, _FROM, (spelled, PAGE_ROWS))
        else:
            rows = selected_tasks(connection, shape.tasks, _BETWEEN, (spelled, behind, PAGE_ROWS))
        # An order that is not that of the characters, or an encoding of another one, finds others too.
        found = [row for row in rows if row.id.startswith(spelled)]
        if not wanted.is_empty:
            found = [row for row in found if wanted.passes(row)]
    if not found and not shape.tasks.is_ours:
        rows = [
            row for span in spans(prefix) for row in selected_tasks(connection, shape.tasks, _SPAN, (*span, PAGE_ROWS))
        ]
        found = [row for row in rows if row.id.startswith(prefix) and (wanted.is_empty or wanted.passes(row))]
    return tuple(newest_first(found))


_SPAN: Final = "WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"
_FROM: Final = "WHERE id >= ? ORDER BY id DESC LIMIT ?"
_BETWEEN: Final = "WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?"


def _behind(prefix: str) -> str | None:
    """Return the text behind all that begin with ``prefix``; None where there is none."""
    for at in reversed(range(len(prefix))):
        following = ord(prefix[at]) + 1
        if following <= 0x10FFFF:
            return prefix[:at] + chr(0xE000 if 0xD800 <= following <= 0xDFFF else following)
    return None
