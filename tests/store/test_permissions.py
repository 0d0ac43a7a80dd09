"""A database that cannot be written to is not opened: the first task would be the first to tell."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.subject import store

pytestmark = [pytest.mark.ours, pytest.mark.process]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may write in; pytest's own is for its user alone."""
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        made.chmod(0o777)
        yield made
        made.chmod(0o777)


def outcome(path: Path) -> str:
    """Return what came of opening and writing, by somebody without root's rights."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.store_unprivileged", str(path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_a_file_that_everybody_may_write_is_written(folder: Path) -> None:
    path = folder / "service.db"
    store.open_service_database(path).close()
    path.chmod(0o666)
    assert outcome(path) == "written"


def test_a_file_that_may_only_be_read_is_not_opened(folder: Path) -> None:
    path = folder / "service.db"
    store.open_service_database(path).close()
    path.chmod(0o444)
    assert outcome(path).startswith("not opened: The database file, or one beside it, cannot be written to: look at")


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_file_whose_companion_may_only_be_read_is_not_opened(folder: Path, suffix: str) -> None:
    path = folder / "service.db"
    with closing(store.open_service_database(path)) as db:
        store.accept_task(db, request={}, on_restart="retry", now_ms=1)
        for name, mode in (("", 0o666), ("-wal", 0o666), ("-shm", 0o666), (suffix, 0o444)):
            path.with_name(f"service.db{name}").chmod(mode)
        assert outcome(path).startswith("not opened: The database file, or one beside it, cannot be written to")


def test_a_folder_that_takes_no_file_is_said_at_opening(folder: Path) -> None:
    path = folder / "service.db"
    store.open_service_database(path).close()
    path.chmod(0o666)
    folder.chmod(0o555)
    assert outcome(path).startswith("not opened: ")
