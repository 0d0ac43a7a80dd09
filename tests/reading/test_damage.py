"""A damaged file is read as far as it goes: one sentence for what cannot be read, never another exception, no hang."""

import sqlite3
from pathlib import Path

import pytest

from inspector.layout.pages import EventPage, TaskPage
from inspector.reading.errors import Unanswered
from inspector.reading.messages import Moved
from inspector.reading.reader import open_reader
from inspector.reading.requests import (
    EventDataRequest,
    EventPageRequest,
    TaskPageRequest,
)
from inspector.reading.salvage import UNREADABLE
from tests.support.damage import QUESTIONS, many_pages, read_damaged
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import read_at
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return many_pages(tmp_path_factory.mktemp("whole") / "service.db")


def damaged_log(whole: bytes, scratch: Path) -> bytes:
    """Return the database with the first page of its event log zeroed."""
    scratch.write_bytes(whole)
    db = sqlite3.connect(scratch)
    (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'task_events'").fetchone()
    db.close()
    data = bytearray(whole)
    data[(root - 1) * 4096 : root * 4096] = bytes(4096)
    return bytes(data)


def test_a_damaged_event_log_leaves_the_tasks(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.write_bytes(damaged_log(whole, path))

    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert len(page.tasks) == 60
        log = reader.answer(EventPageRequest("task-030"))
        assert isinstance(log, EventPage)
        assert {event.type for event in log.events} == {UNREADABLE}
        assert len(log.events) == 22
        with pytest.raises(Unanswered) as refused:
            reader.answer(EventDataRequest("task-030", 3))
        assert refused.value.sentence == "service.db is incomplete or damaged (SQLITE_CORRUPT)."


@pytest.mark.parametrize("at", [0, 8, 30, 40, 2_000, -100])
def test_a_damaged_wal_shows_what_was_committed_before(tmp_path: Path, at: int) -> None:
    path = crashed(tmp_path / "service.db")
    wal = tmp_path / "service.db-wal"
    data = bytearray(wal.read_bytes())
    data[at] ^= 0xFF
    wal.write_bytes(data)

    assert read_damaged(path) == len(QUESTIONS)


@pytest.mark.parametrize("kept", [1, 31, 32, 1_000, 5_000])
def test_a_wal_that_is_cut_off_shows_what_was_committed_before(tmp_path: Path, kept: int) -> None:
    path = crashed(tmp_path / "service.db")
    wal = tmp_path / "service.db-wal"
    wal.write_bytes(wal.read_bytes()[:kept])

    assert read_damaged(path) == len(QUESTIONS)


@pytest.mark.parametrize("size", [0, 1, 100, 32_768])
def test_a_shm_of_nonsense_is_not_believed(tmp_path: Path, size: int) -> None:
    path = crashed(tmp_path / "service.db")
    (tmp_path / "service.db-shm").write_bytes(b"\x01" * size)

    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert sorted(task.id for task in page.tasks) == ["early", "late"]


def test_a_look_at_a_damaged_live_file_says_that_it_fell_behind(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "service.db"
    path.write_bytes(damaged_log(whole, path))
    with service_on(path, "journal_mode=WAL") as service, open_reader(path, now_ms=read_at) as reader:
        for number in range(3):
            service.execute("INSERT INTO service_config VALUES (?, '1', 1)", [f"k{number}"])
            pushes = [push for _ in range(3) for push in reader.look()]

            assert [push.fell_behind for push in pushes if isinstance(push, Moved)] == [True]
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert len(page.tasks) == 60
