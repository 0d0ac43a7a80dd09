"""A service that changes its schema while it is read is read as it is now, and never by names that are gone."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from inspector.layout.opened import LayoutKind, Opened
from inspector.layout.pages import EventPage, TaskFilter, TaskPage
from inspector.reading.answers import answer_of
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import Unanswered
from inspector.reading.layouts import NATIVE_ONLY, Layouts, layout_folders
from inspector.reading.messages import Lost, Moved, Push
from inspector.reading.reader import Reader, open_reader
from inspector.reading.recognising import WHAT_TO_DO, Shape
from inspector.reading.requests import EventPageRequest, TaskPageRequest, Watch
from inspector.reading.tables import quoted
from tests.support.reading_databases import add_task, make, move_task, read_at
from tests.support.reading_service import Service, service_on

pytestmark = pytest.mark.timeout(30)

T = TypeVar("T")

ANY = Layouts(folders=layout_folders(None), any_tables=True)

NATIVE_NAMES = """
    CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, created_at INTEGER);
    CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id TEXT, seq INTEGER, type TEXT, created_at INTEGER);
    INSERT INTO tasks VALUES ('a', 'queued', 1796000000000), ('b', 'running', 1796000000001);
    INSERT INTO task_events VALUES (1, 'a', 1, 'made', 1796000000000), (2, 'b', 1, 'made', 1796000000001);
"""
OTHER_NAMES = """
    CREATE TABLE jobs (id TEXT PRIMARY KEY, state TEXT, created_at INTEGER);
    CREATE TABLE job_events (id INTEGER PRIMARY KEY, job_id TEXT, seq INTEGER, type TEXT, created_at INTEGER);
    INSERT INTO jobs VALUES ('a', 'queued', 1796000000000), ('b', 'running', 1796000000001);
    INSERT INTO job_events VALUES (1, 'a', 1, 'made', 1796000000000), (2, 'b', 1, 'made', 1796000000001);
