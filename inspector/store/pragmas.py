"""Settings of a connection: asked, and set so that the answer is seen."""

import sqlite3

from inspector.store.errors import Unusable


def set_pragma(conn: sqlite3.Connection, pragma: str, value: str, answer: int) -> None:
    """Set a pragma of this connection, and raise Unusable where SQLite does not answer that it is set."""
    conn.execute(f"PRAGMA {pragma} = {value}")
    if asked(conn, pragma) != answer:
        raise Unusable(f"SQLite {sqlite3.sqlite_version} did not accept {pragma}={value}.")


def asked(conn: sqlite3.Connection, pragma: str) -> object:
    """Return the value of a pragma, or None where SQLite knows none of that name."""
    # Fetched to the end: an unfinished statement would hold a lock.
    rows = conn.execute(f"PRAGMA {pragma}").fetchall()
    return rows[0][0] if rows else None
