"""What a file must be before anything is written to it: the native layout, with its own triggers and no others."""

import functools
import sqlite3

from inspector.layout import native
from inspector.store.errors import NotOurs


def asked(conn: sqlite3.Connection, pragma: str) -> object:
    """Return the answer of a pragma, or None where SQLite knows no such pragma."""
    # Fetched to the end: an unfinished statement would hold a lock.
    rows = conn.execute(f"PRAGMA {pragma}").fetchall()
    return rows[0][0] if rows else None


def check_layout(conn: sqlite3.Connection) -> None:
    """Raise NotOurs where the database is anything but the native layout with its own triggers, all of them."""
    if asked(conn, "application_id") != native.APPLICATION_ID:
        raise NotOurs("The database is not marked as an LMSP database of the native layout.")
    version = asked(conn, "user_version")
    if version != native.USER_VERSION:
        raise NotOurs(f"The database has layout version {version}; only version {native.USER_VERSION} is known here.")
    schema = conn.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    triggers = {name: sql for kind, name, sql in schema if kind == "trigger"}
    if foreign := native.foreign_triggers(triggers):
        raise NotOurs(f"The database carries triggers that are not the layout's own: {', '.join(foreign)}.")
    if missing := native.missing_triggers(triggers):
        raise NotOurs(f"The database lacks triggers of its layout: {', '.join(missing)}.")
    # Not by name alone: a view or a virtual table of that name would run code of others.
    if absent := sorted(_columns_of_layout() - _columns(conn)):
        raise NotOurs(f"The database lacks columns of its layout: {', '.join(absent)}.")


@functools.cache
def _columns_of_layout() -> frozenset[str]:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in native.STATEMENTS:
            conn.execute(statement)
        return _columns(conn)
    finally:
        conn.close()


def _columns(conn: sqlite3.Connection) -> frozenset[str]:
    rows = conn.execute("""
        SELECT t.name || '.' || c.name
        FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
        WHERE t.type = 'table' AND t.rootpage > 0 AND c.hidden = 0""").fetchall()
    return frozenset(name for (name,) in rows)
