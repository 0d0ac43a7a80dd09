"""What the layout itself refuses, whoever writes: each tried with plain SQL, and each leaves everything as it was.

``FORBIDDEN`` names the trigger that refuses; without that trigger the first statement of its list is taken, which shows
that it is the trigger that holds and not the statement that does nothing.
"""

import sqlite3
from contextlib import closing, suppress

import pytest

from inspector.layout import native
from tests.support.store_layout import contents, fill, native_database

_TASK = "(id, kind, status, last_seq, attempt, created_at, updated_at, request)"
_EVENT = "(task_id, seq, type, status, attempt, created_at, data)"
_EVENT_WITH_ID = "(id, task_id, seq, type, status, attempt, created_at, data)"
_DELTA = "'response.output_text.delta', 'running', 1, 9, '{}'"

FORBIDDEN: dict[str, dict[str, str]] = {
    "tasks_are_inserted_once": {
        "a task is replaced": f"""
            INSERT OR REPLACE INTO tasks {_TASK}
            VALUES ('running', 'x', 'queued', 3, 1, 1, 1, '{{}}')""",
        "a task is put in again by REPLACE": f"""
            REPLACE INTO tasks {_TASK}
            VALUES ('failed', 'x', 'queued', 0, 1, 1, 1, '{{}}')""",
        "a task is inserted a second time": f"""
            INSERT INTO tasks {_TASK}
            VALUES ('queued', 'x', 'queued', 0, 1, 1, 1, '{{}}')""",
        "a task is replaced by rowid": f"""
            INSERT OR REPLACE INTO tasks (rowid, {_TASK[1:]}
            SELECT rowid, 'new', 'x', 'queued', 0, 1, 1, 1, '{{}}' FROM tasks WHERE id = 'running'""",
        "a task is inserted twice in one statement": f"""
            INSERT OR REPLACE INTO tasks {_TASK}
            VALUES ('new', 'x', 'queued', 0, 1, 1, 1, '{{}}'), ('new', 'y', 'queued', 0, 1, 1, 1, '{{}}')""",
        "an upsert rewrites a task": f"""
            INSERT INTO tasks {_TASK} VALUES ('queued', 'x', 'queued', 0, 1, 1, 1, '{{}}')
            ON CONFLICT (id) DO UPDATE SET request = '{{"changed": 1}}'""",
        "a task takes over a log that was left behind": f"""
            INSERT INTO tasks {_TASK} VALUES ('left behind', 'x', 'queued', 0, 1, 1, 1, '{{}}')""",
    },
    "tasks_keep_their_id": {
        "a task gets a new rowid": "UPDATE tasks SET rowid = 1000 WHERE id = 'running'",
        "a task gets a new rowid by another name": "UPDATE tasks SET _ROWID_ = 1000 WHERE id = 'running'",
        "a task gets a new rowid by its third name": "UPDATE tasks SET (kind, oid) = ('x', 1000) WHERE id = 'running'",
        "an upsert gives a task a new rowid": f"""
            INSERT INTO tasks {_TASK} VALUES ('running', 'x', 'queued', 0, 1, 1, 1, '{{}}')
            ON CONFLICT (id) DO UPDATE SET rowid = 1000""",
        "a task gets a new id": "UPDATE tasks SET id = 'new' WHERE id = 'running'",
        "a task takes the id of another": "UPDATE OR REPLACE tasks SET id = 'queued' WHERE id = 'running'",
        "a task takes the rowid of another": """
            UPDATE OR REPLACE tasks SET rowid = (SELECT rowid FROM tasks WHERE id = 'queued') WHERE id = 'running'""",
        "a task takes the id of another, quietly": "UPDATE OR IGNORE tasks SET id = 'new' WHERE id = 'running'",
    },
    "tasks_leave_no_final_status": {
        "a task that was put in as completed is queued": """
            UPDATE tasks SET status = 'queued', last_seq = 1, finished_at = NULL, attempt = 2
            WHERE id = 'born completed'""",
        "a completed task runs again": """
            UPDATE tasks SET status = 'running', last_seq = 2, finished_at = NULL WHERE id = 'completed'""",
        "a completed task turns failed": "UPDATE tasks SET status = 'failed' WHERE id = 'completed'",
        "a failed task turns completed": "UPDATE tasks SET status = 'completed' WHERE id = 'failed'",
        "a cancelled task turns completed": "UPDATE tasks SET status = 'completed' WHERE id = 'cancelled'",
        "a cancelled task is queued again": """
            UPDATE tasks SET status = 'queued', finished_at = NULL, attempt = 2 WHERE id = 'cancelled'""",
        "a failed task is queued again, quietly": """
            UPDATE OR IGNORE tasks SET status = 'queued', finished_at = NULL, attempt = 2 WHERE id = 'failed'""",
    },
    "tasks_being_cancelled_end_cancelled": {
        "a task being cancelled runs on": "UPDATE tasks SET status = 'running', last_seq = 4 WHERE id = 'cancelling'",
        "a task being cancelled is completed": """
            UPDATE tasks SET status = 'completed', finished_at = 9 WHERE id = 'cancelling'""",
        "a task being cancelled is failed": """
            UPDATE tasks SET status = 'failed', finished_at = 9
            WHERE id = 'cancelling'""",
        "a task being cancelled is queued": "UPDATE tasks SET status = 'queued', attempt = 2 WHERE id = 'cancelling'",
        "a task being cancelled is completed by REPLACE": """
            UPDATE OR REPLACE tasks SET status = 'completed', finished_at = 9 WHERE id = 'cancelling'""",
    },
    "tasks_are_queued_again_with_a_higher_attempt": {
        "an attempt comes back": "UPDATE tasks SET attempt = 1 WHERE id = 'second attempt'",
        "a task is queued again at its attempt": """
            UPDATE tasks SET status = 'queued', last_seq = 3 WHERE id = 'second attempt'""",
        "an attempt comes back, quietly": "UPDATE OR IGNORE tasks SET attempt = 1 WHERE id = 'second attempt'",
    },
    "tasks_move_with_their_event": {
        "a task moves without an event": "UPDATE tasks SET status = 'loading' WHERE id = 'queued'",
        "a task is finished without an event": """
            UPDATE tasks SET status = 'completed', finished_at = 9 WHERE id = 'running'""",
        "a task takes a final status and a sequence number without an event": """
            UPDATE tasks SET status = 'completed', finished_at = 9, last_seq = 4 WHERE id = 'running'""",
        "a task counts an event that is not there": "UPDATE tasks SET last_seq = 4 WHERE id = 'running'",
        "a task forgets an event": "UPDATE tasks SET last_seq = 2 WHERE id = 'running'",
        "a task forgets its log": "UPDATE tasks SET last_seq = 0 WHERE id = 'running'",
        "an upsert of another row moves a task": """
            UPDATE OR REPLACE tasks SET status = 'loading' WHERE id = 'queued'""",
    },
    "tasks_are_deleted_only_when_finished": {
        "a queued task is deleted": "DELETE FROM tasks WHERE id = 'queued'",
        "a loading task is deleted": "DELETE FROM tasks WHERE id = 'loading'",
        "a running task is deleted": "DELETE FROM tasks WHERE id = 'running'",
        "a task being cancelled is deleted": "DELETE FROM tasks WHERE id = 'cancelling'",
        "all tasks are deleted": "DELETE FROM tasks",
        "all old tasks are deleted": "DELETE FROM tasks WHERE created_at < 100",
    },
    "task_events_are_appended": {
        "a sequence number is left out": f"INSERT INTO task_events {_EVENT} VALUES ('running', 5, {_DELTA})",
        "a log starts again": f"INSERT INTO task_events {_EVENT} VALUES ('running', 1, {_DELTA})",
        "an event is inserted again": f"INSERT INTO task_events {_EVENT} VALUES ('running', 3, {_DELTA})",
        "an event is replaced": f"INSERT OR REPLACE INTO task_events {_EVENT} VALUES ('running', 3, {_DELTA})",
        "an event is replaced by id": f"""
            INSERT OR REPLACE INTO task_events {_EVENT_WITH_ID}
            SELECT max(id), 'running', 4, {_DELTA} FROM task_events""",
        "an old event is replaced by id": f"""
            INSERT OR REPLACE INTO task_events {_EVENT_WITH_ID}
            SELECT min(id), 'running', 4, {_DELTA} FROM task_events""",
        "two events of one statement share an id": f"""
            INSERT OR REPLACE INTO task_events {_EVENT_WITH_ID}
            VALUES (1000, 'running', 4, {_DELTA}), (1000, 'running', 5, {_DELTA})""",
        "the ids of one statement fall": f"""
            INSERT INTO task_events {_EVENT_WITH_ID}
            VALUES (1001, 'running', 4, {_DELTA}), (1000, 'running', 5, {_DELTA})""",
        "an id is below an earlier one": f"""
            INSERT INTO task_events {_EVENT_WITH_ID} VALUES (400, 'running', 4, {_DELTA})""",
        "an id is zero": f"INSERT INTO task_events {_EVENT_WITH_ID} VALUES (0, 'running', 4, {_DELTA})",
        "an id is negative": f"INSERT INTO task_events {_EVENT_WITH_ID} VALUES (-7, 'running', 4, {_DELTA})",
        "an upsert rewrites an event": f"""
            INSERT INTO task_events {_EVENT} VALUES ('running', 3, {_DELTA})
            ON CONFLICT (task_id, seq) DO UPDATE SET data = '"changed"'""",
        "something follows completed": f"INSERT INTO task_events {_EVENT} VALUES ('completed', 4, {_DELTA})",
        "something follows failed": f"INSERT INTO task_events {_EVENT} VALUES ('failed', 3, {_DELTA})",
        "a second end follows the first": f"""
            INSERT INTO task_events {_EVENT}
            VALUES ('cancelled', 3, 'response.completed', 'completed', 1, 9, '{{}}')""",
        "something other than cancelled follows cancelling": f"""
            INSERT INTO task_events {_EVENT}
            VALUES ('being cancelled', 3, 'response.completed', 'completed', 1, 9, '{{}}')""",
        "a task runs again after cancelling": f"""
            INSERT INTO task_events {_EVENT} VALUES ('being cancelled', 3, {_DELTA})""",
        "an id leaves no room for later ones": f"""
            INSERT INTO task_events {_EVENT_WITH_ID} VALUES (9223372036854775807, 'running', 4, {_DELTA})""",
        "an event has no task": f"INSERT INTO task_events {_EVENT} VALUES ('nobody', 1, {_DELTA})",
        "an event has no task, quietly": f"INSERT OR IGNORE INTO task_events {_EVENT} VALUES ('nobody', 1, {_DELTA})",
    },
    "task_events_never_change": {
        "an event gets other data": "UPDATE task_events SET data = '\"changed\"' WHERE task_id = 'running' AND seq = 3",
        "an event gets another status": """
            UPDATE task_events SET status = 'loading'
            WHERE task_id = 'running' AND seq = 3""",
        "an event gets another id": "UPDATE task_events SET id = 1000 WHERE task_id = 'running' AND seq = 3",
        "an event takes the place of another": "UPDATE OR REPLACE task_events SET seq = 2 WHERE task_id = 'running'",
        "an event moves to another task": """
            UPDATE OR REPLACE task_events SET task_id = 'queued', seq = 2 WHERE task_id = 'running' AND seq = 3""",
        "an event changes quietly": "UPDATE OR IGNORE task_events SET created_at = 1",
    },
    "task_events_outlive_no_task": {
        "the last event is deleted": "DELETE FROM task_events WHERE task_id = 'running' AND seq = 3",
        "a log is deleted": "DELETE FROM task_events WHERE task_id = 'completed'",
        "all old events are deleted": "DELETE FROM task_events WHERE created_at < 100",
        "all events are deleted": "DELETE FROM task_events",
    },
}

