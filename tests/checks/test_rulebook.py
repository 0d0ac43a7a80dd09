"""Each rule is shown to find what breaks it, and all of them to be silent where nothing is broken."""

import pytest

from inspector.checks.findings import Severity
from inspector.checks.rulebook import ALL_NAMES, rulebook_for
from tests.checks.broken import BREAKS, LOOSE, ONE_BREAK, SOUND, WRONG_VALUES, filled
from tests.support.store_invariants import checked_parts, findings_in

SHOWN_ELSEWHERE = {"own-layout", "value-type", "unreadable", "file-damaged"}
WARNINGS = {"large-value", "stored-bytes", "retention-period", "attempt-start", "left-of-restart"}


def test_every_rule_is_broken_somewhere() -> None:
    assert set(BREAKS) | SHOWN_ELSEWHERE == set(ALL_NAMES)
    assert not set(BREAKS) & SHOWN_ELSEWHERE
    assert len(set(ALL_NAMES)) == len(ALL_NAMES)


def test_a_sound_database_has_no_findings_and_everything_in_it_was_looked_at() -> None:
    with filled() as conn:
        findings, checked = checked_parts(conn)
    assert findings == []
    assert (checked.tasks, checked.events, checked.responses, checked.keys, checked.models) == (7, 16, 1, 1, 1)
    assert {*checked.rules, "file-damaged"} == set(ALL_NAMES)
    assert checked.skipped == {}


@pytest.mark.parametrize(("rule", "sql"), [(rule, sql) for rule, all_ in BREAKS.items() for sql in all_])
def test_a_broken_rule_is_found(rule: str, sql: str) -> None:
    with filled() as conn:
        conn.executescript(sql)
        findings = {finding.rule: finding for finding in findings_in(conn)}
    assert rule in findings
    assert findings[rule].severity is (Severity.WARNING if rule in WARNINGS else Severity.ERROR)
    assert findings[rule].message.endswith(".")
    assert findings[rule].section.startswith(("11.", "design "))


@pytest.mark.parametrize("sql", SOUND)
def test_what_a_service_writes_breaks_no_rule(sql: str) -> None:
    with filled() as conn:
        conn.executescript(sql)
        assert findings_in(conn) == []


@pytest.mark.parametrize(("sql", "rules"), ONE_BREAK)
def test_a_move_that_another_rule_tells_of_is_no_second_finding(sql: str, rules: set[str]) -> None:
    with filled() as conn:
        conn.executescript(sql)
        assert {finding.rule for finding in findings_in(conn)} == rules


def test_of_many_models_each_is_looked_at() -> None:
    with filled() as conn:
        conn.executescript("""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
            INSERT INTO models (id, name, digest, size_bytes, path, metadata, added_at)
            SELECT 'm' || i, name, iif(i = 250, 'none', digest), 1, path, '{}', 1 FROM n, models WHERE id = 'm'""")
        findings, checked = checked_parts(conn)
    assert [finding.rule for finding in findings] == ["model-digest"]
    assert checked.models == 251


@pytest.mark.parametrize("value", WRONG_VALUES)
@pytest.mark.parametrize(("table", "column"), [(table, column) for table, all_ in LOOSE.items() for column in all_])
def test_a_value_of_a_wrong_type_is_a_finding_and_no_error(table: str, column: str, value: str) -> None:
    with filled(loose=True) as conn:
        assert findings_in(conn) == []
        which = "id = 'running'" if table == "tasks" else "task_id = 'running' AND seq = 2"
        conn.execute(f"UPDATE {table} SET {column} = {value} WHERE {which}")
        ((stored,),) = conn.execute(f"SELECT typeof({column}) FROM {table} WHERE {column} IS {value}").fetchall()[:1]
        wrong = [finding for finding in findings_in(conn) if finding.rule == "value-type"]
    wanted = "text" if column in ("id", "status", "type", "error_code") else "integer"
    assert (stored != wanted) == (len(wrong) == 1)


@pytest.mark.parametrize("column", ["id", "status", "last_seq", "updated_at"])
def test_a_missing_value_is_a_finding(column: str) -> None:
    with filled(loose=True) as conn:
        conn.execute(f"UPDATE tasks SET {column} = NULL WHERE id = 'running'")
        findings = findings_in(conn)
    assert [finding.message for finding in findings if finding.rule == "value-type"] == [
        f"Its {column} is NULL, not {'text' if column in ('id', 'status') else 'an integer'}."
    ]


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_an_event_of_a_wrong_type_makes_no_gap_of_its_own(seq: int) -> None:
    with filled(loose=True) as conn:
        conn.execute("UPDATE task_events SET attempt = 'one' WHERE task_id = 'running' AND seq = ?", (seq,))
        assert [finding.rule for finding in findings_in(conn)] == ["value-type"]


