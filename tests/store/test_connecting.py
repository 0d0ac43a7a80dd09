"""Connections that write: created once, set as they must be, and never on a file that is not ours."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from inspector.layout import native
from inspector.store import connecting
from inspector.store.connecting import open_for_action, switch_to_wal
from inspector.store.layouts import check_layout
from inspector.store.paths import check_path
from inspector.store.pragmas import set_pragma
from tests.support.store_factory import tapped
from tests.support.store_files import (
    NOT_OURS,
    UNUSABLE,
    journal_that_names_another_file,
    native_file,
    other_file,
    picture,
)
from tests.support.subject import store

pytestmark = pytest.mark.ours

NAMES = [
    "plain.db",
    "a?b.db",
    "a#b.db",
    "100%.db",
    "%20.db",
    "two words.db",
    "semi;colon'quote.db",
    "new\nline.db",
    "?mode=memory",
    ":memory:",
    "\u202egpj.db",
    "caf\udce9.db",
    "-leading.db",
    "file:x.db",
]


def pragma(conn: sqlite3.Connection, name: str) -> object:
    return conn.execute(f"PRAGMA {name}").fetchall()[0][0]


@pytest.mark.parametrize("start", ["absent", "empty"])
def test_the_layout_is_created_in_an_absent_or_empty_file(tmp_path: Path, start: str) -> None:
    path = tmp_path / "service.db"
    if start == "empty":
        path.touch()
    db = store.open_service_database(path)
    check_layout(db.conn, native.LAYOUTS[native.USER_VERSION])
    assert set(native.TABLES) <= set(db.table_names())
    db.close()
    assert sorted(picture(tmp_path)) == ["service.db"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_the_name_of_the_file(tmp_path: Path, name: str) -> None:
    db = store.open_service_database(os.fspath(tmp_path / name))
    store.accept_task(db, request={}, on_restart="retry", now_ms=1, task_id="t")
    db.close()
    assert sorted(os.listdir(tmp_path)) == [name]  # noqa: PTH208 # as the system spells it
    assert store.cancel_in_file(tmp_path / name, "t", now_ms=2).outcome == "cancelled"
    assert sorted(os.listdir(tmp_path)) == [name]  # noqa: PTH208


def test_a_relative_path_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store.open_service_database("service.db").close()
    assert (tmp_path / "service.db").stat().st_size > 0


@pytest.mark.parametrize("slashes", ["//", "///"])
def test_a_path_may_begin_with_more_than_one_slash(tmp_path: Path, slashes: str) -> None:
    path = slashes + os.fspath(tmp_path / "service.db").lstrip("/")
    with closing(store.open_service_database(path)) as db:
        store.accept_task(db, request={}, on_restart="retry", now_ms=1, task_id="t")
    assert store.cancel_in_file(path, "t", now_ms=2).outcome == "cancelled"
    assert sorted(picture(tmp_path)) == ["service.db"]


@pytest.mark.parametrize(
    ("wait_ms", "waits_ms"), [(-1, 0), (0, 0), (7, 7), (2**31 - 1, 2**31 - 1), (2**31, 2**31 - 1), (10**15, 2**31 - 1)]
)
def test_the_wait_for_others_is_within_what_sqlite_counts(tmp_path: Path, wait_ms: int, waits_ms: int) -> None:
    with closing(store.open_service_database(tmp_path / "service.db", wait_ms=wait_ms)) as db:
        assert pragma(db.conn, "busy_timeout") == waits_ms


def test_a_link_to_a_database_is_followed(tmp_path: Path) -> None:
    native_file(tmp_path / "service.db")
    (tmp_path / "link").symlink_to("service.db")
    db = store.open_service_database(tmp_path / "link")
    assert store.next_queued_task(db) is not None
    db.close()


def test_a_database_is_found_again_with_all_it_holds(tmp_path: Path) -> None:
    native_file(tmp_path / "service.db")
    for _ in range(2):
        db = store.open_service_database(tmp_path / "service.db")
        task = store.next_queued_task(db)
        assert task is not None
        assert task.id == "t"
        db.close()


@pytest.mark.parametrize("action", [False, True], ids=["service", "action"])
def test_a_connection_is_set_so_that_an_acknowledged_write_survives(tmp_path: Path, action: bool) -> None:
    path = tmp_path / "service.db"
    native_file(path)
    db = open_for_action(path, wait_ms=1234) if action else store.open_service_database(path, wait_ms=1234)
    assert pragma(db.conn, "journal_mode") == "wal"
    assert pragma(db.conn, "synchronous") == 2
    assert pragma(db.conn, "foreign_keys") == 1
    assert pragma(db.conn, "trusted_schema") == 0
    assert pragma(db.conn, "busy_timeout") == 1234
    assert db.conn.isolation_level is None
    db.close()


def test_a_service_switches_its_database_to_wal(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    store.open_service_database(path).close()
    with closing(sqlite3.connect(path)) as conn:
        assert pragma(conn, "journal_mode") == "wal"


def test_an_action_leaves_the_journal_mode_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    assert store.cancel_in_file(path, "t", now_ms=200).outcome == "cancelled"
    with closing(sqlite3.connect(path)) as conn:
        assert pragma(conn, "journal_mode") == "delete"


def test_an_action_in_rollback_mode_syncs_the_folder_too(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    with closing(open_for_action(path, wait_ms=1000)) as db:
        assert pragma(db.conn, "synchronous") == 3


def in_mode(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each connection be set to a journal mode that no file keeps, and that no path can ask for."""
    connect = connecting._connect  # noqa: SLF001 # where every connection comes from

    def connect_in_mode(file: Path, how: str, wait_ms: int) -> sqlite3.Connection:
        conn = connect(file, how, wait_ms)
        conn.execute(f"PRAGMA journal_mode = {mode}")
        return conn

    monkeypatch.setattr(connecting, "_connect", connect_in_mode)


