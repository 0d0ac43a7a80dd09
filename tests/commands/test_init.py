import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlite_utils import Database

from inspector import store
from inspector.cli import command_line
from inspector.layout import native
from tests.commands.databases import closing_db, one_of_each, run, service, state_of, task_in


def init(path: Path | str) -> Result:
    return CliRunner().invoke(command_line, ["init", str(path)])


def test_a_new_database_is_one_file_in_the_native_layout_ready_for_a_service(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    result = init(path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"Created {path}: the native layout, version 1, with no task in it.\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["lmsp.db"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0
    with closing_db(path) as db:
        assert db.conn.execute("PRAGMA application_id").fetchall() == [(native.APPLICATION_ID,)]
        assert db.conn.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
        assert {row[0] for row in db.conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")} == {
            *native.TABLES,
            "sqlite_sequence",
        }
        task_in(db, "t", "completed")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


TAKEN: dict[str, Callable[[Path], object]] = {
    "a database": one_of_each,
    "an empty file": Path.touch,
    "a text": lambda path: path.write_text("keep me"),
    "a folder": Path.mkdir,
    "a pipe": fifo,
    "a socket": unix_socket,
    "a link that dangles": lambda path: path.symlink_to("nowhere"),
    "a link in a circle": lambda path: path.symlink_to(path),
    "a link to a file": lambda path: path.symlink_to("/etc/hostname"),
}


@pytest.mark.parametrize("kind", TAKEN)
def test_what_is_there_is_not_touched(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "lmsp.db"
    TAKEN[kind](path)
    before = state_of(tmp_path)
    result = init(path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"lmsp-inspector: {path} is there already and was not touched.\n"
    assert state_of(tmp_path) == before


def test_what_comes_to_be_there_at_the_last_moment_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lmsp.db"
    path.touch()
    before = state_of(tmp_path)
    monkeypatch.setattr(os.path, "lexists", lambda _path: False)
    result = init(path)
    assert (result.exit_code, "is there already" in result.stderr) == (2, True)
    assert state_of(tmp_path) == before


def test_a_database_in_use_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("t", "running", "fail")):
        before = state_of(tmp_path)
        result = init(path)
        assert (result.exit_code, "is there already" in result.stderr) == (2, True)
        assert state_of(tmp_path) == before


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_no_database_is_made_beside_the_companion_of_an_earlier_one(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"lmsp.db{suffix}").write_bytes(b"x" * 512)
    before = state_of(tmp_path)
    result = init(tmp_path / "lmsp.db")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"lmsp.db{suffix} of an earlier database lies beside it" in result.stderr
    assert state_of(tmp_path) == before


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing/lmsp.db", "there is no folder"),
        ("file/lmsp.db", "Not a directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_place_where_nothing_can_be_made_is_said(tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "file").touch()
    before = state_of(tmp_path)
    result = init(tmp_path / path)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert reason in result.stderr
    assert state_of(tmp_path) == before


def test_a_half_made_database_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state_of(tmp_path)

    def fail(path: Path) -> Database:
        Path(f"{path}-wal").touch()
        assert path.exists()
        raise store.Unusable("The disk is full.")

    monkeypatch.setattr("inspector.commands.init.open_service_database", fail)
    result = init(tmp_path / "lmsp.db")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"lmsp-inspector: {tmp_path / 'lmsp.db'} was not created: The disk is full.\n"
    assert state_of(tmp_path).keys() == before.keys()


def test_a_path_that_sqlite_cannot_take_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 250) / ("e" * 250)
    folder.mkdir(parents=True)
    result = init(folder / "lmsp.db")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["a?b", "a#b", "a%20b", "a\nb\x1b[2J", "a'b;c", "é\u202e", b"\xff.db", "file:x?mode=memory"]
)
def test_an_odd_name_is_taken_as_it_is_and_shown_harmless(tmp_path: Path, name: str | bytes) -> None:
    path = os.fsencode(tmp_path) + b"/" + os.fsencode(name)
    done = run("init", path)
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 1)
    assert b"\x1b" not in done.stdout
    assert [os.fsencode(entry.name) for entry in tmp_path.iterdir()] == [os.fsencode(name)]
    done = run("tasks", path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"No tasks yet.\n")


def test_a_folder_that_may_not_be_written_is_said(common_folder: Path) -> None:
    common_folder.chmod(0o555)
    done = run("init", common_folder / "lmsp.db", as_nobody=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == f"lmsp-inspector: {common_folder}/lmsp.db was not created: Permission denied.\n".encode()
    assert list(common_folder.iterdir()) == []
