"""Databases in which one rule is broken, each by a few statements that the layout would have refused."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from inspector.layout import native
from tests.support.store_layout import fill, native_database

EVENT = """
    INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
    VALUES ('{0}', {1}, 'response.{2}', '{3}', {4}, 9, '{{}}');"""

BREAKS = {
    "large-value": [
        "UPDATE responses SET body = printf('%.*c', 16777217, 'x')",
        "UPDATE idempotency_keys SET result = printf('%.*c', 16777217, 'x')",
        "UPDATE service_config SET value = printf('%.*c', 16777217, 'x')",
        "UPDATE clients SET name = printf('%.*c', 16777217, 'x')",
        "UPDATE clients SET scopes = printf('%.*c', 1048577, 'x')",
        "UPDATE task_events SET data = printf('%.*c', 16777217, 'x') WHERE task_id = 'failed' AND seq = 1",
        "UPDATE tasks SET request = printf('%.*c', 16777217, 'x') WHERE id = 'failed'",
    ],
    "stored-json": [
        *(
            f"UPDATE {table} SET {column} = {value}"
            for table, column in (
                *(("tasks", "request"), ("task_events", "data"), ("responses", "body"), ("models", "metadata")),
                *(("idempotency_keys", "result"), ("clients", "scopes"), ("service_config", "value")),
            )
            for value in ("'{'", "''", "'[NaN]'", "'{}' || char(0) || '{}'", "'{''a'': 1}'")
        ),
        "UPDATE tasks SET snapshot = 'no', snapshot_seq = 3 WHERE id = 'running'",
        "UPDATE task_events SET data = '{} {}' WHERE task_id = 'running' AND seq = 3",
        "UPDATE tasks SET request = printf('%.*c', 1000000, '[')",
        """UPDATE task_events SET data = '["' || printf('%.*c', 2000000, 'x')""",
    ],
    "stored-bytes": [
        f"""DROP TABLE {table};
            CREATE TABLE {table} ({columns});
            INSERT INTO {table} ({", ".join(columns.split(", ")[-2:])}) VALUES (x'00', 'x')"""
        for table, columns in (
            *(("responses", "task_id, body, id"), ("idempotency_keys", "task_id, key, result")),
            *(("clients", "id, name, scopes"), ("service_config", "key, value, more")),
            *(("task_events", "seq, data, task_id"), ("tasks", "id, request, on_restart")),
        )
    ],
    "client-scopes": [
        f"UPDATE clients SET scopes = '{scopes}'" for scopes in ("{}", "null", "[1]", '["a", null]', '"a"', "7")
    ],
    "client-token": [
        "UPDATE clients SET token_hash = 'the token'",
        "UPDATE clients SET token_hash = upper(token_hash)",
        "UPDATE clients SET token_hash = token_hash || 'a'",
    ],
    "key-digest": [
        "UPDATE idempotency_keys SET request_digest = 'nonsense'",
        "UPDATE idempotency_keys SET request_digest = substr(request_digest, 8)",
        "UPDATE idempotency_keys SET request_digest = upper(request_digest)",
        "UPDATE idempotency_keys SET request_digest = request_digest || '0'",
        "UPDATE idempotency_keys SET request_digest = 'sha255' || substr(request_digest, 7)",
    ],
    "retention-period": [
        f"INSERT INTO service_config VALUES ('retention.keep_ms', '{value}', 1)"
        for value in ('"30d"', "-1", "1.5", "true", "null", "[]")
    ],
    "id-twice": [
        f"""CREATE TABLE kept AS SELECT * FROM {table};
            DROP TABLE {table}; CREATE TABLE {table} AS SELECT * FROM kept;
            INSERT INTO {table} SELECT * FROM kept; {more}"""
        for table, more in (
            *((table, "") for table in ("tasks", "models", "clients", "responses", "service_config")),
            ("clients", "UPDATE clients SET id = rowid"),
        )
    ],
    "key-twice": [
        f"""DROP TABLE idempotency_keys;
            CREATE TABLE idempotency_keys (client_id, key, task_id);
            INSERT INTO idempotency_keys VALUES ({client}, 'k', 'queued'), ({client}, 'k', 'running')"""
        for client in ("''", "NULL")
    ],
    "event-without-task": ["DELETE FROM tasks WHERE id = 'cancelled'"],
    "response-without-task": ["DELETE FROM tasks WHERE id = 'completed'"],
    "key-without-task": ["DELETE FROM tasks WHERE id = 'completed'"],
    "event-status": ["UPDATE task_events SET status = 'paused' WHERE task_id = 'queued'"],
    "sequence-gap": [
        "DELETE FROM task_events WHERE task_id = 'running' AND seq = 2",
        "UPDATE task_events SET seq = seq + 1 WHERE task_id = 'queued'",
    ],
    "after-final-event": [EVENT.format("completed", 4, "output_text.delta", "running", 1)],
    "cancel-undone": [
        EVENT.format("cancelling", 4, "completed", "completed", 1),
        EVENT.format("cancelling", 4, "output_text.delta", "running", 1),
    ],
    "illegal-move": [
        EVENT.format("queued", 2, "completed", "completed", 1),
        EVENT.format("queued", 2, "cancelling", "cancelling", 1),
        EVENT.format("running", 4, "loading", "loading", 1),
        EVENT.format("running", 4, "in_progress", "running", 1),
        EVENT.format("loading", 3, "resumed", "running", 2),
        EVENT.format("queued", 2, "queued", "queued", 2),
        EVENT.format("cancelling", 4, "cancelling", "cancelling", 1),
    ],
    "event-type": [
        "UPDATE task_events SET type = 'response.cancelled' WHERE task_id = 'failed' AND seq = 2",
        "UPDATE task_events SET type = 'response.done' WHERE task_id = 'failed' AND seq = 2",
        "UPDATE task_events SET status = 'loading' WHERE task_id = 'running' AND seq = 2",
    ],
    "progress-moves": ["UPDATE task_events SET status = 'loading' WHERE task_id = 'running' AND seq = 3"],
    "created-again": [EVENT.format("queued", 2, "created", "queued", 1)],
    "attempt-falls": ["UPDATE task_events SET attempt = 2 WHERE task_id = 'running' AND seq = 2"],
    "attempt-raised": [
        "UPDATE task_events SET attempt = 2 WHERE task_id = 'running' AND seq = 3",
        EVENT.format("running", 4, "queued", "queued", 1),
        EVENT.format("running", 4, "resumed", "running", 3),
    ],
    "attempt-start": ["UPDATE task_events SET attempt = 2 WHERE task_id = 'queued'"],
    "event-time": ["UPDATE task_events SET created_at = 99 WHERE task_id = 'running' AND seq = 2"],
    "event-id": ["UPDATE task_events SET id = 99 WHERE task_id = 'running' AND seq = 2"],
    "snapshot-status": ["UPDATE tasks SET snapshot = '{}', snapshot_seq = 1 WHERE id = 'running'"],
    "task-status": ["UPDATE tasks SET status = 'paused' WHERE id = 'queued'"],
    "error-code": [
        "UPDATE tasks SET error_code = NULL WHERE id = 'failed'",
        "UPDATE tasks SET error_code = '' WHERE id = 'failed'",
        "UPDATE tasks SET error_code = 'c' WHERE id = 'completed'",
    ],
    "finished-at": [
        "UPDATE tasks SET finished_at = NULL WHERE id = 'failed'",
        "UPDATE tasks SET finished_at = 3 WHERE id = 'running'",
    ],
    "task-times": [
        "UPDATE tasks SET updated_at = 0 WHERE id = 'queued'",
        "UPDATE tasks SET updated_at = 2 WHERE id = 'completed'",
        "UPDATE tasks SET started_at = 0 WHERE id = 'running'",
        "UPDATE tasks SET finished_at = 1 WHERE id = 'completed'",
    ],
    "snapshot-seq": [
        "UPDATE tasks SET snapshot = '{}' WHERE id = 'running'",
        "UPDATE tasks SET snapshot_seq = 2 WHERE id = 'running'",
        "UPDATE tasks SET snapshot = '{}', snapshot_seq = 4 WHERE id = 'running'",
        "UPDATE tasks SET snapshot = '{}', snapshot_seq = -1 WHERE id = 'running'",
    ],
    "started-at": [
        *(
            f"UPDATE tasks SET started_at = NULL WHERE id = '{status}'"
            for status in ("loading", "running", "cancelling", "completed")
        ),
        "UPDATE tasks SET started_at = 1 WHERE id = 'queued'",
    ],
    "log-start": [
        "DELETE FROM task_events WHERE task_id = 'queued'",
        "UPDATE task_events SET type = 'response.queued' WHERE task_id = 'queued'",
    ],
    "last-seq": [
        "UPDATE tasks SET last_seq = 9 WHERE id = 'running'",
        "UPDATE tasks SET last_seq = 2 WHERE id = 'running'",
        "DELETE FROM task_events WHERE task_id = 'running' AND seq = 3",
        EVENT.format("running", 4, "output_text.delta", "running", 1),
    ],
    "log-status": [
        "UPDATE tasks SET status = 'loading', started_at = 1 WHERE id = 'queued'",
        "UPDATE tasks SET status = 'completed', finished_at = 9 WHERE id = 'failed'",
    ],
    "one-final-event": [
        "UPDATE tasks SET status = 'running', finished_at = NULL WHERE id = 'completed'",
        "DELETE FROM task_events WHERE task_id = 'failed' AND seq = 2",
        EVENT.format("completed", 4, "completed", "completed", 1),
    ],
    "log-times": [
        "UPDATE tasks SET updated_at = 2 WHERE id = 'running'",
        "UPDATE tasks SET updated_at = 2, finished_at = 2 WHERE id = 'completed'",
        "UPDATE tasks SET finished_at = 2 WHERE id = 'completed'",
        "UPDATE tasks SET created_at = 2 WHERE id = 'queued'",
        "UPDATE task_events SET created_at = 9 WHERE task_id = 'running' AND seq = 3",
    ],
    "log-attempt": ["UPDATE tasks SET attempt = 2 WHERE id = 'running'"],
    "restart-code": [
        """UPDATE task_events SET data = '{"reason": "server_restarted"}' WHERE task_id = 'failed' AND seq = 2""",
        """UPDATE task_events SET data = '{"error": {"code": "other"}}' WHERE task_id = 'failed' AND seq = 2""",
    ],
    "response-status": [
        "UPDATE responses SET task_id = 'failed'",
        "UPDATE responses SET task_id = 'running'",
    ],
    "one-response": [
        """DROP TABLE responses;
           CREATE TABLE responses (task_id, status, client_id, model_id);
           INSERT INTO responses SELECT 'completed', 'completed', NULL, NULL FROM tasks LIMIT 2"""
    ],
    "response-ids": [
        "UPDATE responses SET client_id = 'c'",
        "UPDATE responses SET model_id = 'm'",
        "UPDATE responses SET status = 'failed'",
        "UPDATE tasks SET client_id = 'c' WHERE id = 'completed'",
    ],
    "one-key": [
        """INSERT INTO idempotency_keys (client_id, key, request_digest, task_id, status_code, result, created_at)
           VALUES ('', 'another', 'd', 'completed', 202, '{}', 3)"""
    ],
    "key-client": [
        "UPDATE idempotency_keys SET client_id = 'c'",
        "UPDATE idempotency_keys SET client_id = 'c', task_id = 'running'",
        "UPDATE tasks SET client_id = 'c' WHERE id = 'completed'",
    ],
    "left-of-restart": [
        f"""INSERT INTO service_config VALUES ('service.starts', '[{{"at": 1}}, {{"at": 9}}]', 9);
            UPDATE tasks SET on_restart = '{policy}' WHERE id = '{task_id}'"""
        for task_id, policy in (
            *(("queued", "fail"), ("loading", "resume"), ("running", "retry"), ("running", "fail")),
            *(("cancelling", "retry"), ("running", "perhaps")),
        )
    ],
    "model-digest": [
        "UPDATE models SET digest = 'sha256:' || upper(hex(zeroblob(31))) || 'AB'",
        "UPDATE models SET digest = 'md5:0'",
    ],
    "model-path": ["UPDATE models SET path = ''"],
    "model-bytes": [
        "UPDATE models SET metadata = printf('%.*c', 1048577, 'x')",
        """DROP TABLE models;
           CREATE TABLE models (id, digest, path, bytes);
           INSERT INTO models VALUES (1, '', '', x'00')""",
    ],
}  # fmt: skip
"""For each rule databases that break it; it need not be the only rule that they break."""

ONE_BREAK = [
    (
        EVENT.format("completed", 4, "failed", "failed", 1),
        {"after-final-event", "last-seq", "log-status", "one-final-event"},
    ),
    (
        EVENT.format("cancelling", 4, "completed", "completed", 1),
        {"cancel-undone", "last-seq", "log-status", "one-final-event"},
    ),
    (EVENT.format("queued", 2, "created", "queued", 1), {"created-again", "last-seq"}),
    (
        EVENT.format("completed", 4, "output_text.delta", "completed", 1).replace("9,", "99,"),
        {"after-final-event", "event-type", "last-seq", "one-final-event"},
    ),
    ("UPDATE task_events SET status = 'paused' WHERE task_id = 'running' AND seq = 1", {"event-status", "event-type"}),
]
"""A break, and the rules that tell of it: no others."""

SOUND = [
    EVENT.format("running", 4, "resumed", "running", 2)
    + "UPDATE tasks SET attempt = 2, last_seq = 4, updated_at = 9 WHERE id = 'running'",
    EVENT.format("running", 4, "queued", "queued", 2)
    + """UPDATE tasks SET status = 'queued', attempt = 2, last_seq = 4, started_at = NULL, updated_at = 9
         WHERE id = 'running'""",
    EVENT.format("loading", 3, "queued", "queued", 2)
    + """UPDATE tasks SET status = 'queued', attempt = 2, last_seq = 3, started_at = NULL, updated_at = 9
         WHERE id = 'loading'""",
    EVENT.format("cancelling", 4, "output_text.delta", "cancelling", 1)
    + EVENT.format("cancelling", 5, "cancelled", "cancelled", 1)
    + """UPDATE tasks SET status = 'cancelled', last_seq = 5, finished_at = 9, updated_at = 9
         WHERE id = 'cancelling'""",
    "UPDATE task_events SET created_at = 1",
    "UPDATE tasks SET snapshot = '{}', snapshot_seq = 3 WHERE id = 'running'",
    """UPDATE models SET metadata = '"' || printf('%.*c', 1048574, 'x') || '"'""",
    """UPDATE clients SET scopes = '["' || printf('%.*c', 1048572, 'x') || '"]'""",
    *(f"UPDATE clients SET scopes = '{scopes}'" for scopes in ("[]", ' [ "a", "b" ] ', '["\\u0000"]')),
    *(f"INSERT INTO service_config VALUES ('retention.keep_ms', '{period}', 1)" for period in ("0", "86400000")),
    *(
        f"UPDATE {column[0]} SET {column[1]} = '{value}'"
        for column in (
            ("tasks", "request"),
            ("task_events", "data"),
            ("responses", "body"),
            ("service_config", "value"),
        )
        for value in ("[]", "null", '"é\\ud800"', "1e999", " {} ", "9" * 400)
    ),
    f"UPDATE tasks SET request = '{'[' * 500}{']' * 500}'",
]
"""What a service may have written, though it looks like what breaks a rule."""

LOOSE = {
    "tasks": ("id", "status", "last_seq", "attempt", "created_at", "updated_at", "error_code", "snapshot_seq"),
    "task_events": ("seq", "type", "status", "attempt", "created_at"),
}
"""Columns whose values have a type."""

WRONG_VALUES = ("x'00ff'", "1.5", "'text'", "7", "CAST(x'ff00' AS TEXT)", "9e999", "-9223372036854775808")


@contextmanager
def filled(*, loose: bool = False) -> Iterator[sqlite3.Connection]:
    """Give a sound database that takes whatever is written; ``loose`` takes values of any type as well."""
    with closing(native_database(foreign_keys=False)) as conn:
        fill(conn)
        conn.execute(
            "INSERT INTO clients (id, name, token_hash, scopes, paired_at) VALUES ('c', 'c', ?, '[\"a\"]', 1)",
            ("0a" * 32,),
        )
        conn.execute("INSERT INTO service_config VALUES ('name', '\"s\"', 1)")
        # Not as the native layout any more, whose triggers and keys would be missed.
        conn.execute("PRAGMA application_id = 0")
        for name in native.TRIGGERS:
            conn.execute(f"DROP TRIGGER {name}")
        conn.execute("PRAGMA ignore_check_constraints = ON")
        if loose:
            for table in native.TABLES:
                # Without affinity: what is written stays what it is.
                columns = [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]
                conn.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
                conn.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
                conn.execute(f"INSERT INTO {table} SELECT * FROM old_{table}")
        yield conn
