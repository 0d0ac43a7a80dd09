"""What must hold in a database that has come through a crash, a kill or a loss of power.

Whoever acknowledges something notes it as ``Acknowledged``; ``findings_in`` then looks at the files that are left.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from tests.support.store_invariants import broken_invariants
from tests.support.subject import store

LATER_MS: Final = 10_000_000
"""A moment after all that these tests write."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What somebody was told: this task had come to this event, which left it in this status and attempt."""

    task_id: str
    last_seq: int
    status: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that does not hold: ``lost`` (acknowledged and gone), ``half``, ``damaged`` or ``stuck``."""

    kind: str
    what: str


def findings_in(path: Path, acknowledged: Iterable[Acknowledged]) -> list[Finding]:
    """Look at what is left, with plain sqlite3; then let the store go on with it. Empty: all is well."""
    left = findings_left(path, acknowledged)
    # On a damaged file nobody goes on: what an index says and what the table holds may be two things.
    return left if any(finding.kind == "damaged" for finding in left) else [*left, *_stuck(path)]


def findings_left(path: Path, acknowledged: Iterable[Acknowledged]) -> list[Finding]:
    """Look at what is left, with plain sqlite3; a -wal or a journal is taken in by that."""
    told = list(acknowledged)
    if not path.exists() or not path.stat().st_size:
        return [Finding("lost", f"the database, with {len(told)} acknowledged tasks")] if told else []
    try:
        with closing(_plain(path)) as conn:
            if (answer := conn.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
                return [Finding("damaged", f"{answer[0][0]}")]
            if not conn.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]:
                return [Finding("lost", f"the layout, with {len(told)} acknowledged tasks")] if told else []
            half = [Finding("half", f"{task_id}: {rule}") for rule, task_id in broken_invariants(conn)]
            return half + [Finding("lost", what) for one in told for what in _missing(conn, one)]
    except sqlite3.DatabaseError as error:
        return [Finding("damaged", f"{error.sqlite_errorname}: {error}")]


def _plain(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _missing(conn: sqlite3.Connection, told: Acknowledged) -> list[str]:
    events = conn.execute(
        "SELECT status, attempt FROM task_events WHERE task_id = ? AND seq = ?", (told.task_id, told.last_seq)
    ).fetchall()
    tasks = conn.execute("SELECT last_seq, attempt FROM tasks WHERE id = ?", (told.task_id,)).fetchall()
    if events != [(told.status, told.attempt)]:
        return [f"{told} has {events} at its event"]
    if not tasks or tasks[0] < (told.last_seq, told.attempt):
        return [f"{told} has {tasks} as its row"]
    return []


def _stuck(path: Path) -> list[Finding]:
    try:
        with closing(store.open_service_database(path)) as db:
            for now_ms in (LATER_MS, LATER_MS + 1):
                store.apply_recovery(db, store.plan_recovery(db), now_ms=now_ms)
            _live_one_life(db)
            left = broken_invariants(db.conn)
            return [Finding("half", f"{task_id}: {rule} (after recovery)") for rule, task_id in left]
    except (store.Unusable, store.Refused) as error:
        return [Finding("stuck", error.sentence)]


def _live_one_life(db: Database) -> None:
    """Take one new task from its acceptance to its response."""
    task_id = store.accept_task(db, request={}, on_restart="retry", now_ms=LATER_MS).task.id
    store.start_task(db, task_id, status="loading", attempt=1, now_ms=LATER_MS)
    store.start_task(db, task_id, status="running", attempt=1, now_ms=LATER_MS)
    store.append_events(db, task_id, [("response.output_text.delta", {"text": "x"})], attempt=1, now_ms=LATER_MS)
    store.complete_task(db, task_id, {"text": "x"}, attempt=1, now_ms=LATER_MS)
