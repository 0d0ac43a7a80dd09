"""One way to begin a write, and one place where SQLite's errors get our names."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.store.connecting import open_group_database
from inspector.store.errors import unusable_for
from inspector.store.writing import group_transaction, named_errors, write_transaction
from tests.support.store_factory import Rig, put, tapped
from tests.support.subject import store

pytestmark = pytest.mark.ours


def error_of(code: int, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    error = kind("the text, which decides nothing: database is locked, disk full")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_BUSY, store.Busy),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, store.Busy),
        (sqlite3.SQLITE_BUSY_RECOVERY, store.Busy),
        (sqlite3.SQLITE_LOCKED, store.Busy),
        (sqlite3.SQLITE_PROTOCOL, store.Busy),
        (sqlite3.SQLITE_FULL, store.Unusable),
        (sqlite3.SQLITE_IOERR_READ, store.Unusable),
        (sqlite3.SQLITE_IOERR_WRITE, store.Unusable),
        (sqlite3.SQLITE_IOERR_FSYNC, store.Unusable),
        (sqlite3.SQLITE_READONLY_DIRECTORY, store.Unusable),
        (sqlite3.SQLITE_READONLY_DBMOVED, store.Unusable),
        (sqlite3.SQLITE_CANTOPEN, store.Unusable),
        (sqlite3.SQLITE_CORRUPT, store.Unusable),
        (sqlite3.SQLITE_NOTADB, store.Unusable),
        (sqlite3.SQLITE_PERM, store.Unusable),
        (sqlite3.SQLITE_AUTH, store.Unusable),
        (sqlite3.SQLITE_TOOBIG, store.Unusable),
        (sqlite3.SQLITE_INTERRUPT, store.Unusable),
        (sqlite3.SQLITE_CONSTRAINT_TRIGGER, store.Unusable),
    ],
)
def test_an_error_is_known_by_its_code(code: int, kind: type[store.Unusable]) -> None:
    cause = error_of(code)
    with pytest.raises(store.Unusable) as unusable, named_errors():
        raise cause
    assert type(unusable.value) is kind
    assert unusable.value.__cause__ is cause
    assert str(unusable.value) == unusable.value.sentence
    assert unusable.value.sentence.endswith(".")


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_SCHEMA]
)
def test_a_bug_stays_what_it_is(code: int) -> None:
    cause = error_of(code)
    with pytest.raises(sqlite3.OperationalError) as raised, named_errors():
        raise cause
    assert raised.value is cause


def test_an_error_without_a_code_is_a_text_that_is_no_utf8(rig: Rig) -> None:
    put(rig.db, "queued")
    rig.db.conn.execute("UPDATE tasks SET model_id = CAST(x'ff' AS TEXT)")
    with pytest.raises(store.Unusable, match="UTF-8"):
        store.next_queued_task(rig.db)


def test_a_closed_connection_is_a_bug() -> None:
    conn = sqlite3.connect(":memory:")
    conn.close()
    assert unusable_for(sqlite3.ProgrammingError("Cannot operate on a closed database.")) is None
    with pytest.raises(sqlite3.ProgrammingError), named_errors():
        conn.execute("SELECT 1")


def test_a_schema_that_cannot_be_decoded_is_damage() -> None:
    with pytest.raises(store.Unusable, match="damaged"), named_errors():
        b"\xff".decode()


def test_a_number_beyond_64_bits_is_unusable() -> None:
    with closing(sqlite3.connect(":memory:")) as conn, pytest.raises(store.Unusable, match="64 bits"), named_errors():
        conn.execute("SELECT ?", (2**63,))


def test_a_full_disk_has_rolled_back_by_itself_and_nothing_is_open(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "service.db", store.open_service_database(tmp_path / "service.db"))
    put(rig.db, "running")
    pages = rig.db.conn.execute("PRAGMA page_count").fetchall()[0][0]
    rig.db.conn.execute(f"PRAGMA max_page_count = {pages}")
    big = {"text": "x" * 100_000}
    with rig.unchanged(), pytest.raises(store.Unusable, match="full"):
        store.append_events(rig.db, "t", [("response.output_text.delta", big)], attempt=1, now_ms=200)
    with rig.unchanged(), pytest.raises(store.Unusable, match="full"):
        store.complete_task(rig.db, "t", big, attempt=1, now_ms=200)
    rig.db.conn.execute(f"PRAGMA max_page_count = {pages + 1000}")
    assert store.complete_task(rig.db, "t", big, attempt=1, now_ms=200).status == "completed"
    rig.db.close()


def test_the_lock_is_held_before_the_first_read(rig: Rig) -> None:
    other = sqlite3.connect(rig.path, isolation_level=None, timeout=0)
    with write_transaction(rig.db), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")
    other.execute("ROLLBACK")


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_whatever_is_raised_rolls_back(rig: Rig, raised: type[BaseException]) -> None:
    def write_and_raise() -> None:
        with write_transaction(rig.db) as conn:
            conn.execute("INSERT INTO service_config (key, value, updated_at) VALUES ('k', '1', 1)")
            raise raised

    with rig.unchanged(), pytest.raises(raised):
        write_and_raise()


def test_where_another_writes_too_long_it_is_busy(tmp_path: Path) -> None:
    db = store.open_service_database(tmp_path / "service.db", wait_ms=0)
    writer = sqlite3.connect(tmp_path / "service.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(store.Busy):
        store.accept_task(db, request={}, on_restart="retry", now_ms=1)
    with pytest.raises(store.Busy):
        store.apply_recovery(db, store.plan_recovery(db), now_ms=1)
    assert not db.conn.in_transaction
    writer.execute("ROLLBACK")
    store.accept_task(db, request={}, on_restart="retry", now_ms=1)
    db.close()


def test_a_rule_that_was_refused_in_a_group_leaves_no_savepoint(tmp_path: Path) -> None:
    seen: list[str] = []
    db = open_group_database(tmp_path / "service.db", wait_ms=1000)
    with closing(db), tapped(db, before=seen.append), group_transaction(db):
        for _ in range(3):
            with pytest.raises(store.Refused):
                store.finish_cancel(db, "nobody", attempt=1, now_ms=1)
    assert seen.count("SAVEPOINT rule") == seen.count("ROLLBACK TO rule") == seen.count("RELEASE rule") == 3
