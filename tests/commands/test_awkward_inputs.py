"""Every command that takes a database, over every input that is none, or an odd one."""

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import command_line
from tests.commands.databases import by_hand, closing_db, one_of_each, run, state_of, task_in

COMMANDS: dict[str, tuple[str, ...]] = {
    "tasks": ("tasks", "DB"),
    "tasks --json": ("tasks", "DB", "--json"),
    "check": ("check", "DB"),
    "check --json": ("check", "DB", "--json"),
    "events": ("events", "DB", "t"),
    "events --json": ("events", "DB", "t", "--json"),
    "events --follow": ("events", "DB", "t", "--follow"),
    "cancel": ("cancel", "DB", "t"),
    "cancel --json": ("cancel", "DB", "t", "--json"),
    "recover": ("recover", "DB"),
    "recover --json": ("recover", "DB", "--json"),
    "recover --apply": ("recover", "DB", "--apply", "--json"),
    "recover --to": ("recover", "DB", "--to", "COPY", "--json"),
    "export --json": ("export", "DB", "--format", "ndjson", "--out", "COPY", "--json"),
}


def noise(path: Path) -> None:
    path.write_bytes(bytes(at * 37 % 251 for at in range(8192)))


def half_a_file(path: Path) -> None:
    one_of_each(path)
    path.write_bytes(path.read_bytes()[:2048])


def header_alone(path: Path) -> None:
    one_of_each(path)
    path.write_bytes(path.read_bytes()[:100])


def damaged_schema(path: Path) -> None:
    one_of_each(path)
    raw = bytearray(path.read_bytes())
    raw[100:1200] = b"\xff" * 1100
    path.write_bytes(raw)


def without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE unrelated (x)")


def with_views_for_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for name in ("tasks", "task_events"):
            db.execute(
                f"CREATE VIEW {name} AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)"
                " SELECT id, id AS task_id, id AS seq, 'queued' AS status FROM n"
            )


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


INPUTS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _path: None,
    "a folder": Path.mkdir,
    "a text": lambda path: path.write_text("not a database\n" * 100),
    "noise": noise,
    "an empty file": Path.touch,
    "the start of a header": lambda path: path.write_bytes(b"SQLite format 3\0"),
    "a header alone": header_alone,
    "half a file": half_a_file,
    "a damaged schema": damaged_schema,
    "a pipe": os.mkfifo,
    "a socket": unix_socket,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link that dangles": lambda path: path.symlink_to("nowhere"),
    "a link in a circle": lambda path: path.symlink_to(path),
    "a database without the tables": without_tables,
    "endless views in place of the tables": with_views_for_tables,
}
EACH_ROOM = ["tasks", "events --json", "cancel --json", "recover --apply", "recover --to", "export --json"]
"""A command for each way to open a file: reading, an action, recovery in place and on a copy, an export."""
ODD_NAMES = [
    "a?b",
    "a#b",
    "a%20b",
    "a\nb",
    "\x1b[2J\x07",
    "a'b;c",
    "é\u202e\u2028",
    "file:x?mode=memory",
    "-wal",
    "x" * 255,
]


def arguments(command: str, path: Path, copy: Path) -> list[str]:
    return [{"DB": str(path), "COPY": str(copy)}.get(word, word) for word in COMMANDS[command]]


