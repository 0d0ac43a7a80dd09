"""Starting a task: the claim of a worker, and the move from loading to running."""

import sqlite3
from dataclasses import replace
from typing import Literal

from sqlite_utils import Database

from inspector.layout.rows import TaskRow
from inspector.lmsp.events import event_of_move
from inspector.lmsp.statuses import Status
from inspector.store.arguments import require_flag, require_moment, require_worker, wrong
from inspector.store.tasks import (
    Found,
    Written,
    check_move,
    find_for_worker,
    insert_events,
    oldest_queued,
    refusal,
    require_one,
)
from inspector.store.writing import write_transaction


def start_task(
    db: Database,
    task_id: str,
    *,
    status: Literal["loading", "running"],
    attempt: int,
    now_ms: int,
    warm: bool = False,
) -> Written:
    """Claim a queued task (``loading``), or say that a loading one runs (``running``), with its event.

    With ``warm=True`` (its model is in memory already) a queued task is claimed as ``running`` at once, and without it
    only a loading one runs. Of two workers that claim the same task one is Refused, as is one that has not the task's
    attempt. ``started_at`` is the moment of the claim.
    """
    require_worker(task_id, attempt, now_ms)
    require_flag("warm", warm)
    if status not in (Status.LOADING, Status.RUNNING):
        raise wrong("status", "loading or running", status, is_word=True)
    to = Status(status)
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, to)
        check_move(found, to)
        if to is Status.RUNNING and warm is not (found.status is Status.QUEUED):
            # A worker whose model is warm claims by this: a task that is loading has been claimed by another.
            reason = "another worker has claimed it" if warm else "only a worker whose model is warm skips the loading"
            raise refusal(task_id, found.status, to, reason)
        seqs = _start(conn, found, to, at=found.at(now_ms))
    return Written(task_id, seqs, to, attempt)


def claim_next_task(db: Database, *, now_ms: int, warm: bool = False) -> TaskRow | None:
    """Claim the task that has been queued longest, and return it as it is then; None where no task is queued.

    It is found and claimed in one transaction: of many workers that ask at once each gets a task of its own. The status
    is ``loading``, or ``running`` with ``warm=True`` (the model is in memory already). The task is the one that
    :func:`next_queued_task` tells.
    """
    require_moment(now_ms)
    require_flag("warm", warm)
    to = Status.RUNNING if warm else Status.LOADING
    with write_transaction(db) as conn:
        task = oldest_queued(conn)
        if task is None:
            return None
        found = find_for_worker(conn, task.id, task.attempt, to)
        at = found.at(now_ms)
        seqs = _start(conn, found, to, at=at)
    return replace(task, status=to.value, last_seq=seqs[-1], started_at=at, updated_at=at)


def _start(conn: sqlite3.Connection, found: Found, to: Status, *, at: int) -> tuple[int, ...]:
    seqs = insert_events(conn, found, [(event_of_move(to), "{}")], status=to, attempt=found.attempt, at=at)
    require_one(
        conn.execute(
            """
            UPDATE tasks
            SET status = ?, last_seq = ?, started_at = coalesce(started_at, ?), updated_at = ?
            WHERE id = ? AND status = ? AND attempt = ?""",
            (str(to), seqs[-1], at, at, found.task_id, str(found.status), found.attempt),
        )
    )
    return seqs
