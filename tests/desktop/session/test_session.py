"""A session on real files, with its reader in a process of its own."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest

from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import TaskFilter
from inspector.lmsp.cancelling import CancelOutcome
from inspector.reading.messages import Moved
from inspector.reading.requests import CountsRequest, TaskPageRequest
from tests.support.live_file import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


class Heard:
    """What a session has said."""

    def __init__(self, session: Session) -> None:
        self.opened: list[Opened] = []
        self.moved: list[Moved] = []
        self.refused: list[str] = []
        self.lost: list[str] = []
        self.replaced = 0
        session.opened.connect(self.opened.append)
        session.moved.connect(self.moved.append)
        session.could_not_open.connect(self.refused.append)
        session.lost.connect(lambda sentence, _at: self.lost.append(sentence))
        session.reader_replaced.connect(self._count)

    def _count(self) -> None:
        self.replaced += 1


def another_reader(session: Session, heard: "Heard", pid: int) -> bool:
    return bool(heard.lost) or session.reader_pid not in (pid, None)


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@asynccontextmanager
async def session_on(path: Path) -> AsyncIterator[tuple[Session, Heard]]:
    session = Session()
    heard = Heard(session)
    session.open(Target(path))
    try:
        await until(lambda: heard.opened or heard.refused)
        yield session, heard
    finally:
        session.close()
        await session.ended()


async def test_a_commit_of_another_connection_is_told_with_the_tasks_as_they_are_now(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        (first,) = service.accept()
        async with session_on(service.path) as (session, heard):
            assert heard.opened[0].mode is Mode.LIVE
            page = await session.ask(TaskPageRequest())
            assert [task.id for task in page.tasks] == [first]
            service.run(first, deltas=3)
            await until(lambda: heard.moved and heard.moved[-1].rows and heard.moved[-1].rows[0].last_seq == 5)
            assert heard.moved[-1].rows[0].status == "running"


async def test_paused_it_hears_nothing_and_resumed_it_catches_up(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept()
        async with session_on(service.path) as (session, heard):
            session.pause()
            await session.ask(CountsRequest(TaskFilter()))
            heard.moved.clear()
            service.accept(2)
            await asyncio.sleep(0.5)
            assert heard.moved == []
            session.resume()
            await until(lambda: sum(len(moved.rows) for moved in heard.moved) == 2)


@pytest.mark.threat(id="T9")
async def test_a_reader_that_is_killed_is_replaced_and_the_next_question_answered(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(3)
        async with session_on(service.path) as (session, heard):
            pid = session.reader_pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            await until(lambda: heard.replaced == 1 and len(heard.opened) == 2)
            page = await session.ask(TaskPageRequest())
            assert len(page.tasks) == 3


async def test_a_file_that_kills_every_reader_counts_as_lost(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept()
        async with session_on(service.path) as (session, heard):
            for _ in range(4):
                pid = session.reader_pid
                assert pid is not None
                os.kill(pid, signal.SIGKILL)
                await until(partial(another_reader, session, heard, pid))
            assert len(heard.lost) == 1
            assert session.is_lost
            with pytest.raises(RequestFailed, match="cannot be read any more"):
                await session.ask(TaskPageRequest())


@pytest.mark.threat(id="T8")
@pytest.mark.parametrize("kind", ["missing", "directory", "text", "empty", "fifo"])
async def test_what_cannot_be_opened_is_said_in_one_sentence_and_nothing_appears(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.db"
    match kind:
        case "directory":
            path.mkdir()
        case "text":
            path.write_text("this is no database\n" * 100)
        case "empty":
            path.touch()
        case "fifo":
            os.mkfifo(path)
        case missing:
            assert missing == "missing"
    before = names_in(tmp_path)
    async with session_on(path) as (session, heard):
        assert heard.opened == []
        (sentence,) = heard.refused
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert session.how is None
    assert names_in(tmp_path) == before


async def test_a_cancel_reports_how_it_ended_and_the_feed_shows_it(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        queued, running, done = service.accept(3)
        service.run(running)
        service.run(done)
        service.complete(done)
        async with session_on(service.path) as (session, heard):
            outcomes = {task_id: await session.cancel_task(task_id) for task_id in (queued, running, done, "nobody")}
            assert outcomes[queued].outcome is CancelOutcome.CANCELLED
            assert outcomes[running].outcome is CancelOutcome.CANCELLING
            assert outcomes[done].outcome is CancelOutcome.ALREADY_FINISHED
            assert outcomes["nobody"].outcome is CancelOutcome.NOT_FOUND
            again = await session.cancel_task(running)
            assert again.outcome is CancelOutcome.ALREADY_CANCELLING
            await until(lambda: {task.id for moved in heard.moved for task in moved.rows} >= {queued, running})


async def test_a_file_at_rest_is_cancelled_in_only_after_the_user_allowed_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_on(path) as service:
        (task_id,) = service.accept()
    before = path.read_bytes()
    async with session_on(path) as (session, heard):
        assert heard.opened[0].mode is Mode.RESTING
        refused = await session.cancel_task(task_id)
        assert refused.outcome is CancelOutcome.REFUSED
        assert refused.reason is not None
        assert path.read_bytes() == before
        session.allow_actions(True)
        cancelled = await session.cancel_task(task_id)
        assert cancelled.outcome is CancelOutcome.CANCELLED
        await until(lambda: any(task.status == "cancelled" for moved in heard.moved for task in moved.rows))


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize("table", ["UPDATE OF status ON tasks", "INSERT ON task_events", "DELETE ON idempotency_keys"])
async def test_nothing_is_cancelled_where_a_trigger_of_others_would_run(tmp_path: Path, table: str) -> None:
    path = tmp_path / "a.db"
    with service_on(path) as service:
        (task_id,) = service.accept()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE TRIGGER evil AFTER {table} BEGIN DELETE FROM models; END")
    before = path.read_bytes()
    async with session_on(path) as (session, _heard):
        session.allow_actions(True)
        assert session.acting.why_not == "It carries triggers that are not the layout's own."
        refused = await session.cancel_task(task_id)
        assert refused.outcome is CancelOutcome.REFUSED
    assert path.read_bytes() == before


async def test_a_closed_session_answers_nothing_and_leaves_no_reader(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept()
        async with session_on(service.path) as (session, _heard):
            pid = session.reader_pid
            asked = asyncio.ensure_future(session.ask(TaskPageRequest()))
            await asyncio.sleep(0)
            session.close()
            with pytest.raises(ReaderGone):
                await asked
            assert pid is not None
            await until(lambda: not Path(f"/proc/{pid}").exists())
