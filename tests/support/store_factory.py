"""Databases for the tests of the store, tasks in each status, and connections that are listened in on."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from sqlite_utils import Database

from inspector.lmsp.statuses import Status
from tests.support.store_layout import contents
from tests.support.subject import store

WAYS_TO_A_DATABASE = ("fresh", "second connection")
"""A fresh native database; and one that another connection has open, with a read transaction begun before the test."""


@dataclass(frozen=True)
class Rig:
    """A database that is open for writing, and what a test needs around it."""

    path: Path
    db: Database

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Return all that the database holds."""
        return contents(self.db.conn)

    def task(self, task_id: str) -> dict[str, Any]:
        """Return one task, column by column."""
        return one(self.db, "SELECT * FROM tasks WHERE id = ?", task_id)

    def log(self, task_id: str) -> list[tuple[int, str, str, int]]:
        """Return the task's events: sequence number, type, status, attempt."""
        return self.db.conn.execute(
            "SELECT seq, type, status, attempt FROM task_events WHERE task_id = ? ORDER BY seq", (task_id,)
        ).fetchall()

    def data(self, task_id: str, seq: int) -> str:
        """Return the JSON text of one event's data."""
        event = one(self.db, "SELECT data FROM task_events WHERE task_id = ? AND seq = ?", task_id, seq)
        return str(event["data"])

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Check that the block changes nothing in the database, and leaves no transaction open."""
        before = self.rows()
        yield
        assert not self.db.conn.in_transaction
        assert self.rows() == before


def one(db: Database, sql: str, *parameters: object) -> dict[str, Any]:
    """Return the one row that the statement finds."""
    cursor = db.conn.execute(sql, parameters)
    (row,) = cursor.fetchall()
    return dict(zip((column[0] for column in cursor.description), row, strict=True))


@cache
def _empty_database() -> bytes:
    """Return a database as a service has just created it. To create one for each test would sync most of the time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "service.db"
        store.open_service_database(path).close()
        return path.read_bytes()


@contextmanager
def rig_of(way: str, folder: Path) -> Iterator[Rig]:
    """Give a database made in one of ``WAYS_TO_A_DATABASE``."""
    path = folder / "service.db"
    path.write_bytes(_empty_database())
    db = store.open_service_database(path, wait_ms=2000)
    others = []
    if way == "second connection":
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM tasks").fetchall()
        others.append(other)
    try:
        yield Rig(path, db)
    finally:
        db.close()
        for other in others:
            other.close()


def put(
    db: Database,
    status: str,
    *,
    task_id: str = "t",
    on_restart: str = "retry",
    attempt: int = 1,
    snapshot: dict[str, object] | None = None,
    at: int = 100,
) -> str:
    """Accept a task at ``at``, bring it to ``status`` by the store's own rules, and return its id."""
    store.accept_task(db, request={"prompt": "hello"}, on_restart=on_restart, task_id=task_id, now_ms=at)
    if attempt != 1:
        accept_at(db, task_id, attempt)
    if status in ("loading", "running", "cancelling", "completed"):
        store.start_task(db, task_id, status="loading", attempt=attempt, now_ms=at + 1)
    if status in ("running", "completed"):
        store.start_task(db, task_id, status="running", attempt=attempt, now_ms=at + 2)
        if snapshot is not None:
            store.save_snapshot(db, task_id, snapshot, attempt=attempt, now_ms=at + 3)
    if status in ("cancelling", "cancelled"):
        store.cancel_task(db, task_id, now_ms=at + 4)
    if status == "completed":
        store.complete_task(db, task_id, {"text": "hi"}, attempt=attempt, now_ms=at + 4)
    if status == "failed":
        store.fail_task(db, task_id, code="out_of_memory", message="no memory", attempt=attempt, now_ms=at + 4)
    assert one(db, "SELECT status FROM tasks WHERE id = ?", task_id) == {"status": Status(status)}
    return task_id


def accept_at(db: Database, task_id: str, attempt: int) -> None:
    """Let a task that was just accepted have been so at this attempt: its event too, which never changes otherwise."""
    ((trigger,),) = db.conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'task_events_never_change'").fetchall()
    db.conn.execute("BEGIN IMMEDIATE")
    db.conn.execute("DROP TRIGGER task_events_never_change")
    db.conn.execute("UPDATE task_events SET attempt = ? WHERE task_id = ?", (attempt, task_id))
    db.conn.execute("UPDATE tasks SET attempt = ? WHERE id = ?", (attempt, task_id))
    db.conn.execute(trigger)
    db.conn.execute("COMMIT")


class Tapped:
    """A connection that tells of each statement before it runs, and after; whoever is told may raise."""

    def __init__(
        self,
        conn: sqlite3.Connection,
        *,
        before: Callable[[str], None] = lambda _: None,
        after: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._conn = conn
        self._before = before
        self._after = after

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:  # noqa: ANN401 # sqlite3's own
        """Run a statement."""
        self._before(sql)
        cursor = self._conn.execute(sql, *parameters)
        self._after(sql)
        return cursor

    def executemany(self, sql: str, rows: Any) -> sqlite3.Cursor:  # noqa: ANN401 # sqlite3's own
        """Run a statement for each row."""
        self._before(sql)
        cursor = self._conn.executemany(sql, rows)
        self._after(sql)
        return cursor

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 # whatever a connection has
        return getattr(self._conn, name)


@contextmanager
def tapped(
    db: Database,
    *,
    before: Callable[[str], None] = lambda _: None,
    after: Callable[[str], None] = lambda _: None,
) -> Iterator[None]:
    """Listen in on what the block runs on the connection of ``db``."""
    conn = db.conn
    db.conn = cast(sqlite3.Connection, Tapped(conn, before=before, after=after))
    try:
        yield
    finally:
        db.conn = conn


def statements_of(db: Database, call: Callable[[], object]) -> list[str]:
    """Return the statements that ``call`` runs."""
    seen: list[str] = []
    with tapped(db, before=seen.append):
        call()
    return seen


def disk_error() -> sqlite3.OperationalError:
    """Return the error that SQLite raises when a disk does not write."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    error.sqlite_errorname = "SQLITE_IOERR_WRITE"
    return error


def failing_at(number: int) -> Callable[[str], None]:
    """Return a listener that raises a disk error at the statement of this number, from 0 and not counting ROLLBACK."""
    count = -1

    def listen(sql: str) -> None:
        nonlocal count
        if sql == "ROLLBACK":
            return
        count += 1
        if count == number:
            raise disk_error()

    return listen
