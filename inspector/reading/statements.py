"""One statement that somebody typed: it only reads, gives so many rows, and is refused in one sentence.

It holds back a service's checkpoints for as long as it runs; the deadline of the question ends it.
"""

import sqlite3
import time
from typing import Final

from inspector.layout.tables import StatementAnswer, StoredCell
from inspector.layout.visible import visible
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.errors import STALE, Unanswered, primary_code
from inspector.reading.in_memory import forget_in_memory
from inspector.reading.requests import StatementRequest
from inspector.reading.stored_cells import cell_of

MOST_ROWS: Final = 1_000
LONGEST: Final = 1 << 20
"""No value that a statement makes or meets has more bytes."""

LONGEST_STATEMENT: Final = 100_000

_MOST_CHARS: Final = 500
"""Of what SQLite says, which may quote the whole statement."""

_MEANINGS: Final = {
    sqlite3.SQLITE_AUTH: "This is not allowed: a statement here only reads this file",
    sqlite3.SQLITE_READONLY: "This is not allowed: a statement here only reads this file",
    sqlite3.SQLITE_ERROR: "SQLite does not accept this statement",
    sqlite3.SQLITE_TOOBIG: f"It meets or makes a value of more than {LONGEST:,} bytes, which no statement here may: "
    "leave such a row or column out, the lists of events and tables show it",
    sqlite3.SQLITE_CORRUPT: "What this asks for is damaged in the file",
    sqlite3.SQLITE_BUSY: "Another process has the file locked",
    sqlite3.SQLITE_LOCKED: "Another process has the file locked",
    sqlite3.SQLITE_NOMEM: "There is not enough memory for this",
}


def run_statement(connection: ReadConnection, request: StatementRequest, now_ms: int) -> StatementAnswer:
    """Run the statement and return its first rows. Raises Unanswered with one sentence where it is not run.

    Secrets are NULL in it. Nothing that it makes stays behind.
    """
    if len(request.sql) > LONGEST_STATEMENT:
        raise Unanswered(f"A statement may have {LONGEST_STATEMENT:,} characters; this one has {len(request.sql):,}.")
    limit = max(1, min(request.limit, MOST_ROWS))
    rows: list[tuple[StoredCell, ...]] = []

    def take(row: Row) -> bool:
        rows.append(tuple(map(cell_of, row[: request.columns])))
        return len(rows) <= limit

    # Whoever types a statement means the file's own tables, not what a layout makes of them.
    forget_in_memory(connection)
    began = time.monotonic()
    try:
        with connection.secrets_hidden():
            columns = connection.each(request.sql, (), take, longest=LONGEST)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if primary_code(error) in STALE - {sqlite3.SQLITE_READONLY}:
            raise
        raise Unanswered(_refusal(error)) from error
    if not columns:
        raise Unanswered("There is no statement to run.")
    took_ms = round((time.monotonic() - began) * 1_000)
    shown = columns[: request.columns]
    left_out = len(columns) - len(shown)
    return StatementAnswer(shown, tuple(rows[:limit]), len(rows) > limit, took_ms, now_ms, left_out)


def _refusal(error: Exception) -> str:
    """Say in our words why the statement was refused, and in SQLite's own: they quote what was typed."""
    code = primary_code(error)
    meaning = "SQLite does not accept this statement" if code is None else _MEANINGS.get(code, "This cannot be run")
    said = visible(str(error)[:_MOST_CHARS]).rstrip(".")
    return f"{meaning}: {said}."
