"""A mutant of the store, as whoever thinks of one process writes it: reads first, then writes what it has decided.

Each call that moves a task reads it in one transaction, decides by the same rules as the store, and writes event and
move in another one, with no guard against what has happened in between. Everything else is the store's own. A database
of its own has the native layout without the triggers, which refuse most of this by themselves.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from inspector import store
from inspector.layout.native import STATEMENTS
from inspector.layout.rows import TaskRow
from inspector.lmsp.cancelling import CancelOutcome, CancelResult, cancel_target
from inspector.lmsp.events import event_of_move
from inspector.lmsp.statuses import FINAL, Status, may_move
from inspector.store import Refused, Written
from inspector.store.stored_json import to_json


def __getattr__(name: str) -> Any:  # noqa: ANN401  what the store has
    return getattr(store, name)


def open_service_database(path: str | os.PathLike[str], *, wait_ms: int = 10_000) -> Database:
    """Open a database, and create one without triggers where there is none; nothing is looked at."""
    conn = sqlite3.connect(path, isolation_level=None, timeout=wait_ms / 1000)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        conn.execute(f"PRAGMA {pragma}").fetchall()
    if not conn.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]:
        conn.execute("BEGIN IMMEDIATE")
        for statement in STATEMENTS:
            if not statement.startswith("CREATE TRIGGER"):
                conn.execute(statement)
        conn.execute("COMMIT")
    return Database(conn, execute_plugins=False)


@dataclass(frozen=True)
class _Seen:
    """A task as it was a moment ago."""

    task_id: str
    status: Status
    attempt: int
    updated_at: int


def _look(db: Database, task_id: str, wanted: str, attempt: int | None = None) -> _Seen:
    rows = db.conn.execute("SELECT status, attempt, updated_at FROM tasks WHERE id = ?", (task_id,)).fetchall()
    if not rows:
        raise Refused(f"There is no task {task_id}.", task_id=task_id, wanted=wanted)
    seen = _Seen(task_id, Status(rows[0][0]), *rows[0][1:])
    if attempt is not None and attempt != seen.attempt:
        raise Refused(f"It is at attempt {seen.attempt}.", task_id=task_id, found=seen.status, wanted=wanted)
    return seen


def _check(seen: _Seen, *, wanted: str, allowed: bool) -> None:
    if not allowed:
        raise Refused(f"It is {seen.status}.", task_id=seen.task_id, found=seen.status, wanted=wanted)


def _write(
    db: Database,
    seen: _Seen,
    to: Status,
    events: Iterable[tuple[str, object]],
    *,
    now_ms: int,
    error: tuple[str | None, str | None] = (None, None),
    response: str | None = None,
) -> Written:
    at = max(now_ms, seen.updated_at)
    conn = db.conn
    conn.execute("BEGIN IMMEDIATE")
    try:
        ((last,),) = conn.execute("SELECT max(seq) FROM task_events WHERE task_id = ?", (seen.task_id,)).fetchall()
        seqs = []
        for seq, (event_type, data) in enumerate(events, start=(last or 0) + 1):
            conn.execute(
                """
                INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (seen.task_id, seq, str(event_type), to.value, seen.attempt, at, to_json(data, "The data")),
            )
            seqs.append(seq)
        conn.execute(
            """
            UPDATE tasks SET status = ?, last_seq = ?, started_at = coalesce(started_at, ?), finished_at = ?,
                             error_code = ?, error_message = ?, updated_at = ?
            WHERE id = ?""",
            (to.value, seqs[-1], at, at if to in FINAL else None, *error, at, seen.task_id),
        )
        if response is not None:
            conn.execute(
                """
                INSERT OR IGNORE INTO responses (id, task_id, client_id, model_id, status, body, created_at)
                SELECT 'resp_' || id, id, client_id, model_id, ?, ?, ? FROM tasks WHERE id = ?""",
                (to.value, response, at, seen.task_id),
            )
        conn.execute("COMMIT")
    except BaseException:
        conn.execute("ROLLBACK")
        raise
    return Written(seen.task_id, tuple(seqs), to, seen.attempt)


def start_task(db: Database, task_id: str, *, status: str, attempt: int, now_ms: int, warm: bool = False) -> Written:
    """Claim a task, or say that it runs."""
    to = Status(status)
    seen = _look(db, task_id, to, attempt)
    _check(
        seen, wanted=to, allowed=may_move(seen.status, to) and (to == "loading" or warm == (seen.status == "queued"))
    )
    return _write(db, seen, to, [(event_of_move(to), {})], now_ms=now_ms)


def claim_next_task(db: Database, *, now_ms: int, warm: bool = False) -> TaskRow | None:
    """Claim the task that has been queued longest."""
    task = store.next_queued_task(db)
    if task is None:
        return None
    to = Status.RUNNING if warm else Status.LOADING
    seen = _look(db, task.id, to)
    if seen.status is not Status.QUEUED:
        return None
    written = _write(db, seen, to, [(event_of_move(to), {})], now_ms=now_ms)
    return replace(task, status=to.value, last_seq=written.seqs[-1])


def append_events(
    db: Database, task_id: str, events: Iterable[tuple[str, object]], *, attempt: int, now_ms: int
) -> Written:
    """Append progress."""
    seen = _look(db, task_id, "progress", attempt)
    _check(seen, wanted="progress", allowed=seen.status in ("loading", "running", "cancelling"))
    return _write(db, seen, seen.status, events, now_ms=now_ms)


def complete_task(
    db: Database,
    task_id: str,
    response: Mapping[str, object],
    *,
    attempt: int,
    now_ms: int,
    keep_response_ms: int | None = None,  # noqa: ARG001  kept for ever here
) -> Written:
    """Complete a task."""
    to = Status.COMPLETED
    seen = _look(db, task_id, to, attempt)
    _check(seen, wanted=to, allowed=may_move(seen.status, to))
    return _write(db, seen, to, [(event_of_move(to), {})], now_ms=now_ms, response=to_json(response, "The response"))


def fail_task(db: Database, task_id: str, *, code: str, message: str, attempt: int, now_ms: int) -> Written:
    """End a task as failed, or as cancelled where it was being cancelled."""
    seen = _look(db, task_id, Status.FAILED, attempt)
    to = Status.CANCELLED if seen.status is Status.CANCELLING else Status.FAILED
    _check(seen, wanted=to, allowed=may_move(seen.status, to))
    error = (code, message) if to is Status.FAILED else (None, None)
    return _write(db, seen, to, [(event_of_move(to), {})], now_ms=now_ms, error=error)


def finish_cancel(db: Database, task_id: str, *, attempt: int, now_ms: int) -> Written:
    """Say that the worker has stopped."""
    to = Status.CANCELLED
    seen = _look(db, task_id, to, attempt)
    _check(seen, wanted=to, allowed=seen.status is Status.CANCELLING)
    return _write(db, seen, to, [(event_of_move(to), {})], now_ms=now_ms)


def cancel_task(db: Database, task_id: str, *, now_ms: int) -> CancelResult:
    """Ask a task to stop."""
    try:
        seen = _look(db, task_id, Status.CANCELLED)
    except Refused:
        return CancelResult(task_id, CancelOutcome.NOT_FOUND, None, None)
    outcome, to = cancel_target(seen.status)
    if to is None:
        return CancelResult(task_id, outcome, seen.status, 1)
    written = _write(db, seen, to, [(event_of_move(to), {})], now_ms=now_ms)
    return CancelResult(task_id, outcome, to, written.seqs[-1])
