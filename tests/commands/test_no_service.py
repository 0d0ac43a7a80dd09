"""A file that is no database of a service: every command ends alike, with 2 and one line that names the file."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.commands.databases import by_hand, foreign, one_of_each, state_of


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(command_line, [*map(str, words)], obj=Clock(lambda: 1_764_597_737_412, lambda _: None))


COMMANDS: dict[str, Callable[[Path], list[str | Path]]] = {
    "tasks": lambda path: ["tasks", path],
    "events": lambda path: ["events", path, "t"],
    "check": lambda path: ["check", path],
    "recover": lambda path: ["recover", path],
    "recover --apply": lambda path: ["recover", path, "--apply"],
    "recover --to": lambda path: ["recover", path, "--to", path.with_name("copy.db")],
    "retention": lambda path: ["retention", path, "--keep", "1s"],
    "retention --apply": lambda path: ["retention", path, "--keep", "1s", "--apply"],
    "cancel": lambda path: ["cancel", path, "running"],
    "cancel --json": lambda path: ["cancel", path, "running", "--json"],
}


def of_another_program(path: Path) -> None:
    by_hand(path, "CREATE TABLE notes (id, text)", "INSERT INTO notes VALUES (1, 'x')")


def text(path: Path) -> None:
    path.write_text("no database at all, and longer than a header of one would be: " * 20)


def damaged(path: Path) -> None:
    one_of_each(path)
    with path.open("r+b") as file:
        # The root of the schema: nothing can be known of it then.
        file.seek(100)
        file.write(b"\xff" * 400)


FILES: dict[str, Callable[[Path], object]] = {
    "of another program": of_another_program,
    "text": text,
    "damaged": damaged,
    "missing": lambda _path: None,
    "folder": Path.mkdir,
    "fifo": os.mkfifo,
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_database_of_a_service_ends_every_command_alike(tmp_path: Path, command: str, kind: str) -> None:
    path = tmp_path / "odd name.db"
    FILES[kind](path)
    before = state_of(tmp_path)
    result = run(*COMMANDS[command](path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "odd name.db" in result.stderr
    assert state_of(tmp_path) == before


@pytest.mark.parametrize("command", [name for name in COMMANDS if name.partition(" ")[2]] + ["cancel"])
def test_a_layout_that_can_be_read_and_not_written_is_a_refusal(tmp_path: Path, command: str) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", "retry"))
    before = state_of(tmp_path)
    assert run(*COMMANDS[command](path)).exit_code == 1
    assert state_of(tmp_path) == before


def test_rows_that_are_damaged_name_the_file_too(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "worn.db")
    with closing(sqlite3.connect(path)) as conn:
        ((page,),) = conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'task_events'").fetchall()
    with path.open("r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(b"\xff" * 4096)
    for command in ("cancel", "recover --apply"):
        result = run(*COMMANDS[command](path))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("lmsp-inspector: worn.db: ")


def test_a_file_of_another_program_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    of_another_program(path)
    refused = run("tasks", path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        "lmsp-inspector: a.db is an SQLite database, but not of an LMSP service: it has no table tasks. "
        "The commands tasks, events and export read it by a description (--layout FILE); tables shows any table.\n"
    )
    assert run("tables", path, "notes").exit_code == 0
