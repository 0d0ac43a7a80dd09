"""Connections that write: how they are opened, what they are set to, and what a file must be before one is given."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from sqlite_utils import Database

from inspector.layout import native
from inspector.store.arguments import LARGEST, require_whole
from inspector.store.errors import Busy, NotOurs, Unusable
from inspector.store.layouts import check_layout, create_or_migrate
from inspector.store.paths import check_path, path_of, size_of
from inspector.store.pragmas import asked, set_pragma
from inspector.store.writing import GroupDatabase, named_errors, wait_until_alone

_WAIT_MS: Final = 10_000
_LONGEST_WAIT_MS: Final = (1 << 31) - 1
"""SQLite counts in 32 bits: what is longer would be no time at all."""
_TRIES_FOR_WAL: Final = 100
_JOURNALS: Final = ("wal", "delete", "truncate", "persist")

_Db = TypeVar("_Db", bound=Database)


def open_service_database(path: str | os.PathLike[str], *, wait_ms: int = _WAIT_MS) -> Database:
    """Open the database of a service for writing, and create the native layout in an absent or empty file.

    A database of an older version of the layout is brought up to the newest, in one transaction.

    The connection is in WAL mode with ``synchronous=FULL`` (an acknowledged write survives a loss of power, section
    11.2), checks foreign keys, and waits ``wait_ms`` for other writers (below 0 as 0,
    and at most 24 days). Use and close it in the thread that opened it.

    Raises NotOurs where the file holds anything but the native layout with its own triggers, Busy where another process
    held it too long, Unusable where the file or its folder cannot be used.
    """
    return _open_of_service(path_of(path), Database, wait_ms)


def open_group_database(path: str | os.PathLike[str], *, wait_ms: int) -> GroupDatabase:
    """Open the database of a service for a group writer, as :func:`open_service_database` does."""
    return _open_of_service(path_of(path), GroupDatabase, wait_ms)


def _open_of_service(file: Path, kind: type[_Db], wait_ms: int) -> _Db:
    require_whole("wait_ms", wait_ms, least=-LARGEST)
    check_path(file, may_create=True)
    return _open(kind, file, "rwc", wait_ms, service=True)


def open_for_action(path: str | os.PathLike[str], *, wait_ms: int) -> Database:
    """Open an existing database of the native layout for one action. Never creates anything that was not there.

    The journal mode stays as it is found: to change it is for the service that owns the file. In rollback mode the
    connection has ``synchronous=EXTRA``, which makes a commit as durable there as FULL does in WAL mode. Raises as
    :func:`open_service_database` does.
    """
    file = Path(path)
    check_path(file, may_create=False)
    return _open(Database, file, "rw", wait_ms, service=False)


def _open(kind: type[_Db], file: Path, mode: str, wait_ms: int, *, service: bool) -> _Db:
    with named_errors():
        was_left_open = has_waiting_wal(file)
        db = kind(_connect(file, mode, wait_ms), execute_plugins=False)
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
    # Quoted by bytes, slashes too: a raw ? or # in the name would open, and create, another file, and two slashes at
    # its start would make the next part the name of a machine.
    name = quote(os.fsencode(file), safe="")
    return sqlite3.connect(
        f"file:{name}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=min(max(wait_ms, 0), _LONGEST_WAIT_MS) / 1000,
    )


def has_waiting_wal(file: Path) -> bool:
    """Say whether a -wal lies beside the file that has not been taken in."""
    return size_of(file.with_name(f"{file.name}-wal")) > 0


def close_unwritten(db: Database, file: Path, *, wait_ms: int) -> None:
    """Close a file that nothing was written to as it was found.

    The last writer of all would move what a -wal holds into the database: of a service that died, say.
    """
    with closing(db), closing(_connect(file, "ro", wait_ms)) as reader:
        asked(reader, "schema_version")
        db.close()


def _prepare(db: Database, *, service: bool) -> None:
    set_pragma(db.conn, "trusted_schema", "OFF", 0)
    set_pragma(db.conn, "synchronous", "FULL", 2)
    if service:
        create_or_migrate(db, native.LAYOUTS)
    set_pragma(db.conn, "foreign_keys", "ON", 1)
    check_layout(db.conn, native.LAYOUTS[native.USER_VERSION])
    if service:
        switch_to_wal(db.conn)
    else:
        _require_durable(db.conn)


def _require_durable(conn: sqlite3.Connection) -> None:
    """Raise Unusable where a commit would rest on no journal on the disk: there is nothing to sync then."""
    mode = asked(conn, "journal_mode")
    if mode not in _JOURNALS:
        raise Unusable(
            f"The database's journal mode is {mode}, which a loss of power does not spare: nothing is written."
        )
    if mode != "wal":
        # With FULL the folder is not synced after the journal is removed: a loss of power could take the commit back.
        set_pragma(conn, "synchronous", "EXTRA", 3)


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