def test_a_value_of_a_wrong_type_hides_nothing_of_another_task() -> None:
    with filled(loose=True) as conn:
        conn.execute("UPDATE task_events SET attempt = 'one' WHERE task_id = 'running' AND seq = 2")
        conn.execute("UPDATE tasks SET last_seq = 9 WHERE id = 'queued'")
        found = {(finding.rule, finding.task_id) for finding in findings_in(conn)}
    assert found == {("value-type", "running"), ("last-seq", "queued")}


def test_a_sequence_number_that_is_there_twice_is_found() -> None:
    with filled(loose=True) as conn:
        conn.execute("INSERT INTO task_events SELECT * FROM task_events WHERE task_id = 'running' AND seq = 2")
        findings = [finding for finding in findings_in(conn) if finding.rule == "sequence-gap"]
    assert [(finding.task_id, finding.message) for finding in findings] == [
        ("running", "There are two events with the sequence number 2.")
    ]


def test_the_ids_of_another_layouts_events_are_not_taken_for_an_order() -> None:
    with filled(loose=True) as conn:
        conn.executescript("""
            CREATE TABLE turned AS SELECT * FROM task_events ORDER BY seq DESC;
            DELETE FROM task_events;
            INSERT INTO task_events SELECT * FROM turned""")
        findings, checked = checked_parts(conn)
    assert findings == []
    assert checked.skipped == {
        rule: f"The table {table} is not made by the native layout."
        for rule, table in (
            *(("event-id", "task_events"), ("client-token", "clients"), ("key-digest", "idempotency_keys")),
        )
    }


def test_what_is_as_the_table_of_a_restart_has_it_is_not_left_over() -> None:
    with filled() as conn:
        conn.executescript("""
            INSERT INTO service_config VALUES ('service.starts', '[{"at": 9}]', 9);
            UPDATE tasks SET on_restart = 'retry' WHERE id = 'queued';
            UPDATE tasks SET on_restart = 'resume' WHERE id = 'running';
            UPDATE tasks SET updated_at = 9 WHERE id IN ('loading', 'cancelling')""")
        assert findings_in(conn) == []


@pytest.mark.parametrize("starts", ["", "{", "[]", "{}", "[1]", '[{"at": "9"}]', '[{"at": true}]', "[" * 100_000, "9"])
def test_a_list_of_starts_that_is_none_says_nothing(starts: str) -> None:
    with filled() as conn:
        conn.execute("UPDATE tasks SET created_at = -5, updated_at = -5 WHERE id = 'queued'")
        conn.execute("UPDATE task_events SET created_at = -5 WHERE task_id = 'queued'")
        conn.execute("INSERT INTO service_config VALUES ('service.starts', ?, 9)", (starts,))
        assert {finding.rule for finding in findings_in(conn)} <= {"stored-json"}


def test_a_rule_that_is_broken_often_in_one_task_is_one_finding_with_its_number() -> None:
    with filled() as conn:
        for seq in range(4, 9):
            conn.execute(
                "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)"
                " VALUES ('running', ?, 'response.output_text.delta', 'loading', 1, 9 - ?, '{}')",
                (seq, seq),
            )
        times = [finding for finding in findings_in(conn) if finding.rule == "event-time"]
    assert [finding.message for finding in times] == [
        "Event 5 is 1 ms older than event 4. The rule is broken 3 more times there."
    ]


def test_a_long_value_is_quoted_short() -> None:
    with filled() as conn:
        conn.execute("UPDATE tasks SET status = ? WHERE id = 'queued'", ("x" * 100_000,))
        assert max(len(finding.message) for finding in findings_in(conn)) < 300


def test_without_a_column_the_rules_that_need_it_are_skipped_and_no_others() -> None:
    book = rulebook_for(lambda need: "It is not there." if need == "task_events.attempt" else None)
    assert set(book.skipped) == {"attempt-falls", "attempt-raised", "attempt-start", "log-attempt"}
    assert set(book.skipped.values()) == {"It is not there."}
    assert {*book.names, *book.skipped, "file-damaged"} == set(ALL_NAMES)
