"""What a -shm tells of checkpoints: byte by byte, with the locks that SQLite takes for one."""

import fcntl
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest

from inspector.reading.checkpoints import Checkpoints
from tests.support.reading_service import Service

HANG_S = 20.0


def shm(path: Path, *, salts: bytes = b"saltsalt", moved: int = 0, attempted: int = 0) -> str:
    """Write what matters of a -shm, in place, and return the path of its database."""
    content = bytearray(136)
    content[32:40] = salts
    content[96:100] = moved.to_bytes(4, "little")
    content[128:132] = attempted.to_bytes(4, "little")
    shm_path = path.with_name(path.name + "-shm")
    shm_path.touch()
    with shm_path.open("r+b") as file:
        file.write(content)
    return str(path)


def hold_lock(path: str, is_held: Event, may_go: Event) -> None:
    with Path(path).open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 121)
        is_held.set()
        may_go.wait(HANG_S)


@contextmanager
def a_checkpointer(path: str) -> Iterator[None]:
    spawn = multiprocessing.get_context("spawn")
    is_held, may_go = spawn.Event(), spawn.Event()
    process = spawn.Process(target=hold_lock, args=(f"{path}-shm", is_held, may_go))
    process.start()
    assert is_held.wait(HANG_S)
    yield
    may_go.set()
    process.join(HANG_S)


def test_where_nothing_was_checkpointed_nobody_may_have_written(tmp_path: Path) -> None:
    checkpoints = Checkpoints(shm(tmp_path / "service.db", moved=7, attempted=7))

    assert not checkpoints.may_have_run_since(checkpoints.progress())
    checkpoints.close()


@pytest.mark.parametrize(
    "then",
    [{"moved": 9, "attempted": 9}, {"moved": 7, "attempted": 9}, {"salts": b"othersal", "moved": 7, "attempted": 7}],
    ids=["ended", "under way", "of another -wal"],
)
def test_a_checkpoint_is_told_of_by_what_it_leaves(tmp_path: Path, then: dict[str, Any]) -> None:
    path = shm(tmp_path / "service.db", moved=7, attempted=7)
    checkpoints = Checkpoints(path)
    before = checkpoints.progress()

    shm(Path(path), **then)

    assert checkpoints.may_have_run_since(before)
    checkpoints.close()


def test_a_checkpoint_that_runs_now_is_told_of_by_its_lock(tmp_path: Path) -> None:
    path = shm(tmp_path / "service.db", moved=7, attempted=7)
    checkpoints = Checkpoints(path)
    with a_checkpointer(path):
        assert checkpoints.may_have_run_since(checkpoints.progress())
    assert not checkpoints.may_have_run_since(checkpoints.progress())
    checkpoints.close()


def test_after_a_checkpoint_that_did_not_end_anything_may_have_been_written(tmp_path: Path) -> None:
    checkpoints = Checkpoints(shm(tmp_path / "service.db", moved=7, attempted=9))

    assert checkpoints.may_have_run_since(checkpoints.progress())
    checkpoints.close()


@pytest.mark.parametrize("content", [None, b"", b"x" * 135], ids=["none", "empty", "short"])
def test_where_no_shm_tells_anything_may_have_been_written(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "service.db-shm").write_bytes(content)
    checkpoints = Checkpoints(str(tmp_path / "service.db"))

    assert checkpoints.progress() is None
    assert checkpoints.may_have_run_since(None)
    checkpoints.close()
    checkpoints.close()


def test_a_shm_that_lies_there_no_more_tells_nothing_of_the_wal_of_another_one(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    first, second = (connected(path) for _ in range(2))
    checkpoints = Checkpoints(str(path))
    for service in (first, second):
        service.close()
    third = connected(path)

    assert not checkpoints.wal_is_cut()
    checkpoints.close()
    third.close()


def connected(path: Path) -> Service:
    service = Service(path, "journal_mode=WAL")
    service.execute("CREATE TABLE IF NOT EXISTS a (b)")
    service.execute("INSERT INTO a VALUES (1)")
    return service
