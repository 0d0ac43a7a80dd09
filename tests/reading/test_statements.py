"""A statement that somebody typed reads, and does nothing else: no write, no secret, no endless run."""

from pathlib import Path

import pytest

from inspector.layout.tables import StatementAnswer, Storage, StoredCell
from inspector.reading.errors import TookTooLong, Unanswered
from inspector.reading.requests import StatementRequest
from inspector.reading.table_answers import table_answer
from tests.reading.test_connection import ENDLESS, FORBIDDEN
from tests.support.any_tables import CANARY, made, reading, said, with_secrets
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import listing, make

pytestmark = pytest.mark.timeout(30)


def refusal(path: Path, sql: str) -> str:
    """Return the sentence by which a statement is refused."""
    with pytest.raises(Unanswered) as refused:
        said(path, sql)
    return refused.value.sentence


@pytest.mark.threat(id="T7")
def test_whatever_would_write_or_reach_out_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    monkeypatch.chdir(tmp_path)
    before = touch_state(path)

    for statement in (*FORBIDDEN, "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "EXPLAIN DELETE FROM tasks"):
        sentence = refusal(path, statement)
        assert sentence.endswith("."), statement
        assert "\n" not in sentence, statement

    assert differences(before, touch_state(path)) == ()
    assert listing(tmp_path) == {"service.db"}


def test_no_transaction_is_left_by_a_statement(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")

    for statement in ("BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"):
        assert "only reads" in refusal(path, statement), statement


def test_rows_come_with_their_kinds_and_their_digits(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")

    found = said(
        path, "SELECT 9223372036854775807 AS big, 1e999, 'a' || char(0) AS \"a <b>\", x'ff', NULL, CAST(x'ff' AS TEXT)"
    )

    assert found.columns[0] == "big"
    assert found.columns[2] == "a <b>"
    assert found.rows == (
        (
            StoredCell(Storage.INTEGER, "9223372036854775807", 0),
            StoredCell(Storage.REAL, "Inf", 0),
            StoredCell(Storage.TEXT, "a\0", 2),
            StoredCell(Storage.BLOB, "ff", 1),
            StoredCell(Storage.NULL, "", 0),
            StoredCell(Storage.TEXT, r"\xff", 1),
        ),
    )


def test_an_endless_statement_gives_its_first_rows_and_says_that_there_are_more(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

    found = said(path, endless, limit=3)

    assert [cell.text for (cell,) in found.rows] == ["1", "2", "3"]
    assert found.more
    assert len(said(path, endless, limit=1 << 40).rows) == 1_000
    assert not said(path, "SELECT 1 LIMIT 3", limit=1).more


@pytest.mark.threat(id="T6")
def test_a_statement_that_finds_nothing_ends_at_its_deadline(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")

    with reading(path) as connection, pytest.raises(TookTooLong), connection.within(50):
        table_answer(StatementRequest(ENDLESS), connection, 1)


def test_explaining_is_allowed(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")

    assert said(path, "EXPLAIN QUERY PLAN SELECT * FROM tasks").rows
    assert said(path, "EXPLAIN SELECT id FROM tasks").rows
    assert said(path, "PRAGMA user_version").rows


def test_json_is_taken_apart_by_a_statement(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)", """INSERT INTO t VALUES ('{"b": [1, "two"]}')""")

    apart = said(path, "SELECT e.value FROM t, json_each(a, '$.b') AS e")
    nodes = said(path, "SELECT count(*) FROM t, json_tree(a)")

    assert [cell.text for (cell,) in apart.rows] == ["1", "two"]
    assert [cell.text for (cell,) in nodes.rows] == ["4"]


def test_of_many_columns_as_many_are_given_as_are_wanted_and_the_others_counted(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")
    sql = f"SELECT {', '.join(map(str, range(2_000)))}"
    with reading(path) as connection:
        some = table_answer(StatementRequest(sql, columns=80), connection, 1)
    assert isinstance(some, StatementAnswer)
    every = said(path, sql)

    assert (len(some.columns), [len(row) for row in some.rows], some.columns_left_out) == (80, [80], 1_920)
    assert (len(every.columns), [len(row) for row in every.rows], every.columns_left_out) == (2_000, [2_000], 0)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT 1; SELECT 2", "one statement"),
        ("SELECT 1; DELETE FROM t", "one statement"),
        ("", "no statement"),
        ("  -- nothing", "no statement"),
        ("SELEC 1", "syntax"),
        ("SELECT missing FROM t", "no such column"),
        ("SELECT 1 \0", "null character"),
        ("DELETE FROM t", "only reads"),
        ("SELECT hex(zeroblob(1000000))", "a value of more than 1,048,576 bytes"),
        ("SELECT * FROM generate_series(1, 3)", "no such table"),
        ("SELECT * FROM sqlite_dbpage", ""),
        ("SELECT '" + "x" * 200_000 + "'", "may have 100,000 characters; this one has 200,009."),
    ],
)
def test_what_cannot_be_run_is_refused_in_our_words_and_those_of_sqlite(tmp_path: Path, sql: str, words: str) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")

    assert words in refusal(path, sql)


def test_what_sqlite_quotes_is_made_visible_and_cut(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)")

    sentence = refusal(path, "SELECT [\x1b[0;x\u202e" + "x" * 3_000 + "]")

    assert "\x1b" not in sentence
    assert "\u202e" not in sentence
    assert r"\u001b" in sentence
    assert len(sentence) < 700


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM Clients",
        "SELECT max(Token_Hash) FROM clients",
        "SELECT token_hash || 'x' FROM clients AS a",
        "SELECT (SELECT TOKEN_HASH FROM clients)",
        "SELECT hex(token_hash), length(token_hash) FROM clients",
        "SELECT * FROM clients WHERE token_hash > ''",
        "WITH c(x) AS (SELECT token_hash FROM clients) SELECT x FROM c",
        "SELECT key, client_id FROM idempotency_keys ORDER BY key",
        "SELECT * FROM all_keys",
        "SELECT value FROM service_config",
        "SELECT e.value FROM clients, json_each(json_array(token_hash)) AS e",
        "SELECT e.atom FROM clients AS c, json_tree(json_array(c.token_hash)) AS e",
        "SELECT group_concat(value) FROM service_config",
        "SELECT quote(value) FROM main.service_config INDEXED BY sqlite_autoindex_service_config_1 WHERE key > ''",
    ],
)
def test_secrets_are_null_in_every_statement(tmp_path: Path, sql: str) -> None:
    path = with_secrets(tmp_path / "any.db")

    try:
        found = repr(said(path, sql)).lower()
    except Unanswered as refused:  # newer drivers read no view at all
        found = refused.sentence

    assert CANARY not in found
    assert CANARY.encode().hex() not in found


def test_what_the_inspector_reads_itself_is_as_before_after_a_statement(tmp_path: Path) -> None:
    path = with_secrets(tmp_path / "any.db")

    with reading(path) as connection:
        sql = "SELECT token_hash FROM clients"
        table_answer(StatementRequest(sql), connection, 1)

        assert connection.value(sql) == CANARY
        with connection.one_moment():
            assert connection.value("SELECT 1") == 1
