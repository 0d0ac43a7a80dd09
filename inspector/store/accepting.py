"""Accepting a task (section 11.2: a task is persisted before it is answered with 202), once for each key."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from inspector.layout.rows import TaskRow
from inspector.lmsp.events import EventType
from inspector.lmsp.recovery import Policy
from inspector.lmsp.statuses import Status
from inspector.store.arguments import (
    require_filled_or_none,
    require_moment,
    require_text,
    require_text_or_none,
    require_time_to_keep,
    wrong,
)
from inspector.store.errors import Refused
from inspector.store.idempotency import first_answer, keep_answer, key_of
from inspector.store.stored_json import object_to_json
from inspector.store.writing import write_transaction

_POLICIES: Final = tuple(Policy)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A task that is durable: now it may be answered with 202."""

    task: TaskRow
    """The task as it was accepted: queued, at attempt 1, with its first event. Where it stands is ``find_task``."""
    replayed: bool
    """Whether the same request came before with the same idempotency key; then this is the first answer again."""


def accept_task(
    db: Database,
    *,
    request: Mapping[str, object],
    on_restart: str | None,
    now_ms: int,
    kind: str = "response",
    client_id: str | None = None,
    model_id: str | None = None,
    task_id: str | None = None,
    idempotency_key: str | None = None,
    keep_key_ms: int | None = None,
) -> Accepted:
    """Store a new task as ``queued``, at attempt 1, with its first event; it is durable when this returns.

    ``task_id`` is made up where none is given. ``on_restart`` None stores no policy, which recovery takes as fail, with
    a warning. Raises Refused for a policy that is none of fail, retry and resume, for a request that is no JSON object,
    for an id that is taken or empty, and for an empty ``client_id`` (a task of no client has None).

    An ``idempotency_key`` belongs to the client, and is stored with the task. The same request under it gives the first
    answer again, whatever ``task_id`` says and wherever the task stands now, and writes nothing; another request, kind,
    model or policy is Refused, naming the first task. A key is kept ``keep_key_ms`` milliseconds, or as long as its
    task where that is None; then it is free for a new task. An empty key is Refused, and a time that is no whole
    number above 0.
    """
    if on_restart is not None and on_restart not in _POLICIES:
        raise wrong("on_restart", f"{', '.join(Policy)} or None", on_restart, is_word=True)
    require_moment(now_ms)
    require_text("kind", kind)
    require_filled_or_none("task_id", task_id)
    # An empty one would be, under its keys, the same as no client.
    require_filled_or_none("client_id", client_id)
    require_text_or_none("model_id", model_id)
    require_filled_or_none("idempotency_key", idempotency_key)
    require_time_to_keep("keep_key_ms", keep_key_ms)
    body = object_to_json(request, "request")
    key = (
        None
        if idempotency_key is None
        else key_of(idempotency_key, client_id=client_id, request=request, keep_key_ms=keep_key_ms, now_ms=now_ms)
    )
    new_id = _id_of_moment(now_ms) if task_id is None else task_id
    task = TaskRow(
        id=new_id,
        client_id=client_id,
        model_id=model_id,
        kind=kind,
        status=Status.QUEUED.value,
        on_restart=None if on_restart is None else str(on_restart),
        snapshot_seq=None,
        last_seq=1,
        attempt=1,
        error_code=None,
        created_at=now_ms,
        started_at=None,
        finished_at=None,
        updated_at=now_ms,
    )
    with write_transaction(db) as conn:
        if key is not None and (first := first_answer(conn, key, task, now_ms=now_ms)) is not None:
            return Accepted(first, replayed=True)
        taken = conn.execute("SELECT status FROM tasks WHERE id = ?", (new_id,)).fetchall()
        if taken:
            raise Refused(f"There is a task {new_id} already.", task_id=new_id, found=taken[0][0], wanted=Status.QUEUED)
        conn.execute(
            """
            INSERT INTO tasks (id, client_id, model_id, kind, status, on_restart, last_seq, attempt,
                               created_at, updated_at, request)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                task.id,
                task.client_id,
                task.model_id,
                task.kind,
                task.status,
                task.on_restart,
                task.last_seq,
                task.attempt,
                now_ms,
                now_ms,
                body,
            ),
        )
        conn.execute(
            """
            INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
            VALUES (?, 1, ?, ?, 1, ?, '{}')""",
            (new_id, EventType.CREATED.value, Status.QUEUED.value, now_ms),
        )
        if key is not None:
            keep_answer(conn, key, task, now_ms=now_ms)
    return Accepted(task, replayed=False)


def _id_of_moment(now_ms: int) -> str:
    """Return an id that nobody else makes up, and that sorts by the moment: new tasks share the pages of an index."""
    return f"task_{now_ms & 0xFFFF_FFFF_FFFF:012x}{secrets.token_hex(10)}"
