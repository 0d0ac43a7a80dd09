"""Questions that read all of a file: which file, and that their process ends with the session or the wait."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.layout.opened import Mode
from inspector.layout.pages import Progress
from inspector.reading.requests import HealthRequest, ProofRequest
from tests.support.live_file import service_on
from tests.support.reading_databases import make
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@asynccontextmanager
async def session_on(path: Path, mode: Mode | None = None) -> AsyncIterator[Session]:
    session = Session()
    session.open(Target(path, mode))
    try:
        await until(lambda: session.how is not None)
        yield session
    finally:
        session.close()
        await session.ended()


async def test_a_proof_is_of_the_file_itself_and_a_check_of_what_is_read(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    async with session_on(path, Mode.COPY) as session:
        state = await session.run_errand(ProofRequest())
        health = await session.run_errand(HealthRequest(full=True))

    assert state.path == str(path)
    assert len(health.tables) == 7
    assert not any(table.notes for table in health.tables)


async def test_a_live_file_is_not_checked_and_the_sentence_says_why(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept()
        async with session_on(service.path) as session:
            with pytest.raises(RequestFailed) as failed:
                await session.run_errand(HealthRequest())

    assert "checkpoints would wait" in failed.value.sentence


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A database that takes minutes to hash, and no room on the disk."""
    path = make(tmp_path / "service.db", "a", journal="delete")
    os.truncate(path, 64 << 30)
    return path


@pytest.mark.parametrize("ends", ["session", "wait"])
async def test_what_is_under_way_ends_with_the_session_and_with_the_wait(endless: Path, ends: str) -> None:
    told: list[Progress] = []
    async with session_on(endless) as session:
        waiting = asyncio.ensure_future(session.run_errand(ProofRequest(), told.append))
        await until(lambda: told)
        if ends == "session":
            session.close()
            with pytest.raises(ReaderGone):
                await waiting
        else:
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            assert waiting.cancelled()


async def test_without_a_file_there_is_nothing_to_read() -> None:
    session = Session()
    with pytest.raises(ReaderGone):
        await session.run_errand(ProofRequest())
    await session.ended()
