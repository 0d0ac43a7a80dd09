"""The id that a command prints is one that a command takes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.support.any_tables import made
from tests.support.reading_databases import read_at

STORED = ("x'000102030405060708090a0b0c0d0e0f'", "7", "1.0", "-9223372036854775807 - 1", "'plain'")


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(command_line, [*map(str, words)], obj=Clock(read_at, lambda _: None))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return made(
        tmp_path / "odd.db",
        "CREATE TABLE tasks (id PRIMARY KEY, status, created_at)",
        "CREATE TABLE task_events (task_id, seq, type, status, data)",
        *(f"INSERT INTO tasks VALUES ({each}, 'completed', 5)" for each in STORED),
        *(f"INSERT INTO task_events VALUES ({each}, 1, 'a', 'completed', '{{}}')" for each in STORED),
    )


@pytest.mark.parametrize("options", [(), ("--follow",)], ids=["once", "followed"])
def test_the_events_of_every_task_that_is_listed_can_be_asked_for(path: Path, options: tuple[str, ...]) -> None:
    listed = [task["id"] for task in json.loads(run("tasks", path, "--json").stdout)["tasks"]]
    assert len(listed) == len(STORED)
    for task_id in listed:
        ended = run("events", path, *options, "--", task_id)
        assert (ended.exit_code, ended.stderr) == (0, "")
        assert "completed" in ended.stdout


def test_an_export_has_the_events_of_each(tmp_path: Path) -> None:
    path = made(
        tmp_path / "odd.db",
        "CREATE TABLE jobs (id PRIMARY KEY, state, created)",
        "CREATE TABLE job_events (job_id, event)",
        *(f"INSERT INTO jobs VALUES ({each}, 'running', 5)" for each in STORED),
        *(f"INSERT INTO job_events VALUES ({each}, 'a')" for each in STORED),
    )
    ended = run("export", path, "--format", "ndjson", "--out", tmp_path / "out", "--json")
    assert json.loads(ended.stdout)["counts"]["events"] == len(STORED)


@pytest.mark.parametrize("command", ["events", "cancel"])
def test_an_id_below_zero_is_told_how_to_be_written(path: Path, command: str) -> None:
    ended = run(command, path, "-7")
    assert ended.exit_code == 2
    assert "An id that begins with - is written behind --." in ended.stderr
    assert "behind --." not in run(command, path, "--jsn").stderr
