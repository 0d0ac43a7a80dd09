"""A file that is deleted, replaced, cut off or overwritten while it is open: noticed at the next look, and said."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.desktop.session.reader_link import RequestFailed
from inspector.layout.opened import Mode
from inspector.reading.requests import EventPageRequest, TaskPageRequest
from tests.desktop.session.test_session import session_on
from tests.support.broken_pages import many_pages
from tests.support.reading_databases import make
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
            await session.ask(TaskPageRequest())
            overwrite(path)
            with pytest.raises(RequestFailed) as failed:
                await session.ask(EventPageRequest("task-030"))

            assert failed.value.sentence == "service.db is incomplete or damaged (SQLITE_CORRUPT)."
            assert heard.opened[-1].mode is Mode.LIVE
