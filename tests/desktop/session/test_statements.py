"""Statements run in a process for nothing else, which is killed whatever it is busy with."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inspector.desktop.session import reader_link
from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.desktop.session.statements import Statements
from inspector.reading.requests import StatementRequest
from tests.reading.test_child import SLOW
from tests.support.reading_databases import make
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@asynccontextmanager
async def statements_on(path: Path, most_ms: int = 10_000) -> AsyncIterator[Statements]:
    session = Session()
    session.open(Target(path))
    statements = Statements(session, most_ms=most_ms)
    try:
        await until(lambda: session.how)
        yield statements
    finally:
        statements.stop()
        session.close()
        await session.ended()


async def test_a_process_is_started_by_the_first_statement_and_serves_the_next(tmp_path: Path) -> None:
    async with statements_on(make(tmp_path / "a.db", "a", "b")) as statements:
        assert statements.pid is None
        found = await statements.run(StatementRequest("SELECT id FROM tasks ORDER BY id"))
        pid = statements.pid
        with pytest.raises(RequestFailed, match="only reads"):
            await statements.run(StatementRequest("DELETE FROM tasks"))

        assert [cell.text for (cell,) in found.rows] == ["a", "b"]
        assert statements.pid == pid is not None


@pytest.mark.threat(id="T6")
async def test_stop_kills_what_nothing_can_interrupt_while_the_loop_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_link, "_STOPS_WITHIN_S", 60.0)  # a process is not left to end by itself
    async with statements_on(make(tmp_path / "a.db", "a")) as statements:
        running = asyncio.ensure_future(statements.run(StatementRequest(SLOW["trim"])))
        await until(lambda: statements.pid)
        pid = statements.pid
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert not running.done()

        statements.stop()

        with pytest.raises(ReaderGone):
            await running
        await until(lambda: not Path(f"/proc/{pid}").exists())
        assert (await statements.run(StatementRequest("SELECT 1"))).rows


@pytest.mark.threat(id="T6")
async def test_what_is_not_stopped_is_killed_when_its_time_is_over(tmp_path: Path) -> None:
    async with statements_on(make(tmp_path / "a.db", "a"), most_ms=1_500) as statements:
        for sql in (SLOW["trim"], SLOW["endless"]):
            began_s = time.monotonic()
            with pytest.raises(RequestFailed) as failed:
                await statements.run(StatementRequest(sql))

            assert time.monotonic() - began_s >= 1.5, "it may run for as long as is said"
            assert failed.value.sentence == "This took longer than 1.5 s and was stopped."
            assert failed.value.took_too_long


async def test_without_a_file_nothing_is_run() -> None:
    with pytest.raises(ReaderGone):
        await Statements(Session()).run(StatementRequest("SELECT 1"))
