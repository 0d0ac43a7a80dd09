"""Databases of services whose layouts are not ours: one for each that comes with the program, and some to guess."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

START_S: Final = 1_796_000_000
"""When the first task of each was made."""

TASKS: Final = ("first", "second", "third")
"""Their tasks: completed, running, and failed, a minute apart."""


def sequence_per_task(path: Path) -> Path:
    """Events numbered within their task, in a table WITHOUT ROWID; times in seconds with a fraction."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL").fetchall()
    db.executescript(
        """
        CREATE TABLE generation (
            generation_id TEXT PRIMARY KEY, app TEXT, model TEXT, mode TEXT, status TEXT, restart TEXT,
            events INTEGER, try INTEGER, asked_at REAL, began_at REAL, ended_at REAL, touched_at REAL,
            prompt TEXT, problem TEXT
        );
        CREATE TABLE generation_event (
            generation_id TEXT, number INTEGER, what TEXT, status TEXT, at REAL, payload TEXT,
            PRIMARY KEY (generation_id, number)
        ) WITHOUT ROWID;
        CREATE TABLE gadget (name TEXT);
        """
    )
    words = {"first": "written", "second": "writing", "third": "broken"}
    for at, task in enumerate(TASKS):
        began = START_S + 60 * at + 0.25
        ended = None if task == "second" else began + 2
        db.execute(
            "INSERT INTO generation VALUES (?, 'notes', 'small', 'chat', ?, 'retry', 3, 1, ?, ?, ?, ?, ?, ?)",
            [task, words[task], began, began + 0.5, ended, began + 2, '{"prompt":"Hi"}', None],
        )
        for number, (what, status) in enumerate([("asked", "asked"), ("go", "writing"), ("token", words[task])], 1):
            db.execute(
                "INSERT INTO generation_event VALUES (?, ?, ?, ?, ?, ?)",
                [task, number, what, status, began + number / 10, f'{{"n":{number}}}'],
            )
    db.close()
    return path


def integer_states(path: Path) -> Path:
    """Statuses as integers; ISO times with Z, with another offset, and without one."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(
        """
        CREATE TABLE job (
            uuid TEXT PRIMARY KEY, model_name TEXT, queue TEXT, state INTEGER, tries INTEGER, error_class TEXT,
            error_text TEXT, enqueued TEXT, started TEXT, finished TEXT, changed TEXT, arguments TEXT
        );
        CREATE TABLE job_log (
            entry INTEGER PRIMARY KEY, job_uuid TEXT, message TEXT, state INTEGER, logged TEXT, extra TEXT
        );
        CREATE INDEX job_log_by_job ON job_log (job_uuid, entry);
        """
    )
    states = {"first": 10, "second": 2, "third": 11}
    # The same clock, told in three ways: START_S is 2026-11-30T00:53:20Z.
    clocks = {
        "first": "2026-11-30T00:53:20.250Z",
        "second": "2026-11-30T03:54:20.250+03:00",
        "third": "2026-11-30 00:55:20.250",
    }
    for task in TASKS:
        ended = None if task == "second" else clocks[task].replace(":20.", ":22.")
        db.execute(
            "INSERT INTO job VALUES (?, 'small', 'chat', ?, 1, ?, ?, ?, ?, ?, ?, '{}')",
            [
                *(task, states[task], "Timeout" if task == "third" else None, None, clocks[task]),
                *(clocks[task], ended, clocks[task]),
            ],
        )
    for message, state in (("queued", 0), ("started", 2), ("token", None)):
        for task in TASKS:
            state_now = states[task] if state is None else state
            db.execute(
                "INSERT INTO job_log (job_uuid, message, state, logged, extra) VALUES (?, ?, ?, ?, ?)",
                [task, message, state_now, clocks[task], json.dumps({"message": message})],
            )
    db.close()
    return path


BROKEN_LINE: Final = '{"event": "token", "us": '


def json_lines(path: Path) -> Path:
    """All events of a task in one column, a line of JSON each; one line of each task is broken."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(
        "CREATE TABLE llm_run (run TEXT PRIMARY KEY, model TEXT, phase TEXT, created_us INTEGER, started_us INTEGER, "
        "ended_us INTEGER, changed_us INTEGER, input TEXT, log TEXT)"
    )
    phases = {"first": "done", "second": "streaming", "third": "error"}
    for at, task in enumerate(TASKS):
        created = (START_S + 60 * at) * 1_000_000 + 250_000
        lines = [
            json.dumps({"event": "created", "phase": "waiting", "us": created}),
            json.dumps({"event": "token", "phase": "streaming", "us": created + 500_000, "text": 'a "quoted"\t\\ ü'}),
            BROKEN_LINE,
            json.dumps({"event": "ended", "phase": phases[task], "us": created + 2_000_000}),
        ]
        ended = None if task == "second" else created + 2_000_000
        db.execute(
            "INSERT INTO llm_run VALUES (?, 'small', ?, ?, ?, ?, ?, '{}', ?)",
            [task, phases[task], created, created + 500_000, ended, created + 2_000_000, "\n".join(lines) + "\n"],
        )
    db.close()
    return path


SHIPPED: Final[dict[str, Callable[[Path], Path]]] = {
    "sequence per task": sequence_per_task,
    "integer states": integer_states,
    "events as JSON lines": json_lines,
}
"""A database for each layout that comes with the program, by its name."""


def close_names(path: Path, *, unit: float = 1.0) -> Path:
    """Names close to those of section 11.1, other words for the statuses, times in seconds times ``unit``."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(
        """
        CREATE TABLE jobs (id TEXT PRIMARY KEY, state TEXT, model TEXT, created INTEGER, payload TEXT);
        CREATE TABLE job_events (job_id TEXT, n INTEGER, event TEXT, ts INTEGER, payload TEXT);
        CREATE TABLE colours (name TEXT);
        """
    )
    words = {"first": "done", "second": "in_progress", "third": "ERROR"}
    for at, task in enumerate(TASKS):
        created = int((START_S + 60 * at) * unit)
        db.execute("INSERT INTO jobs VALUES (?, ?, 'small', ?, '{}')", [task, words[task], created])
        db.execute("INSERT INTO job_events VALUES (?, 1, 'made', ?, '{}')", [task, created])
    db.close()
    return path
