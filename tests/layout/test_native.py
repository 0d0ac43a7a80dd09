"""The layout as text: what it says of itself, and that every reader can read it."""

import re
import sqlite3

import pytest

from inspector.layout import native
from tests.support.store_layout import fill, native_database


def stored_triggers(conn: sqlite3.Connection) -> dict[str, str | None]:
    return dict(conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall())


def test_the_triggers_are_known_in_the_words_in_which_sqlite_stores_them() -> None:
    conn = native_database()
    assert stored_triggers(conn) == dict(native.TRIGGERS)
    conn.close()


def test_the_statements_are_the_whole_ddl() -> None:
    def words(sql: str) -> list[str]:
        return re.sub(r"^--.*$", "", sql, flags=re.MULTILINE).replace(";", " ").split()

    assert words("\n".join(native.STATEMENTS)) == words(native.DDL)


def test_the_layout_is_marked_and_has_the_seven_tables() -> None:
    conn = native_database()
    assert conn.execute("PRAGMA application_id").fetchall() == [(native.APPLICATION_ID,)]
    assert native.APPLICATION_ID.to_bytes(4, "big") == b"LMSP"
    assert conn.execute("PRAGMA user_version").fetchall() == [(native.USER_VERSION,)]
    tables = conn.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict").fetchall()
    assert {name for (name,) in tables} == set(native.TABLES)
    conn.close()


def test_no_table_can_hold_the_bytes_of_a_model() -> None:
    conn = native_database()
    types = conn.execute("""
        SELECT DISTINCT c.type FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'""").fetchall()
    assert set(types) == {("TEXT",), ("INTEGER",)}
    conn.close()


MAY_BE_MISSING = {
    "clients": {"last_seen_at", "revoked_at"},
    "models": {"format"},
    "tasks": {
        *("client_id", "model_id", "on_restart", "snapshot_seq", "snapshot"),
        *("error_code", "error_message", "started_at", "finished_at"),
    },
    "task_events": {"id"},  # an INTEGER PRIMARY KEY: where it is missing SQLite chooses it
    "responses": {"client_id", "model_id", "expires_at"},
    "idempotency_keys": {"expires_at"},
}


@pytest.mark.parametrize("table", native.TABLES)
def test_a_value_is_missing_only_where_it_may_be(table: str) -> None:
    conn = native_database()
    columns = conn.execute('SELECT name, "notnull" FROM pragma_table_info(?)', (table,)).fetchall()
    assert {name for name, needed in columns if not needed} == MAY_BE_MISSING.get(table, set())
    conn.close()


def test_the_large_columns_of_tasks_stand_last() -> None:
    conn = native_database()
    columns = [name for (name,) in conn.execute("SELECT name FROM pragma_table_info('tasks') ORDER BY cid").fetchall()]
    assert columns[-3:] == ["error_message", "request", "snapshot"]
    conn.close()


def test_nothing_in_the_layout_uses_a_json_function() -> None:
    # With trusted_schema off, older SQLite refuses the whole file for one.
    assert re.findall(r"json\w*\s*\(|->", native.DDL, flags=re.IGNORECASE) == []


@pytest.mark.parametrize("trusted", ["ON", "OFF"])
def test_every_table_is_read_and_written_also_where_the_schema_is_not_trusted(trusted: str) -> None:
    conn = native_database()
    conn.execute(f"PRAGMA trusted_schema = {trusted}")
    fill(conn)
    for table in ("tasks", "task_events", "responses", "models", "idempotency_keys"):
        assert conn.execute(f"SELECT count(*) > 0 FROM {table}").fetchall() == [(1,)]
    assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    conn.close()


def test_a_trigger_of_others_is_named() -> None:
    conn = native_database()
    assert native.foreign_triggers(stored_triggers(conn)) == ()
    conn.execute("CREATE TRIGGER zz AFTER UPDATE ON tasks BEGIN DELETE FROM task_events; END")
    conn.execute("CREATE TRIGGER aa AFTER UPDATE ON tasks BEGIN DELETE FROM task_events; END")
    assert native.foreign_triggers(stored_triggers(conn)) == ("aa", "zz")
    assert native.missing_triggers(stored_triggers(conn)) == ()
    conn.close()


def test_a_row_is_a_trigger_unless_it_says_that_it_is_something_else() -> None:
    kinds = ("trigger", "TRIGGER", b"trigger", "trigger\0", None, "table", "index", "view", "View")
    found = native.triggers_of((kind, repr(kind), "text") for kind in kinds)
    assert found == dict.fromkeys([repr(kind) for kind in kinds if kind not in ("table", "index", "view")], "text")


@pytest.mark.parametrize("name", native.TRIGGERS)
def test_a_trigger_that_is_gone_or_says_something_else_is_named(name: str) -> None:
    conn = native_database()
    conn.execute(f"DROP TRIGGER {name}")
    assert native.missing_triggers(stored_triggers(conn)) == (name,)
    conn.execute(f"CREATE TRIGGER {name} AFTER INSERT ON clients BEGIN SELECT 1; END")
    assert native.missing_triggers(stored_triggers(conn)) == ()
    assert native.foreign_triggers(stored_triggers(conn)) == (name,)
    conn.close()


@pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
        "UPDATE tasks SET status = ?, last_seq = ?, attempt = ?, finished_at = ?, updated_at = ? WHERE id = ?",
        "DELETE FROM tasks WHERE id = ?",
    ],
)
def test_no_write_puts_values_into_a_tree_of_its_own_first(write: str) -> None:
    conn = native_database()
    steps = conn.execute(f"EXPLAIN {write}", [None] * write.count("?")).fetchall()
    assert "OpenEphemeral" not in {step[1] for step in steps}
    conn.close()
