"""A database whose -journal names another file for SQLite to delete: no command lets it, nor touches the database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner

from inspector.cli import command_line
from tests.commands.databases import state_of
from tests.support.reading_crashes import hot, with_super_journal

COMMANDS = {
    "init": ("init", "DB"),
    "simulate": ("simulate", "DB", "--tasks", "1"),
    "tasks": ("tasks", "DB", "--proof"),
    "tasks live": ("tasks", "DB", "--mode", "live"),
    "tasks resting": ("tasks", "DB", "--mode", "resting"),
    "tasks crashed": ("tasks", "DB", "--mode", "crashed"),
    "tasks copy": ("tasks", "DB", "--mode", "copy"),
    "events": ("events", "DB", "early"),
    "cancel": ("cancel", "DB", "early"),
    "recover": ("recover", "DB"),
    "recover --to": ("recover", "DB", "--to", "OUT"),
    "recover --apply": ("recover", "DB", "--apply"),
    "retention": ("retention", "DB", "--keep", "0s"),
    "retention --apply": ("retention", "DB", "--keep", "0s", "--apply"),
    "check": ("check", "DB"),
    "health": ("health", "DB", "--full"),
    "tables": ("tables", "DB", "tasks"),
    "layout": ("layout", "DB"),
    "export ndjson": ("export", "DB", "--format", "ndjson", "--out", "OUT"),
    "export csv": ("export", "DB", "--format", "csv", "--out", "OUT"),
    "sql": ("sql", "DB", "SELECT count(*) FROM tasks"),
}
WITH_A_WINDOW = {"demo", "tour"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a hot journal that names the file ``victim`` beside it."""
    folder = tmp_path_factory.mktemp("pair")
    (folder / "victim").write_text("precious", encoding="utf-8")
    return with_super_journal(hot(folder / "service.db"), folder / "victim")


@pytest.mark.threat(id="T1")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_deletes_the_file_that_a_journal_names(tmp_path: Path, pair: Path, command: str) -> None:
    before = state_of(pair.parent)
    words = [{"DB": str(pair), "OUT": str(tmp_path / "out")}.get(word, word) for word in COMMANDS[command]]

    ended = CliRunner().invoke(command_line, words)

    assert ended.exit_code in (0, 1, 2), ended.exception
    assert state_of(pair.parent) == before


def test_every_command_without_a_window_is_tried() -> None:
    every = set(command_line.list_commands(Context(command_line)))

    assert {words[0] for words in COMMANDS.values()} == every - WITH_A_WINDOW


@pytest.mark.skipif(sqlite3.sqlite_version_info > (3, 41), reason="newer SQLite may look where the name leads")
def test_sqlite_itself_deletes_it(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    path = with_super_journal(hot(tmp_path / "service.db"), victim)

    with closing(sqlite3.connect(path)) as db:
        db.execute("SELECT count(*) FROM tasks").fetchall()

    assert not victim.exists()
