"""Long questions on real files: a process of their own, only when it is needed, and never a stall."""

import asyncio
import gc
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from subprocess import Popen

import pytest

from inspector.desktop.session import background
from inspector.desktop.session import session as session_module
from inspector.desktop.session.background import Background, launch_background
from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import Progress, TaskFilter
from inspector.reading.requests import CountsRequest, EventSearchRequest, TaskPageRequest, TaskPlacesRequest
from tests.support.reading_databases import add_deltas, add_task, create, make, move_task
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

LONG = EventSearchRequest("no such text")


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose events take many steps to search."""
    path = tmp_path_factory.mktemp("background") / "service.db"
    db = create(path)
    add_task(db, "a")
    move_task(db, "a", "running")
    add_deltas(db, "a", 3_000, data=f'{{"delta":"{"word " * 4_000}"}}')
    db.close()
    return path


@asynccontextmanager
async def session_on(path: Path, mode: Mode | None = None) -> AsyncIterator[tuple[Session, Opened]]:
    session = Session()
    heard: list[Opened] = []
    session.opened.connect(heard.append)
    session.open(Target(path, mode))
    try:
        await until(lambda: heard)
        yield session, heard[0]
    finally:
        session.close()
        await session.ended()


@asynccontextmanager
async def background_on(path: Path) -> AsyncIterator[Background]:
    found = Background(partial(launch_background, Target(path)))
    try:
        yield found
    finally:
        found.close()


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_a_small_file_needs_no_other_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "AT_ONCE_MS", 5_000)  # however busy the machine is
    async with session_on(make(tmp_path / "a.db", "a", "b")) as (session, _):
        counts = await session.ask_in_background(CountsRequest())
        places = await session.ask_in_background(TaskPlacesRequest())

        assert (counts.by_status, places.total) == ({"queued": 2}, 2)
        assert session.background_pid is None


async def test_what_takes_long_goes_to_a_process_that_ends_with_the_session(long_log: Path) -> None:
    async with session_on(long_log) as (session, _):
        found = await session.ask_in_background(LONG)

        assert (found.hits, found.searched_to) == ((), None)
        pid = session.background_pid
        assert pid is not None
        assert pid != session.reader_pid
    await until(lambda: not is_there(pid))


async def test_progress_is_told_on_the_way(long_log: Path) -> None:
    told: list[Progress] = []
    async with background_on(long_log) as asked:
        await asked.ask(LONG, told.append)

    assert told
    assert [progress.done for progress in told] == sorted({progress.done for progress in told})


async def test_a_wait_that_is_cancelled_stops_the_walk(long_log: Path) -> None:
    told: list[Progress] = []
    async with background_on(long_log) as asked:
        waiting = asyncio.create_task(asked.ask(LONG, told.append))
        await until(lambda: told)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        done = len(told)
        # It answers in turn: had the long one gone on, its progress would have been told before.
        await asked.ask(TaskPageRequest())
        await asked.ask(TaskPageRequest())

        assert waiting.cancelled()
        assert len(told) == done


async def test_a_process_that_is_killed_is_replaced_and_asked_again(long_log: Path) -> None:
    told: list[Progress] = []
    async with background_on(long_log) as asked:
        waiting = asyncio.create_task(asked.ask(LONG, told.append))
        await until(lambda: told)
        first = asked.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)

        assert await waiting is not None
        assert asked.pid not in (None, first)


async def test_a_process_that_says_nothing_is_given_up_for_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "a.db", "a")
    launched: list[int] = []

    def launch() -> "Popen[bytes]":
        monkeypatch.undo()
        process = launch_background(Target(path))
        launched.append(process.pid)
        return process

    asked = Background(launch)
    await asked.ask(TaskPageRequest())
    os.kill(launched[0], signal.SIGSTOP)
    monkeypatch.setattr(background, "SILENT_S", 0.1)

    assert await asked.ask(TaskPageRequest()) is not None
    assert len(launched) == 2
    asked.close()


async def test_closed_it_answers_nothing_more(long_log: Path) -> None:
    async with background_on(long_log) as asked:
        waiting = asyncio.create_task(asked.ask(LONG))
        await until(lambda: asked.pid)
        asked.close()
        with pytest.raises(ReaderGone):
            await waiting


async def test_who_is_cancelled_at_the_moment_it_closes_leaves_nothing_to_be_told_of(long_log: Path) -> None:
    told: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
    async with background_on(long_log) as asked:
        waiting = asyncio.create_task(asked.ask(LONG))
        await until(lambda: asked.pid)
        asked.close()
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
    del waiting
    gc.collect()
    assert told == []


async def test_a_file_that_cannot_be_read_is_not_tried_for_ever(tmp_path: Path) -> None:
    async with background_on(tmp_path / "absent.db") as asked:
        with pytest.raises(RequestFailed, match=r"absent\.db is not there"):
            await asked.ask(CountsRequest())


async def test_a_private_copy_is_read_where_it_lies(long_log: Path) -> None:
    async with session_on(long_log, Mode.COPY) as (session, how):
        assert how.copy_path is not None
        copies = {path.name for path in Path(how.copy_path).parents[1].glob("lmsp-inspector-copy-*")}
        await session.ask_in_background(LONG)

        assert session.background_pid is not None
        assert {path.name for path in Path(how.copy_path).parents[1].glob("lmsp-inspector-copy-*")} <= copies


async def test_a_question_that_fails_says_why(tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE tasks (id, status); CREATE TABLE task_events (task_id, seq);")
    db.close()
    async with session_on(path) as (session, _):
        with pytest.raises(RequestFailed, match="cannot be searched"):
            await session.ask_in_background(LONG)
        assert session.background_pid is None


async def test_before_a_file_is_open_nothing_is_asked() -> None:
    session = Session()
    with pytest.raises(ReaderGone):
        await session.ask_in_background(CountsRequest(TaskFilter()))
    await session.ended()
