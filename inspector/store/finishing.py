"""The ends of a task that its worker brings about: completed, failed, and stopped after a cancel."""

import sqlite3
from collections.abc import Mapping

from sqlite_utils import Database

from inspector.lmsp.events import event_of_move
from inspector.lmsp.statuses import Status
from inspector.store.arguments import (
    LARGEST,
    require_filled,
    require_filled_or_none,
    require_text,
    require_time_to_keep,
    require_worker,
)
from inspector.store.stored_json import object_to_json, to_json
from inspector.store.tasks import (
    Found,
    Written,
    check_move,
    find_for_worker,
    insert_events,
    refusal,
    require_one,
)
from inspector.store.writing import write_transaction


def complete_task(
    db: Database,
    task_id: str,
    response: Mapping[str, object],
    *,
    attempt: int,
    now_ms: int,
    response_id: str | None = None,
    keep_response_ms: int | None = None,
) -> Written:
    """Complete a running task and store its response, with its event, in one transaction.

    Refused where the task is being cancelled or has ended: whoever committed first has won (section 11.2). The id of
    the response is made from the task's where none is given; one that is taken is Refused. The response can be had for
    ``keep_response_ms`` milliseconds, or as long as its task where that is None; Refused is one that is no whole
    number above 0.
    """
    require_worker(task_id, attempt, now_ms)
    require_filled_or_none("response_id", response_id)
    require_time_to_keep("keep_response_ms", keep_response_ms)
    body = object_to_json(response, "response")
    new_id = f"resp_{task_id}" if response_id is None else response_id
    data = f'{{"response_id":{to_json(new_id, "The id of the response")}}}'
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, Status.COMPLETED)
        check_move(found, Status.COMPLETED)
        at = found.at(now_ms)
        written = _end(conn, found, Status.COMPLETED, data, at=at)
        expires_at = None if keep_response_ms is None else min(at + keep_response_ms, LARGEST)
        stored = conn.execute(
            """
            INSERT INTO responses (id, task_id, client_id, model_id, status, body, created_at, expires_at)
            SELECT ?, id, client_id, model_id, status, ?, ?, ? FROM tasks WHERE id = ?
            ON CONFLICT (id) DO NOTHING""",
            (new_id, body, at, expires_at, task_id),
        )
        if stored.rowcount != 1:
            raise refusal(task_id, found.status, Status.COMPLETED, f"there is a response {new_id} already")
    return written


def fail_task(db: Database, task_id: str, *, code: str, message: str, attempt: int, now_ms: int) -> Written:
    """End a task as ``failed`` with its error, or as ``cancelled`` where it was being cancelled.

    In the second case the error stands in the event's data alone, so that nothing is lost. Raises Refused for an empty
    code, and where the task has ended or has another attempt.
    """
    require_worker(task_id, attempt, now_ms)
    require_filled("code", code)
    require_text("message", message)
    # The name of a file in an error's text may hold lone surrogates: that must not keep the task from ending.
    code, message = (text.encode("utf-8", "backslashreplace").decode("utf-8") for text in (code, message))
    data = to_json({"error": {"code": code, "message": message}}, "The error")
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, Status.FAILED)
        if found.status is Status.CANCELLING:
            return _end(conn, found, Status.CANCELLED, data, at=found.at(now_ms))
        check_move(found, Status.FAILED)
        return _end(conn, found, Status.FAILED, data, at=found.at(now_ms), code=code, message=message)


def finish_cancel(db: Database, task_id: str, *, attempt: int, now_ms: int) -> Written:
    """Say that the worker has stopped: the task that was being cancelled is ``cancelled``.

    Raises Refused in any other status; a queued task is cancelled by ``cancel_task`` alone.
    """
    require_worker(task_id, attempt, now_ms)
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, Status.CANCELLED)
        if found.status is not Status.CANCELLING:
            raise refusal(
                task_id,
                found.status,
                Status.CANCELLED,
                "only one that is being cancelled ends so, and cancel_task asks for it",
            )
        return _end(conn, found, Status.CANCELLED, "{}", at=found.at(now_ms))


def _end(
    conn: sqlite3.Connection,
    found: Found,
    to: Status,
    data: str,
    *,
    at: int,
    code: str | None = None,
    message: str | None = None,
) -> Written:
    seqs = insert_events(conn, found, [(event_of_move(to), data)], status=to, attempt=found.attempt, at=at)
    require_one(
        conn.execute(
            """
            UPDATE tasks
            SET status = ?, last_seq = ?, error_code = ?, error_message = ?, finished_at = ?, updated_at = ?
            WHERE id = ? AND status = ? AND attempt = ?""",
            (str(to), seqs[-1], code, message, at, at, found.task_id, str(found.status), found.attempt),
        )
    )
    return Written(found.task_id, seqs, to, found.attempt)
