"""What another layout tells no number for is a dash for a person, null for a program, and never a number."""

import csv
import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.support.foreign_databases import SHIPPED
from tests.support.reading_databases import read_at

NAMES = ("integer states", "events as JSON lines")
"""Those that number no events."""


def run(*words: str | Path) -> Result:
    ended = CliRunner().invoke(command_line, [*map(str, words)], obj=Clock(read_at, lambda _: None))
    assert ended.exit_code == 0, ended.stderr
    return ended


def column(listing: str, heading: str, task: str = "") -> list[str]:
    """Return what stands under a heading, at its right edge, in each row that holds ``task``."""
    head, *rows = [line for line in listing.splitlines() if line]
    end = head.index(heading) + len(heading)
    return [row[:end].split()[-1] for row in rows if task in row and "Opened" not in row and "Note" not in row]


@pytest.mark.parametrize("name", NAMES)
def test_tasks_tell_no_last_number(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    told = json.loads(run("tasks", path, "--json").stdout)["tasks"]
    assert [task["last_seq"] for task in told] == [None] * 3
    assert [task["attempt"] for task in told] == [1 if name == "integer states" else None] * 3
    listed = run("tasks", path).stdout
    assert [column(listed, "SEQ", task) for task in ("first", "second", "third")] == [["-"]] * 3


def test_a_text_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE tasks (id, status, kind)")
    db.execute("CREATE TABLE task_events (task_id, seq, type, status)")
    db.execute("INSERT INTO tasks VALUES ('a', 'queued', NULL), ('b', NULL, '')")
    db.execute("INSERT INTO task_events VALUES ('a', 1, NULL, ''), ('a', 2, '', NULL)")
    db.commit()
    db.close()
    told = json.loads(run("tasks", path, "--json").stdout)["tasks"]
    assert {task["id"]: (task["status"], task["kind"]) for task in told} == {"a": ("queued", None), "b": (None, "")}
    log = json.loads(run("events", path, "a", "--json").stdout)["events"]
    assert [(event["type"], event["status"]) for event in log] == [(None, ""), ("", None)]
    lines = run("events", path, "a").stdout.splitlines()
    assert lines[1].split() == ["1", "-", "-", "(empty", "text)"]
    assert lines[2].split() == ["2", "-", "(empty", "text)", "-"]


@pytest.mark.parametrize("name", NAMES)
def test_events_tell_no_number_and_stay_in_their_order(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    told = json.loads(run("events", path, "first", "--json").stdout)["events"]
    types = ["queued", "started", "token"] if name == "integer states" else ["created", "token", None, "ended"]
    assert [event["type"] for event in told] == types
    assert [event["seq"] for event in told] == [None] * len(told)
    lines = run("events", path, "first").stdout.splitlines()[1 : 1 + len(told)]
    assert [line.split()[0] for line in lines] == ["-"] * len(told)


def test_a_layout_that_has_the_numbers_tells_them(tmp_path: Path) -> None:
    path = SHIPPED["sequence per task"](tmp_path / "other.db")
    told = json.loads(run("tasks", path, "--json").stdout)["tasks"]
    assert [(task["last_seq"], task["attempt"]) for task in told] == [(3, 1)] * 3
    assert [event["seq"] for event in json.loads(run("events", path, "first", "--json").stdout)["events"]] == [1, 2, 3]
    assert column(run("tasks", path).stdout, "SEQ", "second") == ["3"]
    assert "1 -> 2" in run("recover", path).stdout


def test_the_preview_of_a_restart_tells_no_attempt_that_nobody_stored(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE jobs (id, state, policy)")
    db.execute("CREATE TABLE job_events (job_id, seq)")
    db.execute("INSERT INTO jobs VALUES ('one', 'running', 'retry')")
    db.commit()
    db.close()
    listed = run("recover", path).stdout
    assert column(listed, "ATTEMPT", "one") == ["-"]
    assert "->" not in listed


def test_a_long_text_of_an_event_without_a_number_is_told_whole(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE jobs (id, state)")
    db.execute("CREATE TABLE job_events (job_id, seq, payload)")
    db.execute("INSERT INTO jobs VALUES ('one', 'running')")
    db.executemany("INSERT INTO job_events VALUES ('one', ?, ?)", [(None, "x" * 9_000), ("two", "y" * 9_000)])
    db.commit()
    db.close()
    told = json.loads(run("events", path, "one", "--json").stdout)["events"]
    assert [(event["seq"], event["data"], event["data_text"]) for event in told] == [
        (None, None, "x" * 9_000),
        ("two", None, "y" * 9_000),
    ]


def test_an_export_tells_them_as_not_there(tmp_path: Path) -> None:
    path = SHIPPED["events as JSON lines"](tmp_path / "other.db")
    run("export", path, "--format", "ndjson", "--out", tmp_path / "a.ndjson")
    run("export", path, "--format", "csv", "--out", tmp_path / "csv")
    lines = [json.loads(line) for line in (tmp_path / "a.ndjson").read_text().splitlines()]
    tasks, events = ([line for line in lines if line["type"] == kind] for kind in ("task", "event"))
    assert {task[name] for task in tasks for name in ("attempt", "last_seq", "snapshot_seq", "kind")} == {None}
    assert [event["event_type"] for event in events[:4]] == ["created", "token", None, "ended"]
    assert [event["status"] for event in events[:4]] == ["queued", "running", None, "completed"]
    assert {event[name] for event in events for name in ("id", "seq", "attempt")} == {None}
    for table, names in (("tasks", ("attempt", "last_seq")), ("events", ("id", "seq", "attempt"))):
        with (tmp_path / "csv" / f"{table}.csv").open(newline="") as file:
            assert {row[name] for row in csv.DictReader(file) for name in names} == {""}


def test_the_data_of_an_event_without_a_number_is_not_that_of_another_one(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE jobs (id, state)")
    db.execute("CREATE TABLE job_events (job_id, seq, payload)")
    db.execute("INSERT INTO jobs VALUES ('a', 'running')")
    texts = [json.dumps(letter * 9_000) for letter in "xy"]
    db.executemany("INSERT INTO job_events VALUES ('a', ?, ?)", [(0, texts[0]), (None, texts[1])])
    db.commit()
    db.close()
    run("export", path, "--format", "ndjson", "--out", tmp_path / "a.ndjson", "--with-secrets")
    lines = [json.loads(line) for line in (tmp_path / "a.ndjson").read_text().splitlines()]
    assert [(line["seq"], line["data"]) for line in lines if line["type"] == "event"] == [
        (0, "x" * 9_000),
        (None, "y" * 9_000),
    ]


def test_data_that_is_not_there_has_no_text_and_an_empty_text_has_one(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE jobs (id, state)")
    db.execute("CREATE TABLE job_events (job_id, seq, payload)")
    db.execute("INSERT INTO jobs VALUES ('one', 'running')")
    db.executemany("INSERT INTO job_events VALUES ('one', ?, ?)", [(1, None), (2, ""), (3, "null")])
    db.commit()
    db.close()
    told = json.loads(run("events", path, "one", "--json").stdout)["events"]
    assert [(event["data"], event.get("data_text", "no text")) for event in told] == [
        (None, "no text"),
        (None, ""),
        (None, "no text"),
    ]


def test_a_number_that_is_no_time_is_told_with_all_its_digits(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE tasks (id, status, created_at REAL)")
    db.execute("CREATE TABLE task_events (task_id, seq, data)")
    db.execute("INSERT INTO tasks VALUES ('one', 'running', 0.1 + 0.2)")
    db.commit()
    db.close()
    (task,) = json.loads(run("tasks", path, "--json").stdout)["tasks"]
    assert task["created_at"] == "0.30000000000000004"
