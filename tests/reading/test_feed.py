"""What has changed is said once, at a cost of what changed, and what is not said is said to be missing."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.layout.pages import PAGE_ROWS
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.feed import MOST_EVENTS, MOST_TOLD, Feed
from inspector.reading.messages import Moved
from inspector.reading.recognising import Shape, recognise
from inspector.reading.task_rows import tasks_by_id
from tests.support.reading_databases import START_MS, add_deltas, add_task, create, move_task

pytestmark = pytest.mark.timeout(30)


class Watching:
    """A feed on a database, and the connection of the service that writes it."""

    def __init__(self, path: Path, ddl: str | None = None) -> None:
        self.service = create(path) if ddl is None else create(path, ddl=ddl)
        self.connection, _ = connect(str(path), "mode=ro")
        self.shape: Shape = recognise(self.connection, path.name)
        self.feed = Feed()
        self.feed.start(self.connection, self.shape)

    def look(self) -> Moved | None:
        """Look once, as the reader does."""
        if not self.feed.is_behind(self.connection):
            return None
        return self.feed.changes(self.connection, self.shape, START_MS)

    def moved(self) -> Moved:
        """Look once, and expect something."""
        moved = self.look()
        assert moved is not None
        return moved

    def close(self) -> None:
        """Close both connections."""
        self.connection.close()
        self.service.close()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    watching = Watching(tmp_path / "service.db")
    yield watching
    watching.close()


def ids(moved: Moved) -> list[str]:
    return sorted(row.id for row in moved.rows)


def test_what_was_there_before_is_not_news(watching: Watching) -> None:
    assert watching.look() is None


def test_each_change_is_said_once(watching: Watching) -> None:
    add_task(watching.service, "a")
    add_task(watching.service, "b")

    moved = watching.moved()

    assert ids(moved) == ["a", "b"]
    assert (moved.events, moved.last_event_id, moved.gone, moved.fell_behind, moved.cleaned) == (2, 2, (), False, False)
    assert watching.look() is None


def test_a_commit_during_a_look_is_said_at_the_next(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    add_task(watching.service, "a")

    def read_slowly(connection: ReadConnection, shape: Shape, wanted: list[str]) -> object:
        rows = tasks_by_id(connection, shape, wanted)
        if wanted == ["a"]:
            add_task(watching.service, "b")
        return rows

    monkeypatch.setattr("inspector.reading.feed.tasks_by_id", read_slowly)

    assert ids(watching.moved()) == ["a"]
    assert ids(watching.moved()) == ["b"]
    assert watching.look() is None


def test_a_change_without_an_event_is_said_of_the_rows_on_screen(watching: Watching) -> None:
    add_task(watching.service, "a")
    add_task(watching.service, "b")
    watching.look()
    watching.feed.watch(["a"])
    assert watching.look() is None
    watching.service.execute("UPDATE tasks SET client_id = 'c'")

    moved = watching.moved()

    assert ids(moved) == ["a"]
    assert moved.events == 0
    assert watching.look() is None


def test_a_row_that_was_handed_out_is_not_pushed_again(watching: Watching) -> None:
    add_task(watching.service, "a")
    add_task(watching.service, "b")
    watching.look()
    watching.feed.tell(tasks_by_id(watching.connection, watching.shape, ["a"]))
    watching.feed.watch(["a", "b"])

    assert watching.look() is None


def test_what_changed_between_a_page_and_its_watch_is_said(watching: Watching) -> None:
    add_task(watching.service, "a")
    watching.look()
    watching.feed.tell(tasks_by_id(watching.connection, watching.shape, ["a"]))
    watching.service.execute("UPDATE tasks SET client_id = 'c'")
    assert watching.look() is None  # nobody watches it yet, and no event tells of it
    watching.feed.watch(["a"])

    assert [row.client_id for row in watching.moved().rows] == ["c"]


def test_a_task_that_cleanup_deleted_is_gone_and_counts_start_anew(watching: Watching) -> None:
    add_task(watching.service, "a")
    move_task(watching.service, "a", "failed")
    add_task(watching.service, "b")
    watching.look()
    watching.feed.watch(["a", "b"])
    watching.look()
    watching.service.execute("BEGIN IMMEDIATE")
    watching.service.execute("DELETE FROM tasks WHERE id = 'a'")
    watching.service.execute("DELETE FROM task_events WHERE task_id = 'a'")
    watching.service.execute("INSERT INTO service_config VALUES ('retention.last_run', '5', 5)")
    watching.service.execute("COMMIT")

    moved = watching.moved()

    assert (moved.rows, moved.gone, moved.cleaned, moved.fell_behind) == ((), ("a",), True, False)
    assert watching.look() is None


def test_more_events_than_a_look_follows_is_falling_behind(watching: Watching) -> None:
    add_task(watching.service, "a")
    move_task(watching.service, "a", "running")
    watching.look()
    add_deltas(watching.service, "a", MOST_EVENTS)
    assert not watching.moved().fell_behind
    add_deltas(watching.service, "a", MOST_EVENTS + 1)

    moved = watching.moved()

    assert moved.fell_behind
    assert moved.last_event_id == 2 + 2 * MOST_EVENTS + 1
    add_task(watching.service, "b")
    assert ids(watching.moved()) == ["b"]


def test_more_tasks_than_a_page_is_falling_behind(watching: Watching) -> None:
    add_task(watching.service, "watched")
    watching.look()
    watching.feed.watch(["watched"])
    watching.service.execute("UPDATE tasks SET client_id = 'c'")
    for number in range(PAGE_ROWS + 1):
        add_task(watching.service, f"t{number}")

    moved = watching.moved()

    assert moved.fell_behind
    assert ids(moved) == ["watched"]


def test_a_page_of_tasks_is_not_too_many(watching: Watching) -> None:
    for number in range(PAGE_ROWS):
        add_task(watching.service, f"t{number}")

    moved = watching.moved()

    assert not moved.fell_behind
    assert len(moved.rows) == PAGE_ROWS


def test_an_event_log_that_went_back_is_falling_behind(watching: Watching) -> None:
    add_task(watching.service, "a")
    watching.look()
    for trigger in ("task_events_outlive_no_task", "task_events_never_change"):
        watching.service.execute(f"DROP TRIGGER {trigger}")
    watching.service.execute("DELETE FROM task_events")
    watching.service.execute("UPDATE tasks SET client_id = 'c'")

    moved = watching.moved()

    assert moved.fell_behind
    assert moved.last_event_id == 0


def test_a_look_reads_what_changed_and_what_is_on_screen(watching: Watching, statements: list[str]) -> None:
    connection, _ = connect(str(Path(watching.service.execute("PRAGMA database_list").fetchone()[2])), "mode=ro")
    for number in range(50):
        add_task(watching.service, f"t{number}")
    feed = Feed()
    feed.start(connection, watching.shape)
    feed.watch(["t0"])
    add_task(watching.service, "new")
    statements.clear()
    feed.is_behind(connection)
    feed.changes(connection, watching.shape, START_MS)
    connection.close()

    reads = [statement for statement in statements if "FROM" in statement]
    assert len(reads) == 4  # new events, the last of them, the cleanup's mark, the rows
    assert "'t0', 'new'" in reads[-1]
    assert not [statement for statement in reads if "OFFSET" in statement or "count(" in statement]


def test_a_layout_without_event_ids_is_asked_anew(tmp_path: Path) -> None:
    ddl = """
        CREATE TABLE tasks (id PRIMARY KEY, status) WITHOUT ROWID;
        CREATE TABLE task_events (task_id, seq, PRIMARY KEY (task_id, seq)) WITHOUT ROWID;
    """
    watching = Watching(tmp_path / "service.db", ddl)
    watching.service.execute("INSERT INTO tasks VALUES ('a', 'queued')")

    assert watching.moved().fell_behind
    watching.close()


def test_only_so_many_rows_are_remembered(watching: Watching) -> None:
    watching.service.execute("BEGIN")
    for number in range(MOST_TOLD + 5):
        watching.service.execute(
            "INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request) "
            "VALUES (?, 'r', 'queued', 0, 1, 1, 1, '')",
            [f"t{number}"],
        )
    watching.service.execute("COMMIT")
    watching.look()
    watching.feed.tell(
        tasks_by_id(watching.connection, watching.shape, [f"t{number}" for number in range(MOST_TOLD + 5)])
    )
    watching.feed.watch(["t0", f"t{MOST_TOLD}"])

    assert ids(watching.moved()) == ["t0"]


def test_an_open_look_holds_back_no_checkpoint(watching: Watching) -> None:
    for number in range(5):
        add_task(watching.service, f"t{number}")
        watching.look()

        assert watching.service.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall() == [(0, 0, 0)]


def test_trouble_in_a_look_leaves_no_transaction(watching: Watching) -> None:
    add_task(watching.service, "a")
    watching.service.execute("ALTER TABLE tasks RENAME COLUMN client_id TO customer")

    with pytest.raises(sqlite3.OperationalError):
        watching.look()
    assert watching.service.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall() == [(0, 0, 0)]


@pytest.mark.parametrize("others", [0, 300])
@pytest.mark.parametrize("changed", [1, 150])
def test_a_look_reads_what_changed_and_what_is_on_screen_however_much_there_is(
    watching: Watching, monkeypatch: pytest.MonkeyPatch, changed: int, others: int
) -> None:
    for number in range(others):
        add_task(watching.service, f"other{number}")
    shown = [f"shown{number}" for number in range(20)]
    for task_id in shown:
        add_task(watching.service, task_id)
    watching.look()
    watching.feed.watch(shown)
    watching.look()
    for number in range(changed):
        add_task(watching.service, f"new{number}")
    read: list[int] = []
    asked: list[str] = []
    rows = ReadConnection.rows

    def counting(connection: ReadConnection, sql: str, *rest: Any, **options: Any) -> list[Row]:  # noqa: ANN401
        found = rows(connection, sql, *rest, **options)
        asked.append(sql)
        read.append(len(found))
        return found

    monkeypatch.setattr(ReadConnection, "rows", counting)
    moved = watching.moved()
    monkeypatch.undo()

    assert len(moved.rows) == changed
    # The events, the last event, the last cleanup, the tasks: as many statements whatever there is.
    assert len(asked) == 4
    assert sum(read) <= 2 * changed + len(shown) + 3
    for sql in asked:
        if "PRAGMA" not in sql:
            values = [0] * sql.count("?")
            for step in watching.service.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall():
                assert "SEARCH" in step[3]
