"""What cleanup deletes, sort by sort: in which order the rows go, what each costs, and what goes with it."""

import sqlite3
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from inspector.lmsp.retention import DELETABLE
from inspector.store.tasks import require_one

Place: TypeAlias = tuple[int, int]
"""A moment in Unix milliseconds, and the rowid of a row that goes by it. An id may be text that is no UTF-8."""

START: Final[Place] = (-(1 << 63), -(1 << 63))

IN_DELETABLE: Final = "status IN ({})".format(", ".join(f"'{status}'" for status in DELETABLE))

_PAGE: Final = 500
_STATEMENT: Final = 5
"""What running one statement costs, in rows deleted."""
_LARGE_BYTES: Final = 4096
"""So many bytes of one value cost about what a row does: they stand in a page of their own."""


class Sort(Protocol):
    """Rows of one sort that go. Each function runs statements on the connection it is given."""

    def page(self, conn: sqlite3.Connection, after: Place) -> list[Place]:
        """Return the next rows after a place, the oldest first."""

    def weigh(self, conn: sqlite3.Connection, rowid: int) -> int | None:
        """Return what deleting the row costs, in pieces of about a row, or None where it is gone.

        All that goes is read for this: so it lies in memory when the lock is held, and no disk is waited for.
        """

    def delete(self, conn: sqlite3.Connection, rowid: int) -> dict[str, int]:
        """Delete the row with all that is its own, if it still may go, and return what went, by name."""


class OldTasks:
    """Finished tasks from before a cutoff, each with its events, its response and its idempotency keys."""

    def __init__(self, cutoff_ms: int) -> None:
        self._cutoff_ms = cutoff_ms

    def page(self, conn: sqlite3.Connection, after: Place) -> list[Place]:
        """Return the next tasks, the one that finished longest ago first."""
        return conn.execute(
            f"""
            SELECT finished_at, rowid FROM tasks
            WHERE (finished_at, rowid) > (?, ?) AND finished_at < ? AND {IN_DELETABLE}
            ORDER BY finished_at, rowid LIMIT ?""",  # noqa: S608  literals of ours
            (*after, self._cutoff_ms, _PAGE),
        ).fetchall()

    def weigh(self, conn: sqlite3.Connection, rowid: int) -> int | None:
        """Return what deleting the task costs."""
        rows = conn.execute(
            f"""
            SELECT {_large("request")} + coalesce({_large("snapshot")}, 0)
                   + (SELECT count(*) + total({_large("data")}) FROM task_events WHERE task_id = tasks.id)
                   + (SELECT count(*) + total({_large("body")}) FROM responses WHERE task_id = tasks.id)
                   + (SELECT count(*) FROM idempotency_keys WHERE task_id = tasks.id)
            FROM tasks WHERE rowid = ?""",  # noqa: S608  literals of ours
            (rowid,),
        ).fetchall()
        return 2 * _STATEMENT + int(rows[0][0]) if rows else None

    def delete(self, conn: sqlite3.Connection, rowid: int) -> dict[str, int]:
        """Delete the task; the layout's foreign keys take with it what is its own."""
        rows = conn.execute(
            f"""
            SELECT (SELECT count(*) FROM task_events WHERE task_id = tasks.id),
                   (SELECT count(*) FROM responses WHERE task_id = tasks.id),
                   (SELECT count(*) FROM idempotency_keys WHERE task_id = tasks.id)
            FROM tasks WHERE rowid = ? AND finished_at < ? AND {IN_DELETABLE}""",  # noqa: S608  literals of ours
            (rowid, self._cutoff_ms),
        ).fetchall()
        if not rows:
            return {}
        ((events, responses, keys),) = rows
        require_one(conn.execute("DELETE FROM tasks WHERE rowid = ?", (rowid,)))
        return {"tasks": 1, "events": events, "responses": responses, "keys": keys}


@dataclass(frozen=True, slots=True)
class Expired:
    """Responses or idempotency keys whose time is over, whatever their task is."""

    table: Literal["responses", "idempotency_keys"]
    now_ms: int

    def page(self, conn: sqlite3.Connection, after: Place) -> list[Place]:
        """Return the next rows, the one that expired first of all first."""
        return conn.execute(
            f"""
            SELECT expires_at, rowid FROM {self.table}
            WHERE (expires_at, rowid) > (?, ?) AND expires_at <= ?
            ORDER BY expires_at, rowid LIMIT ?""",  # noqa: S608  names of ours
            (*after, self.now_ms, _PAGE),
        ).fetchall()

    def weigh(self, conn: sqlite3.Connection, rowid: int) -> int | None:
        """Return what deleting the row costs."""
        value = "body" if self.table == "responses" else "result"
        rows = conn.execute(f"SELECT {_large(value)} FROM {self.table} WHERE rowid = ?", (rowid,)).fetchall()  # noqa: S608
        return _STATEMENT + int(rows[0][0]) if rows else None

    def delete(self, conn: sqlite3.Connection, rowid: int) -> dict[str, int]:
        """Delete the row."""
        gone = conn.execute(
            f"DELETE FROM {self.table} WHERE rowid = ? AND expires_at <= ?",  # noqa: S608  names of ours
            (rowid, self.now_ms),
        )
        return {"expired_responses" if self.table == "responses" else "expired_keys": gone.rowcount}


def task_name(conn: sqlite3.Connection, rowid: int) -> str | None:
    """Return the id of a task, or None where it is gone. What of it is no UTF-8 is escaped."""
    rows = conn.execute("SELECT CAST(id AS BLOB) FROM tasks WHERE rowid = ?", (rowid,)).fetchall()
    return bytes(rows[0][0]).decode("utf-8", "backslashreplace") if rows else None


def _large(column: str) -> str:
    return f"length(CAST({column} AS BLOB)) / {_LARGE_BYTES}"
