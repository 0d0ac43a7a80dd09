"""Recovery at startup (section 11.3): the plan is the preview, and what is applied is the plan."""

import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from sqlite_utils import Database

from inspector.lmsp import recovery as rules
from inspector.lmsp.events import EventType
from inspector.lmsp.recovery import Leftover, RecoveryPlan, RecoveryStep
from inspector.lmsp.statuses import FINAL, Status
from inspector.store.arguments import require_kind, require_moment
from inspector.store.config import read_config, write_config
from inspector.store.errors import Unusable, damaged
from inspector.store.stored_json import from_json, to_json
from inspector.store.tasks import Found, insert_events, require_one
from inspector.store.writing import reading, require_no_group, write_transaction

BATCH_TASKS: Final = 500
"""The most tasks in one transaction: others that write wait no longer than one batch takes."""

STARTS_KEY: Final = "service.starts"
STARTS_KEPT: Final = 100


@dataclass(frozen=True, slots=True)
class Resumed:
    """A task that is running again: the service continues it from the snapshot, under the attempt."""

    task_id: str
    attempt: int
    snapshot: object
    """The snapshot's value, or None where none was saved, or what was saved is no JSON."""
    snapshot_seq: int | None
    """The last event that the snapshot covers."""


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """What recovery really did."""

    applied: RecoveryPlan
    """One step for each task that was handled, also one that stayed as it was, in the order in which it was done."""
    resumed: tuple[Resumed, ...]


def plan_recovery(db: Database) -> RecoveryPlan:
    """Return what recovery would do to each task that is not in a final status, oldest first. Nothing is written."""
    with reading(db) as conn:
        return _plan(conn)


def apply_recovery(db: Database, plan: RecoveryPlan, *, now_ms: int) -> RecoveryResult:
    """Apply the plan, and plan again for what moved or appeared meanwhile, until each leftover task was handled once.

    At most 500 tasks share a transaction, and each is compared with its step before it is written: a crash halfway
    leaves each task wholly moved or not at all, and running it again gives the same end. The last transaction adds the
    moment and the counts to ``service.starts``, also where there was nothing to do. Call it before workers start: a
    task that one of them has claimed meanwhile, and that was not handled yet, counts as left over. Raises Unusable
    where the database is damaged so that a task is in one of its indexes and not in another.
    """
    require_no_group(db)
    require_kind("plan", plan, RecoveryPlan, "a plan, as plan_recovery returns it")
    require_moment(now_ms)
    steps = plan.steps
    handled: set[str] = set()
    applied: list[RecoveryStep] = []
    resumed: list[Resumed] = []
    while True:
        with write_transaction(db) as conn:
            batch, steps = steps[:BATCH_TASKS], steps[BATCH_TASKS:]
            for step in batch:
                if step.task_id not in handled and _apply(conn, step, resumed, now_ms=now_ms):
                    handled.add(step.task_id)
                    applied.append(step)
            if not steps:
                # Under the lock: a task that appears from now on belongs to the service that has started.
                steps = tuple(step for step in _plan(conn).steps if step.task_id not in handled)
                if not set(batch).isdisjoint(steps):
                    # In one and the same moment a task is to be planned for and is not to be found: by another index.
                    raise damaged()
            if not steps:
                result = RecoveryResult(RecoveryPlan(tuple(applied)), tuple(resumed))
                _note_start(conn, result.applied, now_ms=now_ms)
                return result


def _plan(conn: sqlite3.Connection) -> RecoveryPlan:
    # Four ranges that leave out the three final statuses, so that an index finds also a status that is none of the
    # seven without a walk over all that has ever finished.
    rows = conn.execute("""
        SELECT id, status, on_restart, attempt, last_seq, snapshot_seq,
               coalesce((SELECT max(seq) FROM task_events WHERE task_id = tasks.id), 0),
               (SELECT status FROM task_events WHERE task_id = tasks.id ORDER BY seq DESC LIMIT 1)
        FROM tasks
        WHERE status < 'cancelled'
           OR status > 'cancelled' AND status < 'completed'
           OR status > 'completed' AND status < 'failed'
           OR status > 'failed'
        ORDER BY +created_at, id""").fetchall()
    return rules.plan_recovery(_leftover(row) for row in rows)


def _leftover(row: tuple[Any, ...]) -> Leftover:
    """Return a leftover task from its columns, its log's end and the status of its log's last event."""
    task_id, status, on_restart, attempt, last_seq, snapshot_seq, log_seq, log_status = row
    return Leftover(task_id, status, on_restart, attempt, last_seq, snapshot_seq, log_seq, log_status in FINAL)


def _apply(conn: sqlite3.Connection, step: RecoveryStep, resumed: list[Resumed], *, now_ms: int) -> bool:
    """Carry out one step, if its task is still as it was planned for; say whether it was."""
    rows = conn.execute(
        """
        SELECT id, status, on_restart, attempt, last_seq, snapshot_seq,
               coalesce((SELECT max(seq) FROM task_events WHERE task_id = tasks.id), 0),
               (SELECT status FROM task_events WHERE task_id = tasks.id ORDER BY seq DESC LIMIT 1),
               updated_at, snapshot
        FROM tasks WHERE id = ?""",
        (step.task_id,),
    ).fetchall()
    if not rows:
        return False
    *leftover, updated_at, snapshot = rows[0]
    if rules.plan_step(_leftover(tuple(leftover))) != step:
        return False
    if step.event is None:
        return True
    _move(conn, step, step.event, Status(step.target), at=max(now_ms, updated_at))
    if step.event is EventType.RESUMED:
        resumed.append(Resumed(step.task_id, step.next_attempt, _value(snapshot), step.snapshot_seq))
    return True


def _value(snapshot: str | None) -> object:
    try:
        return None if snapshot is None else from_json(snapshot, "The snapshot")
    except Unusable:
        # The task begins anew; the others are not to wait for it.
        return None


def _move(conn: sqlite3.Connection, step: RecoveryStep, event: EventType, to: Status, *, at: int) -> None:
    found = Found(step.task_id, Status(step.found), step.log_seq, step.attempt, at)
    data = to_json(step.event_data(), "The data of the event")
    seqs = insert_events(conn, found, [(event, data)], status=to, attempt=step.next_attempt, at=at)
    require_one(
        conn.execute(
            """
            UPDATE tasks
            SET status = :to, last_seq = :seq, attempt = :next_attempt, error_code = :code, error_message = :message,
                started_at = iif(:to = 'queued', NULL, started_at), finished_at = :finished_at, updated_at = :at
            WHERE id = :id AND status = :found AND attempt = :attempt""",
            {
                "to": to,
                "seq": seqs[-1],
                "next_attempt": step.next_attempt,
                "code": step.error_code,
                "message": None if step.error_code is None else rules.SERVER_RESTARTED_MESSAGE,
                "finished_at": at if to in FINAL else None,
                "at": at,
                "id": step.task_id,
                "found": step.found,
                "attempt": step.attempt,
            },
        )
    )


def _note_start(conn: sqlite3.Connection, applied: RecoveryPlan, *, now_ms: int) -> None:
    """Add this start to those that the database remembers: a restart shows also where it had nothing to recover."""
    try:
        stored = read_config(conn, STARTS_KEY)
    except Unusable:
        # What somebody else has put there stops no service from starting.
        stored = None
    starts = stored if isinstance(stored, list) else []
    starts = [*starts, {"at": now_ms, "counts": applied.counts()}][-STARTS_KEPT:]
    write_config(conn, STARTS_KEY, starts, now_ms=now_ms)
