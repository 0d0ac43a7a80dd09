"""In a layout that is not ours a task may come and change without an event, and that shows as well."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.layout.pages import PAGE_ROWS
from inspector.reading.connecting import connect
from inspector.reading.feed import UNTOLD_EVERY_S, Feed
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.messages import Moved
from inspector.reading.reader import open_reader
from inspector.reading.recognising import recognise
from tests.support.reading_databases import START_MS, add_task, create, read_at
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(30)

KNOWN = Layouts(folders=layout_folders(None))

NATIVE_NAMES = """
    CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, created_at INTEGER);
    CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id TEXT, seq INTEGER, type TEXT);
"""
OTHER_NAMES = """
    CREATE TABLE jobs (id TEXT PRIMARY KEY, state TEXT, created_at INTEGER);
    CREATE TABLE job_events (id INTEGER PRIMARY KEY, job_id TEXT, seq INTEGER, type TEXT);
    CREATE INDEX job_events_of ON job_events (job_id, seq);
"""
NO_NUMBERS = """
    CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, created_at INTEGER) WITHOUT ROWID;
    CREATE TABLE task_events (task_id TEXT, seq INTEGER, type TEXT, PRIMARY KEY (task_id, seq)) WITHOUT ROWID;
"""
TABLES = {NATIVE_NAMES: ("tasks", "status", "task_events"), OTHER_NAMES: ("jobs", "state", "job_events")}


class Watching:
    """A feed on a database of another layout, the service that writes it, and a clock that a test moves."""

    def __init__(self, path: Path, ddl: str) -> None:
        self.tasks, self.status, self.events = TABLES.get(ddl, TABLES[NATIVE_NAMES])
        self.service = create(path, ddl=ddl)
        for task_id in ("a", "b"):
            self.add(task_id)
        self.connection, _ = connect(str(path), "mode=ro")
        self.shape = recognise(self.connection, path.name, KNOWN)
        self.now_s = 100.0
        self.feed = Feed(lambda: self.now_s)
        self.feed.start(self.connection, self.shape)

    def add(self, task_id: str) -> None:
        """Let the service add a task, without an event."""
        self.service.execute(f"INSERT INTO {self.tasks} VALUES (?, 'queued', ?)", [task_id, START_MS])

    def change(self, task_id: str) -> None:
        """Let the service change a task, without an event."""
        self.service.execute(f"UPDATE {self.tasks} SET {self.status} = 'x' || random() WHERE id = ?", [task_id])

    def add_event(self, task_id: str) -> None:
        """Let the service add an event."""
        self.service.execute(f"INSERT INTO {self.events} VALUES (NULL, ?, 1, 'went on')", [task_id])

    def look(self) -> Moved | None:
        """Look once, as the reader does."""
        if not self.feed.is_behind(self.connection):
            return None
        return self.feed.changes(self.connection, self.shape, START_MS)

    def seen(self) -> tuple[list[str], bool] | None:
        """Look once, and return the tasks told and whether the views are to ask anew."""
        moved = self.look()
        return None if moved is None else ([row.id for row in moved.rows], moved.fell_behind)

    def close(self) -> None:
        """Close both connections."""
        self.connection.close()
        self.service.close()


@pytest.fixture(params=TABLES, ids=["native names", "other names"])
def watching(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watching]:
    watching = Watching(tmp_path / "service.db", request.param)
    yield watching
    watching.close()


def test_a_new_task_is_told_at_the_next_look(watching: Watching) -> None:
    assert watching.look() is None
    watching.add("new")
    assert watching.seen() == (["new"], False)
    assert watching.look() is None


def test_a_new_task_is_told_also_beside_events_of_others(watching: Watching) -> None:
    watching.add("new")
    watching.add_event("a")
    assert watching.seen() == (["a", "new"], False)


def test_a_task_that_a_failed_look_did_not_tell_is_told_at_the_next(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching.add("new")
    with monkeypatch.context() as broken:
        broken.setattr("inspector.reading.feed.tasks_by_id", _locked)
        with pytest.raises(sqlite3.OperationalError):
            watching.look()
    assert watching.seen() == (["new"], False)


def _locked(*_arguments: object) -> None:
    raise sqlite3.OperationalError("database is locked")


def test_a_change_that_nothing_tells_of_has_the_views_ask_anew(watching: Watching) -> None:
    watching.change("a")
    assert watching.seen() == ([], True)
    assert watching.look() is None


def test_a_change_of_a_task_on_screen_is_told_and_the_views_ask_anew_for_the_others(watching: Watching) -> None:
    watching.feed.watch(["a", "b"])
    watching.look()
    watching.change("a")
    assert watching.seen() == (["a"], True)


def test_events_explain_a_commit(watching: Watching) -> None:
    watching.add_event("a")
    assert watching.seen() == (["a"], False)


def test_a_service_that_commits_without_end_has_the_views_ask_anew_once_a_second(watching: Watching) -> None:
    asked = []
    for _ in range(40):
        watching.change("a")
        asked.append(watching.seen() == ([], True))
        watching.now_s += UNTOLD_EVERY_S / 8
    assert asked == ([True] + [False] * 7) * 5


def test_what_was_put_off_is_told_also_when_no_commit_follows(watching: Watching) -> None:
    watching.change("a")
    watching.look()
    watching.change("b")
    assert watching.look() is None
    assert not watching.feed.is_behind(watching.connection)
    watching.now_s += UNTOLD_EVERY_S
    assert watching.seen() == ([], True)
    watching.now_s += UNTOLD_EVERY_S
    assert watching.look() is None


def test_more_new_tasks_than_a_page_have_the_views_ask_anew(watching: Watching) -> None:
    watching.service.execute("BEGIN")
    for number in range(PAGE_ROWS + 1):
        watching.add(f"t{number}")
    watching.service.execute("COMMIT")
    assert watching.seen() == ([], True)
    watching.add("new")
    assert watching.seen() == (["new"], False)


def test_a_task_that_takes_the_number_of_a_deleted_one_is_told(watching: Watching) -> None:
    watching.service.execute(f"DELETE FROM {watching.tasks} WHERE id = 'b'")
    assert watching.seen() == ([], True)
    watching.add("new")
    assert watching.seen() == (["new"], False)


def test_a_look_searches_whatever_the_size_of_the_tables(watching: Watching, statements: list[str]) -> None:
    path = Path(watching.service.execute("PRAGMA database_list").fetchone()[2])
    connection, _ = connect(str(path), "mode=ro")
    recognise(connection, path.name, KNOWN)
    for change in (watching.add, watching.change, watching.add_event):
        change("a" if change != watching.add else "new")
        statements.clear()
        watching.feed.is_behind(connection)
        watching.feed.changes(connection, watching.shape, START_MS)
        asked = [statement for statement in statements if statement.startswith("SELECT")]
        assert asked
        for statement in asked:
            plan = [step[3] for step in connection.rows(f"EXPLAIN QUERY PLAN {statement}")]
            # The highest number of all is SQLite's one step to the end of a table, which it calls a search as well.
            assert [step for step in plan if str(step).startswith("SCAN")] == []
    connection.close()


def test_without_numbers_each_commit_has_the_views_ask_anew_once_a_second(tmp_path: Path) -> None:
    watching = Watching(tmp_path / "service.db", NO_NUMBERS)
    asked = []
    for _ in range(16):
        watching.service.execute("UPDATE tasks SET status = 'x' || random()")
        asked.append(watching.seen() == ([], True))
        watching.now_s += UNTOLD_EVERY_S / 8
    assert asked == ([True] + [False] * 7) * 2
    watching.close()


def test_the_native_layout_is_taken_at_its_word(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = create(path)
    add_task(db, "a")
    db.close()
    with service_on(path) as service, open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
        service.execute("INSERT INTO service_config VALUES ('heart', '1', 1)")
        assert reader.look() == ()


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_reader_tells_of_a_live_file(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "service.db"
    create(path, journal=journal, ddl=OTHER_NAMES).close()
    with service_on(path) as service:
        service.execute("BEGIN IMMEDIATE")
        with open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
            service.execute("ROLLBACK")
            service.execute("INSERT INTO jobs VALUES ('new', 'queued', 5)")
            (moved,) = reader.look()
            assert isinstance(moved, Moved)
            assert [row.id for row in moved.rows] == ["new"]
            service.execute("UPDATE jobs SET state = 'done'")
            (moved,) = reader.look()
            assert isinstance(moved, Moved)
            assert moved.fell_behind