CASES = [
    pytest.param(sql, id=claim.replace(" ", "-")) for claims in FORBIDDEN.values() for claim, sql in claims.items()
]

IMPOSSIBLE_ROWS = {
    "a finished task has no moment of its end": """
        UPDATE tasks SET finished_at = NULL WHERE id = 'completed'""",
    "an unfinished task has a moment of its end": "UPDATE tasks SET finished_at = 9 WHERE id = 'running'",
    "a status is none of the seven": f"INSERT INTO tasks {_TASK} VALUES ('new', 'x', 'paused', 0, 1, 1, 1, '{{}}')",
    "an attempt is zero": f"INSERT INTO tasks {_TASK} VALUES ('new', 'x', 'queued', 0, 0, 1, 1, '{{}}')",
    "a sequence number is negative": f"INSERT INTO tasks {_TASK} VALUES ('new', 'x', 'queued', -1, 1, 1, 1, '{{}}')",
    "an id is empty": f"INSERT INTO tasks {_TASK} VALUES ('', 'x', 'queued', 0, 1, 1, 1, '{{}}')",
    "a snapshot has no sequence number": "UPDATE tasks SET snapshot = '{}' WHERE id = 'running'",
    "a snapshot is ahead of the log": "UPDATE tasks SET snapshot = '{}', snapshot_seq = 4 WHERE id = 'running'",
    "a snapshot is before the log": "UPDATE tasks SET snapshot = '{}', snapshot_seq = -1 WHERE id = 'running'",
    "a sequence number without a snapshot": "UPDATE tasks SET snapshot_seq = 1 WHERE id = 'running'",
    "an event's status is none of the seven": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'x', 'paused', 1, 9, '{{}}')""",
    "a final status has an event of progress": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'x', 'completed', 1, 9, '{{}}')""",
    "a final status has the event of another": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.failed', 'completed', 1, 9, '{{}}')""",
    "a failed task has the event of a cancelled one": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.cancelled', 'failed', 1, 9, '{{}}')""",
    "a cancelled task has the event of a completed one": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.completed', 'cancelled', 1, 9, '{{}}')""",
    "a final event leaves the task running": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.completed', 'running', 1, 9, '{{}}')""",
    "a failed event leaves the task running": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.failed', 'running', 1, 9, '{{}}')""",
    "a cancelled event leaves the task running": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.cancelled', 'running', 1, 9, '{{}}')""",
    "a failed task has an event of progress": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'x', 'failed', 1, 9, '{{}}')""",
    "a cancelled task has an event of progress": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'x', 'cancelled', 1, 9, '{{}}')""",
    "an event's attempt is zero": f"""
        INSERT INTO task_events {_EVENT}
        VALUES ('running', 4, 'x', 'running', 0, 9, '{{}}')""",
    "a token itself is stored": """
        INSERT INTO clients (id, name, token_hash, scopes, paired_at) VALUES ('c', 'c', 'secret', '[]', 1)""",
    "a token's hash is in capitals": f"""
        INSERT INTO clients (id, name, token_hash, scopes, paired_at) VALUES ('c', 'c', '{"A" * 64}', '[]', 1)""",
    "a digest is of another kind": f"""
        INSERT INTO models (id, name, digest, size_bytes, path, metadata, added_at)
        VALUES ('n', 'n', 'md5:{"0" * 67}', 1, '/n', '{{}}', 1)""",
    "a digest is cut": "UPDATE models SET digest = 'sha256:00'",
    "a digest goes on behind a NUL": f"UPDATE models SET digest = 'sha256:{'0' * 64}' || char(0) || 'more'",
    "a token's hash goes on behind a NUL": f"""
        INSERT INTO clients (id, name, token_hash, scopes, paired_at)
        VALUES ('c', 'c', '{"a" * 64}' || char(0) || 'the token', '[]', 1)""",
    "a digest is no hex": f"UPDATE models SET digest = 'sha256:{'g' * 64}'",
    "a size is negative": "UPDATE models SET size_bytes = -1",
    "a task takes the rowid that hides from triggers": f"""
        INSERT INTO tasks (rowid, {_TASK[1:]} VALUES (-1, 'new', 'x', 'queued', 0, 1, 1, 1, '{{}}')""",
    "a task takes rowid zero": f"""
        INSERT INTO tasks (rowid, {_TASK[1:]} VALUES (0, 'new', 'x', 'queued', 0, 1, 1, 1, '{{}}')""",
    "an id is the one that hides from triggers": f"""
        INSERT INTO task_events {_EVENT_WITH_ID} VALUES (-1, 'running', 4, {_DELTA})""",
}

