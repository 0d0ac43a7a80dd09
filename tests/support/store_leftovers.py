"""What a service may leave behind: tasks in every unfinished status, under every policy, and odd ones."""

from sqlite_utils import Database

from tests.support.store_factory import put

UNFINISHED = ("queued", "loading", "running", "cancelling")
PAUSED = "paused"
"""The id of the one task here whose status is none of the seven; its row and its log fit no rule."""
POLICIES = ("fail", "retry", "resume", None, "odd")


def leave_behind(db: Database) -> list[str]:
    """Put in a leftover for each status and policy, finished tasks between them, and return the leftovers' ids by age.

    The running ones are there with a snapshot and without; ``paused`` has a status that is none of the seven.
    """
    ids = []
    moment = 1000
    for status in UNFINISHED:
        for policy in POLICIES:
            snapshots: tuple[dict[str, object] | None, ...] = (None, {"of": status})
            for snapshot in snapshots if status == "running" else snapshots[:1]:
                task_id = f"{status}-{policy}-{'snapshot' if snapshot else 'bare'}"
                put(db, status, task_id=task_id, attempt=2, snapshot=snapshot, at=moment)
                db.conn.execute("UPDATE tasks SET on_restart = ? WHERE id = ?", (policy, task_id))
                ids.append(task_id)
                # Older ones come later, so that the order of ids, of rows and of ages are three.
                moment -= 10
    for status in ("completed", "failed", "cancelled"):
        put(db, status, task_id=f"done-{status}", at=moment + 5)
    paused(db)
    return [PAUSED, *reversed(ids)]


def paused(db: Database) -> None:
    """Put in a task of unknown status, as only a service that switches the layout's checks off can."""
    db.conn.execute("PRAGMA ignore_check_constraints = ON")
    db.conn.execute("""
        INSERT INTO tasks (id, kind, status, on_restart, last_seq, attempt, created_at, updated_at, request)
        VALUES ('paused', 'x', 'paused', 'retry', 0, 1, 1, 1, '{}')""")
    db.conn.execute("PRAGMA ignore_check_constraints = OFF")


def leave_many(db: Database, number: int, *, status: str = "running", on_restart: str = "retry") -> None:
    """Put in many leftovers at once, with their logs, the oldest first by id."""
    conn = db.conn
    ids = [f"t{n:05}" for n in range(number)]
    conn.execute("BEGIN")
    conn.executemany(
        """
        INSERT INTO tasks (id, kind, status, on_restart, last_seq, attempt, created_at, updated_at, request)
        VALUES (?, 'x', 'queued', ?, 0, 1, 1, 1, '{}')""",
        [(task_id, on_restart) for task_id in ids],
    )
    conn.executemany(
        """
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        VALUES (?, 1, 'response.created', 'queued', 1, 1, '{}')""",
        [(task_id,) for task_id in ids],
    )
    if status != "queued":
        conn.executemany(
            """
            INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
            VALUES (?, 2, ?, ?, 1, 2, '{}')""",
            [(task_id, "response.in_progress", status) for task_id in ids],
        )
    conn.execute(
        "UPDATE tasks SET status = ?, last_seq = ?, started_at = ?",
        (status, 1 if status == "queued" else 2, None if status == "queued" else 2),
    )
    conn.execute("COMMIT")
