"""Whole databases copied into files of ours: a live one as of one moment, and a copy that takes its companions in."""

import sqlite3

from inspector.reading.connection import ReadConnection
from inspector.reading.uri import uri_of


def copy_live(path: str, target: str) -> None:
    """Copy the database at ``path``, which a service may be writing, into the new or empty file ``target``.

    The copy is as of one moment and whole without companions. Raises sqlite3.Error.
    """
    connection = ReadConnection(path, "mode=ro&readonly_shm=1")
    try:
        copy = sqlite3.connect(uri_of(target, "mode=rwc"), uri=True, isolation_level=None)
        try:
            connection.backup_to(copy)
        finally:
            copy.close()
    finally:
        connection.close()


def take_in_companions(path: str) -> None:
    """Let SQLite take the -wal or hot journal beside ``path`` in, and remove it. ``path`` must be a copy of ours.

    Raises sqlite3.Error.
    """
    copy = sqlite3.connect(uri_of(path, "mode=rw"), uri=True, isolation_level=None)
    try:
        copy.execute("PRAGMA trusted_schema=OFF").fetchall()
        copy.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    finally:
        copy.close()
