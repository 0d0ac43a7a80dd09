"""A database of the native layout made with plain SQL, as a service in another language would: no code of the store."""

import sqlite3

from inspector.layout import native

STATUS_AFTER = {
    "response.created": "queued",
    "response.loading": "loading",
    "response.in_progress": "running",
    "response.output_text.delta": "running",
    "response.cancelling": "cancelling",
    "response.completed": "completed",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}

LOGS = {
    "queued": ("response.created",),
    "loading": ("response.created", "response.loading"),
    "running": ("response.created", "response.in_progress", "response.output_text.delta"),
    "cancelling": ("response.created", "response.in_progress", "response.cancelling"),
    "completed": ("response.created", "response.in_progress", "response.completed"),
    "failed": ("response.created", "response.failed"),
    "cancelled": ("response.created", "response.cancelled"),
}
"""One task for each status, its id the status, and the log that it has."""

INSERT_TASK = """
    INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)
    VALUES (?, 'response', 'queued', 0, 1, 1, 1, '{}')"""

INSERT_EVENT = """
    INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data) VALUES (?, ?, ?, ?, 1, ?, '{}')"""


def native_database(*, foreign_keys: bool = True, recursive_triggers: bool = False) -> sqlite3.Connection:
    """Return an empty database in memory, with the layout and nothing else."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute(f"PRAGMA foreign_keys = {foreign_keys:d}")
    conn.execute(f"PRAGMA recursive_triggers = {recursive_triggers:d}")
    for statement in native.STATEMENTS:
        conn.execute(statement)
    return conn


def fill(conn: sqlite3.Connection) -> None:
    """Put in one task for each status, with its events, a response, a model and an idempotency key."""
    for task_id, log in LOGS.items():
        conn.execute(INSERT_TASK, (task_id,))
        for seq, event_type in enumerate(log, start=1):
            conn.execute(INSERT_EVENT, (task_id, seq, event_type, STATUS_AFTER[event_type], seq))
        finished_at = len(log) if task_id in ("completed", "failed", "cancelled") else None
        started_at = 2 if task_id in ("loading", "running", "cancelling", "completed") else None
        error_code = "out_of_memory" if task_id == "failed" else None
        conn.execute(
            """
            UPDATE tasks SET status = ?, last_seq = ?, error_code = ?, started_at = ?, finished_at = ?, updated_at = ?
            WHERE id = ?""",
            (task_id, len(log), error_code, started_at, finished_at, len(log), task_id),
        )
    conn.execute("""
        INSERT INTO responses (id, task_id, status, body, created_at)
        VALUES ('r', 'completed', 'completed', '{}', 3)""")
    conn.execute(
        """
        INSERT INTO idempotency_keys (client_id, key, request_digest, task_id, status_code, result, created_at)
        VALUES ('', 'k', ?, 'completed', 202, '{}', 3)""",
        (f"sha256:{'0' * 64}",),
    )
    conn.execute(
        """
        INSERT INTO models (id, name, digest, size_bytes, path, metadata, added_at)
        VALUES ('m', 'm', ?, 1, '/m', '{}', 1)""",
        (f"sha256:{'0' * 64}",),
    )


def contents(conn: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table with its rowid, and what SQLite remembers of the ids it gave."""
    tables = (*native.TABLES, "sqlite_sequence")
    return {table: conn.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid").fetchall() for table in tables}
