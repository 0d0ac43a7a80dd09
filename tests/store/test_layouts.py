"""Versions of the layout: created whole or not at all, a newer one never written, an older one brought up to date.

Version 1 is the first, so the newer one here is made up: it gives the tasks a priority, and the events a table that has
to be built anew, as SQLite asks for where a CHECK changes.
"""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from inspector.layout import native
from inspector.layout.native import Layout
from inspector.store import layouts
from tests.support.store_factory import failing_at, put, tapped
from tests.support.store_files import native_file
from tests.support.store_invariants import broken_invariants
from tests.support.subject import store

pytestmark = pytest.mark.ours

OLD = native.LAYOUTS[1]
EVENTS = next(statement for statement in OLD.statements if statement.startswith("CREATE TABLE task_events"))
EVENTS_OF_2 = EVENTS.replace("UNIQUE (task_id, seq)", "CHECK (type <> ''),\n    UNIQUE (task_id, seq)")
TRIGGERS_OF_EVENTS = [name for name, sql in OLD.triggers.items() if re.search(r" ON task_events\b", sql)]

NEW = Layout(
    2,
    tuple(
        statement.replace(EVENTS, EVENTS_OF_2)
        .replace("    snapshot      TEXT,\n", "    snapshot      TEXT,\n    priority      INTEGER,\n")
        .replace("user_version = 1", "user_version = 2")
        for statement in OLD.statements
    ),
    (
        "ALTER TABLE tasks ADD COLUMN priority INTEGER",
        *(f"DROP TRIGGER {name}" for name in TRIGGERS_OF_EVENTS),
        "DROP TRIGGER tasks_are_inserted_once",
        "DROP TRIGGER tasks_move_with_their_event",
        EVENTS_OF_2.replace("CREATE TABLE task_events", "CREATE TABLE new_events"),
        "INSERT INTO new_events SELECT * FROM task_events",
        "DROP TABLE task_events",
        "ALTER TABLE new_events RENAME TO task_events",
        *(OLD.triggers[name] for name in TRIGGERS_OF_EVENTS),
        OLD.triggers["tasks_are_inserted_once"],
        OLD.triggers["tasks_move_with_their_event"],
    ),
)
BOTH = {1: OLD, 2: NEW}


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    """A database of version 1 with a task in each status."""
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        for status in ("queued", "loading", "running", "cancelling", "completed", "failed", "cancelled"):
            put(db, status, task_id=status)
    return path


