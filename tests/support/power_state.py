"""All that a database holds, as one text: two that are equal hold the same."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.store_layout import contents


def state_of(path: Path) -> str:
    """Return all that the database holds, or an empty text where there is no layout, or nothing at all, yet."""
    if not path.exists():
        return ""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        return state_on(conn)


def state_on(conn: sqlite3.Connection) -> str:
    """Return all that the connection sees in the tables, or an empty text where there are none."""
    (tables,) = conn.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0]
    return repr(contents(conn)) if tables else ""
