"""Idempotency keys: a request that is sent twice under one key is accepted once, and answered the same both times."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from inspector.layout.rows import TaskRow
from inspector.lmsp.digests import request_digest
from inspector.lmsp.statuses import Status
from inspector.store.arguments import LARGEST
from inspector.store.errors import Refused, Unusable
from inspector.store.stored_json import from_json, to_json

_ACCEPTED: Final = 202


@dataclass(frozen=True, slots=True)
class Key:
    """The key that a request comes with. It belongs to a client: another client's key of the same name is another."""

    client_id: str
    """Empty where the request names no client."""
    key: str
    request_digest: str
    expires_at: int | None
    """From this moment on the key is free again; None keeps it as long as its task."""


def key_of(
    key: str, *, client_id: str | None, request: Mapping[str, object], keep_key_ms: int | None, now_ms: int
) -> Key:
    """Return the key that a request comes with. Raises Refused for a request that is no JSON."""
    try:
        digest = request_digest(request)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(
            f"request cannot be put in one order, as an idempotency key needs it: {error}; nothing was changed.",
            wanted=Status.QUEUED,
        ) from error
    return Key(client_id or "", key, digest, None if keep_key_ms is None else min(now_ms + keep_key_ms, LARGEST))


def first_answer(conn: sqlite3.Connection, key: Key, asked: TaskRow, *, now_ms: int) -> TaskRow | None:
    """Return the task that was accepted with this key, as it was answered then, or None where the key is free.

    A key that has expired, or whose task is gone, is deleted: it is free. Raises Refused where the key came with
    another request, or the task was of another kind, model or policy.
    """
    rows = conn.execute(
        """
        SELECT k.request_digest, k.result, k.expires_at,
               t.id, t.client_id, t.model_id, t.kind, t.on_restart, t.created_at, t.status
        FROM idempotency_keys AS k LEFT JOIN tasks AS t ON t.id = k.task_id
        WHERE k.client_id = ? AND k.key = ?""",
        (key.client_id, key.key),
    ).fetchall()
    if not rows:
        return None
    digest, result, expires_at, task_id, client_id, model_id, kind, on_restart, created_at, found = rows[0]
    if task_id is None or (expires_at is not None and expires_at <= now_ms):
        conn.execute("DELETE FROM idempotency_keys WHERE client_id = ? AND key = ?", (key.client_id, key.key))
        return None
    others = [
        what
        for what, was, now in (
            ("request", digest, key.request_digest),
            ("kind", kind, asked.kind),
            ("model", model_id, asked.model_id),
            ("policy", on_restart, asked.on_restart),
        )
        if was != now
    ]
    if others:
        # The key itself stays unsaid: it is the client's own.
        raise Refused(
            f"Task {task_id} was accepted with this idempotency key, for another {' and another '.join(others)}.",
            task_id=task_id,
            found=found,
            wanted=Status.QUEUED,
        )
    status, attempt, last_seq = _answered(result)
    return replace(
        asked,
        id=task_id,
        client_id=client_id,
        status=status,
        attempt=attempt,
        last_seq=last_seq,
        created_at=created_at,
        updated_at=created_at,
    )


def keep_answer(conn: sqlite3.Connection, key: Key, task: TaskRow, *, now_ms: int) -> None:
    """Store the answer to the request that came with this key, in the transaction that accepts its task.

    It holds what the task's row does not keep for ever; the rest of the first answer is read from the row.
    """
    result = {"task_id": task.id, "status": task.status, "attempt": task.attempt, "last_seq": task.last_seq}
    conn.execute(
        """
        INSERT INTO idempotency_keys (client_id, key, request_digest, task_id, status_code, result,
                                      created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            key.client_id,
            key.key,
            key.request_digest,
            task.id,
            _ACCEPTED,
            to_json(result, "The answer to the request"),
            now_ms,
            key.expires_at,
        ),
    )


def _answered(result: str) -> tuple[str, int, int]:
    match from_json(result, "The first answer to the request"):
        case {"status": str(status), "attempt": int(attempt), "last_seq": int(last_seq)}:
            return status, attempt, last_seq
    raise Unusable("The first answer to the request is not as it was stored.")
