"""Connections that write: how they are opened, what they are set to, and what a file must be before one is given."""

import functools
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlite_utils import Database

from inspector.layout import native
from inspector.store.errors import Busy, NotOurs, Unusable
from inspector.store.paths import check_path, size_of
from inspector.store.writing import named_errors, wait_until_alone, write_transaction

_WAIT_MS: Final = 10_000
_TRIES_FOR_WAL: Final = 100


def open_service_database(path: str | os.PathLike[str], *, wait_ms: int = _WAIT_MS) -> Database:
    """Open the database of a service for writing, and create the native layout in an absent or empty file.

    The connection is in WAL mode with ``synchronous=FULL`` (an acknowledged write survives a loss of power, section
    11.2), checks foreign keys, and waits ``wait_ms`` for other writers. Use and close it in the thread that opened it.

    Raises NotOurs where the file holds anything but the native layout with its own triggers, Busy where another process
    held it too long, Unusable where the file or its folder cannot be used.
    """
    file = Path(path)
    check_path(file, may_create=True)
    return _open(file, "rwc", wait_ms, service=True)


def open_for_action(path: str | os.PathLike[str], *, wait_ms: int) -> Database:
    """Open an existing database of the native layout for one action. Never creates anything that was not there.

    The journal mode stays as it is found (durable in WAL and in rollback mode alike, by ``synchronous=FULL``): to
    change it is for the service that owns the file. Raises as :func:`open_service_database` does.
    """
    file = Path(path)
    check_path(file, may_create=False)
    return _open(file, "rw", wait_ms, service=False)


def _open(file: Path, mode: str, wait_ms: int, *, service: bool) -> Database:
    with named_errors():
        was_left_open = has_waiting_wal(file)
        db = Database(_connect(file, mode, wait_ms), execute_plugins=False)
        try:
            _prepare(db, service=service)
        except BaseException as error:
            if isinstance(error, NotOurs) and was_left_open:
                close_unwritten(db, file, wait_ms=wait_ms)
            else:
                db.close()
            raise
    return db


def _connect(file: Path, mode: str, wait_ms: int) -> sqlite3.Connection:
    return sqlite3.connect(
        # Quoted by bytes: a raw ? or # in the name would open, and create, another file.
        f"file:{quote(os.fsencode(file))}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=wait_ms / 1000,
    )


def has_waiting_wal(file: Path) -> bool:
    """Say whether a -wal lies beside the file that has not been taken in."""
    return size_of(file.with_name(f"{file.name}-wal")) > 0


def close_unwritten(db: Database, file: Path, *, wait_ms: int) -> None:
    """Close a file that nothing was written to as it was found.

    The last writer of all would move what a -wal holds into the database: of a service that died, say.
    """
    with closing(db), closing(_connect(file, "ro", wait_ms)) as reader:
        _asked(reader, "schema_version")
        db.close()


def _prepare(db: Database, *, service: bool) -> None:
    set_pragma(db.conn, "trusted_schema", "OFF", 0)
    set_pragma(db.conn, "foreign_keys", "ON", 1)
    set_pragma(db.conn, "synchronous", "FULL", 2)
    if service and _is_empty(db.conn):
        with write_transaction(db) as conn:
            # Two processes may create it at once: the second finds the layout of the first.
            if _is_empty(conn):
                for statement in native.STATEMENTS:
                    conn.execute(statement)
    check_layout(db.conn)
    if service:
        switch_to_wal(db.conn)


def set_pragma(conn: sqlite3.Connection, pragma: str, value: str, answer: int) -> None:
    """Set a pragma of this connection, and raise Unusable where SQLite does not answer that it is set."""
    conn.execute(f"PRAGMA {pragma} = {value}")
    if _asked(conn, pragma) != answer:
        raise Unusable(f"SQLite {sqlite3.sqlite_version} did not accept {pragma}={value}.")


def _is_empty(conn: sqlite3.Connection) -> bool:
    rows = conn.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    return rows[0][0] == 0 and _asked(conn, "application_id") == 0 and _asked(conn, "user_version") == 0


def switch_to_wal(conn: sqlite3.Connection) -> None:
    """Switch to WAL, and raise Unusable where SQLite answers that it is not, or Busy where others do not let it.

    SQLite does not wait for a lock in this statement, so wait in one that does, and try again.
    """
    for _ in range(_TRIES_FOR_WAL):
        try:
            answer = conn.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            wait_until_alone(conn)
            continue
        if answer != [("wal",)]:
            raise Unusable("The database cannot be switched to write-ahead logging, which an acknowledged write needs.")
        return
    raise Busy("Other processes use the database, which is not yet in write-ahead logging: nothing was changed.")


def _asked(conn: sqlite3.Connection, pragma: str) -> object:
    # Fetched to the end: an unfinished statement would hold a lock.
    rows = conn.execute(f"PRAGMA {pragma}").fetchall()
    return rows[0][0] if rows else None


def check_layout(conn: sqlite3.Connection) -> None:
    """Raise NotOurs where the database is anything but the native layout with its own triggers, all of them."""
    if _asked(conn, "application_id") != native.APPLICATION_ID:
        raise NotOurs("The database is not marked as an LMSP database of the native layout.")
    version = _asked(conn, "user_version")
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
