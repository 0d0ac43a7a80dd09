"""A damaged file is read as far as it goes: one sentence for what cannot be read, never another exception, no hang."""

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.messages import Moved
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    CountsRequest,
    EventDataRequest,
    EventPageRequest,
    LeftoversRequest,
    ModelsRequest,
    Request,
    RetentionRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
    TimelineRequest,
    Watch,
)
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import add_deltas, add_task, create, move_task, read_at
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database of many pages, as bytes."""
    path = tmp_path_factory.mktemp("whole") / "service.db"
    db = create(path, journal="delete")
    db.execute("PRAGMA synchronous=OFF")
    for number in range(60):
        add_task(db, f"task-{number:03}", request="{}" * 200, client_id="c", model_id="m")
        move_task(db, f"task-{number:03}", "running")
        add_deltas(db, f"task-{number:03}", 20)
    db.close()
    return path.read_bytes()


QUESTIONS: tuple[Request, ...] = (
    TaskPageRequest(),
    TasksByIdRequest(("task-001", "task-059")),
    TaskDetailRequest("task-030"),
    EventPageRequest("task-030"),
    EventDataRequest("task-030", 3),
    TimelineRequest("task-030", limit=10),
    CountsRequest(),
    ModelsRequest(),
    LeftoversRequest(),
    RetentionRequest(1),
    Watch(("task-001",)),
)


def answers(reader: Reader) -> int:
    """Ask everything, and return how many questions were answered."""
    answered = 0
    refusals = []
    for request in QUESTIONS:
        try:
            reader.answer(request)
            answered += 1
        except Unanswered as error:
            refusals.append(error.sentence)
    reader.look()
    assert all(sentence.isprintable() and sentence.endswith(".") for sentence in refusals)
    return answered


def noise_anywhere(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) - 32)
    data[at : at + 32] = chance.randbytes(32)


def noise_in_the_schema(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(100, 4096 - 32)
    data[at : at + 32] = chance.randbytes(32)


def noise_in_the_header(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(16, 92)
    data[at : at + 8] = chance.randbytes(8)


def a_page_of_noise(data: bytearray, chance: random.Random) -> None:
    at = 4096 * chance.randrange(1, len(data) // 4096)
    data[at : at + 4096] = chance.randbytes(4096)


def a_page_of_nothing(data: bytearray, chance: random.Random) -> None:
    at = 4096 * chance.randrange(1, len(data) // 4096)
    data[at : at + 4096] = bytes(4096)


def one_byte(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(100, len(data))] = chance.randrange(256)


def cut_off(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(100, len(data)) :]


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    *(noise_anywhere, noise_in_the_schema, noise_in_the_header, a_page_of_noise, a_page_of_nothing, one_byte, cut_off),
)


def read_damaged(path: Path) -> int | None:
    """Read a damaged file; None where it cannot be opened at all."""
    before = touch_state(path)
    answered: int | None = None
    sentence = "service.db "
    try:
        with open_reader(path, now_ms=read_at) as reader:
            answered = answers(reader)
    except Unreadable as error:
        sentence = error.sentence
    assert sentence.startswith("service.db ")
    assert sentence.isprintable()
    assert differences(before, touch_state(path)) == ()
    return answered


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 300), marks=pytest.mark.large)], ids=["few", "many"]
)
def test_damage_is_told_in_sentences(
    whole: bytes, tmp_path: Path, damage: Callable[[bytearray, random.Random], None], seeds: range
) -> None:
    path = tmp_path / "service.db"
    for seed in seeds:
        data = bytearray(whole)
        damage(data, random.Random(seed))
        path.write_bytes(data)
        read_damaged(path)


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
        with pytest.raises(Unanswered) as refused:
            reader.answer(EventPageRequest("task-030"))
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
