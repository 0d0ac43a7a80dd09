"""A file that is deleted, replaced, cut off or overwritten while it is open: noticed at the next look, and said."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import LOST, Session
from inspector.desktop.session.statements import Statements
from inspector.layout.opened import Mode
from inspector.lmsp.cancelling import CancelOutcome
from inspector.reading.requests import (
    CountsRequest,
    EventPageRequest,
    EventSearchRequest,
    HealthRequest,
    ProofRequest,
    StatementRequest,
    TaskPageRequest,
)
from tests.desktop.session.test_session import Heard, session_on
from tests.support.broken_pages import many_pages
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def delete(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    make(path.with_name("new.db"), "new", journal="delete").rename(path)


def cut_off(path: Path) -> None:
    os.truncate(path, 0)


def overwrite(path: Path) -> None:
    """Write over the bytes of the file, which stays the same file."""
    with path.open("r+b") as file:
        file.write(b"\xab" * path.stat().st_size)


@contextmanager
def resting(path: Path) -> Iterator[None]:
    assert path.exists()
    yield


@contextmanager
def live(path: Path) -> Iterator[None]:
    with service_on(path):
        yield


SAID: dict[Callable[[Path], None], str] = {
    delete: "The file is gone. It was removed.",
    replace: "The file is gone. It was replaced by another one.",
    cut_off: "The file is gone. It was emptied.",
    overwrite: (
        "service.db cannot be read: its first page is not SQLite's. It may be encrypted, or another kind of file."
    ),
}


HELD = {
    "resting": ("wal", resting, Mode.RESTING),
    "live": ("wal", live, Mode.LIVE),
    "rollback": ("delete", live, Mode.RESTING),
}


@pytest.mark.parametrize(
    ("kind", "ends"), [(kind, ends) for kind in HELD for ends in SAID if (kind, ends) != ("live", overwrite)]
)
async def test_what_becomes_of_the_file_is_said(tmp_path: Path, kind: str, ends: Callable[[Path], None]) -> None:
    journal, held, mode = HELD[kind]
    path = make(tmp_path / "service.db", "a", "b", journal=journal)
    with held(path):
        async with session_on(path) as (session, heard):
            assert heard.opened[0].mode is mode
            await session.ask(TaskPageRequest())
            ends(path)
            await until(lambda: heard.lost)
            assert heard.lost == [SAID[ends]]
            assert session.is_lost


async def test_a_live_file_that_is_overwritten_is_said_when_something_is_read_of_it(tmp_path: Path) -> None:
    """SQLite tells nothing of it in WAL mode, and what it has read by then it does not read again."""
    path = many_pages(tmp_path / "service.db", journal="wal")
    with live(path):
        async with session_on(path) as (session, heard):
            session.pause()
            # The reader answers in order: once both are answered it looks no more, and no look comes upon it first.
            for _ in range(2):
                await session.ask(TaskPageRequest())
            overwrite(path)
            with pytest.raises(RequestFailed) as failed:
                await session.ask(EventPageRequest("task-030"))

            assert failed.value.sentence == "service.db is incomplete or damaged (SQLITE_CORRUPT)."
            assert heard.opened[-1].mode is Mode.LIVE


Ask = Callable[[Session, Statements], Awaitable[object]]
ASKED: dict[str, Ask] = {
    "a page": lambda session, _: session.ask(TaskPageRequest()),
    "a page in the background": lambda session, _: session.ask_in_background(TaskPageRequest()),
    "counts": lambda session, _: session.ask_in_background(CountsRequest()),
    "a search": lambda session, _: session.ask_in_background(EventSearchRequest("new")),
    "a proof": lambda session, _: session.run_errand(ProofRequest()),
    "a check": lambda session, _: session.run_errand(HealthRequest()),
    "a statement": lambda _, statements: statements.run(StatementRequest("SELECT id FROM tasks")),
}


async def test_of_the_file_that_lies_where_a_lost_one_lay_nothing_is_read_or_written(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", "b")
    async with session_on(path) as (session, heard):
        statements = Statements(session)
        for ask in ASKED.values():
            await ask(session, statements)
        session.allow_actions(True)
        told = [session.acting.may_act]
        session.acting_changed.connect(lambda acting: told.append(acting.may_act))
        replace(path)
        before = path.read_bytes()
        await until(lambda: heard.lost)

        assert told == [True, False]
        for what, ask in ASKED.items():
            with pytest.raises(RequestFailed) as failed:
                await ask(session, statements)
            assert failed.value.sentence == LOST, what
        result = await session.cancel_task("new")
        assert (result.outcome, result.reason) == (CancelOutcome.REFUSED, LOST)
        assert path.read_bytes() == before
        statements.stop()


REPLACED = "The file is gone. It was replaced by another one."
OF_ANOTHER_PROCESS = [what for what in ASKED if what not in ("a page", "counts")]


@pytest.mark.parametrize("what", OF_ANOTHER_PROCESS)
@pytest.mark.parametrize("held", [resting, live], ids=["resting", "live"])
@pytest.mark.parametrize("was_asked", [False, True], ids=["its first question", "asked before"])
async def test_what_opens_the_path_by_itself_refuses_another_file_that_nobody_has_noticed_yet(
    tmp_path: Path, what: str, held: Callable[[Path], AbstractContextManager[None]], *, was_asked: bool
) -> None:
    path = make(tmp_path / "service.db", "a", "b")
    with held(path):
        async with paused_on(path) as (session, heard):
            statements = Statements(session)
            ask = searched if what == "a search" else ASKED[what]
            if was_asked:
                await answer_or_sentence(ask(session, statements))
            replace(path)

            answer = await answer_or_sentence(ask(session, statements))

            assert "new" not in repr(answer)
            # A process that is at work on a live file goes on with that file, wherever it is by now.
            goes_on = was_asked and held is live and what not in ("a proof", "a check")
            assert (answer == REPLACED) is not goes_on
            assert not any("new" in repr(each) for each in heard.moved)
            statements.stop()


@pytest.mark.parametrize("held", [resting, live], ids=["resting", "live"])
async def test_no_task_of_another_file_is_cancelled_before_it_was_noticed(
    tmp_path: Path, held: Callable[[Path], AbstractContextManager[None]]
) -> None:
    path = make(tmp_path / "service.db", "new")
    with held(path):
        async with paused_on(path) as (session, _heard):
            session.allow_actions(True)
            replace(path)
            before = path.read_bytes()

            result = await session.cancel_task("new")

            assert (result.outcome, result.reason) == (CancelOutcome.REFUSED, REPLACED)
            assert path.read_bytes() == before


async def test_a_reader_that_takes_the_place_of_one_that_died_reads_no_other_file(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    async with paused_on(path) as (session, heard):
        replace(path)
        assert session.reader_pid is not None
        os.kill(session.reader_pid, signal.SIGKILL)
        await until(lambda: heard.lost)

        assert heard.lost == [REPLACED]
        assert session.is_lost


async def test_a_service_that_went_on_writing_is_no_other_file(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service:
        async with paused_on(path) as (session, _heard):
            for number in range(20):
                add_task(service, f"more-{number}")
            service.execute("VACUUM")
            service.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            statements = Statements(session)

            for what in ("a page in the background", "a search", "a statement", "a proof"):
                assert not isinstance(await answer_or_sentence(ASKED[what](session, statements)), str), what
            assert (await session.cancel_task("more-1")).outcome is CancelOutcome.CANCELLED
            statements.stop()


@asynccontextmanager
async def paused_on(path: Path) -> AsyncIterator[tuple[Session, Heard]]:
    """Open a session whose reader does not look any more."""
    async with session_on(path) as (session, heard):
        session.pause()
        # The reader answers in order: once both are answered it has heard of the pause.
        for _ in range(2):
            await session.ask(TaskPageRequest())
        yield session, heard


async def searched(session: Session, _statements: Statements) -> object:
    """Search by the process for the background: a small file is searched by the reader itself."""
    session._takes_long.add(EventSearchRequest)  # noqa: SLF001  as if the file were large
    return await session.ask_in_background(EventSearchRequest("new"))


async def answer_or_sentence(asked: Awaitable[object]) -> object:
    try:
        return await asked
    except RequestFailed as failed:
        return failed.sentence


async def test_what_is_asked_in_the_background_when_the_file_is_lost_is_not_asked_of_the_next_one(
    tmp_path: Path,
) -> None:
    path = make(tmp_path / "service.db", "a")
    async with session_on(path) as (session, heard):
        await session.ask_in_background(TaskPageRequest())
        pid = session.background_pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)  # so that it is still asked then
        asked = asyncio.ensure_future(session.ask_in_background(TaskPageRequest()))
        replace(path)
        await until(lambda: heard.lost)

        with pytest.raises(ReaderGone):
            await asked
        assert session.background_pid is None
        os.kill(pid, signal.SIGKILL)


async def test_another_file_is_read_after_one_was_lost(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    async with session_on(path) as (session, heard):
        replace(path)
        await until(lambda: heard.lost)
        session.open(Target(path))
        await until(lambda: len(heard.opened) == 2)

        for page in (await session.ask(TaskPageRequest()), await session.ask_in_background(TaskPageRequest())):
            assert [task.id for task in page.tasks] == ["new"]
