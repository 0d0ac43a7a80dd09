"""What is known of the models' files."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inspector.desktop.session import file_checks
from inspector.desktop.session.file_checks import FileChecks
from inspector.layout.files import FileCheck, FileState
from inspector.layout.rows import ModelRow
from inspector.lmsp.digests import digest_of
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("qloop")


def model(path: Path, content: bytes) -> ModelRow:
    return ModelRow("m", "m", digest_of([content]), len(content), str(path), "gguf", "{}", 1, 0, 0)


@asynccontextmanager
async def checks(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[FileChecks, dict[str, FileCheck]]]:
    monkeypatch.setattr(file_checks, "_LOOK_EVERY_S", 0.0)
    made = FileChecks()
    known: dict[str, FileCheck] = {}
    made.states_changed.connect(known.update)
    try:
        yield made, known
    finally:
        await made.closed()


def state(known: dict[str, FileCheck]) -> FileState | None:
    return known["m"].state if "m" in known else None


async def test_a_file_is_looked_at_read_when_told_and_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    row = model(path, b"weights")
    async with checks(monkeypatch) as (made, known):
        made.look_at([row])
        await until(lambda: state(known) is FileState.UNCHECKED)
        made.verify([row])
        await until(lambda: state(known) is FileState.MATCH)
        made.look_at([row])
        await asyncio.sleep(0)
        await until(lambda: state(known) is FileState.MATCH)
        path.write_bytes(b"WEIGHTS")
        os.utime(path, ns=(1, 1))
        made.look_at([row])
        await until(lambda: state(known) is FileState.UNCHECKED)
        made.verify([row])
        await until(lambda: state(known) is FileState.MISMATCH)
        path.unlink()
        made.look_at([row])
        await until(lambda: state(known) is FileState.MISSING)


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
async def test_a_path_that_leads_to_the_database_is_never_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    database = tmp_path / "service.db"
    part = tmp_path / f"service.db{suffix}"
    database.write_bytes(b"pages")
    part.write_bytes(b"pages")
    link = tmp_path / "m.gguf"
    link.symlink_to(part)
    opened: list[str] = []
    monkeypatch.setattr(file_checks, "verify_file", lambda path, *_, **__: opened.append(path))
    async with checks(monkeypatch) as (made, _known):
        made.set_database(database)
        made.look_at([model(link, b"pages")])
        made.verify([model(link, b"pages")])
        await made.closed()
        assert opened == []


async def test_stop_leaves_what_waits_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    async with checks(monkeypatch) as (made, known):
        ended: list[None] = []
        made.ended.connect(lambda: ended.append(None))
        made.look_at([model(path, b"weights")])
        await until(lambda: state(known) is FileState.UNCHECKED)
        made.verify([model(path, b"weights")])
        made.stop()
        await until(lambda: ended)
        assert state(known) is FileState.UNCHECKED
