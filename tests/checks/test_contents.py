"""The values of all rows: what is doubtful is read and told with its place, and no secret is quoted."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from inspector.checks.content_rules import period_is_a_number
from inspector.checks.findings import Finding
from inspector.checks.ranges import Sizes
from inspector.checks.values import Stored
from inspector.checks.walking import check_database
from inspector.reading.connection import Parameters, Reads, Row
from inspector.reading.errors import TookTooLong, Unanswered
from tests.checks.broken import filled
from tests.checks.test_walking import checked_file, damage, rules
from tests.commands.databases import by_hand, foreign, one_of_each
from tests.support.store_invariants import PlainReads, checked_parts, findings_in

_Read = TypeVar("_Read")

SECRET = "the secret"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("UPDATE tasks SET request = '{' WHERE id = 'queued'", ("queued", "Its request is no JSON.")),
        (
            "UPDATE task_events SET data = '{' WHERE task_id = 'running' AND seq > 1",
            ("running", "The data of its event 2 is no JSON. The rule is broken once more there."),
        ),
        ("UPDATE responses SET body = '['", ("completed", "The body of its response is no JSON.")),
        ("UPDATE idempotency_keys SET result = ''", ("completed", "The result of its idempotency key is no JSON.")),
        ("UPDATE models SET metadata = '-'", (None, "The metadata of model “m” is no JSON.")),
        ("UPDATE clients SET scopes = '{}'", (None, "The scopes of client “c” are no array of texts.")),
        ("UPDATE service_config SET value = '{'", (None, "The value of the configuration “name” is no JSON.")),
        (
            f"UPDATE tasks SET request = '{'[' * 100_000}' WHERE id = 'queued'",
            ("queued", "Its request nests too deep to be read."),
        ),
        (
            "UPDATE responses SET body = printf('%.*c', 16777217, 'x')",
            ("completed", "The body of its response is larger than 16 MiB."),
        ),
        (
            "UPDATE clients SET scopes = printf('%.*c', 1048577, 'x')",
            (None, "The scopes of client “c” is larger than 1 MiB."),
        ),
    ],
)  # fmt: skip
def test_a_value_is_told_with_its_place(sql: str, told: tuple[str | None, str]) -> None:
    with filled() as conn:
        conn.execute(sql)
        assert [(finding.task_id, finding.message) for finding in findings_in(conn)] == [told]


@pytest.mark.parametrize(
    "sql",
    [
        f"UPDATE clients SET token_hash = '{SECRET}'",
        f"UPDATE idempotency_keys SET request_digest = '{SECRET}', key = '{SECRET}', result = '{SECRET}'",
        f"UPDATE tasks SET request = '{SECRET}', snapshot = '{SECRET}', snapshot_seq = 1",
        f"UPDATE task_events SET data = '{SECRET}'",
        f"UPDATE responses SET body = '{SECRET}'",
    ],
)
def test_what_is_secret_is_never_quoted(sql: str) -> None:
    with filled() as conn:
        conn.execute(sql)
        findings = findings_in(conn)
    assert findings
    assert not any(SECRET in finding.message for finding in findings)


def test_each_client_is_a_finding_of_its_own() -> None:
    with filled() as conn:
        conn.executescript("""
            INSERT INTO clients (id, name, token_hash, scopes, paired_at)
            SELECT 'd', 'd', replace(token_hash, '0', '1'), '[', 1 FROM clients;
            UPDATE clients SET scopes = '['""")
        assert [finding.message for finding in findings_in(conn)] == [
            f"The scopes of client “{name}” is no JSON." for name in "cd"
        ]


def test_a_blob_is_told_with_its_size_and_one_of_a_column_of_others_as_well() -> None:
    with filled() as conn:
        conn.execute('ALTER TABLE responses ADD COLUMN "of ""others" BLOB')
        conn.execute('UPDATE responses SET "of ""others" = zeroblob(1000)')
        assert [(finding.rule, finding.message) for finding in findings_in(conn)] == [
            ("stored-bytes", 'The of "others of its response is a BLOB of 1,000 bytes.')
        ]


def test_a_table_of_very_many_columns_is_asked_about_in_parts(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "queued", None))
    names = [f"c{number:02}" for number in range(95)]
    by_hand(
        path,
        f"CREATE TABLE responses (task_id, body, {', '.join(names)})",
        "INSERT INTO responses (task_id, c00, c94) VALUES ('t', x'00', x'00')",
    )
    findings, _ = checked_file(path)
    assert [finding.message for finding in findings if finding.rule == "stored-bytes"] == [
        "The c00 of its response is a BLOB of 1 bytes. The rule is broken once more there."
    ]


def test_only_one_value_of_the_configuration_is_a_period() -> None:
    stored = Stored("service_config.value", "The value", "name", "text", 3, 9, '"s"')
    assert list(period_is_a_number(stored)) == []
    assert len(list(period_is_a_number(replace(stored, owner="retention.keep_ms")))) == 1


@pytest.mark.parametrize("column", ["'x'", "7", "NULL", "1.5"])
def test_another_layout_may_hold_numbers_and_nothing(column: str) -> None:
    with filled(loose=True) as conn:
        conn.execute(f"UPDATE service_config SET value = {column}")
        found = {finding.rule for finding in findings_in(conn)}
    assert found == ({"stored-json"} if column == "'x'" else set())


def test_values_that_are_too_large_to_be_read_are_found(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    large = "printf('%.*c', 16777217, 'x')"
    by_hand(
        path,
        "UPDATE responses SET body = 'no'",
        f"UPDATE responses SET body = {large} WHERE task_id = 'completed'",
        "DROP TRIGGER task_events_never_change",
        f"UPDATE task_events SET data = {large} WHERE task_id = 'failed' AND seq = 1",
        "UPDATE task_events SET data = 'no' WHERE task_id = 'failed' AND seq = 2",
        f"INSERT INTO service_config VALUES ('a', {large}, 1), ('b', 'no', 1), ({large}, '1', 1)",
        *(f"INSERT INTO clients VALUES ('{name}', 'c', hex(zeroblob(31)) || '0{at}', '[', 1, 1, 1)"
          for at, name in enumerate("ab")),
        f"UPDATE clients SET name = {large} WHERE id = 'a'",
    )  # fmt: skip
    findings, _ = checked_file(path)
    told = sorted((finding.rule, finding.message) for finding in findings if finding.rule != "own-layout")
    assert told == [
        ("large-value", "A value of it or of its events is larger than 16 MiB."),
        ("large-value", "The body of its response is larger than 16 MiB."),
        ("large-value", "The key of the configuration NULL is larger than 16 MiB."),
        ("large-value", "The name of client “a” is larger than 16 MiB."),
        ("large-value", "The value of the configuration “a” is larger than 16 MiB."),
        ("stored-json", "The data of its event 2 is no JSON."),
        ("stored-json", "The scopes of client “a” is no JSON."),
        ("stored-json", "The scopes of client “b” is no JSON."),
        ("stored-json", "The value of the configuration “b” is no JSON."),
    ]


class Troubled(PlainReads):
    """A connection on which a statement with these words fails."""

    def __init__(self, conn: sqlite3.Connection, words: str, parameters: list[int] | None, error: Exception) -> None:
        super().__init__(conn)
        self.words = words
        self.parameters = parameters
        self.error = error

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        if self.words in sql and self.parameters in (None, parameters):
            raise self.error
        return super().rows(sql, parameters)


def found_in_trouble(reads: PlainReads) -> list[Finding]:
    return [finding for part in check_database(lambda question: question(reads)) for finding in part.findings]


def late() -> Unanswered:
    return TookTooLong("This took too long.")


@pytest.mark.parametrize("error", [damage(), late()])
def test_what_cannot_be_asked_about_as_a_range_is_asked_about_row_by_row(error: Exception) -> None:
    with filled() as conn:
        conn.execute("UPDATE task_events SET data = 'no' WHERE seq = 3 AND task_id = 'running'")
        reads = Troubled(conn, "SELECT task_events.rowid, (typeof", None, error)
        assert rules(found_in_trouble(reads)) == {("stored-json", "running")}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("SELECT task_events.rowid FROM", "The values of the table task_events cannot be read."),
        ("SELECT typeof(task_events.", "Row 3 of the table task_events cannot be read."),
    ],
)
def test_what_cannot_be_read_is_told_and_the_other_tables_are_looked_at(words: str, told: str) -> None:
    with filled() as conn:
        conn.execute("UPDATE task_events SET data = 'no' WHERE rowid = 3")
        conn.execute("UPDATE responses SET body = 'no'")
        findings = found_in_trouble(Troubled(conn, words, None, damage()))
    assert rules(findings) == {("unreadable", None), ("stored-json", "completed")}
    assert any(finding.message.startswith(told) for finding in findings)


def test_a_damaged_row_costs_its_own_values_alone() -> None:
    with filled() as conn:
        conn.execute("UPDATE task_events SET data = 'no' WHERE rowid IN (1, 2)")

        class Damaged(PlainReads):
            def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
                if "SELECT task_events.rowid, (typeof" in sql or (
                    "SELECT 1 FROM task_events" in sql and parameters == [1]
                ):
                    raise damage()
                return super().rows(sql, parameters)

        findings = found_in_trouble(Damaged(conn))
    messages = [finding.message.partition(" cannot")[0] for finding in findings]
    assert "Row 1 of the table task_events" in messages
    assert "The data of its event 1 is no JSON." in messages


@pytest.mark.parametrize("error", [sqlite3.OperationalError("locked"), Unanswered("gone")])
@pytest.mark.parametrize("words", ["SELECT responses.rowid, (typeof", "SELECT typeof(responses.", "max(responses."])
def test_what_is_no_damage_ends_the_check(error: Exception, words: str) -> None:
    if isinstance(error, sqlite3.Error):
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    with filled() as conn:
        conn.execute("UPDATE responses SET body = 'no'")
        reads = Troubled(conn, words, None, error)
        if "max" in words:
            conn.execute("DELETE FROM responses")
        with pytest.raises(type(error)):
            found_in_trouble(reads)


def test_a_row_that_is_gone_meanwhile_is_no_finding() -> None:
    with filled() as conn:
        conn.execute("UPDATE responses SET body = 'no'")

        class Cleaned(PlainReads):
            def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
                if "SELECT typeof(responses." in sql:
                    return []
                return super().rows(sql, parameters)

        assert found_in_trouble(Cleaned(conn)) == []


def test_what_is_written_after_the_start_is_left_out() -> None:
    with filled() as conn:

        class Written(PlainReads):
            def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
                found = super().rows(sql, parameters)
                if "SELECT max(service_config.rowid)" in sql:
                    conn.execute("INSERT INTO service_config VALUES ('late', 'no', 1)")
                return found

        assert found_in_trouble(Written(conn)) == []


@pytest.mark.parametrize("size", [1, 2, 5])
def test_what_is_found_does_not_depend_on_the_size_of_the_ranges(size: int) -> None:
    with filled() as conn:
        conn.executescript("""
            UPDATE tasks SET request = '{';
            UPDATE task_events SET data = 'no';
            UPDATE clients SET scopes = '7'""")
        whole = findings_in(conn)
        assert set(checked_parts(conn, sizes=Sizes(tasks=7, events=size))[0]) == set(whole)
        assert len(whole) == 2 * 7 + 1


def test_without_the_json_functions_of_sqlite_the_rule_is_skipped_and_the_others_are_asked() -> None:
    with filled() as conn:
        conn.executescript("UPDATE tasks SET request = '{'; UPDATE clients SET scopes = '{}'")
        error = sqlite3.OperationalError("no such function")
        error.sqlite_errorcode = sqlite3.SQLITE_ERROR
        reads = Troubled(conn, "json_valid", None, error)

        def ask(question: Callable[[Reads], _Read]) -> _Read:
            return question(reads)

        parts = list(check_database(ask))
    assert rules([finding for part in parts for finding in part.findings]) == {("client-scopes", None)}
    assert parts[-1].checked.skipped == {"stored-json": "SQLite was built without its JSON functions here."}
