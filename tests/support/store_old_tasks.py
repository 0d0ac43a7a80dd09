"""Tasks that have ended at a given moment, each with all that can be its own, and databases for cleanup to find."""

import uuid

from sqlite_utils import Database

from tests.support.subject import store

NOW = 10_000
KEEP = 1_000
CUTOFF = NOW - KEEP
"""What finished before this moment goes."""

COUNTED = ("tasks", "events", "responses", "keys", "expired_responses", "expired_keys")


def ended(
    db: Database,
    task_id: str,
    *,
    at: int = CUTOFF - 1,
    status: str = "completed",
    events: int = 3,
    key_ends: int | None = None,
    response_ends: int | None = None,
) -> str:
    """Put in a task with an idempotency key and ``events`` of progress that ends at ``at``, and return its id.

    A completed one has a response. ``key_ends`` and ``response_ends`` are the moments at which those expire.
    """
    begin = at - 500
    store.accept_task(
        db,
        request={"prompt": task_id},
        on_restart="retry",
        task_id=task_id,
        client_id="client",
        idempotency_key=f"key of {task_id}",
        keep_key_ms=None if key_ends is None else key_ends - begin,
        now_ms=begin,
    )
    store.start_task(db, task_id, status="running", attempt=1, now_ms=begin + 1, warm=True)
    delta = ("response.output_text.delta", {"delta": "a"})
    store.append_events(db, task_id, [delta] * events, attempt=1, now_ms=begin + 2)
    if status == "completed":
        keep = None if response_ends is None else response_ends - at
        store.complete_task(db, task_id, {"text": "hi"}, attempt=1, now_ms=at, keep_response_ms=keep)
    elif status == "failed":
        store.fail_task(db, task_id, code="c", message="m", attempt=1, now_ms=at)
    else:
        store.cancel_task(db, task_id, now_ms=at - 1)
        store.finish_cancel(db, task_id, attempt=1, now_ms=at)
    return task_id


def leave_old(db: Database, number: int = 6) -> list[str]:
    """Put in old tasks, the one that finished first first, others that stay, and what has expired; return the old ones.

    Their order of ids is another one than that of their ends.
    """
    old = [
        ended(
            db,
            f"old{number - n}",
            at=CUTOFF - number + n,
            status=("completed", "failed", "cancelled")[n % 3],
            events=n,
        )
        for n in range(number)
    ]
    ended(db, "recent", at=CUTOFF)
    ended(db, "expired", at=CUTOFF + 1, key_ends=NOW, response_ends=NOW)
    ended(db, "expired later", at=CUTOFF + 1, key_ends=NOW + 1, response_ends=NOW + 1)
    store.accept_task(db, request={}, on_restart="retry", task_id="queued", idempotency_key="q", now_ms=1)
    store.accept_task(db, request={}, on_restart="retry", task_id="running", now_ms=2)
    store.start_task(db, "running", status="running", attempt=1, now_ms=3, warm=True)
    return old


def clean(db: Database) -> store.RetentionResult:
    """Run a whole cleanup without a pause."""
    plan = store.plan_retention(db, now_ms=NOW, keep_ms=KEEP)
    return store.apply_retention(db, plan, now_ms=NOW, pause=lambda _: None)


def leave_many_old(db: Database, number: int, *, events: int) -> None:
    """Put in many old tasks at once, eight at work at a time as in a service, each with a response and a key."""
    conn = db.conn
    named = {
        1: ("response.created", "queued"),
        2: ("response.in_progress", "running"),
        events: ("response.completed", "completed"),
    }
    data = '{"delta":"' + "x" * 80 + '"}'
    conn.execute("BEGIN")
    for start in range(0, number, 8):
        ids = [f"task_{uuid.uuid5(uuid.NAMESPACE_OID, str(n)).hex}" for n in range(start, min(start + 8, number))]
        conn.executemany(
            """
            INSERT INTO tasks (id, kind, status, on_restart, last_seq, attempt, created_at, updated_at, request)
            VALUES (?, 'response', 'queued', 'retry', 0, 1, 1, 1, '{"prompt":"hello"}')""",
            [(task_id,) for task_id in ids],
        )
        for seq in range(1, events + 1):
            kind, status = named.get(seq, ("response.output_text.delta", "running"))
            conn.executemany(
                """
                INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
                VALUES (?, ?, ?, ?, 1, 1, ?)""",
                [(task_id, seq, kind, status, data) for task_id in ids],
            )
        conn.executemany(
            """
            UPDATE tasks SET status = 'completed', last_seq = ?, started_at = 1, finished_at = ?, updated_at = ?
            WHERE id = ?""",
            [(events, 1 + start, 1 + start, task_id) for task_id in ids],
        )
        conn.executemany(
            """
            INSERT INTO responses (id, task_id, status, body, created_at)
            VALUES ('resp_' || ?1, ?1, 'completed', '{"text":"hi"}', 1)""",
            [(task_id,) for task_id in ids],
        )
        conn.executemany(
            """
            INSERT INTO idempotency_keys (client_id, key, request_digest, task_id, status_code, result, created_at)
            VALUES ('', ?1, 'sha256:' || printf('%064d', 0), ?1, 202, '{}', 1)""",
            [(task_id,) for task_id in ids],
        )
    conn.execute("COMMIT")