"""
STATUSES = {"a": "queued", "b": "running"}


def native(path: Path, journal: str) -> None:
    make(path, "a", "b", journal=journal)
    db = sqlite3.connect(path, isolation_level=None)
    move_task(db, "b", "running")
    db.close()


def native_names(path: Path, journal: str) -> None:
    foreign(path, journal, NATIVE_NAMES)


def other_names(path: Path, journal: str) -> None:
    foreign(path, journal, OTHER_NAMES)


def foreign(path: Path, journal: str, ddl: str) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA journal_mode={journal}").fetchall()
    db.executescript(ddl)
    db.close()


def opened(path: Path, layouts: Layouts = ANY) -> Reader:
    return open_reader(path, now_ms=read_at, layouts=layouts)


@pytest.fixture(params=["wal", "delete"])
def journal(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


def statuses(reader: Reader) -> dict[str, str]:
    page = reader.answer(TaskPageRequest(TaskFilter()))
    assert isinstance(page, TaskPage)
    return {task.id: task.status for task in page.tasks}


def events(reader: Reader) -> list[str]:
    page = reader.answer(EventPageRequest("a"))
    assert isinstance(page, EventPage)
    return [event.type for event in page.events]


def looked(reader: Reader) -> tuple[list[Opened], list[Moved]]:
    pushes = reader.look()
    assert not [push for push in pushes if isinstance(push, Lost)]
    return of(Opened, pushes), of(Moved, pushes)


def of(kind: type[T], pushes: tuple[Push, ...]) -> list[T]:
    return [push for push in pushes if isinstance(push, kind)]


def told_anew(reader: Reader) -> Opened:
    """Look, and expect to hear first that it is open otherwise, and then to ask anew."""
    pushes = reader.look()
    how, moved = pushes
    assert isinstance(how, Opened)
    assert isinstance(moved, Moved)
    assert moved.fell_behind
    assert not moved.gone
    return how


CHANGES = {
    "a native column": (native, "tasks RENAME COLUMN status TO state", "tasks RENAME COLUMN state TO status"),
    "the native events": (native, "task_events RENAME TO evs", "evs RENAME TO task_events"),
    "a column": (native_names, "tasks RENAME COLUMN status TO state", "tasks RENAME COLUMN state TO status"),
    "a time": (native_names, "tasks RENAME COLUMN created_at TO made", "tasks RENAME COLUMN made TO created_at"),
    "another column": (other_names, "jobs RENAME COLUMN state TO status", "jobs RENAME COLUMN status TO state"),
    "other events": (other_names, "job_events RENAME TO evs", "evs RENAME TO job_events"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_name_that_changes_and_changes_back_leaves_nothing_behind(tmp_path: Path, journal: str, change: str) -> None:
    make_it, there, back = CHANGES[change]
    path = tmp_path / "service.db"
    make_it(path, journal)
    with service_on(path) as service:
        service.execute("BEGIN IMMEDIATE")
        with opened(path) as reader:
            service.execute("ROLLBACK")
            before = reader.opened
            assert statuses(reader) == STATUSES
            for _ in range(2):
                service.execute(f"ALTER TABLE {there}")
                _, moved = looked(reader)
                assert [each.fell_behind for each in moved] == [True]
                assert statuses(reader) == STATUSES
                service.execute(f"ALTER TABLE {back}")
                _, moved = looked(reader)
                assert [each.fell_behind for each in moved] == [True]
                assert statuses(reader) == STATUSES
                assert len(events(reader)) == 1
            assert reader.opened.layout_name == before.layout_name
            assert reader.opened.missing == before.missing


@pytest.mark.parametrize("change", ["a native column", "another column"])
def test_what_comes_after_a_name_changed_back_is_told(tmp_path: Path, change: str) -> None:
    make_it, there, back = CHANGES[change]
    path = tmp_path / "service.db"
    make_it(path, "wal")
    with service_on(path) as service, opened(path) as reader:
        for rename in (there, back):
            service.execute(f"ALTER TABLE {rename}")
            reader.look()
        if make_it is native:
            add_task(service, "new")
        else:
            service.execute("INSERT INTO jobs VALUES ('new', 'queued', 1796000000002)")
            service.execute("INSERT INTO job_events VALUES (3, 'new', 1, 'made', 1796000000002)")

        (moved,) = looked(reader)[1]
        assert ([row.id for row in moved.rows], moved.events, moved.fell_behind) == (["new"], 1, False)
        assert statuses(reader) == STATUSES | {"new": "queued"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_question_that_a_change_comes_into_is_asked_anew(tmp_path: Path, change: str) -> None:
    make_it, there, back = CHANGES[change]
    path = tmp_path / "service.db"
    make_it(path, "wal")
    with service_on(path) as service, opened(path) as reader:
        for rename in (there, back, there, back):
            assert asked_while(reader, service, f"ALTER TABLE {rename}") == STATUSES


def asked_while(reader: Reader, service: Service, change: str) -> dict[str, str]:
    """Ask for the first page, and let the schema change between that and reading."""
    changes = [change]

    def question(connection: ReadConnection, shape: Shape) -> object:
        if changes:
            service.execute(changes.pop())
        return answer_of(TaskPageRequest(), connection, shape, read_at(), lambda _seconds: None)

    page = reader.read(question)
    assert isinstance(page, TaskPage)
    return {task.id: task.status for task in page.tasks}


def test_a_question_before_the_look_that_sees_the_change_is_answered_right(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service, opened(path) as reader:
        service.execute("ALTER TABLE tasks RENAME COLUMN status TO state")
        assert statuses(reader) == {"a": "queued"}
        (how,) = of(Opened, reader.take_pushes())
        assert how.layout is LayoutKind.OTHER
        assert [moved.fell_behind for moved in looked(reader)[1]] == [True]
        service.execute("ALTER TABLE tasks RENAME COLUMN state TO status")
        assert statuses(reader) == {"a": "queued"}
        assert reader.opened.layout is LayoutKind.NATIVE


ODD_NAMES = ("plain", "two words", 'a"b', "a`b", "a``b", "[a]", "a]b", "a'b", "ä", "select")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_quoted_name_is_a_name_or_nothing(tmp_path: Path, name: str) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service:
        service.execute(f"CREATE TABLE {quoted(name)} ({quoted(name)})")
        service.execute(f"INSERT INTO {quoted(name)} VALUES (5)")
    connection, _ = connect(str(path), "mode=ro&immutable=1")
    try:
        assert connection.rows(f"SELECT {quoted(name)} FROM main.{quoted(name)} AS t") == [(5,)]
        assert [row[1] for row in connection.rows(f"PRAGMA main.table_xinfo({quoted(name)})")] == [name]
        for where in ("", f" WHERE {quoted(name)} = {quoted(name)}"):
            with pytest.raises(sqlite3.OperationalError, match="no such column"):
                connection.rows(f"SELECT {quoted(name)} FROM tasks{where}")
    finally:
        connection.close()


@pytest.fixture
def renamed(tmp_path: Path) -> Iterator[tuple[Service, Reader]]:
    """A reader of the native layout alone, on a file whose tasks are called otherwise now."""
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service, opened(path, NATIVE_ONLY) as reader:
        service.execute("ALTER TABLE tasks RENAME TO other")
        yield service, reader


def test_while_no_layout_fits_each_question_says_so_and_afterwards_all_is_told(
    renamed: tuple[Service, Reader],
) -> None:
    service, reader = renamed
    (how,), moved = looked(reader)
    sentence = f"service.db is an SQLite database, but not of an LMSP service: it has no table tasks. {WHAT_TO_DO}"
    assert moved == []
    assert (sentence in how.notes, how.may_act, how.why_not_act, how.faulty) == (True, False, sentence, True)
    with pytest.raises(Unanswered, match="it has no table tasks"):
        statuses(reader)
    service.execute("CREATE TABLE another (id)")
    assert looked(reader) == ([], [])

    service.execute("ALTER TABLE other RENAME TO tasks")

    how = told_anew(reader)
    assert sentence not in how.notes
    assert not how.faulty
    assert statuses(reader) == {"a": "queued"}


def test_a_question_hears_by_itself_that_no_layout_fits_and_that_one_does_again(
    renamed: tuple[Service, Reader],
) -> None:
    service, reader = renamed
    with pytest.raises(Unanswered, match="it has no table tasks"):
        statuses(reader)
    service.execute("ALTER TABLE other RENAME TO tasks")
    assert statuses(reader) == {"a": "queued"}


def test_while_there_are_no_tasks_those_on_screen_are_not_said_to_be_gone(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    foreign(path, "wal", OTHER_NAMES)
    with service_on(path) as service, opened(path) as reader:
        reader.answer(Watch(("a", "b")))
        reader.look()
        service.execute("ALTER TABLE jobs RENAME TO things")
        assert told_anew(reader).layout is LayoutKind.UNKNOWN
        service.execute("ALTER TABLE things RENAME TO jobs")
        assert told_anew(reader).layout is LayoutKind.OTHER
        service.execute("UPDATE jobs SET state = 'done' WHERE id = 'a'")

        (moved,) = looked(reader)[1]
        assert [row.id for row in moved.rows] == ["a"]


def test_the_version_of_the_layout_is_followed(tmp_path: Path, journal: str) -> None:
    path = make(tmp_path / "service.db", "a", journal=journal)
    with service_on(path) as service:
        service.execute("BEGIN IMMEDIATE")
        with opened(path) as reader:
            service.execute("ROLLBACK")
            assert reader.opened.may_act
            service.execute("PRAGMA user_version=7")
            how = told_anew(reader)
            assert (how.layout, how.user_version, how.may_act) == (LayoutKind.NEWER, 7, False)
            assert "version 7" in " ".join(how.notes)
            with opened(path) as fresh:
                assert (fresh.opened.layout, fresh.opened.why_not_act) == (how.layout, how.why_not_act)
            service.execute("PRAGMA user_version=1")
            assert told_anew(reader).may_act
            service.execute("PRAGMA application_id=5")
            assert told_anew(reader).layout is LayoutKind.OTHER


def test_an_index_that_comes_makes_its_order_to_be_had(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    other_names(path, "wal")
    with service_on(path) as service, opened(path) as reader:
        orders: list[bool] = []

        def by_status(_connection: ReadConnection, shape: Shape) -> None:
            orders.append(shape.orders.by_status)

        reader.read(by_status)
        service.execute("CREATE INDEX jobs_by_state ON jobs (state, created_at, id)")
        reader.read(by_status)
        assert orders == [False, True]


def test_a_question_after_no_commit_asks_for_no_version_of_the_schema(tmp_path: Path, statements: list[str]) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path), opened(path) as reader:
        statements.clear()
        statuses(reader)
        assert statements
        assert not [statement for statement in statements if "schema_version" in statement]


def test_commits_without_another_schema_recognise_nothing_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service, opened(path) as reader:
        monkeypatch.delattr("inspector.reading.source.recognise")
        for number in range(3):
            add_task(service, f"t{number}")
            assert len(looked(reader)[1]) == 1
            statuses(reader)
