"""Values of ``service_config``: JSON by key."""

import sqlite3

from sqlite_utils import Database

from inspector.store.arguments import require_filled, require_moment, require_text
from inspector.store.stored_json import from_json, to_json
from inspector.store.writing import reading, write_transaction


def config_value(db: Database, key: str) -> object:
    """Return the value stored under ``key``, or None where there is none. Raises Unusable where it is not JSON."""
    require_text("key", key)
    with reading(db) as conn:
        return read_config(conn, key)


def set_config(db: Database, key: str, value: object, *, now_ms: int) -> None:
    """Store ``value`` under ``key``, in place of what was there. Raises Refused for an empty key and for no JSON."""
    require_filled("key", key)
    require_moment(now_ms)
    with write_transaction(db) as conn:
        write_config(conn, key, value, now_ms=now_ms)


def read_config(conn: sqlite3.Connection, key: str) -> object:
    """Return the value under ``key``, or None, inside a transaction of the caller."""
    rows = conn.execute("SELECT value FROM service_config WHERE key = ?", (key,)).fetchall()
    return from_json(rows[0][0], f"The configuration value {key}") if rows else None


def write_config(conn: sqlite3.Connection, key: str, value: object, *, now_ms: int) -> None:
    """Store ``value`` under ``key`` inside a transaction of the caller."""
    conn.execute(
        """
        INSERT INTO service_config (key, value, updated_at) VALUES (?, ?, ?)
        ON CONFLICT (key) DO UPDATE
        SET value = excluded.value, updated_at = max(updated_at, excluded.updated_at)""",
        (key, to_json(value, f"The configuration value {key}"), now_ms),
    )
