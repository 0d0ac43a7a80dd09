"""Connecting to a file that may be damaged, or whose schema calls functions: what it takes to read it is allowed."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace

from inspector.reading.connection import NOTHING_ALLOWED, SCHEMA, Allowances, ReadConnection, Row
from inspector.reading.errors import SqliteTrouble, is_damage


def is_unsafe_use(error: BaseException) -> bool:
    """Say whether SQLite refused the schema because it calls a function: that alone has no code of its own."""
    return isinstance(error, sqlite3.DatabaseError) and "unsafe use of" in str(error)


def connect(
    path: str, options: str, *, should_stop: Callable[[], bool] = lambda: False
) -> tuple[ReadConnection, Allowances]:
    """Connect and read the schema: SQLite says what is wrong only then. Return also what had to be allowed for it."""
    allowed = NOTHING_ALLOWED
    while True:
        try:
            return _probed(path, options, allowed, should_stop), allowed
        except SqliteTrouble as error:
            if is_unsafe_use(error) and not allowed.functions:
                allowed = replace(allowed, functions=True)
            elif is_damage(error) and not allowed.damage:
                allowed = replace(allowed, damage=True)
            else:
                raise


def _probed(path: str, options: str, allowed: Allowances, should_stop: Callable[[], bool]) -> ReadConnection:
    connection = ReadConnection(path, options, allowed=allowed, should_stop=should_stop)
    try:
        connection.rows(f"SELECT type, name FROM {SCHEMA} LIMIT 1")  # noqa: S608  a name of ours
        if allowed.damage:
            connection.schema = _schema_that_is_left(connection)
            if not connection.rows(f"SELECT 1 FROM {connection.schema} WHERE type = 'table' LIMIT 1"):  # noqa: S608
                raise sqlite3.DatabaseError("nothing of the schema is left")
    except BaseException:
        connection.close()
        raise
    return connection


def _schema_that_is_left(connection: ReadConnection) -> str:
    """Return what of the table of the schema can be read, for a FROM."""
    read = 0

    def count(_row: Row) -> bool:
        nonlocal read
        read += 1
        return True

    try:
        connection.each(f"SELECT 1 FROM {SCHEMA}", (), count)  # noqa: S608  a name of ours
    except SqliteTrouble as error:
        if not is_damage(error):
            raise
        # The driver reads a row ahead, and drops the last good one at a fault.
        return f"(SELECT * FROM {SCHEMA} LIMIT {read + 1})"  # noqa: S608  the same
    return SCHEMA