@pytest.fixture
def version_2_is_the_newest(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert version(old_file) == 1
    monkeypatch.setattr(native, "LAYOUTS", BOTH)
    monkeypatch.setattr(native, "USER_VERSION", 2)


def rows(path: Path) -> list[list[tuple[object, ...]]]:
    """Return what every version has of the tasks, events and responses."""
    columns = "id, status, on_restart, last_seq, attempt, created_at, finished_at, request"
    with closing(sqlite3.connect(path)) as conn:
        return [
            conn.execute(sql).fetchall()
            for sql in (
                f"SELECT {columns} FROM tasks ORDER BY id",
                "SELECT * FROM task_events ORDER BY id",
                "SELECT * FROM responses ORDER BY id",
                "SELECT * FROM sqlite_sequence",
            )
        ]


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as conn:
        return int(conn.execute("PRAGMA user_version").fetchall()[0][0])


@pytest.mark.usefixtures("version_2_is_the_newest")
def test_an_older_database_is_brought_up_to_date_and_keeps_its_rows(old_file: Path) -> None:
    before = rows(old_file)
    with closing(store.open_service_database(old_file)) as db:
        assert db.conn.execute("PRAGMA foreign_keys").fetchall() == [(1,)]
        assert "priority" in db.table("tasks").columns_dict
        assert broken_invariants(db.conn) == []
        store.complete_task(db, "running", {}, attempt=1, now_ms=900)
    assert version(old_file) == 2
    after = rows(old_file)
    assert [row for row in after[1] if row[1] != "running"] == [row for row in before[1] if row[1] != "running"]
    with closing(sqlite3.connect(old_file)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        conn.execute("PRAGMA foreign_keys = ON")
        conn.execute("DELETE FROM tasks WHERE id = 'completed'")
        conn.commit()
    assert not [row for row in rows(old_file)[1] if row[1] == "completed"]


@pytest.mark.usefixtures("version_2_is_the_newest")
def test_a_database_that_was_brought_up_to_date_is_like_a_new_one(old_file: Path, tmp_path: Path) -> None:
    store.open_service_database(old_file).close()
    store.open_service_database(tmp_path / "new.db").close()
    schemas = []
    for path in (old_file, tmp_path / "new.db"):
        with closing(sqlite3.connect(path)) as conn:
            found = conn.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
            schemas.append([(kind, name, sql if kind == "trigger" else None) for kind, name, sql in found])
    assert schemas[0] == schemas[1]


@pytest.mark.usefixtures("version_2_is_the_newest")
def test_an_action_leaves_an_older_database_as_it_is(old_file: Path) -> None:
    result = store.cancel_in_file(old_file, "running", now_ms=900)
    assert result.outcome == "refused"
    assert result.reason is not None
    assert "version 1" in result.reason
    assert "start its service" in result.reason
    assert version(old_file) == 1


def test_a_newer_database_is_refused_by_name(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(native, "LAYOUTS", BOTH)
        patch.setattr(native, "USER_VERSION", 2)
        store.open_service_database(old_file).close()
    before = rows(old_file)
    with pytest.raises(store.NotOurs, match=r"layout version 2, newer than version 1 .* use a newer release"):
        store.open_service_database(old_file)
    assert store.cancel_in_file(old_file, "running", now_ms=900).outcome == "refused"
    assert rows(old_file) == before
    assert version(old_file) == 2


def test_a_failure_at_any_statement_leaves_the_older_database_whole(old_file: Path) -> None:
    before = rows(old_file)
    with closing(store.open_service_database(old_file)) as db:
        statements = statements_before_the_end(db)
        for number in range(statements):
            with tapped(db, before=failing_at(number)), pytest.raises((store.Unusable, sqlite3.OperationalError)):
                layouts.create_or_migrate(db, BOTH)
            assert not db.conn.in_transaction
            assert version(old_file) == 1
            assert rows(old_file) == before
        layouts.create_or_migrate(db, BOTH)
    assert statements > len(NEW.upgrade)
    assert version(old_file) == 2


def statements_before_the_end(db: Database) -> int:
    """Return how many statements it takes, and take them back."""
    seen: list[str] = []

    class Stop(Exception):
        pass

    def stop_at_commit(sql: str) -> None:
        seen.append(sql)
        if sql == "COMMIT":
            raise Stop

    with tapped(db, before=stop_at_commit), pytest.raises(Stop):
        layouts.create_or_migrate(db, BOTH)
    return seen.index("COMMIT") + 1


def test_rows_that_do_not_fit_leave_the_older_database_as_it_was(old_file: Path) -> None:
    with closing(sqlite3.connect(old_file)) as conn:
        conn.execute("PRAGMA foreign_keys = OFF")
        conn.execute("DELETE FROM tasks WHERE id = 'completed'")
        conn.commit()
    before = rows(old_file)
    with closing(store.open_service_database(old_file)) as db:
        with pytest.raises(store.Unusable, match="stays at layout version 1"):
            layouts.create_or_migrate(db, BOTH)
        assert not db.conn.in_transaction
    assert version(old_file) == 1
    assert rows(old_file) == before


def test_an_older_database_with_triggers_of_others_is_never_written(old_file: Path) -> None:
    with closing(sqlite3.connect(old_file)) as conn:
        conn.execute("CREATE TRIGGER spy AFTER UPDATE ON tasks BEGIN SELECT 1; END")
        db = Database(conn)
        seen: list[str] = []
        with tapped(db, before=seen.append), pytest.raises(store.NotOurs, match="spy"):
            layouts.create_or_migrate(db, BOTH)
        assert set(seen).isdisjoint(NEW.upgrade)
        assert not conn.in_transaction
    assert version(old_file) == 1


def test_the_database_of_another_program_is_not_locked(old_file: Path) -> None:
    with closing(sqlite3.connect(old_file)) as conn:
        conn.execute("PRAGMA application_id = 7")
        db = Database(conn)
        seen: list[str] = []
        with tapped(db, before=seen.append):
            layouts.create_or_migrate(db, BOTH)
        assert [
            sql for sql in seen if not sql.startswith(("PRAGMA application_id", "PRAGMA user_version", "SELECT"))
        ] == []


def test_what_is_not_the_newest_layout_in_the_end_is_undone(old_file: Path) -> None:
    before = rows(old_file)
    halfway = {1: OLD, 2: Layout(2, NEW.statements, NEW.upgrade[:-1])}
    with closing(store.open_service_database(old_file)) as db:
        with pytest.raises(store.NotOurs, match="tasks_move_with_their_event"):
            layouts.create_or_migrate(db, halfway)
        assert not db.conn.in_transaction
    assert version(old_file) == 1
    assert rows(old_file) == before


@pytest.mark.parametrize("found", [1, 2])
def test_each_step_is_made_once(old_file: Path, found: int) -> None:
    third = Layout(
        3,
        tuple(
            sql.replace("    priority ", "    weight INTEGER,\n    priority ").replace(
                "user_version = 2", "user_version = 3"
            )
            for sql in NEW.statements
        ),
        ("ALTER TABLE tasks ADD COLUMN weight INTEGER",),
    )
    with closing(store.open_service_database(old_file)) as db:
        if found == 2:
            layouts.create_or_migrate(db, BOTH)
        layouts.create_or_migrate(db, {**BOTH, 3: third})
        layouts.check_layout(db.conn, third)
    assert version(old_file) == 3


def test_a_layout_that_somebody_created_first_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Between the first look and the write lock another process creates the layout.
    path = tmp_path / "service.db"
    looked = layouts._is_empty  # noqa: SLF001 # the moment between its two calls is the subject
    looks = []

    def look(conn: sqlite3.Connection) -> bool:
        found = looked(conn)
        looks.append(found)
        if len(looks) == 1:
            native_file(path)
        return found

    monkeypatch.setattr(layouts, "_is_empty", look)
    db = store.open_service_database(path)
    assert looks[0] is True
    assert looks[-1] is False
    assert store.next_queued_task(db) is not None
    db.close()


@pytest.mark.parametrize("mark", ["application_id = 7", "user_version = 5"])
def test_a_file_that_another_program_has_only_marked_is_not_ours(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "service.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA {mark}")
    before = path.read_bytes()
    with pytest.raises(store.NotOurs):
        store.open_service_database(path)
    assert path.read_bytes() == before


def test_what_another_program_created_first_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "service.db"
    looked = layouts._is_empty  # noqa: SLF001 # the moment between its two calls is the subject

    def look(conn: sqlite3.Connection) -> bool:
        found = looked(conn)
        if found:
            with closing(sqlite3.connect(path)) as other:
                other.execute("CREATE TABLE other (x)")
        return found

    monkeypatch.setattr(layouts, "_is_empty", look)
    with pytest.raises(store.NotOurs):
        store.open_service_database(path)


def test_an_interrupted_creation_leaves_an_empty_file_that_is_completed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "service.db"
    halfway = Layout(1, (*OLD.statements[:5], "SELECT no_such_column"), ())
    with monkeypatch.context() as patch:
        patch.setattr(native, "LAYOUTS", {1: halfway})
        with pytest.raises(sqlite3.OperationalError):
            store.open_service_database(path)
    assert path.stat().st_size == 0
    store.open_service_database(path).close()
    assert store.cancel_in_file(path, "t", now_ms=1).outcome == "not_found"
