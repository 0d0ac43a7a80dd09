"""What is there once: ids and keys of other layouts, told without a secret."""

import sqlite3

import pytest

from inspector.checks.walking import check_database
from inspector.reading.connection import Parameters, Row
from tests.checks.broken import filled
from tests.checks.test_walking import damage
from tests.support.store_invariants import PlainReads, findings_in


def test_doubles_are_told_with_their_numbers_and_without_secrets() -> None:
    with filled(loose=True) as conn:
        conn.executescript("""
            INSERT INTO tasks SELECT * FROM tasks WHERE id = 'queued';
            INSERT INTO clients SELECT 'other', name, token_hash, scopes, 1, 1, 1 FROM clients;
            INSERT INTO idempotency_keys SELECT client_id, 'secret', request_digest, 'queued', 1, result, 1, 1
            FROM idempotency_keys;
            UPDATE idempotency_keys SET key = 'secret'""")
        found = {finding.rule: (finding.task_id, finding.message) for finding in findings_in(conn)}
        ((token,),) = conn.execute("SELECT DISTINCT token_hash FROM clients").fetchall()
    assert found["key-twice"] == (
        "completed",
        "One idempotency key of the client “” leads to 2 tasks, “queued” among them.",
    )
    assert found["id-twice"] == (None, "2 rows of the table clients have the same token_hash.")
    assert not any(secret in message for _, message in found.values() for secret in ("secret", token))


def test_a_task_that_is_there_twice_is_named() -> None:
    with filled(loose=True) as conn:
        conn.execute("INSERT INTO tasks SELECT * FROM tasks WHERE id = 'queued'")
        found = [finding for finding in findings_in(conn) if finding.rule == "id-twice"]
    assert [(finding.task_id, finding.message) for finding in found] == [
        ("queued", "2 rows of the table tasks have the same id “queued”.")
    ]


def test_one_name_of_two_clients_keys_is_two_keys() -> None:
    with filled(loose=True) as conn:
        conn.execute("UPDATE tasks SET client_id = 'c' WHERE id = 'queued'")
        conn.execute("""
            INSERT INTO idempotency_keys SELECT 'c', key, request_digest, 'queued', 1, result, 1, 1
            FROM idempotency_keys""")
        assert findings_in(conn) == []


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_BUSY])
@pytest.mark.parametrize("table", ["tasks", "idempotency_keys"])
def test_what_cannot_be_read_is_told_and_a_lock_ends_the_check(code: int, table: str) -> None:
    class Failing(PlainReads):
        def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
            if "HAVING" in sql and f"FROM {table}" in sql:
                error = damage()
                error.sqlite_errorcode = code
                raise error
            return super().rows(sql, parameters)

    with filled(loose=True) as conn:
        steps = check_database(lambda question: question(Failing(conn)))
        if code == sqlite3.SQLITE_BUSY:
            with pytest.raises(sqlite3.DatabaseError):
                list(steps)
        else:
            messages = [finding.message for part in steps for finding in part.findings]
            assert [message.partition(" cannot")[0] for message in messages] == [f"What is twice in the table {table}"]


def test_the_tables_of_the_native_layout_are_not_read_for_it() -> None:
    class Watched(PlainReads):
        def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
            assert "HAVING" not in sql
            return super().rows(sql, parameters)

    with filled() as conn:
        list(check_database(lambda question: question(Watched(conn))))
