"""Loading a whole history into a new file at once: for one that is made up, not lived through the rules.

The rows go in before the layout's triggers and indexes are there, which then come in the layout's own words: a million
tasks take minutes and not hours. So nothing but the CHECKs looks at the rows; that they keep section 11 is for whoever
made them up, and ``check`` tells.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from inspector.layout import native
from inspector.store.connecting import open_service_database, switch_to_wal
from inspector.store.errors import Unusable
from inspector.store.paths import path_of
from inspector.store.pragmas import set_pragma
from inspector.store.unfinished import COMPANIONS, UNFINISHED, own_folder, remove_abandoned
from inspector.store.writing import named_errors, write_transaction

_ROWS_A_STATEMENT: Final = 50
"""Of as many as this one statement is twice as fast as that of one row: the last id is noted once for all of them."""
_CACHE_KIB: Final = 65_536
_LATER: Final = re.compile(r"CREATE (TRIGGER|INDEX) (\w+)")

Value: TypeAlias = str | int | None


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of one table. Those of one table are best given in the order of their keys."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Value, ...]]
    """A value for each of the columns."""


def load_history(
    path: str | os.PathLike[str], history: Iterable[Rows], *, ending: Callable[[str], object] = lambda _: None
) -> None:
    """Make a new database of the native layout at ``path`` with these rows, at rest, in WAL mode, safe on the disk.

    It is made in a hidden folder beside it and moved into place when it is whole: whatever stops it, ``path`` is not
    there before, and nothing is left; where this process is killed, the next history that is loaded into the same
    folder takes away what was left. ``ending`` is called with what is done once all rows are in. Raises Unusable where
    something is at ``path`` already, or a companion of an earlier database beside it, neither of which is touched;
    where the folder or the disk cannot take it; and where a CHECK or a unique key refuses a row. What ``history``
    raises passes.
    """
    target = path_of(path)
    try:
        _refuse_taken(target)
        remove_abandoned(target.parent)
        with own_folder(target.parent) as folder:
            unfinished = folder / UNFINISHED
            _load(unfinished, history, ending)
            ending("Writing it to the disk")
            _sync(unfinished, os.O_RDWR)
            # Fails where somebody was faster; what is replaced then is this empty file of our own.
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
            unfinished.replace(target)
            _sync(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    except FileExistsError as error:
        raise Unusable("Something of that name is there already, and was not touched.") from error
    except FileNotFoundError as error:
        raise Unusable("The folder of the file does not exist.") from error
    except OSError as error:
        raise Unusable(f"The file cannot be made: {error.strerror}.") from error


def _refuse_taken(target: Path) -> None:
    with suppress(FileNotFoundError):
        target.lstat()
        raise FileExistsError
    # SQLite would take what lies there for this file's own: it would roll it back into the new database.
    for beside in _beside(target):
        with suppress(FileNotFoundError):
            beside.lstat()
            raise Unusable(f"{beside.name} of an earlier database lies beside it.")


def _beside(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(f"{path.name}{suffix}") for suffix in COMPANIONS)


def _load(path: Path, history: Iterable[Rows], ending: Callable[[str], object]) -> None:
    later = [(found[1], found[2], text) for text in native.STATEMENTS if (found := _LATER.match(text))]
    with named_errors(), closing(open_service_database(path)) as db:
        conn = db.conn
        set_pragma(conn, "foreign_keys", "OFF", 0)
        set_pragma(conn, "synchronous", "OFF", 0)
        set_pragma(conn, "cache_size", str(-_CACHE_KIB), -_CACHE_KIB)
        # A -wal would hold all of it a second time. What is undone of a new file are its first few pages.
        conn.execute("PRAGMA journal_mode = MEMORY")
        with write_transaction(db):
            for kind, name, _ in later:
                conn.execute(f"DROP {kind} {name}")
            for rows in history:
                _insert(conn, rows)
            ending("Making the indexes")
            for _, _, text in later:
                conn.execute(text)
        switch_to_wal(conn)


def _insert(conn: sqlite3.Connection, rows: Rows) -> None:
    places = f"({', '.join('?' * len(rows.columns))})"
    into = f"INSERT INTO {rows.table} ({', '.join(rows.columns)}) VALUES "  # noqa: S608  names of ours
    of_many = into + ", ".join([places] * _ROWS_A_STATEMENT)
    whole = len(rows.rows) - len(rows.rows) % _ROWS_A_STATEMENT
    for start in range(0, whole, _ROWS_A_STATEMENT):
        conn.execute(of_many, list(chain.from_iterable(rows.rows[start : start + _ROWS_A_STATEMENT])))
    conn.executemany(into + places, rows.rows[whole:])


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
