"""What is there once, in tables of other layouts: the native layout's own tables take nothing twice (design 5)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of
from inspector.checks.rule import quoted
from inspector.checks.rulebook import ALL_CAN_BE_READ, IDS_ARE_THERE_ONCE, KEYS_LEAD_TO_ONE_TASK, Rulebook
from inspector.checks.tables import Tables
from inspector.reading.connection import Reads, Row
from inspector.reading.errors import SqliteTrouble, Unanswered
from inspector.reading.values import integer, text_or_none

_MOST: Final = 1_000
"""How many doubles of one table are told."""

_ONCE: Final = (
    *(("tasks", "id"), ("models", "id"), ("clients", "id"), ("clients", "token_hash"), ("responses", "id")),
    ("service_config", "key"),
)
_SECRET: Final = frozenset({"token_hash"})


def check_doubles(
    ask: Callable[[Callable[[Reads], Any]], Any], tables: Tables, book: Rulebook
) -> Iterator[list[Finding]]:
    """Give what is there twice in each table. One read goes over a whole table, as of one moment."""
    for table, column in _ONCE:
        found = tables.by_name.get(table)
        if IDS_ARE_THERE_ONCE in book.walk and found is not None and column in found.columns and not found.is_ours:
            yield from _told(ask, table, partial(_ids, table=table, column=column))
    if KEYS_LEAD_TO_ONE_TASK in book.walk and not tables.by_name["idempotency_keys"].is_ours:
        yield from _told(ask, "idempotency_keys", _keys)


def _told(
    ask: Callable[[Callable[[Reads], Any]], Any], table: str, question: Callable[[Reads], list[Finding]]
) -> Iterator[list[Finding]]:
    try:
        yield ask(question)
    except (*SqliteTrouble, Unanswered) as error:
        sentence = f"What is twice in the table {table} cannot be read. {damage_of(error)}"
        yield [ALL_CAN_BE_READ.finding(None, sentence)]


def _ids(reads: Reads, table: str, column: str) -> list[Finding]:
    rows = reads.rows(f"""
        SELECT {table}.{column}, count(*) FROM {table} WHERE {table}.{column} IS NOT NULL
        GROUP BY 1 HAVING count(*) > 1 LIMIT {_MOST}""")  # noqa: S608  names of ours
    return [_double(table, column, row) for row in rows]


def _double(table: str, column: str, row: Row) -> Finding:
    value, number = row
    named = "" if column in _SECRET else f" {quoted(value)}"
    sentence = f"{integer(number):,} rows of the table {table} have the same {column}{named}."
    return IDS_ARE_THERE_ONCE.finding(text_or_none(value) if table == "tasks" else None, sentence)


def _keys(reads: Reads) -> list[Finding]:
    # The key itself stays unsaid: it is the client's own.
    rows = reads.rows(f"""
        SELECT min(task_id), max(task_id), count(DISTINCT task_id), client_id FROM idempotency_keys
        GROUP BY client_id, "key" HAVING count(DISTINCT task_id) > 1 LIMIT {_MOST}""")  # noqa: S608  a number
    return [
        KEYS_LEAD_TO_ONE_TASK.finding(
            text_or_none(first),
            f"One idempotency key of the client {quoted(client)} leads to {integer(number):,} tasks, "
            f"{quoted(last)} among them.",
        )
        for first, last, number, client in rows
    ]