@pytest.mark.parametrize("mode", ["memory", "off"])
def test_no_connection_writes_without_a_journal_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    in_mode(mode, monkeypatch)
    before = picture(tmp_path)
    with pytest.raises(store.Unusable, match=f"journal mode is {mode}"):
        store.cancel_in_file(path, "t", now_ms=200)
    assert picture(tmp_path) == before
    db = store.open_service_database(path)
    assert pragma(db.conn, "journal_mode") == "wal"
    db.close()


@pytest.mark.parametrize("mode", ["truncate", "persist"])
def test_an_action_takes_each_kind_of_journal_that_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    in_mode(mode, monkeypatch)
    assert store.cancel_in_file(path, "t", now_ms=200).outcome == "cancelled"


@pytest.mark.parametrize("wait_ms", [0, 50])
def test_a_service_does_not_wait_for_ever_to_switch_to_wal(tmp_path: Path, wait_ms: int) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM tasks").fetchall()
    before = picture(tmp_path)
    with pytest.raises(store.Busy):
        store.open_service_database(path, wait_ms=wait_ms)
    assert picture(tmp_path) == before
    reader.execute("COMMIT")
    store.open_service_database(path, wait_ms=wait_ms).close()


def test_a_service_gives_up_when_others_come_between_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM tasks").fetchall()
    asked: list[sqlite3.Connection] = []
    monkeypatch.setattr(connecting, "wait_until_alone", asked.append)
    with pytest.raises(store.Busy):
        store.open_service_database(path, wait_ms=0)
    assert len(asked) > 10
    reader.execute("COMMIT")


def test_a_service_that_was_in_the_way_of_another_tries_again_when_it_is_alone(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    db = Database(sqlite3.connect(path, isolation_level=None), execute_plugins=False)
    steps: list[str] = []

    def busy_once(sql: str) -> None:
        steps.append(sql)
        if len(steps) == 1:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error

    with tapped(db, before=busy_once):
        switch_to_wal(db.conn)
    assert steps == ["PRAGMA journal_mode = WAL", "BEGIN EXCLUSIVE", "ROLLBACK", "PRAGMA journal_mode = WAL"]
    assert pragma(db.conn, "journal_mode") == "wal"
    db.close()


def test_where_there_is_no_wal_it_is_said() -> None:
    with closing(sqlite3.connect(":memory:")) as conn, pytest.raises(store.Unusable, match="write-ahead"):
        switch_to_wal(conn)


def test_an_error_that_waiting_does_not_mend_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path, "PRAGMA journal_mode = DELETE")
    with (
        closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as conn,
        pytest.raises(sqlite3.OperationalError) as raised,
    ):
        switch_to_wal(conn)
    assert raised.value.sqlite_errorcode == sqlite3.SQLITE_READONLY


