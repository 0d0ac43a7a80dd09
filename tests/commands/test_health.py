"""``health`` as a whole: a line for each table, exit 1 where something is damaged."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.commands.databases import NOW, by_hand, one_of_each, service
from tests.support.any_tables import made
from tests.support.broken_pages import many_pages, without_a_page_of_events, without_a_root
from tests.support.pages import PAGE, zeroed


def health(path: Path, *options: str) -> Result:
    clock = Clock(lambda: NOW, lambda _seconds: None)
    return CliRunner().invoke(command_line, ["health", str(path), *options], obj=clock)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return many_pages(tmp_path / "service.db")


def test_a_sound_file_is_told_a_table_at_a_time(path: Path) -> None:
    result = health(path)

    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert "task_events: sound" in lines
    assert lines[7] == "7 tables, all sound; --full compares the indexes too."
    assert lines[8].startswith("Opened resting: ")


def test_the_full_check_says_what_it_compared(path: Path) -> None:
    assert "7 tables, all sound; each index was compared with its table." in health(path, "--full").stdout


def test_damage_is_exit_status_1_and_told_beside_what_is_sound(path: Path) -> None:
    without_a_page_of_events(path)
    without_a_root(path, "tasks_by_created")

    result = health(path, "--proof")

    assert (result.exit_code, result.stderr) == (1, "")
    assert "task_events: Part of task_events cannot be read: about " in result.stdout
    assert "tasks: Index tasks_by_created on tasks is damaged: " in result.stdout
    assert "models: sound" in result.stdout
    assert "2 of 7 tables are damaged; " in result.stdout
    assert "service.db untouched: " in result.stdout


def test_what_is_left_of_a_damaged_schema_is_not_all_of_it(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(path, "VACUUM")
    whole = path.read_bytes()
    zeroed(path, whole, whole.rindex(b"CREATE TRIGGER") // PAGE + 1)

    result = health(path)

    assert result.exit_code == 1
    assert "Part of its schema or of its pages is not there or cannot be understood" in result.stdout
    assert "The 7 tables that are left are sound; " in result.stdout


def test_the_document_has_it_all(path: Path) -> None:
    without_a_root(path, "models")

    result = health(path, "--json", "--proof")
    found = json.loads(result.stdout)

    assert result.exit_code == 1
    assert list(found) == ["damaged", "full", "tables", "unchecked", "schema", "opened", "proof"]
    assert (found["damaged"], found["full"], found["unchecked"]) == (True, False, [])
    [models] = [table for table in found["tables"] if table["table"] == "models"]
    assert models == {
        "table": "models",
        "notes": ["models cannot be read."],
        "said": models["said"],
        "part_unread": True,
        "missing": None,
    }
    assert found["opened"]["mode"] == "resting"


@pytest.mark.process
def test_a_live_file_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with service(tmp_path / "lmsp.db", ("t", "running", "fail")):
        refused = health(tmp_path / "lmsp.db")
        copied = health(tmp_path / "lmsp.db", "--mode", "copy")

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "Open it as a copy and check that." in refused.stderr
    assert copied.exit_code == 0


def test_a_damaged_table_of_a_guessed_layout_is_not_taken_for_what_it_is_read_as(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id TEXT, status, created_at)",
        "CREATE INDEX tasks_by_id ON tasks (id)",
        "INSERT INTO tasks VALUES ('a', 'queued', '2026-11-30T00:53:20Z')",
    )
    with closing(sqlite3.connect(path)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_by_id'").fetchall()
    whole = bytearray(path.read_bytes())
    whole[(page - 1) * 4096 + 3 : (page - 1) * 4096 + 5] = b"\0\0"  # an index without entries
    path.write_bytes(whole)
    result = health(path)
    assert result.exit_code == 1
    assert "tasks: Index tasks_by_id on tasks is damaged" in result.stdout
