"""Cancelling a task (section 11.2: the cancel transition is atomic, so that a cancelled task is never completed)."""

import os
import sqlite3

from sqlite_utils import Database

from inspector.lmsp.cancelling import CancelOutcome, CancelResult, cancel_target
from inspector.lmsp.events import event_of_move
from inspector.lmsp.statuses import FINAL, Status, known_status
from inspector.store.arguments import LARGEST, require_database, require_moment, require_text, require_whole
from inspector.store.connecting import close_unwritten, has_waiting_wal, open_for_action
from inspector.store.errors import Busy, NotOurs, Refused
from inspector.store.paths import path_of
from inspector.store.tasks import Found, insert_events, log_end, require_one
from inspector.store.writing import write_transaction


def cancel_task(db: Database, task_id: str, *, now_ms: int) -> CancelResult:
    """Ask task ``task_id`` to stop, and write the transition and its event together.

    A task that has ended is left alone: whoever committed first has won. Asking twice is safe, and the second ask adds
    no event. A database that another process holds is an outcome too (``busy``), and then nothing was changed.
    """
    require_text("task_id", task_id)
    require_moment(now_ms)
    require_database(db)
    try:
        with write_transaction(db) as conn:
            return _cancel(conn, task_id, now_ms)
    except Busy as error:
        return CancelResult(task_id, CancelOutcome.BUSY, None, None, error.sentence)
    except Refused:
        # An id that is no text at all (from a command line in another encoding) is the id of no task.
        return CancelResult(task_id, CancelOutcome.NOT_FOUND, None, None)


def cancel_in_file(path: str | os.PathLike[str], task_id: str, *, now_ms: int, wait_ms: int = 5000) -> CancelResult:
    """Cancel one task in an existing database, on a connection that is opened for it and closed again.

    ``busy`` where another process holds the file for longer than ``wait_ms``; ``refused`` where nothing may be written
    to it (another layout, a newer version, triggers of others). Raises Unusable where there is no such file, or it
    cannot be read or written at all.
    """
    file = path_of(path)
    require_text("task_id", task_id)
    require_moment(now_ms)
    require_whole("wait_ms", wait_ms, least=-LARGEST)
    was_left_open = has_waiting_wal(file)
    try:
        db = open_for_action(file, wait_ms=wait_ms)
    except Busy as error:
        return CancelResult(task_id, CancelOutcome.BUSY, None, None, error.sentence)
    except NotOurs as error:
        return CancelResult(task_id, CancelOutcome.REFUSED, None, None, error.sentence)
    wrote = True
    try:
        result = cancel_task(db, task_id, now_ms=now_ms)
        wrote = result.outcome in (CancelOutcome.CANCELLED, CancelOutcome.CANCELLING)
        return result
    finally:
        if was_left_open and not wrote:
            close_unwritten(db, file, wait_ms=wait_ms)
        else:
            db.close()


def _cancel(conn: sqlite3.Connection, task_id: str, now_ms: int) -> CancelResult:
    rows = conn.execute("SELECT status, last_seq, attempt, updated_at FROM tasks WHERE id = ?", (task_id,)).fetchall()
    if not rows:
        return CancelResult(task_id, CancelOutcome.NOT_FOUND, None, None)
    text, last_seq, attempt, updated_at = rows[0]
    status = known_status(text)
    if status is None:
        reason = "The task's status is none of the seven: it is left alone."
        return CancelResult(task_id, CancelOutcome.REFUSED, text, None, reason)
    outcome, to = cancel_target(status)
    if to is None:
        return CancelResult(task_id, outcome, status, _seq_of(conn, task_id, status))
    log_seq, log_ended = log_end(conn, task_id)
    if log_ended or log_seq + 1 < last_seq:
        reason = "Its event log does not fit its row: nothing was written."
        return CancelResult(task_id, CancelOutcome.REFUSED, status, None, reason)
    # From the log's own end: an event that somebody wrote without moving the task is not to make it unstoppable.
    found = Found(task_id, status, log_seq, attempt, updated_at)
    at = found.at(now_ms)
    seqs = insert_events(conn, found, [(event_of_move(to), "{}")], status=to, attempt=attempt, at=at)
    require_one(
        conn.execute(
            """
            UPDATE tasks SET status = ?, last_seq = ?, finished_at = ?, updated_at = ?
            WHERE id = ? AND status = ? AND attempt = ?""",
            (str(to), seqs[-1], at if to in FINAL else None, at, task_id, str(status), attempt),
        )
    )
    return CancelResult(task_id, outcome, to, seqs[-1])


def _seq_of(conn: sqlite3.Connection, task_id: str, status: Status) -> int | None:
    """Return the event that brought the task into ``status``: progress may have followed it."""
    rows = conn.execute(
        "SELECT seq FROM task_events WHERE task_id = ? AND type = ? ORDER BY seq DESC LIMIT 1",
        (task_id, event_of_move(status)),
    ).fetchall()
    return rows[0][0] if rows else None
