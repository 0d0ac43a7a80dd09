"""The files of the database itself are no models: to open and close them would drop the locks that it is kept by."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlite_utils import Database

from inspector.store.paths import own_files
from tests.support.store_factory import Rig
from tests.support.subject import store

ACKNOWLEDGED = [f"t{number}" for number in range(5)]


def named(database: Path, how: str) -> Path:
    """Return a name for a file of the database."""
    match how:
        case "link" | "hard link":
            link = database.with_name("model.gguf")
            (link.symlink_to if how == "link" else link.hardlink_to)(database)
            return link
        case "dots":
            return database.parent / "x" / ".." / database.name
        case _:
            return database.with_name(database.name + how)


@contextmanager
def service(database: Path, file: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.support.store_own_files", str(database), str(file)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.process
@pytest.mark.parametrize("how", ["", "-shm", "link", "hard link", "dots"])
def test_what_is_acknowledged_after_the_database_was_taken_for_a_model_is_kept(tmp_path: Path, how: str) -> None:
    database = tmp_path / "service.db"
    store.open_service_database(database).close()
    (tmp_path / "x").mkdir()
    with service(database, named(database, how)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().endswith(
            " is a file of this database, not of a model: nothing was registered.\n"
        )
        # Where the service holds no lock any more, this one takes itself for the last, and removes the -wal.
        store.open_service_database(database).close()
        for task_id in ACKNOWLEDGED:
            process.stdin.write(f"{task_id}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{task_id}\n"
        process.kill()
        process.wait()
    with closing(sqlite3.connect(database)) as conn:
        assert conn.execute("SELECT id FROM tasks ORDER BY id").fetchall() == [
            (task_id,) for task_id in ["before", *ACKNOWLEDGED]
        ]


@pytest.mark.parametrize("companion", ["", "-wal", "-shm", "-journal"])
def test_a_file_of_the_database_is_no_model(rig: Rig, companion: str) -> None:
    file = rig.path.with_name(f"service.db{companion}")
    file.touch()
    with rig.unchanged(), pytest.raises(store.Refused, match="file of this database"):
        store.register_model(rig.db, file, name="Llama", now_ms=5)


def test_a_copy_of_the_database_is_a_file_like_any_other(rig: Rig, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(rig.path.read_bytes())
    assert store.register_model(rig.db, copy, name="Llama", now_ms=5).path == str(copy)


def test_a_database_whose_name_is_no_utf8_knows_its_files_too(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.db")
    model = tmp_path / "model.gguf"
    model.hardlink_to(made(path))
    with closing(store.open_service_database(path)) as db, pytest.raises(store.Refused, match="file of this database"):
        store.register_model(db, model, name="Llama", now_ms=5)


def made(path: Path) -> Path:
    store.open_service_database(path).close()
    return path


@pytest.mark.ours
def test_a_database_in_memory_has_no_files() -> None:
    with closing(Database(memory=True)) as db:
        assert own_files(db.conn) == frozenset()
