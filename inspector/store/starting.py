"""Starting a task: the claim of a worker, and the move from loading to running."""

from typing import Literal

from sqlite_utils import Database

from inspector.lmsp.events import event_of_move
from inspector.lmsp.statuses import Status
from inspector.store.errors import Refused
from inspector.store.tasks import Written, check_move, find_for_worker, insert_events, refusal, require_one
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
    if status not in (Status.LOADING, Status.RUNNING):
        raise Refused(f"A worker starts a task as loading or running, not as {status}.", task_id=task_id, wanted=status)
    to = Status(status)
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, to)
        check_move(found, to)
        if to is Status.RUNNING and warm is not (found.status is Status.QUEUED):
            # A worker whose model is warm claims by this: a task that is loading has been claimed by another.
            reason = "another worker has claimed it" if warm else "only a worker whose model is warm skips the loading"
            raise refusal(task_id, found.status, to, reason)
        at = found.at(now_ms)
        seqs = insert_events(conn, found, [(event_of_move(to), "{}")], status=to, attempt=attempt, at=at)
        require_one(
            conn.execute(
                """
                UPDATE tasks
                SET status = ?, last_seq = ?, started_at = coalesce(started_at, ?), updated_at = ?
                WHERE id = ? AND status = ? AND attempt = ?""",
                (to, seqs[-1], at, at, task_id, found.status, attempt),
            )
        )
    return Written(task_id, seqs, to, attempt)
