"""The last moment of a file in which nothing goes on, however it was opened and whatever its layout is."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import open_reader
from tests.support.any_tables import made
from tests.support.foreign_databases import SHIPPED
from tests.support.pages import root_of, zeroed
from tests.support.reading_databases import START_MS, add_task, create, make, move_task, read_at
from tests.support.reading_service import service_on

KNOWN = Layouts(folders=layout_folders(None))
LAST_MS = START_MS + 90_000


def last_moment(path: Path, mode: Mode | None = None) -> int | None:
    with open_reader(path, mode=mode, now_ms=read_at, layouts=KNOWN) as reader:
        return reader.opened.last_moment_ms


def running(path: Path, *, at: int = LAST_MS) -> sqlite3.Connection:
    """Return a connection to a database with an old task, and a running one whose last event is the newest."""
    db = create(path)
    add_task(db, "old", created_at=START_MS)
    add_task(db, "runs", created_at=START_MS + 1_000)
    move_task(db, "runs", "running", at=at)
    return db


def test_at_rest_and_in_a_copy_it_is_that_of_the_newest_event(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    running(file).close()
    assert last_moment(file) == LAST_MS
    assert last_moment(file, Mode.COPY) == LAST_MS


def test_what_stands_in_a_wal_counts(tmp_path: Path) -> None:
    with closing(running(tmp_path / "live.db")) as db:
        move_task(db, "old", "running", at=LAST_MS + 7)
        for name in ("live.db", "live.db-wal"):
            shutil.copyfile(tmp_path / name, tmp_path / name.replace("live", "copied"))
    assert last_moment(tmp_path / "copied.db") == LAST_MS + 7


def test_beside_a_service_there_is_none_until_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    running(file).close()
    with service_on(file) as service, open_reader(file, now_ms=read_at, locks_every_s=0.0) as reader:
        assert (reader.opened.mode, reader.opened.last_moment_ms) == (Mode.LIVE, None)
        move_task(service, "old", "running", at=LAST_MS + 7)
        service.close()
        # What it left is looked at once more: a file just written may still be written.
        while (how := reader.opened).last_moment_ms is None:
            reader.look()
        assert (how.mode, how.last_moment_ms) == (Mode.CRASHED, LAST_MS + 7)


def test_an_event_that_a_clock_put_back_does_not_hide_the_later_one_before_it(tmp_path: Path) -> None:
    with closing(running(tmp_path / "a.db")) as db:
        move_task(db, "old", "running", at=LAST_MS - 50_000)
    assert last_moment(tmp_path / "a.db") == LAST_MS


def test_without_a_task_there_is_none(tmp_path: Path) -> None:
    assert last_moment(make(tmp_path / "a.db")) is None


def test_where_the_events_are_damaged_the_tasks_tell(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    running(file).close()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE tasks SET updated_at = ? WHERE id = 'runs'", [LAST_MS + 3])
    zeroed(file, file.read_bytes(), root_of(file, "task_events"))
    assert last_moment(file) == LAST_MS + 3


@pytest.mark.parametrize("stored", [None, "yesterday", b"\x00", 1.5])
def test_what_is_no_whole_number_is_no_moment(tmp_path: Path, stored: object) -> None:
    file = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id PRIMARY KEY, status, created_at, updated_at)",
        "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq, type, created_at, data)",
    )
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("INSERT INTO tasks VALUES ('one', 'running', ?, ?)", [START_MS, stored])
        db.execute("INSERT INTO task_events VALUES (1, 'one', 1, 'x', ?, '{}')", [stored])
    assert last_moment(file) == START_MS


@pytest.mark.parametrize("layout", SHIPPED)
def test_each_layout_of_others_tells_it_in_milliseconds(tmp_path: Path, layout: str) -> None:
    found = last_moment(SHIPPED[layout](tmp_path / "other.db"))
    assert found is not None
    assert START_MS <= found < START_MS + 86_400_000