@pytest.mark.threat(id="T8")
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_database_ends_in_one_line_and_no_trace(tmp_path: Path, command: str, kind: str) -> None:
    path = tmp_path / "lmsp.db"
    INPUTS[kind](path)
    before = state_of(tmp_path)
    result = CliRunner().invoke(command_line, arguments(command, path, tmp_path / "copy.db"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith(".\n")
    assert result.stderr[:-1].isprintable()
    assert state_of(tmp_path) == before


@pytest.mark.process
@pytest.mark.parametrize("kind", INPUTS)
def test_the_program_itself_says_no_more(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "lmsp.db"
    INPUTS[kind](path)
    before = state_of(tmp_path)
    done = run("tasks", path, "--json")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"Traceback" not in done.stderr
    assert state_of(tmp_path) == before


@pytest.mark.threat(id="T10")
@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("command", EACH_ROOM)
def test_a_missing_file_of_an_odd_name_is_quoted_harmless(tmp_path: Path, command: str, name: str) -> None:
    result = CliRunner().invoke(command_line, arguments(command, tmp_path / name, tmp_path / "copy.db"))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr[:-1].isprintable()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.threat(id="T10")
@pytest.mark.parametrize("name", ODD_NAMES[:-1])
@pytest.mark.parametrize("command", EACH_ROOM)
def test_a_database_of_an_odd_name_is_no_other(tmp_path: Path, command: str, name: str) -> None:
    (tmp_path / "db").mkdir()
    path = tmp_path / "db" / name
    with closing_db(path) as db:
        task_in(db, "t", "completed")
    result = CliRunner().invoke(command_line, arguments(command, path, tmp_path / "copy.db"))
    assert result.exit_code == (1 if command.startswith("cancel") else 0)
    assert all(line.isprintable() for line in (result.stdout + result.stderr).split("\n"))
    assert [entry.name for entry in path.parent.iterdir()] == [name]


@pytest.mark.parametrize("command", [*(name for name in COMMANDS if "--follow" not in name), "retention", "init"])
@pytest.mark.parametrize("left", [False, True])
def test_a_path_may_begin_with_two_slashes(tmp_path: Path, command: str, left: bool) -> None:
    path = tmp_path / "lmsp.db"
    two = f"/{path}"
    if command == "init":
        assert CliRunner().invoke(command_line, ["init", two]).exit_code == 0
        assert path.stat().st_size > 0
        return
    with closing_db(path) as db:
        task_in(db, "t", "queued")
        if left:
            # As a killed service leaves it: the -wal waits, beside its -shm and without it.
            for suffix in ("", "-wal"):
                (tmp_path / f"left.db{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
            two = f"/{tmp_path / 'left.db'}"
    words = ["retention", two, "--keep", "1d"] if command == "retention" else None
    words = words or [{"DB": two, "COPY": f"/{tmp_path / 'copy.db'}"}.get(word, word) for word in COMMANDS[command]]
    result = CliRunner().invoke(command_line, words)
    # A copy without its -shm is read, and is not written to.
    assert result.exit_code == (1 if left and command.startswith(("cancel", "recover --apply")) else 0)
    assert "authority" not in result.stderr


@pytest.mark.process
def test_a_name_that_is_no_text_is_opened_and_quoted_harmless(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\x1b.db"
    done = run("tasks", path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"\x1b" not in done.stderr
    one_of_each(Path(os.fsdecode(path)))
    for command in (("tasks",), ("tasks", "--json"), ("recover", "--json"), ("recover", "--apply")):
        done = run(command[0], path, *command[1:])
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_path_is_not_the_current_folder(tmp_path: Path, command: str) -> None:
    words = [{"DB": "", "COPY": str(tmp_path / "copy.db")}.get(word, word) for word in COMMANDS[command]]
    result = CliRunner().invoke(command_line, words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "the path is empty" in result.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user, which only root can become")
@pytest.mark.process
@pytest.mark.parametrize("command", [name for name in COMMANDS if "--json" in name or "--" not in name])
@pytest.mark.parametrize("closed", ["file", "folder"])
def test_what_may_not_be_read_is_said(common_folder: Path, command: str, closed: str) -> None:
    folder = common_folder / "inner"
    folder.mkdir()
    path = one_of_each(folder / "lmsp.db")
    (path if closed == "file" else folder).chmod(0)
    before = state_of(folder)
    done = run(*arguments(command, path, common_folder / "copy.db"), as_nobody=True)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"there is no permission" in done.stderr
    assert state_of(folder) == before


@pytest.mark.process
def test_a_database_in_a_folder_that_may_not_be_written_is_read(common_folder: Path) -> None:
    path = one_of_each(common_folder / "lmsp.db")
    path.chmod(0o444)
    common_folder.chmod(0o555)
    done = run("tasks", path, "--json", as_nobody=True)
    assert (done.returncode, done.stderr) == (0, b"")
    for command in ("cancel --json", "recover --apply"):
        done = run(*arguments(command, path, common_folder / "copy.db"), as_nobody=True)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert [entry.name for entry in common_folder.iterdir()] == ["lmsp.db"]


@pytest.mark.parametrize("command", ["tasks", "events", "recover"])
def test_a_damaged_page_ends_in_one_line_or_does_no_harm(tmp_path: Path, command: str) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(path, "VACUUM")
    whole = path.read_bytes()
    pages = range(4096, len(whole), 4096)
    codes = set()
    for at in pages:
        path.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :])
        result = CliRunner().invoke(command_line, [command, str(path), *(["running"] if command == "events" else [])])
        codes.add(result.exit_code)
        assert (result.exit_code, result.stdout == "", result.stderr.count("\n")) in (
            (0, False, 0),
            (2, True, 1),
            (1, True, 1),
        )
    assert 0 in codes
