"""The store on a connection of APSW, which alone can put a file system of ours under SQLite.

``store_on(disk)`` lets the store open its databases as ever, by its own code; what it is given then is an APSW
connection with that part of ``sqlite3.Connection`` which the store uses.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import quote

import apsw
import pytest

from inspector.store import connecting
from tests.support.apsw_disk import Disk

_ASK: Final = "PRAGMA synchronous"
_ANSWERS: Final = {"NORMAL": 1, "FULL": 2, "EXTRA": 3}

_KINDS: Final[dict[int, type[sqlite3.DatabaseError]]] = {
    apsw.SQLITE_CONSTRAINT: sqlite3.IntegrityError,
    apsw.SQLITE_CORRUPT: sqlite3.DatabaseError,
    apsw.SQLITE_NOTADB: sqlite3.DatabaseError,
}

Parameters = Sequence[Any] | Mapping[str, Any]


class ApswCursor:
    """What a statement gave, fetched to its end."""

    def __init__(self, rows: list[tuple[Any, ...]], rowcount: int, description: tuple[tuple[Any, ...], ...]) -> None:
        self.rowcount = rowcount
        self.description = description
        """The columns, each with its name first; empty where there is no row."""
        self._rows = rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows that have not been fetched."""
        rows, self._rows = self._rows, []
        return rows


class ApswConnection:
    """The part of a ``sqlite3.Connection`` that the store uses, over APSW. Errors are those of sqlite3, by code."""

    isolation_level = None

    def __init__(
        self,
        disk: Disk,
        uri: str,
        *,
        wait_ms: int,
        checkpoint_pages: int,
        synchronous: str | None,
        heard: Callable[[str], None],
    ) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        with sqlite3_errors():
            self._conn = apsw.Connection(uri, flags=flags, vfs=disk.vfs)
            self._conn.set_busy_timeout(wait_ms)
            self._conn.wal_autocheckpoint(checkpoint_pages)
        self._synchronous = synchronous
        self._asked_for = "FULL"
        self._heard = heard

    @property
    def in_transaction(self) -> bool:
        """Say whether a transaction is open."""
        return self._conn.in_transaction

    def execute(self, sql: str, parameters: Parameters = ()) -> ApswCursor:
        """Run a statement, then tell who listens."""
        run = sql
        if self._synchronous is not None and sql.startswith(f"{_ASK} = "):
            self._asked_for = sql.removeprefix(f"{_ASK} = ")
            run = f"{_ASK} = {self._synchronous}"
        with sqlite3_errors():
            cursor = self._conn.execute(run, parameters)
            description = _columns(cursor)
            rows = [tuple(row) for row in cursor]
            done = ApswCursor(rows, self._conn.changes(), description)
        if self._synchronous is not None and sql == _ASK:
            done = ApswCursor([(_ANSWERS[self._asked_for],)], -1, ())  # what it got in truth is not found out
        self._heard(sql)
        return done

    def executemany(self, sql: str, rows: Sequence[Parameters]) -> ApswCursor:
        """Run a statement for each row."""
        with sqlite3_errors():
            self._conn.executemany(sql, rows)
        return ApswCursor([], -1, ())

    def close(self) -> None:
        """Close the connection. SQLite tells nobody that a checkpoint on the way out has failed."""
        try:
            self._conn.close()
        except (apsw.IOError, apsw.FullError):
            self._conn.close()


def _columns(cursor: apsw.Cursor) -> tuple[tuple[Any, ...], ...]:
    try:
        return cursor.get_description()
    except apsw.ExecutionCompleteError:
        return ()


@contextmanager
def sqlite3_errors() -> Iterator[None]:
    """Turn APSW's errors into those that sqlite3 raises for the same result code."""
    try:
        yield
    except apsw.Error as error:
        code = getattr(error, "extendedresult", getattr(error, "result", apsw.SQLITE_ERROR))
        named = _KINDS.get(code & 0xFF, sqlite3.OperationalError)(str(error))
        named.sqlite_errorcode = code
        named.sqlite_errorname = str(apsw.mapping_extended_result_codes.get(code, code))
        raise named from error


@contextmanager
def store_on(
    disk: Disk,
    *,
    checkpoint_pages: int = 0,
    synchronous: str | None = None,
    heard: Callable[[str], None] = lambda _: None,
) -> Iterator[None]:
    """Let what the store opens within the block lie on ``disk``, by its own code.

    ``checkpoint_pages`` is ``wal_autocheckpoint``, 0 for never. ``synchronous`` is what its connections get in truth,
    whatever they ask for. ``heard`` is told of each statement after it ran.
    """

    def connect(file: Path, mode: str, wait_ms: int) -> sqlite3.Connection:
        uri = f"file:{quote(os.fsencode(file))}?mode={mode}"
        conn = ApswConnection(
            disk, uri, wait_ms=wait_ms, checkpoint_pages=checkpoint_pages, synchronous=synchronous, heard=heard
        )
        return cast(sqlite3.Connection, conn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connecting, "_connect", connect)
        yield
