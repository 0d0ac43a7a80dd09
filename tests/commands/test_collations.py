"""A collation that only the file's own program knows takes away the table that needs it, and nothing else."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.checks.rulebook import ALL_NAMES
from inspector.cli import command_line
from tests.commands.databases import one_of_each

WORDS = "sorts text by a collation that only its own program knows"
OF_OTHERS = {
    "tasks": "CREATE TABLE tasks (id TEXT PRIMARY KEY, status, created_at)",
    "task_events": "CREATE TABLE task_events (task_id, seq, type, status, created_at)",
    "models": "CREATE TABLE models (id TEXT PRIMARY KEY, name, digest)",
    "clients": "CREATE TABLE clients (id TEXT PRIMARY KEY, scopes)",
    "responses": "CREATE TABLE responses (id TEXT PRIMARY KEY, task_id TEXT, status)",
}


def run(*words: object) -> Result:
    return CliRunner().invoke(command_line, [str(word) for word in words])


def document(command: str, path: Path) -> dict[str, Any]:
    result = run(command, path, "--json")
    assert result.stderr == ""
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def in_its_own_order(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.create_collation("own", lambda one, other: (one > other) - (one < other))
        for statement in statements:
            db.execute(statement)
    return path


def with_names(path: Path) -> Path:
    return in_its_own_order(one_of_each(path), "CREATE TABLE names (n TEXT COLLATE own PRIMARY KEY)")


def of_others(path: Path, table: str, change: Callable[[str], str]) -> Path:
    made = [change(sql) if name == table else sql for name, sql in OF_OTHERS.items()]
    return in_its_own_order(path, *made, "INSERT INTO tasks VALUES ('a', 'queued', 1796000000000)")


def test_check_leaves_out_what_only_the_program_can_sort(tmp_path: Path) -> None:
    path = with_names(tmp_path / "a.db")
    result = run("check", path)
    assert result.exit_code == 0
    assert f"Not checked: file-damaged. SQLite's own check leaves out each table that {WORDS}: names." in result.stdout
    checked = document("check", path)["checked"]
    assert (checked["tasks"], checked["events"]) == (7, 20)
    assert {*checked["rules"], "file-damaged"} == set(ALL_NAMES)


def test_check_still_finds_damage_in_the_other_tables(tmp_path: Path) -> None:
    path = with_names(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_by_status'").fetchall()
    whole = bytearray(path.read_bytes())
    whole[(page - 1) * 4096 + 3 : (page - 1) * 4096 + 5] = b"\0\0"  # an index without entries
    path.write_bytes(whole)
    found = document("check", path)
    assert {finding["rule"] for finding in found["findings"]} == {"file-damaged"}
    assert "names" in found["checked"]["skipped"]["file-damaged"]


@pytest.mark.parametrize("table", ["models", "clients", "responses"])
def test_check_skips_the_rules_that_need_such_a_table(tmp_path: Path, table: str) -> None:
    path = of_others(tmp_path / "a.db", table, lambda sql: sql.replace("TEXT", "TEXT COLLATE own", 1))
    checked = document("check", path)["checked"]
    assert checked["tasks"] == 1
    needing = [rule for rule, why in checked["skipped"].items() if why == f"The table {table} {WORDS}."]
    assert needing
    assert not set(needing) & set(checked["rules"])


def test_check_skips_the_rules_that_need_such_a_column(tmp_path: Path) -> None:
    path = of_others(tmp_path / "a.db", "models", lambda sql: sql.replace("digest", "digest COLLATE own"))
    checked = document("check", path)["checked"]
    assert (checked["tasks"], checked["models"]) == (1, 0)
    assert checked["skipped"]["model-digest"] == f"The column models.digest {WORDS}."


def test_health_counts_no_table_as_sound_that_was_not_checked(tmp_path: Path) -> None:
    path = with_names(tmp_path / "a.db")
    result = run("health", path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[7] == f"names was not checked: it {WORDS}."
    assert lines[8] == "7 tables were checked, all sound; what was not is named above; --full compares the indexes too."
    found = document("health", path)
    assert (found["damaged"], len(found["tables"]), found["unchecked"]) == (False, 7, [lines[7]])


def tasks_in_its_own_order(path: Path) -> Path:
    return in_its_own_order(
        path,
        "CREATE TABLE tasks (id TEXT COLLATE own PRIMARY KEY, status)",
        "CREATE TABLE task_events (task_id, seq)",
        "CREATE TABLE colours (name)",
        "INSERT INTO tasks VALUES ('a', 'queued')",
        "INSERT INTO colours VALUES ('red')",
    )


def test_other_tables_than_that_of_tasks_are_read_all_the_same(tmp_path: Path) -> None:
    path = tasks_in_its_own_order(tmp_path / "a.db")
    listed = run("tables", path)
    assert (listed.exit_code, listed.stderr) == (0, "")
    assert "colours" in listed.stdout
    assert "tasks" in listed.stdout
    assert "red" in run("tables", path, "colours").stdout
    assert "red" in run("sql", path, "SELECT name FROM colours").stdout
    health = run("health", path)
    assert health.exit_code == 0
    assert "colours: sound" in health.stdout
    assert f"tasks was not checked: it {WORDS}." in health.stdout
    assert "2 tables were checked, all sound; what was not is named above" in health.stdout


@pytest.mark.parametrize("command", ["tasks", "check", "layout"])
def test_a_refusal_for_a_collation_says_what_can_be_read(tmp_path: Path, command: str) -> None:
    result = run(command, tasks_in_its_own_order(tmp_path / "a.db"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"lmsp-inspector: a.db cannot be read: it {WORDS} (SQLITE_ERROR_MISSING_COLLSEQ). "
        "Its other tables can be read: the commands tables and sql do, and so does the view Tables.\n"
    )
