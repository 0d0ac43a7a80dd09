"""What has lost its task: events, responses and idempotency keys go with it, in one transaction (section 11.2)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of
from inspector.checks.rule import Rule, quoted
from inspector.checks.rulebook import (
    ALL_CAN_BE_READ,
    EVENTS_HAVE_THEIR_TASK,
    KEYS_HAVE_THEIR_TASK,
    RESPONSES_HAVE_THEIR_TASK,
    Rulebook,
)
from inspector.checks.tables import BELOW_ALL, Tables
from inspector.reading.connection import Reads, Row, Value
from inspector.reading.errors import SqliteTrouble, Unanswered, require_behind
from inspector.reading.values import integer, text_or_none

_ROWS_AT_ONCE: Final = 20_000

_OWNED: Final[tuple[tuple[Rule[object, str], str, str, str], ...]] = (
    (EVENTS_HAVE_THEIR_TASK, "task_events", "event", "events"),
    (RESPONSES_HAVE_THEIR_TASK, "responses", "response", "responses"),
    (KEYS_HAVE_THEIR_TASK, "idempotency_keys", "idempotency key", "idempotency keys"),
)


def check_orphans(
    ask: Callable[[Callable[[Reads], Any]], Any], tables: Tables, book: Rulebook
) -> Iterator[list[Finding]]:
    """Give what is found in each table, with an empty list for each range on the way."""
    for rule, table, one, many in _OWNED:
        if rule not in book.walk:
            continue
        left: dict[Value, int] = {}
        findings: list[Finding] = []
        after = BELOW_ALL
        try:
            upto = ask(partial(_last, tables=tables, table=table))
            while after < upto:
                after, rows = ask(partial(_range, tables=tables, table=table, after=after, upto=upto))
                for task_id, number in rows:
                    left[task_id] = left.get(task_id, 0) + integer(number)
                yield []
        except (*SqliteTrouble, Unanswered) as error:
            findings.append(ALL_CAN_BE_READ.finding(None, f"The table {table} cannot be read. {damage_of(error)}"))
        for task_id, number in left.items():
            sentence = f"{number:,} {many} belong" if number > 1 else f"One {one} belongs"
            findings.append(
                rule.finding(text_or_none(task_id), f"{sentence} to the task {quoted(task_id)}, which is not there.")
            )
        yield findings


def _last(reads: Reads, tables: Tables, table: str) -> int:
    rows = reads.rows(f"SELECT max({tables.rowid(table)}) FROM {table}")  # noqa: S608  names of ours
    found = rows[0][0]
    return found if isinstance(found, int) else BELOW_ALL


def _range(reads: Reads, tables: Tables, table: str, after: int, upto: int) -> tuple[int, list[Row]]:
    """Return the last rowid of the next range, and the ids of tasks that are not there, with their numbers of rows."""
    rowid, task = tables.rowid(table), tables.rowid("tasks")
    with reads.one_moment():
        ends = reads.rows(
            f"""
            SELECT max(at) FROM (
                SELECT {rowid} AS at FROM {table} WHERE {rowid} > ? AND {rowid} <= ? ORDER BY {rowid} LIMIT ?)""",  # noqa: S608
            [after, upto, _ROWS_AT_ONCE],
        )
        end = ends[0][0]
        if not isinstance(end, int):
            return upto, []
        require_behind(end, after, "rows")
        rows = reads.rows(
            f"""
            SELECT {table}.task_id, count(*)
            FROM {table} LEFT JOIN tasks ON tasks.id = {table}.task_id
            WHERE {rowid} > ? AND {rowid} <= ? AND {task} IS NULL
            GROUP BY {table}.task_id""",  # noqa: S608  names of ours
            [after, end],
        )
        return end, rows
