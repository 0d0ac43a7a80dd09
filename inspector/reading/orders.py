"""In which orders a table of tasks can be read by an index, as SQLite itself plans it.

A file that is not ours, or an older one, may lack an index. Then a list must not sort or search a million rows for each
page, and says what is slower instead.
"""

from typing import Final

from inspector.lmsp.values import value
from inspector.reading.connection import Reads
from inspector.reading.errors import around_damage
from inspector.reading.values import text

MOST_SORTED: Final = 20_000
"""How many tasks a page may sort where there is no index."""


@value
class Orders:
    """What can be read in order, or be found, without a look at every row."""

    by_created: bool
    """Tasks, newest first. Also true of a table that is small enough to be sorted for each page."""
    by_status: bool
    """The tasks of one status, newest first."""
    by_model: bool
    """The tasks of one model, in any order."""
    by_id: bool
    """Tasks in the order of their ids, and one by its id."""
    events: bool
    """The events of one task, in the order of their sequence numbers."""
    notes: tuple[str, ...]
    """What is slower than in the native layout, a sentence each."""


def orders_of(connection: Reads, task_columns: frozenset[str]) -> Orders:
    """Ask SQLite how it would read the tables ``tasks`` and ``task_events`` that are there."""
    by_id = _searches(connection, "SELECT 1 FROM tasks WHERE id = ''")
    by_model = "model_id" in task_columns and _searches(connection, "SELECT 1 FROM tasks WHERE model_id = ''")
    by_created = by_status = False
    if "created_at" in task_columns:
        by_created = not _sorts(connection, "SELECT id FROM tasks ORDER BY created_at DESC, id DESC")
        by_status = _in_order(connection, "SELECT id FROM tasks WHERE status = '' ORDER BY created_at DESC, id DESC")
    events = _in_order(connection, "SELECT 1 FROM task_events WHERE task_id = '' AND seq > 1 ORDER BY seq")
    notes = []
    if not (by_created and by_id) and _is_small(connection, "tasks"):
        by_created = True
    elif not by_id:
        notes.append("There is no index on tasks.id: to find one task reads the whole table.")
    if not by_created and "created_at" in task_columns:
        instead = "they are listed in the order of their ids" if by_id else "each page of them reads the whole table"
        notes.append(f"There is no index on tasks.created_at: {instead}.")
    if not events and not _is_small(connection, "task_events"):
        notes.append("There is no index on task_events (task_id, seq): the events of a task may not be read in time.")
    return Orders(by_created, by_status, by_model, by_id, events, tuple(notes))


def _is_small(connection: Reads, table: str) -> bool:
    """Say whether the table has few rows. Where damage forbids to count it is read around that, also if large."""
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT ?)"  # noqa: S608  names of ours
    return around_damage(lambda: connection.rows(sql, [MOST_SORTED + 1]) <= [(MOST_SORTED,)], lambda: True)


def _plan(connection: Reads, sql: str) -> list[str]:
    return [text(step[3]) for step in connection.rows(f"EXPLAIN QUERY PLAN {sql}")]


def _sorts(connection: Reads, sql: str) -> bool:
    """Say whether all rows would be sorted. Sorting those of one creation time by id is no such thing."""
    return any("TEMP B-TREE FOR ORDER BY" in step for step in _plan(connection, sql))


def _in_order(connection: Reads, sql: str) -> bool:
    return _searches(connection, sql) and not _sorts(connection, sql)


def _searches(connection: Reads, sql: str) -> bool:
    return all(not step.startswith("SCAN") for step in _plan(connection, sql))
