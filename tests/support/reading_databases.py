"""Databases on disk for tests of the read side, made with plain SQL as a service in any language would."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from inspector.layout import native
from inspector.reading.connection import LONGEST_VALUE, ReadConnection

NOBODY = 65534
START_MS = 1_796_000_000_000


class Runs(Protocol):
    """Whatever runs one statement: a connection, or a service in a process of its own."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any: ...  # noqa: ANN401  a cursor, or rows


def read_at() -> int:
    """Stand in for the clock: answers are read at this moment."""
    return START_MS


def create(path: Path, *, journal: str = "wal", ddl: str = native.DDL) -> sqlite3.Connection:
    """Make a database with the native layout and return a connection to it."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA journal_mode={journal}").fetchall()
    db.executescript(f"BEGIN; {ddl} COMMIT;")
    return db


def make(path: Path, *task_ids: str, journal: str = "wal") -> Path:
    """Make a database at rest that holds these tasks, each queued, a second apart."""
    db = create(path, journal=journal)
    for at, task_id in enumerate(task_ids):
        add_task(db, task_id, created_at=START_MS + 1_000 * at)
    db.close()
    return path


def in_memory(db: sqlite3.Connection) -> ReadConnection:
    """Read through a connection that is there already, for many small cases."""
    connection = ReadConnection.__new__(ReadConnection)
    connection.ends_at = None
    connection.holds_back = True
    connection.common = set()
    connection._longest = LONGEST_VALUE  # noqa: SLF001  as below
    connection._db = db  # noqa: SLF001  opening a file for each case would take a hundred times as long
    return connection


def add_task(db: Runs, task_id: str, *, created_at: int = START_MS, **columns: Any) -> None:  # noqa: ANN401
    """Add a queued task with its first event, in one transaction."""
    values = {"id": task_id, "kind": "response", "status": "queued", "last_seq": 0, "attempt": 1, "request": "{}"}
    values |= {"created_at": created_at, "updated_at": created_at} | columns
    db.execute("BEGIN IMMEDIATE")
    db.execute(f"INSERT INTO tasks ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", [*values.values()])
    _event(db, task_id, "response.created", "queued", created_at, "{}")
    db.execute("UPDATE tasks SET last_seq = 1 WHERE id = ?", [task_id])
    db.execute("COMMIT")


def move_task(db: Runs, task_id: str, status: str, *, at: int = START_MS + 500) -> None:
    """Move a task to ``status``, with the event that says so, in one transaction."""
    kinds = {"running": "in_progress"}
    db.execute("BEGIN IMMEDIATE")
    _event(db, task_id, f"response.{kinds.get(status, status)}", status, at, "{}")
    finished_at = at if status in ("completed", "failed", "cancelled") else None
    db.execute(
        "UPDATE tasks SET status = ?, finished_at = ?, last_seq = last_seq + 1 WHERE id = ?",
        [status, finished_at, task_id],
    )
    db.execute("COMMIT")


def add_deltas(db: Runs, task_id: str, count: int, *, data: str = '{"delta":"x"}', status: str = "running") -> None:
    """Add progress events to a task, in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    for _ in range(count):
        _event(db, task_id, "response.output_text.delta", status, START_MS + 600, data)
    db.execute("UPDATE tasks SET last_seq = last_seq + ? WHERE id = ?", [count, task_id])
    db.execute("COMMIT")


def _event(db: Runs, task_id: str, kind: str, status: str, at: int, data: str) -> None:
    db.execute(
        """
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        SELECT ?, 1 + coalesce(max(seq), 0), ?, ?, 1, ?, ? FROM task_events WHERE task_id = ?
        """,
        [task_id, kind, status, at, data, task_id],
    )


@contextmanager
def as_nobody() -> Iterator[None]:
    """Run the block without root's rights, which would pass by every permission."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def give_to_nobody(*paths: Path) -> None:
    """Let the user of :func:`as_nobody` own these paths."""
    if os.geteuid() == 0:
        for path in paths:
            os.chown(path, NOBODY, NOBODY)


def listing(folder: Path) -> set[str]:
    """Return the names in a folder."""
    return {path.name for path in folder.iterdir()}
