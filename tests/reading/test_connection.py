"""The connection reads and does nothing else, whatever it is asked, and never raises at what is stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from inspector.reading.connecting import connect
from inspector.reading.connection import LONGEST_VALUE, Allowances, ReadConnection
from inspector.reading.errors import Unanswered
from inspector.reading.whole_copies import copy_live, take_in_companions
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import hot
from tests.support.reading_databases import add_task, listing, make
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(30)

FORBIDDEN = (
    "ATTACH 'new.db' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO 'new.db'",
    "PRAGMA journal_mode=DELETE",
    "PRAGMA journal_mode",
    "PRAGMA user_version=7",
    "PRAGMA query_only=OFF",
    "PRAGMA writable_schema=ON",
    "PRAGMA trusted_schema=ON",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA mmap_size=1000000",
    "PRAGMA temp_store_directory='.'",
    "PRAGMA integrity_check",
    "CREATE TEMP TABLE t (a)",
    "CREATE TABLE t (a)",
    "INSERT INTO tasks (id) VALUES ('x')",
    "UPDATE tasks SET status = 'completed'",
    "DELETE FROM tasks",
    "DROP TABLE tasks",
    "ALTER TABLE tasks ADD COLUMN x",
    "ANALYZE",
    "REINDEX",
    "SAVEPOINT s",
    "SELECT load_extension('x')",
    "SELECT writefile('new.txt', 'x')",
    "SELECT edit('x')",
    "CREATE VIRTUAL TABLE v USING fts5(a)",
    "SELECT fts3_tokenizer('simple')",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make(tmp_path / "service.db", "early")


@pytest.fixture
def connection(path: Path) -> Iterator[ReadConnection]:
    connection, _ = connect(str(path), "mode=ro&immutable=1")
    yield connection
    connection.close()


@pytest.mark.threat(id="T7")
@pytest.mark.parametrize("options", ["mode=ro&immutable=1", "mode=ro"])
def test_whatever_would_write_or_reach_out_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    monkeypatch.chdir(tmp_path)
    before = touch_state(path)
    connection, _ = connect(str(path), options)
    for statement in FORBIDDEN:
        with pytest.raises(sqlite3.DatabaseError):
            connection.rows(statement)
    assert connection.value("SELECT count(*) FROM tasks") == 1
    connection.close()

    assert differences(before, touch_state(path)) == ()
    assert listing(tmp_path) == {"service.db"}


def test_what_the_reader_needs_is_allowed(connection: ReadConnection) -> None:
    assert connection.value("PRAGMA data_version") is not None
    assert connection.value("PRAGMA quick_check(1)") == "ok"
    assert len(connection.rows("PRAGMA table_xinfo(tasks)")) == 17
    assert connection.value("SELECT upper(id) FROM tasks") == "EARLY"


def test_every_cursor_is_read_to_its_end(path: Path) -> None:
    with service_on(path) as service:
        connection, _ = connect(str(path), "mode=ro&readonly_shm=1")
        for number in range(5):
            add_task(service, f"task-{number}")
            connection.value("SELECT tasks.id FROM tasks, tasks AS others")
            assert service.execute("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
        connection.close()


def test_a_moment_ends_with_its_block_also_after_a_fault(path: Path) -> None:
    with service_on(path) as service:
        connection, _ = connect(str(path), "mode=ro&readonly_shm=1")
        with connection.one_moment():
            assert connection.value("SELECT count(*) FROM tasks") == 1
            add_task(service, "late")
            assert connection.value("SELECT count(*) FROM tasks") == 1
        with pytest.raises(sqlite3.OperationalError), connection.one_moment():
            connection.rows("SELECT nothing FROM tasks")
        assert connection.value("SELECT count(*) FROM tasks") == 2
        assert service.execute("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
        connection.close()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.mark.threat(id="T2")
def test_a_deadline_ends_an_endless_query(connection: ReadConnection) -> None:
    with pytest.raises(Unanswered), connection.within(50):
        connection.rows(ENDLESS)
    assert connection.value("SELECT 1") == 1


def test_a_stop_ends_an_endless_query(path: Path) -> None:
    asked = []

    def should_stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    connection, _ = connect(str(path), "mode=ro&immutable=1", should_stop=should_stop)
    with pytest.raises(Unanswered):
        connection.rows(ENDLESS)
    connection.close()


@pytest.mark.threat(id="T18")
def test_a_value_above_the_limit_is_an_error_with_its_code(connection: ReadConnection) -> None:
    with pytest.raises(sqlite3.DataError) as refused:
        connection.rows(f"SELECT hex(zeroblob({LONGEST_VALUE}))")
    assert refused.value.sqlite_errorname == "SQLITE_TOOBIG"


def test_text_that_is_no_utf8_is_escaped(connection: ReadConnection) -> None:
    assert connection.value("SELECT CAST(x'61FF62' AS TEXT)") == r"a\xffb"


@pytest.mark.threat(id="T5")
def test_a_schema_that_calls_functions_is_read_and_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE tasks (id, data, kind AS (json_extract(data, '$.kind')))")
    db.execute("CREATE INDEX kinds ON tasks (json_extract(data, '$.kind'))")
    db.execute("INSERT INTO tasks VALUES ('a', '{\"kind\": \"x\"}')")
    db.commit()
    db.close()

    plain = sqlite3.connect(path)
    plain.execute("PRAGMA trusted_schema=OFF")
    try:
        plain.execute("SELECT id FROM tasks")
        refused = False  # newer SQLite takes JSON functions for harmless
    except sqlite3.DatabaseError:
        refused = True
    plain.close()

    connection, allowed = connect(str(path), "mode=ro&immutable=1")

    assert allowed == Allowances(functions=refused)
    assert connection.rows("SELECT id FROM tasks") == [("a",)]
    for statement in FORBIDDEN:
        with pytest.raises(sqlite3.DatabaseError):
            connection.rows(statement)
    connection.close()


@pytest.mark.parametrize("cut", [5_000, 9_000])
def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes_and_nothing_can_be_written(tmp_path: Path, cut: int) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    plain = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    with pytest.raises(sqlite3.DatabaseError, match="malformed"):
        plain.execute("SELECT id FROM tasks")
    plain.close()

    connection, allowed = connect(str(path), "mode=ro&immutable=1")

    assert allowed == Allowances(damage=True)
    assert connection.rows("SELECT id FROM tasks NOT INDEXED") == [("early",)]
    for statement in FORBIDDEN:
        with pytest.raises(sqlite3.DatabaseError):
            connection.rows(statement)
    connection.close()
    assert path.read_bytes() == whole[:-cut]


def test_a_name_with_the_marks_of_a_uri_reaches_its_own_file(tmp_path: Path) -> None:
    path = make(tmp_path / "plain.db", "early").rename(tmp_path / "a?mode=rwc#b%20c")

    connection, _ = connect(str(path), "mode=ro&immutable=1")

    assert connection.value("SELECT id FROM tasks") == "early"
    connection.close()
    assert listing(tmp_path) == {path.name}


def test_a_large_value_is_read_in_a_slice(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db")
    db = sqlite3.connect(path, isolation_level=None)
    add_task(db, "huge", request="x" * (LONGEST_VALUE + 10))
    db.close()
    connection, _ = connect(str(path), "mode=ro&immutable=1")

    assert connection.blob_slice("tasks", "request", 1, 5) == (b"xxxxx", LONGEST_VALUE + 10)
    connection.close()


def test_a_live_database_is_copied_whole_while_a_service_writes(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path, "wal_autocheckpoint=0") as service:
        add_task(service, "late")
        copy_live(str(path), str(tmp_path / "copy.db"))
        add_task(service, "later")

    db = sqlite3.connect(tmp_path / "copy.db")
    assert db.execute("SELECT id FROM tasks ORDER BY id").fetchall() == [("early",), ("late",)]
    db.close()


def test_a_copy_takes_its_hot_journal_in(tmp_path: Path) -> None:
    path = hot(tmp_path / "service.db")

    take_in_companions(str(path))

    assert listing(tmp_path) == {"service.db"}
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()


@pytest.mark.parametrize("way", ["rows", "each"])
def test_a_signal_that_sqlite_drops_is_no_time_that_is_over(path: Path, way: str) -> None:
    signals = [KeyboardInterrupt()]

    def should_stop() -> bool:
        if signals:
            raise signals.pop()
        return False

    connection, _ = connect(str(path), "mode=ro&immutable=1", should_stop=should_stop)
    endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 1000000) SELECT max(a) FROM n"
    with closing(connection), connection.within(60_000), pytest.raises(KeyboardInterrupt):
        connection.rows(endless) if way == "rows" else connection.each(endless, (), lambda _row: True)
    assert signals == []
