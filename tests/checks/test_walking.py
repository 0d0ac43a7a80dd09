"""A whole database in ranges: what is found does not depend on them, and damage is a finding."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest

from inspector.checks import orphans
from inspector.checks.findings import Checked, Finding
from inspector.checks.ranges import Sizes, damage_of
from inspector.checks.walking import check_database
from inspector.lmsp.statuses import Status
from inspector.reading.connection import Parameters, Reads, Row
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.reader import open_reader
from tests.checks.broken import BREAKS, EVENT, filled
from tests.commands.databases import by_hand, foreign, one_of_each
from tests.support.store_invariants import PlainReads, checked_parts

_Read = TypeVar("_Read")

OWNED = ("task_events", "responses", "idempotency_keys")

SIZES = [Sizes(tasks=1, events=1), Sizes(tasks=2, events=3), Sizes(tasks=3, events=2), Sizes(tasks=100, events=5)]


def checked_file(path: Path) -> tuple[list[Finding], Checked]:
    """Check the file as the command does: through a reader."""
    with open_reader(path, now_ms=lambda: 0) as reader:

        def ask(question: Callable[[Reads], _Read]) -> _Read:
            return reader.read(lambda connection, _shape: question(connection), deadline_ms=20_000)

        findings: list[Finding] = []
        checked = Checked()
        for part in check_database(ask):
            findings += part.findings
            checked = part.checked
    return findings, checked


def rules(findings: list[Finding]) -> set[tuple[str, str | None]]:
    return {(finding.rule, finding.task_id) for finding in findings}


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_what_is_found_does_not_depend_on_the_size_of_the_ranges(sizes: Sizes) -> None:
    for sql in {sql for all_ in BREAKS.values() for sql in all_ if "printf" not in sql}:
        with filled() as conn:
            conn.executescript(sql)
            whole, counted = checked_parts(conn)
            parts, also_counted = checked_parts(conn, sizes=sizes)
        assert set(parts) == set(whole), sql
        assert also_counted == counted, sql


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_odd_sequence_numbers_are_found_in_ranges_of_any_size(sizes: Sizes) -> None:
    for value in ("NULL", "'three'", "x'03'", "3.0", "2.5"):
        with filled(loose=True) as conn:
            conn.execute(f"UPDATE task_events SET seq = {value} WHERE task_id = 'running' AND seq = 3")
            findings, checked = checked_parts(conn, sizes=sizes)
        assert ("value-type", "running") in rules(findings), value
        assert checked.events == 16


def test_a_step_never_holds_more_events_than_it_may() -> None:
    with filled() as conn:
        conn.executescript("".join(EVENT.format("running", seq, "x", "running", 1) for seq in range(4, 104)))
        conn.execute("UPDATE tasks SET last_seq = 103, updated_at = 9 WHERE id = 'running'")
        reads = Counting(conn)

        def ask(question: Callable[[Reads], _Read]) -> _Read:
            return question(reads)

        parts = list(check_database(ask, sizes=Sizes(tasks=3, events=10)))
    assert [finding for part in parts for finding in part.findings] == []
    assert parts[-1].checked.events == 116
    assert reads.most <= 11


class Counting(PlainReads):
    """Remembers the largest answer."""

    most = 0

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        found = super().rows(sql, parameters)
        if "task_events" in sql:
            self.most = max(self.most, len(found))
        return found


def test_a_check_can_be_stopped_at_any_step() -> None:
    with filled() as conn:
        reads = PlainReads(conn)
        steps = check_database(lambda question: question(reads), sizes=Sizes(tasks=2, events=100))
        assert next(steps).checked.tasks == 2
        assert next(steps).checked.tasks == 4
        assert not conn.in_transaction


def test_each_task_is_read_as_of_one_moment(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer, closing(sqlite3.connect(path)) as conn:
        reads = Interrupted(conn, writer)
        findings = [found for part in check_database(lambda question: question(reads)) for found in part.findings]
        ((seq,),) = writer.execute("SELECT last_seq FROM tasks WHERE id = 'running'").fetchall()
    assert reads.writes == seq - 3 > 5
    assert findings == []


class Interrupted(PlainReads):
    """A connection beside which a service appends an event after each read."""

    def __init__(self, conn: sqlite3.Connection, writer: sqlite3.Connection) -> None:
        super().__init__(conn)
        self.writer = writer
        self.writes = 0

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        found = super().rows(sql, parameters)
        self.writer.execute("BEGIN IMMEDIATE")
        self.writer.execute("""
            INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
            SELECT id, last_seq + 1, 'x', status, attempt, updated_at, '{}' FROM tasks WHERE id = 'running'""")
        self.writer.execute("UPDATE tasks SET last_seq = last_seq + 1 WHERE id = 'running'")
        self.writer.execute("COMMIT")
        self.writes += 1
        return found


def test_a_file_of_another_layout_is_asked_what_it_can_answer(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("a", "queued", None), ("b", "running", None), ("c", "odd", "retry"))
    findings, checked = checked_file(path)
    assert rules(findings) == {("event-type", "b"), ("event-status", "c"), ("event-type", "c"), ("task-status", "c")}
    assert (checked.tasks, checked.events, checked.responses, checked.keys, checked.models) == (3, 3, 0, 0, 0)
    assert set(checked.skipped) >= {"response-ids", "one-key", "model-digest", "left-of-restart", "event-id"}
    assert checked.skipped["one-key"] == "There is no table idempotency_keys with rowids in this file."
    assert checked.skipped["task-times"] == "There is no column tasks.started_at in this file."


@pytest.mark.parametrize(
    "table", ["service_config", "clients", "models", "tasks", "task_events", "responses", "idempotency_keys"]
)
def test_without_a_table_its_rules_are_skipped(table: str) -> None:
    with filled() as conn:
        conn.execute(f"DROP TABLE {table}")
        findings, checked = checked_parts(conn)
    assert findings == []
    assert set(checked.rules).isdisjoint(checked.skipped)
    assert any(f" {table} " in reason for reason in checked.skipped.values())
    if table == "tasks":
        assert (checked.rules, checked.tasks) == ((), 0)


def test_a_table_without_rowids_is_skipped() -> None:
    with filled() as conn:
        conn.executescript("""
            ALTER TABLE responses RENAME TO old;
            CREATE TABLE responses (task_id TEXT PRIMARY KEY, status) WITHOUT ROWID""")
        findings, checked = checked_parts(conn)
    assert findings == []
    assert "one-response" in checked.skipped


def test_a_view_in_place_of_a_table_is_not_read() -> None:
    with filled() as conn:
        conn.executescript("""
            DROP TABLE responses;
            CREATE VIEW responses AS
            WITH RECURSIVE n(task_id) AS (SELECT 1 UNION ALL SELECT task_id + 1 FROM n) SELECT * FROM n""")
        findings, checked = checked_parts(conn)
    assert findings == []
    assert "one-response" in checked.skipped


def test_tasks_of_one_id_and_rowids_of_any_sign_are_all_looked_at() -> None:
    with filled(loose=True) as conn:
        conn.execute("INSERT INTO tasks (rowid, id, status) VALUES (-5, 'x', 'paused'), (1 << 62, 'x', 'paused')")
        findings, checked = checked_parts(conn)
    assert checked.tasks == 9
    assert [finding.task_id for finding in findings if finding.rule == "value-type"] == ["x", "x"]


def test_ids_that_are_no_utf8_are_joined_with_their_log() -> None:
    with filled(loose=True) as conn:
        conn.execute("UPDATE tasks SET id = CAST(x'ff' AS TEXT) WHERE id = 'running'")
        conn.execute("UPDATE task_events SET task_id = CAST(x'ff' AS TEXT) WHERE task_id = 'running'")
        assert checked_parts(conn)[0] == []
        conn.execute("UPDATE tasks SET last_seq = 9 WHERE status = 'running'")
        assert rules(checked_parts(conn)[0]) == {("last-seq", "\\xff")}


def test_each_damaged_page_ends_in_findings_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(path, "VACUUM")
    whole = path.read_bytes()
    found = []
    for at in range(4096, len(whole), 4096):
        path.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :])
        try:
            findings, checked = checked_file(path)
        except Unreadable:  # a page of the schema
            continue
        assert all(finding.message.endswith(".") for finding in findings)
        found.append(("unreadable" in {finding.rule for finding in findings}, checked.tasks))
    assert (True, 0) in found  # the tasks themselves
    assert (True, 7) in found  # what belongs to them
    assert (False, 7) in found  # an index that nothing here goes by


def test_of_a_damaged_schema_what_is_left_is_checked(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(path, "VACUUM")
    whole = path.read_bytes()
    at = whole.rindex(b"CREATE TRIGGER") // 4096 * 4096
    path.write_bytes(whole[:at] + bytes(4096) + whole[at + 4096 :])

    findings, checked = checked_file(path)

    assert (checked.tasks, checked.events) == (7, 20)
    assert [(finding.rule, finding.message) for finding in findings] == [
        ("unreadable", "A part of its schema cannot be read: tables that stood there are not looked at.")
    ]


def test_a_damaged_page_among_many_tasks_costs_its_own_tasks_alone(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        for number in range(2_000):
            db.execute(
                "INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)"
                " VALUES (?, 'x', 'queued', 1, 1, 1, 9, '{}')",
                (f"t{number:04}",),
            )
            db.execute(EVENT.format(f"t{number:04}", 1, "created", "queued", 1))
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    whole = path.read_bytes()
    at = whole.index(b"t1000x")
    at -= at % 4096
    path.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :])
    findings, checked = checked_file(path)
    unread = [finding for finding in findings if finding.rule == "unreadable"]
    assert unread
    assert 1_700 < checked.tasks < 2_007
    assert {finding.rule for finding in findings} <= {"unreadable", "event-without-task"}


def test_a_value_that_is_too_large_to_be_read_is_found_with_its_task(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(
        path,
        "DROP TRIGGER task_events_never_change",
        "UPDATE task_events SET data = printf('%.*c', 16777217, 'x') WHERE task_id = 'running' AND seq = 2",
        "UPDATE tasks SET request = printf('%.*c', 16777217, 'x') WHERE id = 'failed'",
    )
    findings, checked = checked_file(path)
    assert rules(findings) == {("large-value", "running"), ("large-value", "failed"), ("own-layout", None)}
    assert (checked.tasks, checked.events) == (7, 20)


def damage() -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


class Damaged(PlainReads):
    """A connection on which no statement with these words can be read to its end."""

    def __init__(self, conn: sqlite3.Connection, words: str) -> None:
        super().__init__(conn)
        self.words = words

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        if self.words in sql:
            raise damage()
        return super().rows(sql, parameters)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("task_events", "Its events cannot be read."),
        ("responses", "Its response or its idempotency key cannot be read."),
        ("idempotency_keys", "Its response or its idempotency key cannot be read."),
    ],
)
def test_what_cannot_be_read_of_a_task_is_told_of_it(table: str, told: str) -> None:
    with filled() as conn:
        reads = Damaged(conn, f"CROSS JOIN {table}")
        parts = list(check_database(lambda question: question(reads)))
    findings = [finding for part in parts for finding in part.findings]
    assert {(finding.rule, finding.task_id) for finding in findings} == {("unreadable", status) for status in Status}
    assert all(finding.message.startswith(told) for finding in findings)
    assert parts[-1].checked.tasks == 7


@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("Could not decode"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no")]
)
def test_an_error_without_a_code_is_text_that_cannot_be_read(error: Exception) -> None:
    assert damage_of(error).endswith(".")
    with pytest.raises(sqlite3.ProgrammingError):
        damage_of(sqlite3.ProgrammingError("closed"))


class Holed(PlainReads):
    """A connection on which the tasks of some rowids cannot be read."""

    def __init__(self, conn: sqlite3.Connection, first: int, last: int) -> None:
        super().__init__(conn)
        self.first = first
        self.last = last

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        found = super().rows(sql, parameters)
        if "FROM tasks WHERE tasks.rowid > ? AND" in sql and any(
            isinstance(row[0], int) and self.first <= row[0] <= self.last for row in found
        ):
            raise damage()
        return found


@pytest.mark.parametrize(
    ("first", "last", "told", "tasks"),
    [
        (1, 1, "Tasks at the start of the table, up to rowid 1 cannot be read.", 6),
        (4, 4, "Tasks behind rowid 3 of the table, up to rowid 4 cannot be read.", 6),
        (6, 7, "Tasks behind rowid 5 of the table, up to rowid 7 cannot be read.", 5),
        (1, 7, "Tasks at the start of the table, up to rowid 7 cannot be read.", 0),
    ],
)
def test_tasks_that_cannot_be_read_are_told_by_their_rowids(first: int, last: int, told: str, tasks: int) -> None:
    with filled() as conn:
        reads = Holed(conn, first, last)
        parts = list(check_database(lambda question: question(reads)))
    findings = [finding for part in parts for finding in part.findings if finding.message.startswith("Tasks ")]
    assert [(finding.rule, finding.message.startswith(told)) for finding in findings] == [("unreadable", True)]
    assert parts[-1].checked.tasks == tasks


def test_what_has_lost_its_task_is_found_in_ranges_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    with filled() as conn:
        conn.execute("DELETE FROM tasks WHERE id IN ('queued', 'running', 'completed')")
        whole = checked_parts(conn)[0]
        for size in (1, 2, 5):
            monkeypatch.setattr(orphans, "_ROWS_AT_ONCE", size)
            assert set(checked_parts(conn)[0]) == set(whole)
    assert {finding.message.split(" to the task")[0] for finding in whole} == {
        *("One event belongs", "3 events belong", "One response belongs", "One idempotency key belongs")
    }


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("function _models ", ["The table models cannot be read."]),
        ("function _range ", [f"The table {name} cannot be read." for name in OWNED]),
        ("function _last ", [f"The table {name} cannot be read." for name in OWNED]),
        ("function _last_start ", ["The list of its starts cannot be read."]),
        ("function _last_rowid ", ["The last task cannot be read."]),
    ],
)
def test_a_part_that_is_damaged_is_told_and_the_rest_is_looked_at(question: str, told: list[str]) -> None:
    with filled() as conn:
        reads = PlainReads(conn)

        def ask(asked: Callable[[Reads], _Read]) -> _Read:
            if question in str(asked):
                raise damage()
            return asked(reads)

        parts = list(check_database(ask))
    findings = [finding for part in parts for finding in part.findings]
    assert [finding.rule for finding in findings] == ["unreadable"] * len(told)
    assert all(finding.message.startswith(start) for finding, start in zip(findings, told, strict=True))
    assert parts[-1].checked.tasks == 7


@pytest.mark.parametrize("error", [Unanswered("gone"), sqlite3.OperationalError("locked")])
def test_what_is_no_damage_ends_the_check(error: Exception) -> None:
    if isinstance(error, sqlite3.Error):
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    with filled() as conn:
        reads = PlainReads(conn)

        def ask(question: Callable[[Reads], _Read]) -> _Read:
            if "read_range" in str(question):
                raise error
            return question(reads)

        with pytest.raises(type(error)):
            list(check_database(ask))