WRONG_KINDS = {
    "the bytes of a model": "UPDATE models SET path = x'00ff'",
    "a BLOB as metadata": "UPDATE models SET metadata = x'00ff'",
    "a time as text": "UPDATE tasks SET updated_at = 'yesterday' WHERE id = 'running'",
    "a sequence number beyond 64 bits": "UPDATE tasks SET last_seq = 9223372036854775807 + 1 WHERE id = 'running'",
    "no status": "UPDATE tasks SET status = NULL WHERE id = 'running'",
    "no data": f"INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'x', 'running', 1, 9, NULL)",
    "a second response": """
        INSERT INTO responses (id, task_id, status, body, created_at)
        VALUES ('s', 'completed', 'completed', '{}', 3)""",
    "a token of two clients": f"""
        INSERT INTO clients (id, name, token_hash, scopes, paired_at)
        VALUES ('c', 'c', '{"a" * 64}', '[]', 1), ('d', 'd', '{"a" * 64}', '[]', 1)""",
    "a key twice": """
        INSERT INTO idempotency_keys (client_id, key, request_digest, task_id, status_code, result, created_at)
        VALUES ('', 'k', 'e', 'running', 202, '{}', 3)""",
}

TAKEN = {
    "a finished task is given the status it has": "UPDATE tasks SET status = 'completed' WHERE id = 'completed'",
    "a task without a log is given the status it has": f"""
        INSERT INTO tasks {_TASK} VALUES ('new', 'x', 'queued', 0, 1, 1, 1, '{{}}');
        UPDATE tasks SET status = 'queued', last_seq = 0 WHERE id = 'new'""",
    "a task being cancelled counts progress": f"""
        INSERT INTO task_events {_EVENT}
        VALUES ('being cancelled', 3, 'response.output_text.delta', 'cancelling', 1, 9, '{{}}');
        UPDATE tasks SET status = 'cancelling', last_seq = 3 WHERE id = 'being cancelled'""",
    "a task being cancelled is cancelled": f"""
        INSERT INTO task_events {_EVENT} VALUES ('being cancelled', 3, 'response.cancelled', 'cancelled', 1, 9, '{{}}');
        UPDATE tasks SET status = 'cancelled', last_seq = 3, finished_at = 9 WHERE id = 'being cancelled'""",
    "a running task is queued again with a higher attempt": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.queued', 'queued', 2, 9, '{{}}');
        UPDATE tasks SET status = 'queued', last_seq = 4, attempt = 2 WHERE id = 'running'""",
    "a running task is resumed with a higher attempt": f"""
        INSERT INTO task_events {_EVENT} VALUES ('running', 4, 'response.resumed', 'running', 2, 9, '{{}}');
        UPDATE tasks SET status = 'running', last_seq = 4, attempt = 2 WHERE id = 'running'""",
}

SETTINGS = [
    pytest.param(keys, recursive, id=f"foreign_keys={keys:d}-recursive_triggers={recursive:d}")
    for keys in (True, False)
    for recursive in (True, False)
]


def filled(*, foreign_keys: bool = True, recursive_triggers: bool = False) -> sqlite3.Connection:
    """Return what the statements are tried on: a task for each status, and what else they need to be tempting."""
    conn = native_database(foreign_keys=foreign_keys, recursive_triggers=recursive_triggers)
    fill(conn)
    conn.execute(f"INSERT INTO tasks {_TASK} VALUES ('second attempt', 'x', 'queued', 0, 2, 1, 1, '{{}}')")
    conn.execute(f"""
        INSERT INTO tasks (finished_at, {_TASK[1:]}
        VALUES (1, 'born completed', 'x', 'completed', 0, 1, 1, 1, '{{}}')""")
    conn.execute(
        "INSERT INTO task_events "
        + _EVENT
        + """ VALUES
        ('second attempt', 1, 'response.created', 'queued', 2, 9, '{}'),
        ('second attempt', 2, 'response.loading', 'loading', 2, 9, '{}'),
        ('born completed', 1, 'response.created', 'queued', 1, 9, '{}')"""
    )
    # As a file may have it that was written without the trigger: the other triggers are to hold by themselves.
    conn.execute("DROP TRIGGER task_events_are_appended")
    conn.execute(f"""
        INSERT INTO task_events {_EVENT} VALUES ('cancelling', 4, 'response.in_progress', 'running', 1, 9, '{{}}')""")
    conn.execute(native.TRIGGERS["task_events_are_appended"])
    conn.execute("UPDATE tasks SET status = 'loading', last_seq = 2 WHERE id = 'second attempt'")
    conn.execute(f"INSERT INTO tasks {_TASK} VALUES ('being cancelled', 'x', 'queued', 0, 1, 1, 1, '{{}}')")
    conn.execute(f"""
        INSERT INTO task_events {_EVENT}
        VALUES ('being cancelled', 1, 'response.created', 'queued', 1, 9, '{{}}'),
               ('being cancelled', 2, 'response.cancelling', 'cancelling', 1, 9, '{{}}')""")
    conn.execute("UPDATE tasks SET status = 'cancelling', last_seq = 2 WHERE id = 'being cancelled'")
    leave_a_log_behind(conn, foreign_keys=foreign_keys)
    # Leaves ids free below it.
    conn.execute(f"""
        INSERT INTO task_events {_EVENT_WITH_ID}
        VALUES (500, 'second attempt', 3, 'response.queued', 'queued', 2, 9, '{{}}')""")
    return conn


def leave_a_log_behind(conn: sqlite3.Connection, *, foreign_keys: bool) -> None:
    """Delete a finished task as one does who does not switch foreign keys on: its events stay."""
    conn.execute(f"""
        INSERT INTO tasks (finished_at, {_TASK[1:]}
        VALUES (1, 'left behind', 'x', 'completed', 0, 1, 1, 1, '{{}}')""")
    conn.execute(
        f"INSERT INTO task_events {_EVENT} VALUES ('left behind', 1, 'response.created', 'queued', 1, 9, '{{}}')"
    )
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute("DELETE FROM tasks WHERE id = 'left behind'")
    conn.execute(f"PRAGMA foreign_keys = {int(foreign_keys)}")


@pytest.mark.parametrize(("foreign_keys", "recursive_triggers"), SETTINGS)
@pytest.mark.parametrize("sql", CASES)
def test_is_refused_and_changes_nothing(sql: str, foreign_keys: bool, recursive_triggers: bool) -> None:
    with closing(filled(foreign_keys=foreign_keys, recursive_triggers=recursive_triggers)) as conn:
        before = contents(conn)
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(sql)
        assert contents(conn) == before
        assert not conn.in_transaction


@pytest.mark.parametrize("trigger", native.TRIGGERS)
def test_each_trigger_is_needed(trigger: str) -> None:
    first = next(iter(FORBIDDEN[trigger].values()))
    with closing(filled()) as conn:
        conn.execute(f"DROP TRIGGER {trigger}")
        before = contents(conn)
        conn.execute(first)
        assert contents(conn) != before


@pytest.mark.parametrize(("trigger", "sql"), [(name, sql) for name, all_ in FORBIDDEN.items() for sql in all_.values()])
def test_each_trigger_holds_by_itself(trigger: str, sql: str) -> None:
    with closing(filled()) as conn:
        for other in native.TRIGGERS.keys() - {trigger}:
            conn.execute(f"DROP TRIGGER {other}")
        before = contents(conn)
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(sql)
        assert contents(conn) == before


@pytest.mark.parametrize("sql", [pytest.param(sql, id=claim.replace(" ", "-")) for claim, sql in TAKEN.items()])
def test_what_a_store_writes_is_taken(sql: str) -> None:
    with closing(filled()) as conn:
        conn.executescript(sql)


def test_every_trigger_is_tried() -> None:
    assert FORBIDDEN.keys() == native.TRIGGERS.keys()


@pytest.mark.parametrize(("foreign_keys", "recursive_triggers"), SETTINGS)
@pytest.mark.parametrize("verb", ["", "OR REPLACE", "OR IGNORE"])
@pytest.mark.parametrize(
    "sql", [pytest.param(sql, id=claim.replace(" ", "-")) for claim, sql in IMPOSSIBLE_ROWS.items()]
)
def test_an_impossible_row_is_not_stored(sql: str, verb: str, foreign_keys: bool, recursive_triggers: bool) -> None:
    with closing(filled(foreign_keys=foreign_keys, recursive_triggers=recursive_triggers)) as conn:
        before = contents(conn)
        # OR IGNORE passes over the row without an error, and over the id that it would have had.
        with suppress(sqlite3.IntegrityError):
            conn.execute(sql.replace("INSERT", f"INSERT {verb}").replace("UPDATE", f"UPDATE {verb}"))
        assert contents(conn) | {"sqlite_sequence": []} == before | {"sqlite_sequence": []}
        conn.execute("PRAGMA ignore_check_constraints = ON")
        conn.execute(sql)
        assert contents(conn) != before, "the statement would do nothing anyway"


@pytest.mark.parametrize("sql", [pytest.param(sql, id=claim.replace(" ", "-")) for claim, sql in WRONG_KINDS.items()])
def test_a_value_of_the_wrong_kind_is_not_stored(sql: str) -> None:
    with closing(filled()) as conn:
        before = contents(conn)
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(sql)
        assert contents(conn) == before


def test_a_log_starts_at_1_also_where_its_trigger_is_gone() -> None:
    with closing(filled()) as conn:
        conn.execute("DROP TRIGGER task_events_are_appended")
        with pytest.raises(sqlite3.IntegrityError, match="seq >= 1"):
            conn.execute(f"INSERT INTO task_events {_EVENT} VALUES ('queued', 0, {_DELTA})")


@pytest.mark.parametrize(("foreign_keys", "recursive_triggers"), SETTINGS)
def test_an_id_that_was_deleted_does_not_come_back(foreign_keys: bool, recursive_triggers: bool) -> None:
    with closing(native_database(foreign_keys=foreign_keys, recursive_triggers=recursive_triggers)) as conn:
        fill(conn)
        last = conn.execute("SELECT max(id) FROM task_events").fetchall()[0][0]
        conn.execute("DELETE FROM tasks WHERE id = 'cancelled'")
        conn.execute("DELETE FROM task_events WHERE task_id = 'cancelled'")
        assert conn.execute("SELECT max(id) FROM task_events").fetchall()[0][0] < last
        before = contents(conn)
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(f"INSERT INTO task_events {_EVENT_WITH_ID} VALUES (?, 'running', 4, {_DELTA})", (last,))
        assert contents(conn) == before
        conn.execute(f"INSERT INTO task_events {_EVENT} VALUES ('running', 4, {_DELTA})")
        assert conn.execute("SELECT max(id) FROM task_events").fetchall() == [(last + 1,)]


def test_the_ids_of_another_table_do_not_count() -> None:
    with closing(native_database()) as conn:
        conn.execute("CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT)")
        conn.execute("INSERT INTO other VALUES (1000)")
        fill(conn)
        conn.execute(f"INSERT INTO task_events {_EVENT_WITH_ID} VALUES (500, 'running', 4, {_DELTA})")
        assert conn.execute("SELECT max(id) FROM task_events").fetchall() == [(500,)]


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_finished_task_is_deleted_with_all_that_is_its_own(status: str) -> None:
    with closing(native_database()) as conn:
        fill(conn)
        conn.execute("DELETE FROM tasks WHERE id = ?", (status,))
        assert conn.execute("SELECT count(*) FROM task_events WHERE task_id = ?", (status,)).fetchall() == [(0,)]
        assert conn.execute("SELECT count(*) FROM responses WHERE task_id = ?", (status,)).fetchall() == [(0,)]
        assert conn.execute("SELECT count(*) FROM idempotency_keys WHERE task_id = ?", (status,)).fetchall() == [(0,)]
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []


def test_many_events_move_their_task_once() -> None:
    with closing(native_database()) as conn:
        fill(conn)
        conn.execute(f"INSERT INTO task_events {_EVENT} VALUES ('running', 4, {_DELTA}), ('running', 5, {_DELTA})")
        conn.execute("UPDATE tasks SET last_seq = 5 WHERE id = 'running'")
        assert conn.execute("SELECT last_seq FROM tasks WHERE id = 'running'").fetchall() == [(5,)]


@pytest.mark.parametrize(
    ("event_type", "status"),
    [("response.output_text.delta", "running"), ("response.completed", "completed"), ("response.queued", "queued")],
)
def test_an_event_without_its_tasks_move_stops_every_other_write_of_that_task(event_type: str, status: str) -> None:
    # No trigger can refuse it: the move comes in the next statement, or never. The stray event then stands in the way
    # of whoever numbers from the task's last_seq, so that it stays the only one, and no other task is touched.
    with closing(native_database()) as conn:
        fill(conn)
        conn.execute(
            f"INSERT INTO task_events {_EVENT} VALUES ('running', 4, ?, ?, 1, 9, '{{}}')", (event_type, status)
        )
        before = contents(conn)
        for other_type, other_status in (("response.cancelling", "cancelling"), ("response.failed", "failed")):
            with pytest.raises(sqlite3.IntegrityError):
                conn.execute(
                    f"INSERT INTO task_events {_EVENT} VALUES ('running', 4, ?, ?, 1, 9, '{{}}')",
                    (other_type, other_status),
                )
            with pytest.raises(sqlite3.IntegrityError):
                conn.execute(
                    """
                    UPDATE tasks SET status = ?, last_seq = 4, finished_at = iif(? = 'failed', 9, NULL)
                    WHERE id = 'running'""",
                    (other_status, other_status),
                )
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute("DELETE FROM task_events WHERE task_id = 'running' AND seq = 4")
        assert contents(conn) == before
