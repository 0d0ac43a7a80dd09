"""Another database that is written over a file at rest or in rollback mode is told from what a service does to it."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading import connection
from inspector.reading.header import is_lower
from inspector.reading.messages import Lost
from inspector.reading.reader import Reader, open_reader
from inspector.reading.rewritten import begins_another
from tests.support.reading_databases import add_task, create, make, move_task, read_at
from tests.support.reading_service import Service, service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(60)

WRITTEN_OVER = Lost("The file is gone. It was written over by another one.", read_at())
ROLLBACK = ("delete", "truncate", "persist")


@pytest.fixture(autouse=True)
def _waits_less_for_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_BUSY_S", 0.005)


def made_the_same_way(path: Path) -> Path:
    return make(path, *(f"stranger-{number}" for number in range(5)), journal="delete")


def with_fewer_transactions(path: Path) -> Path:
    return make(path, "stranger", journal="delete")


def with_more_transactions(path: Path) -> Path:
    return make(path, *(f"stranger-{number}" for number in range(50)), journal="delete")


def with_more_transactions_and_fewer_events(path: Path) -> Path:
    with closing(create(path, journal="delete")) as db:
        add_task(db, "stranger")
        for number in range(50):
            db.execute("INSERT INTO service_config VALUES (?, '1', 1)", [f"k{number}"])
    return path


def of_another_layout_with_the_same_count(path: Path) -> Path:
    with closing(create(path, journal="delete", ddl="CREATE TABLE other (a);")) as db:
        for number in range(5):
            db.execute("INSERT INTO other VALUES (?)", [number])
    return path


OTHERS = [
    made_the_same_way,
    with_fewer_transactions,
    with_more_transactions,
    with_more_transactions_and_fewer_events,
    of_another_layout_with_the_same_count,
]


def five(path: Path, journal: str = "delete") -> Path:
    return make(path, *(f"task-{number}" for number in range(5)), journal=journal)


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: other.__name__)
@pytest.mark.parametrize("kind", ["resting", "live", "asked first"])
def test_another_database_is_told_at_the_next_look_and_nothing_of_it_is_shown(
    tmp_path: Path, other: Callable[[Path], Path], kind: str
) -> None:
    path = five(tmp_path / "service.db")
    stranger = other(tmp_path / "other.db")
    mode = Mode.LIVE if kind == "live" else None
    with open_reader(path, now_ms=read_at, mode=mode) as reader:
        assert reader.opened.mode is (mode or Mode.RESTING)
        assert reader.look() == ()
        shutil.copyfile(stranger, path)
        if kind == "asked first":
            with pytest.raises(Exception, match="It was written over by another one"):
                shown(reader)

        assert reader.look() == (WRITTEN_OVER,)


@pytest.mark.parametrize("other", [made_the_same_way, with_more_transactions], ids=lambda other: other.__name__)
def test_a_file_in_wal_mode_that_is_at_rest_is_told_from_another_one_too(
    tmp_path: Path, other: Callable[[Path], Path]
) -> None:
    path = five(tmp_path / "service.db", "wal")
    with open_reader(path, now_ms=read_at) as reader:
        shutil.copyfile(other(tmp_path / "other.db"), path)

        assert reader.look() == (WRITTEN_OVER,)


def test_an_earlier_copy_of_the_file_is_another_one(tmp_path: Path) -> None:
    path = five(tmp_path / "service.db")
    shutil.copyfile(path, tmp_path / "earlier.db")
    with service_on(path) as service:
        add_task(service, "late")
    with open_reader(path, now_ms=read_at) as reader:
        shutil.copyfile(tmp_path / "earlier.db", path)

        assert reader.look() == (WRITTEN_OVER,)


def test_what_cannot_be_told_is_read_as_the_same_file(tmp_path: Path) -> None:
    """Its header counts further, and so does its schema: no rule of this layout holds over that."""
    path = five(tmp_path / "service.db")
    other = with_more_transactions(tmp_path / "other.db")
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE more (a)")
    with open_reader(path, now_ms=read_at) as reader:
        shutil.copyfile(other, path)
        reader.look()

        assert "stranger-1" in shown(reader)


HONEST: tuple[str, ...] = (
    "INSERT INTO service_config VALUES ('a', '1', 1)",
    "CREATE TABLE more (a)",
    "INSERT INTO more VALUES (randomblob(100000))",
    "DELETE FROM more",
    "VACUUM",
    "PRAGMA user_version = 1",
    "PRAGMA auto_vacuum = FULL",
    "PRAGMA page_size = 8192",
    "VACUUM",
    "BEGIN IMMEDIATE",
    "UPDATE service_config SET value = '2'",
    "ROLLBACK",
    "DROP TABLE more",
    "PRAGMA journal_mode = WAL",
    "INSERT INTO service_config VALUES ('b', '1', 1)",
    "REINDEX",
)


@pytest.mark.parametrize("journal", [*ROLLBACK, "memory", "off"])
@pytest.mark.parametrize("exclusive", [False, True], ids=["shared", "exclusive"])
@pytest.mark.parametrize("mode", [None, Mode.LIVE], ids=["by itself", "live"])
def test_what_a_service_does_is_never_said_to_be_another_database(
    tmp_path: Path, journal: str, mode: Mode | None, *, exclusive: bool
) -> None:
    path = five(tmp_path / "service.db")
    pragmas = [f"journal_mode={journal}", *(["locking_mode=EXCLUSIVE"] if exclusive else [])]
    with open_reader(path, now_ms=read_at, mode=mode) as reader, service_on(path, *pragmas) as service:
        for statement in HONEST:
            if not (exclusive and ("journal_mode" in statement or statement == "VACUUM")):
                service.execute(statement)
            is_fine(reader)
        add_task(service, "late")
        move_task(service, "late", "running")
        is_fine(reader)
    is_fine(reader)


def is_fine(reader: Reader) -> None:
    assert not any(isinstance(push, Lost) for push in reader.look())


@pytest.mark.parametrize("journal", ROLLBACK)
def test_a_transaction_that_a_dead_service_left_and_the_next_one_rolls_back_is_no_other_database(
    tmp_path: Path, journal: str
) -> None:
    path = five(tmp_path / "service.db")
    with open_reader(path, now_ms=read_at) as reader:
        with service_on(path, f"journal_mode={journal}", "cache_size=2", "cache_spill=2") as service:
            service.execute("BEGIN IMMEDIATE")
            service.execute("PRAGMA user_version = 1")
            service.execute("CREATE TABLE more (a)")
            for _ in range(30):
                service.execute("INSERT INTO more VALUES (randomblob(9000))")
                is_fine(reader)
            service.kill()
        is_fine(reader)
        with service_on(path) as service:
            is_fine(reader)
            add_task(service, "next")
            is_fine(reader)

        assert {"task-1", "next"} < set(shown(reader))


def test_a_cleanup_that_takes_the_newest_event_is_no_other_database(tmp_path: Path) -> None:
    path = five(tmp_path / "service.db")
    with service_on(path) as service:
        move_task(service, "task-4", "cancelled")
        with open_reader(path, now_ms=read_at) as reader:
            service.execute("DELETE FROM tasks WHERE id = 'task-4'")
            service.execute("DELETE FROM task_events WHERE task_id = 'task-4'")
            is_fine(reader)
            add_task(service, "late")
            is_fine(reader)

            assert shown(reader) == ["late", "task-0", "task-1", "task-2", "task-3"]


@pytest.mark.parametrize("journal", ["delete", "memory"])
def test_a_service_that_commits_and_rolls_back_all_the_time_is_never_said_to_be_another_database(
    tmp_path: Path, journal: str
) -> None:
    path = five(tmp_path / "service.db")
    pragmas = (f"journal_mode={journal}", "synchronous=OFF", "cache_size=2", "cache_spill=2")
    with open_reader(path, now_ms=read_at) as reader, service_on(path, *pragmas) as service:
        working = threading.Thread(target=work, args=(service,))
        working.start()
        while working.is_alive():
            is_fine(reader)
        working.join()
        is_fine(reader)
        assert "late-29" in shown(reader)


def work(service: Service) -> None:
    service.execute("CREATE TABLE more (a)")
    for number in range(30):
        add_task(service, f"late-{number}")
        service.execute("BEGIN IMMEDIATE")
        service.execute(f"PRAGMA user_version = {number % 2}")
        for _ in range(5):
            service.execute("INSERT INTO more VALUES (randomblob(9000))")
        service.execute("ROLLBACK" if number % 2 else "COMMIT")


@pytest.mark.parametrize(
    ("now", "then", "lower"),
    [(1, 1, False), (2, 1, False), (1, 2, True), (0, 2**32 - 1, False), (2**32 - 1, 0, True)],
)
def test_a_number_that_goes_round_was_not_set_back(now: int, then: int, *, lower: bool) -> None:
    assert is_lower(now, then) is lower


def test_what_is_no_database_or_was_not_seen_begins_no_other_one(tmp_path: Path) -> None:
    page = five(tmp_path / "service.db").read_bytes()[:4096]

    assert not begins_another(page, b"")
    assert not begins_another(b"text", page)
    assert not begins_another(page + b"more of it", page)


@pytest.mark.parametrize("journal", ["wal", "delete"])
@pytest.mark.parametrize("kept", [0.5, 1], ids=["half", "all but a page"])
def test_a_file_at_rest_that_is_cut_off_is_lost(tmp_path: Path, journal: str, kept: float) -> None:
    path = five(tmp_path / "service.db", journal=journal)
    with open_reader(path, now_ms=read_at) as reader:
        size = path.stat().st_size
        os.truncate(path, size // 8192 * 4096 if kept < 1 else size - 4096)

        assert reader.look() == (Lost("The file is gone. A part of it was cut off.", read_at()),)


def test_a_file_that_was_cut_off_before_it_was_opened_is_read_anew_when_it_is_touched(tmp_path: Path) -> None:
    path = five(tmp_path / "service.db")
    os.truncate(path, path.stat().st_size - 4096)
    with open_reader(path, now_ms=read_at) as reader:
        os.utime(path)
        assert not [push for push in reader.look() if isinstance(push, Lost)]