def test_a_pragma_that_sqlite_does_not_know_is_not_believed() -> None:
    with closing(sqlite3.connect(":memory:")) as conn, pytest.raises(store.Unusable, match="no_such_pragma=ON"):
        set_pragma(conn, "no_such_pragma", "ON", 1)


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_not_ours_is_not_opened_and_not_changed(tmp_path: Path, name: str) -> None:
    make, named = NOT_OURS[name]
    path = tmp_path / "service.db"
    make(path)
    before = picture(tmp_path)
    with pytest.raises(store.NotOurs, match=named):
        store.open_service_database(path)
    with pytest.raises(store.NotOurs, match=named):
        open_for_action(path, wait_ms=100)
    assert picture(tmp_path) == before


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_not_ours_keeps_also_its_wal(tmp_path: Path, name: str) -> None:
    make, named = NOT_OURS[name]
    made, path = tmp_path / "made.db", tmp_path / "crashed" / "service.db"
    path.parent.mkdir()
    make(made)
    with closing(sqlite3.connect(made, isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute(f"PRAGMA user_version = {pragma(conn, 'user_version')}")
        for suffix in ("", "-wal", "-shm"):  # as a service leaves them that was killed
            path.with_name(f"service.db{suffix}").write_bytes(made.with_name(f"made.db{suffix}").read_bytes())
    before = picture(path.parent)
    assert len(before) == 3
    assert path.with_name("service.db-wal").stat().st_size > 0
    with pytest.raises(store.NotOurs, match=named):
        store.open_service_database(path)
    with pytest.raises(store.NotOurs, match=named):
        open_for_action(path, wait_ms=100)
    after = picture(path.parent)
    assert (after["service.db"], after["service.db-wal"]) == (before["service.db"], before["service.db-wal"])


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_used_is_said_and_left(tmp_path: Path, name: str) -> None:
    path = tmp_path / "service.db"
    UNUSABLE[name](path)
    before = picture(tmp_path)
    for attempt in (store.open_service_database, lambda p: open_for_action(p, wait_ms=100)):
        with pytest.raises(store.Unusable) as unusable:
            attempt(path)
        assert unusable.value.sentence.endswith(".")
        assert not isinstance(unusable.value, store.NotOurs | store.Busy)
    assert picture(tmp_path) == before


def test_an_action_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(store.Unusable, match="no such file"):
        open_for_action(tmp_path / "service.db", wait_ms=100)
    with pytest.raises(store.Unusable, match="no such file"):
        store.cancel_in_file(tmp_path / "service.db", "t", now_ms=1)
    (tmp_path / "empty.db").touch()
    with pytest.raises(store.NotOurs):
        open_for_action(tmp_path / "empty.db", wait_ms=100)
    assert {name: (tmp_path / name).stat().st_size for name in picture(tmp_path)} == {"empty.db": 0}


def test_an_action_on_a_file_that_goes_away_creates_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "check_path", lambda *_, **__: None)  # it was there a moment ago
    with pytest.raises(store.Unusable, match="cannot be opened"):
        open_for_action(tmp_path / "service.db", wait_ms=100)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["", "nul\0byte", "missing/service.db", "plain/service.db", "x" * 300])
def test_a_path_that_leads_nowhere_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").touch()
    before = picture(tmp_path)
    with pytest.raises(store.Unusable):
        store.open_service_database(path)
    with pytest.raises(store.Unusable):
        open_for_action(path, wait_ms=100)
    assert picture(tmp_path) == before


def test_a_folder_that_is_not_there_is_named_as_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(store.Unusable, match="The folder of the file does not exist"):
        store.open_service_database(tmp_path / "missing" / "service.db")


def test_a_path_too_long_for_sqlite_is_said(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(5):
        folder = folder / ("x" * 200)
        folder.mkdir()
    with pytest.raises(store.Unusable):
        store.open_service_database(folder / "service.db")
    assert picture(folder) == {}


@pytest.mark.threat(id="T1")
def test_a_journal_that_names_another_file_is_not_played_back(tmp_path: Path) -> None:
    path, victim = tmp_path / "service.db", tmp_path / "letters.txt"
    native_file(path, "PRAGMA journal_mode = DELETE")
    victim.write_text("dear all")
    journal_that_names_another_file(path, victim)
    before = picture(tmp_path)
    with pytest.raises(store.Unusable, match="journal"):
        store.open_service_database(path)
    with pytest.raises(store.Unusable, match="journal"):
        store.cancel_in_file(path, "t", now_ms=200)
    assert picture(tmp_path) == before


def test_a_journal_that_was_left_by_a_crash_is_played_back(tmp_path: Path) -> None:
    made, path = tmp_path / "made.db", tmp_path / "service.db"
    native_file(made, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(made, isolation_level=None)) as conn:
        conn.execute("PRAGMA cache_size = 1")
        conn.execute("PRAGMA cache_spill = 1")
        conn.execute("BEGIN")
        conn.execute("CREATE TABLE big (x)")
        conn.executemany("INSERT INTO big VALUES (?)", [(b"x" * 3000,)] * 200)
        path.write_bytes(made.read_bytes())
        path.with_name("service.db-journal").write_bytes(made.with_name("made.db-journal").read_bytes())
        conn.execute("ROLLBACK")
    db = store.open_service_database(path)
    assert "big" not in db.table_names()
    assert store.next_queued_task(db) is not None
    db.close()


def test_a_journal_that_was_looked_at_is_closed_again(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.touch()
    path.with_name("service.db-journal").write_bytes(b"x" * 100)
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir()))
    check_path(path, may_create=False)
    assert len(list(descriptors.iterdir())) == before


def test_a_short_journal_names_nothing(tmp_path: Path) -> None:
    native_file(tmp_path / "service.db")
    (tmp_path / "service.db-journal").write_bytes(b"abc")
    db = store.open_service_database(tmp_path / "service.db")
    assert "tasks" in db.table_names()
    db.close()


def test_a_table_and_a_column_more_are_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(
        path, "CREATE TABLE notes (x)", "ALTER TABLE tasks ADD COLUMN note TEXT", "CREATE INDEX i ON tasks (kind)"
    )
    assert store.cancel_in_file(path, "t", now_ms=200).outcome == "cancelled"


def test_a_damaged_schema_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    other_file(path, "CREATE TABLE some_table_with_a_name (some_column_with_a_name)")
    damaged = path.read_bytes().replace(b"CREATE TABLE some_table", b"CREATE TABLE \xff\xfe\xfd\xfc_table")
    path.write_bytes(damaged)
    with pytest.raises(store.Unusable):
        store.open_service_database(path)
