"""What a service reads to answer its clients. Nothing here takes a lock that a writer waits for."""

from typing import Any

from sqlite_utils import Database

from inspector.layout.rows import EventRow, ResponseRow, StoredText, TaskRow
from inspector.store.arguments import LARGEST, require_moment, require_text, require_whole
from inspector.store.errors import Refused
from inspector.store.stored_json import from_json
from inspector.store.tasks import TASK_COLUMNS
from inspector.store.writing import reading


def _rows(db: Database, sql: str, task_id: str, *parameters: int) -> list[Any]:
    require_text("task_id", task_id)
    try:
        with reading(db) as conn:
            return conn.execute(sql, (task_id, *parameters)).fetchall()
    except Refused as error:
        if not isinstance(error.__cause__, UnicodeEncodeError):
            raise
        # A text that has no UTF-8 is the id of no task.
        return []


def find_task(db: Database, task_id: str) -> TaskRow | None:
    """Return the task as it is now, or None where there is none of this id (any more)."""
    rows = _rows(db, f"SELECT {TASK_COLUMNS} FROM tasks WHERE id = ?", task_id)  # noqa: S608  names of ours
    return TaskRow(*rows[0]) if rows else None


def task_request(db: Database, task_id: str) -> object:
    """Return the request that the task was accepted with: what its worker works on.

    Raises Refused where there is no such task, and Unusable where what is stored is no JSON.
    """
    require_text("task_id", task_id)
    with reading(db) as conn:
        rows = conn.execute("SELECT request FROM tasks WHERE id = ?", (task_id,)).fetchall()
    if not rows:
        raise Refused(f"There is no task {task_id}: it has no request.", task_id=task_id)
    return from_json(rows[0][0], f"The request of task {task_id}")


def task_events(db: Database, task_id: str, *, after_seq: int = 0, limit: int = 1000) -> tuple[EventRow, ...]:
    """Return the events of a task above ``after_seq``, in order and with their whole data, at most ``limit`` of them.

    Where there are none, or no such task, it is empty; a task's final event is its last. So a client that has lost its
    stream goes on from the last sequence number that it saw. Raises Refused for a limit below 1.
    """
    require_whole("after_seq", after_seq, least=-LARGEST)
    require_whole("limit", limit, least=1)
    rows = _rows(
        db,
        """
        SELECT id, task_id, seq, type, status, attempt, created_at, data
        FROM task_events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?""",
        task_id,
        after_seq,
        limit,
    )
    return tuple(_event(*row) for row in rows)


def _event(
    event_id: int, task_id: str, seq: int, event_type: str, status: str, attempt: int, created_at: int, data: str
) -> EventRow:
    return EventRow(event_id, task_id, seq, event_type, status, attempt, created_at, data, len(data))


def stored_response(db: Database, task_id: str, *, now_ms: int) -> ResponseRow | None:
    """Return the response that was stored with the task's completion, its body whole.

    None where the task has none, and from the moment on at which it expires, whether cleanup has come by or not.
    """
    require_moment(now_ms)
    rows = _rows(
        db,
        """
        SELECT id, task_id, client_id, model_id, status, created_at, expires_at, body
        FROM responses WHERE task_id = ? AND (expires_at IS NULL OR expires_at > ?)""",
        task_id,
        now_ms,
    )
    if not rows:
        return None
    ((response_id, owner_id, client_id, model_id, status, created_at, expires_at, body),) = rows
    return ResponseRow(
        id=response_id,
        task_id=owner_id,
        client_id=client_id,
        model_id=model_id,
        status=status,
        body=StoredText(body, len(body)),
        created_at=created_at,
        expires_at=expires_at,
    )
