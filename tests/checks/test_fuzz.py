"""Random damage in the rows of a native database: the checker tells of it, and never raises."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import suppress

import pytest

from inspector.checks.ranges import Sizes
from inspector.checks.rulebook import ALL_NAMES
from inspector.layout import native
from tests.checks.broken import WRONG_VALUES, filled
from tests.support.store_invariants import checked_parts

TABLES = native.TABLES
VALUES = (
    *WRONG_VALUES,
    "NULL",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "9223372036854775807",
    "''",
    "'running'",
    "'queued'",
    "'completed'",
    "'cancelling'",
    "'response.completed'",
    "'response.queued'",
    "'response.resumed'",
    "'failed'",
    "'[[['",
    "'sha256:'",
    "zeroblob(100000)",
    "printf('%.*c', 100000, 'x')",
    "char(27) || '[2J' || char(8238)",
)
SIZES = (Sizes(), Sizes(tasks=2, events=2), Sizes(tasks=1, events=1))


@pytest.mark.timeout(900)
def test_random_damage_never_raises(large: bool, proved: Callable[[str], None]) -> None:
    rounds = 5_000 if large else 250
    silent, seen = 0, set()
    for seed in range(rounds):
        rng = random.Random(seed)
        with filled(loose=rng.random() < 0.8) as conn:
            for _ in range(rng.randint(1, 6)):
                with suppress(sqlite3.IntegrityError):  # a strict table does not take it
                    conn.execute(damaging(rng))
            found = [checked_parts(conn, sizes=size) for size in SIZES]
        for findings, checked in found:
            assert set(findings) == set(found[0][0]), seed
            assert checked == found[0][1], seed
        silent += not found[0][0]
        seen |= {finding.rule for finding in found[0][0]}
    assert silent < rounds / 2
    proved(
        f"check: {rounds:,} databases with random damage in their rows, {rounds - silent:,} with findings, "
        f"{len(seen)} of {len(ALL_NAMES)} rules among them, nothing raised"
    )


def damaging(rng: random.Random) -> str:
    """Return a statement that changes, doubles or removes something at random."""
    table = rng.choice([*TABLES, "tasks", "task_events", "task_events"])
    at = f"rowid = (SELECT rowid FROM {table} ORDER BY rowid LIMIT 1 OFFSET {rng.randint(0, 15)})"
    match rng.randint(0, 9):
        case 0:
            return f"DELETE FROM {table} WHERE {at}"
        case 1:
            return f"INSERT INTO {table} SELECT * FROM {table} WHERE {at}"
        case _:
            column = rng.choice(COLUMNS[table])
            return f"UPDATE {table} SET {column} = {rng.choice(VALUES)} WHERE {at}"


def columns_of(table: str) -> list[str]:
    with filled() as conn:
        return [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]


COLUMNS = {table: columns_of(table) for table in TABLES}


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_an_empty_database_has_no_findings(sizes: Sizes) -> None:
    with filled() as conn:
        for table in native.TABLES:
            conn.execute(f"DELETE FROM {table}")
        findings, checked = checked_parts(conn, sizes=sizes)
    assert findings == []
    assert (checked.tasks, checked.events, checked.models) == (0, 0, 0)
