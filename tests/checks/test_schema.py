"""The layout of a file that says it is ours: what it lacks, and what it has of others."""

import sqlite3
from contextlib import closing

import pytest

from inspector.checks.findings import Severity
from inspector.checks.walking import check_database
from inspector.layout import native
from inspector.reading.connection import Parameters, Row
from tests.checks.test_walking import damage
from tests.support.store_invariants import PlainReads, findings_in
from tests.support.store_layout import fill, native_database

LACKS = "It lacks tables, columns or constraints of its layout: "
OF_A_TASK = " REFERENCES tasks ( id ) ON DELETE CASCADE"
WRITES_NOTHING = ": the store writes nothing to such a file."


def rebuilt(table: str, old: str, new: str) -> str:
    """Return the statements that make a table anew with other words."""
    (made,) = (sql for sql in native.STATEMENTS if sql.startswith(f"CREATE TABLE {table} ("))
    assert made.count(old) == 1
    own = [sql for name, sql in native.TRIGGERS.items() if f" ON {table}\n" in sql]
    return f"""
        PRAGMA foreign_keys = OFF; CREATE TABLE kept AS SELECT * FROM {table};
        {"".join(f"DROP TRIGGER {sql.split()[2]};" for sql in own)}
        DROP TABLE {table}; {made.replace(old, new)}; INSERT INTO {table} SELECT * FROM kept; DROP TABLE kept;
        {"".join(f"{sql};" for sql in own)}"""


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        *(
            (f"DROP TRIGGER {name}", f"It lacks triggers of its layout: {name}")
            for name in ("task_events_never_change", "tasks_leave_no_final_status")
        ),
        (
            "CREATE TRIGGER other AFTER INSERT ON tasks BEGIN SELECT 1; END",
            "It carries triggers that are not the layout's own: other",
        ),
        (
            "DROP TRIGGER task_events_never_change;"
            "CREATE TRIGGER task_events_never_change BEFORE UPDATE ON task_events BEGIN SELECT 1; END",
            "It carries triggers that are not the layout's own: task_events_never_change",
        ),
        (
            rebuilt("responses", " REFERENCES tasks (id) ON DELETE CASCADE", ""),
            f"{LACKS}responses: task_id TEXT NOT NULL UNIQUE{OF_A_TASK}",
        ),
        (
            rebuilt("idempotency_keys", " ON DELETE CASCADE", ""),
            f"{LACKS}idempotency_keys: task_id TEXT NOT NULL{OF_A_TASK}",
        ),
        (
            rebuilt("task_events", " REFERENCES tasks (id) ON DELETE CASCADE", ""),
            f"{LACKS}task_events: task_id TEXT NOT NULL{OF_A_TASK}",
        ),
        (rebuilt("responses", " UNIQUE", ""), f"{LACKS}responses: task_id TEXT NOT NULL UNIQUE{OF_A_TASK}"),
        (
            rebuilt("idempotency_keys", "PRIMARY KEY (client_id, key)", "PRIMARY KEY (client_id, key, created_at)"),
            f"{LACKS}idempotency_keys: PRIMARY KEY ( client_id , key )",
        ),
        (
            rebuilt("models", " CHECK (size_bytes >= 0)", ""),
            f"{LACKS}models: size_bytes INTEGER NOT NULL CHECK ( size_bytes > = 0 )",
        ),
        ("ALTER TABLE responses DROP COLUMN body", f"{LACKS}responses: body TEXT NOT NULL"),
    ],
)  # fmt: skip
def test_what_the_store_would_not_write_to_is_a_finding(sql: str, told: str) -> None:
    with closing(native_database()) as conn:
        fill(conn)
        assert findings_in(conn) == []
        conn.executescript(sql)
        (finding,) = findings_in(conn)
    assert (finding.rule, finding.severity, finding.task_id) == ("own-layout", Severity.ERROR, None)
    assert finding.message == f"{told}{WRITES_NOTHING}"


def test_a_table_that_is_missing_is_told_with_all_that_goes_with_it() -> None:
    with closing(native_database()) as conn:
        conn.execute("DROP TABLE responses")
        messages = [finding.message for finding in findings_in(conn)]
    assert messages == [f"{LACKS}responses{WRITES_NOTHING}"]


def test_many_names_are_counted() -> None:
    with closing(native_database()) as conn:
        for name in native.TRIGGERS:
            conn.execute(f"DROP TRIGGER {name}")
        (finding,) = findings_in(conn)
    more = len(native.TRIGGERS) - 10
    assert finding.message.endswith(f" and {more} more{WRITES_NOTHING}" if more > 0 else WRITES_NOTHING)


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE tasks ADD COLUMN more TEXT",
        "CREATE TABLE others (a UNIQUE, b REFERENCES tasks (id))",
        'CREATE TABLE "odd) name" (a UNIQUE)',
        'CREATE UNIQUE INDEX "odd) name" ON tasks (kind, id)',
        "DROP INDEX tasks_by_created",
        "CREATE VIEW shown AS SELECT * FROM tasks",
    ],
)
def test_what_does_no_harm_is_no_finding(sql: str) -> None:
    with closing(native_database()) as conn:
        conn.execute(sql)
        assert findings_in(conn) == []


@pytest.mark.parametrize("sql", ["PRAGMA application_id = 1", "PRAGMA user_version = 0", "PRAGMA user_version = 99"])
def test_another_layout_and_a_newer_one_are_not_asked(sql: str) -> None:
    with closing(native_database()) as conn:
        conn.execute("DROP TRIGGER task_events_never_change")
        assert len(findings_in(conn)) == 1
        conn.execute(sql)
        assert findings_in(conn) == []


def test_a_layout_that_cannot_be_read_is_told() -> None:
    class Damaged(PlainReads):
        def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
            if "substr(sql" in sql:
                raise damage()
            return super().rows(sql, parameters)

    with closing(native_database()) as conn:
        found = [part.findings for part in check_database(lambda question: question(Damaged(conn)))]
    assert [finding.rule for findings in found for finding in findings] == ["unreadable"]
    assert found[0][0].message.startswith("Its layout cannot be read.")


def test_a_lock_while_the_layout_is_read_ends_the_check() -> None:
    class Locked(PlainReads):
        def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
            if "substr(sql" in sql:
                error = sqlite3.OperationalError("locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().rows(sql, parameters)

    with closing(native_database()) as conn, pytest.raises(sqlite3.OperationalError):
        list(check_database(lambda question: question(Locked(conn))))
