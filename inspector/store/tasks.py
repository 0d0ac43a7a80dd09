"""Tasks as the rules find and move them: one read, one event first, one guarded update."""

import sqlite3
from collections.abc import Iterable
from typing import Final, NamedTuple

from sqlite_utils import Database

from inspector.layout.rows import TaskRow
from inspector.lmsp.statuses import FINAL, Status, known_status, may_move
from inspector.store.errors import Refused, Unusable
from inspector.store.writing import reading

TASK_COLUMNS: Final = """
    id, client_id, model_id, kind, status, on_restart, snapshot_seq, last_seq, attempt, error_code,
    created_at, started_at, finished_at, updated_at"""
"""The columns of a :class:`TaskRow`, in its order."""


class Written(NamedTuple):
    """What one call wrote."""

    task_id: str
    seqs: tuple[int, ...]
    """The sequence numbers of the events that were written, rising; empty where none was."""
    status: Status
    """The task's status afterwards. A worker that sees ``cancelling`` here stops and calls ``finish_cancel``."""
    attempt: int


class Found(NamedTuple):
    """A task as a rule found it, under the write lock. A named tuple, for it is made at every write."""

    task_id: str
    status: Status
    last_seq: int
    attempt: int
    updated_at: int

    def at(self, now_ms: int) -> int:
        """Return the moment to write: ``now_ms``, but never before the task's last change. Clocks step back."""
        return max(now_ms, self.updated_at)


def next_queued_task(db: Database) -> TaskRow | None:
    """Return the task that has been queued longest, by creation time and id, or None.

    Nothing is claimed by this: ``start_task`` is the claim, and of two workers that ask for the same task it refuses
    one. A task whose log does not let it start (somebody else wrote to it: it ends before the task's row, or with an
    end or a cancel) is passed over, as ``claim_next_task`` does: it is not to stop those behind it.
    """
    with reading(db) as conn:
        return oldest_queued(conn)


def oldest_queued(conn: sqlite3.Connection) -> TaskRow | None:
    """Return the task that has been queued longest and can be started, or None."""
    rows = conn.execute(f"""
        SELECT {TASK_COLUMNS}
        FROM tasks
        WHERE status = 'queued'
              AND (SELECT seq >= tasks.last_seq AND (status = 'queued' OR status = 'loading' OR status = 'running')
                   FROM task_events WHERE task_id = tasks.id ORDER BY seq DESC LIMIT 1)
        ORDER BY created_at, id LIMIT 1""").fetchall()  # noqa: S608  names of ours
    return TaskRow(*rows[0]) if rows else None


def find_for_worker(conn: sqlite3.Connection, task_id: str, attempt: int, wanted: str) -> Found:
    """Return the task for a write of the worker that has this attempt.

    Raises Refused where there is no such task, its status is none of the seven, or its attempt is another one: a worker
    that outlived a restart finishes nothing (design: attempts are a fence).
    """
    rows = conn.execute("SELECT status, last_seq, attempt, updated_at FROM tasks WHERE id = ?", (task_id,)).fetchall()
    if not rows:
        raise Refused(f"There is no task {task_id}: nothing was changed.", task_id=task_id, wanted=wanted)
    text, last_seq, current, updated_at = rows[0]
    status = known_status(text)
    if status is None:
        raise refusal(task_id, text, wanted, "its status is none of the seven that LMSP knows")
    if attempt != current:
        raise refusal(
            task_id,
            status,
            wanted,
            f"attempt {attempt} does not hold it, it is at attempt {current} and its worker is another",
        )
    return Found(task_id, status, last_seq, current, updated_at)


def refusal(task_id: str, found: str, wanted: str, reason: str) -> Refused:
    """Return the error that says why the task is not moved, or takes no ``progress`` and no ``snapshot``."""
    what = _TAKEN.get(wanted, f"become {wanted}")
    sentence = f"Task {task_id} is {found} and cannot {what}: {reason}."
    return Refused(sentence, task_id=task_id, found=found, wanted=wanted)


_TAKEN: Final = {"progress": "take events of progress", "snapshot": "take a snapshot"}


def check_move(found: Found, to: Status) -> None:
    """Raise Refused where a task in this status may not be moved to ``to``."""
    if not may_move(found.status, to):
        onwards = [status for status in Status if may_move(found.status, status)]
        reason = f"from there a task becomes {' or '.join(onwards)}" if onwards else "it has ended, and stays so"
        if onwards and found.status is to:
            reason = "it is that already, by another worker or another call"
        raise refusal(found.task_id, found.status, to, reason)


_INSERT_EVENT: Final = (
    "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def insert_events(
    conn: sqlite3.Connection, found: Found, events: Iterable[tuple[str, str]], *, status: Status, attempt: int, at: int
) -> tuple[int, ...]:
    """Insert events (type and JSON text) after the task's last one, and return their sequence numbers.

    They come before the task's own update, which the layout takes only when its event is there. Where somebody else
    wrote an event and did not move the task, they follow that one: it is not to keep the task from going on.
    """
    task_id, first, held = found.task_id, found.last_seq + 1, str(status)
    # Plain text: sqlite3 looks for an adapter of every other kind of str, at more than the price of the parameter.
    rows: list[tuple[object, ...]] = [
        (task_id, seq, str(event_type), held, attempt, at, data)
        for seq, (event_type, data) in enumerate(events, start=first)
    ]
    try:
        conn.executemany(_INSERT_EVENT, rows)
    except sqlite3.IntegrityError:
        # Asked only now: the log and the row of a task that nobody else wrote to end alike.
        first = log_end(conn, task_id)[0] + 1
        if first <= found.last_seq + 1:
            raise
        conn.executemany(_INSERT_EVENT, [(row[0], seq, *row[2:]) for seq, row in enumerate(rows, start=first)])
    return tuple(range(first, first + len(rows)))


def log_end(conn: sqlite3.Connection, task_id: str) -> tuple[int, bool]:
    """Return the last sequence number in a task's log (0 for none), and whether a final event stands there."""
    rows = conn.execute(
        "SELECT seq, status FROM task_events WHERE task_id = ? ORDER BY seq DESC LIMIT 1", (task_id,)
    ).fetchall()
    return (rows[0][0], rows[0][1] in FINAL) if rows else (0, False)


def require_one(cursor: sqlite3.Cursor) -> None:
    """Raise Unusable where the guarded update did not change exactly the task that was found under the lock."""
    if cursor.rowcount != 1:
        raise Unusable("The task was changed while its lock was held: nothing was changed here.")
