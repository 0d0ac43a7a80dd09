"""What holds in every database of a service at every moment: the checker, on a connection of a test's own.

Its SQL is read on the test's connection, inside the test's transaction where one is open: a whole check is then as of
one moment, beside whoever writes.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from inspector.checks.findings import Checked, Finding, Severity
from inspector.checks.ranges import Sizes
from inspector.checks.walking import check_database
from inspector.reading.connection import SCHEMA, Parameters, Reads, Row, decoded

_Read = TypeVar("_Read")


class PlainReads:
    """A connection that was opened by nobody of the read side, as the checker needs it."""

    schema = SCHEMA

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        try:
            return self._conn.execute(sql, parameters).fetchall()
        except sqlite3.OperationalError as error:
            if hasattr(error, "sqlite_errorcode"):
                raise
        # A text that is no UTF-8.
        text_factory, self._conn.text_factory = self._conn.text_factory, decoded
        try:
            return self._conn.execute(sql, parameters).fetchall()
        finally:
            self._conn.text_factory = text_factory

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        if self._conn.in_transaction:
            yield
            return
        self._conn.execute("BEGIN")
        try:
            yield
        finally:
            self._conn.execute("ROLLBACK")


def checked_parts(conn: sqlite3.Connection, *, sizes: Sizes | None = None) -> tuple[list[Finding], Checked]:
    """Return all that the checker finds, and what it has looked at."""
    reads = PlainReads(conn)

    def ask(question: Callable[[Reads], _Read]) -> _Read:
        return question(reads)

    findings: list[Finding] = []
    checked = Checked()
    for part in check_database(ask, sizes=sizes or Sizes()):
        findings += part.findings
        checked = part.checked
    return findings, checked


def findings_in(conn: sqlite3.Connection) -> list[Finding]:
    """Return all that the checker finds."""
    return checked_parts(conn)[0]


def broken_invariants(conn: sqlite3.Connection, *, but: str | None = None) -> list[tuple[str, str]]:
    """Return each rule that is broken (warnings left out), with the task that breaks it.

    The layout itself is left out: tests take its triggers away on purpose. ``but`` is the id of a task that a test made
    odd on purpose.
    """
    return [
        (found.rule, found.task_id or "")
        for found in findings_in(conn)
        if found.severity is Severity.ERROR and found.rule != "own-layout" and (but is None or found.task_id != but)
    ]
