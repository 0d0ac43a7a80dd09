"""How a write begins and ends: the only BEGIN, and the only place where errors of SQLite become ours.

A rule is one transaction. In a group, which is one transaction for many rules, it is a savepoint: what it refuses is
undone alone, and what it did is durable when the group is.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Final, NoReturn

from sqlite_utils import Database

from inspector.store.arguments import require_database
from inspector.store.errors import Refused, Unusable, damaged, unusable_for

_ALONE: Final[tuple[str, str, tuple[str, ...]]] = ("BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",))
_IN_GROUP: Final[tuple[str, str, tuple[str, ...]]] = (
    "SAVEPOINT rule",
    "RELEASE rule",
    ("ROLLBACK TO rule", "RELEASE rule"),
)


@contextmanager
def named_errors() -> Iterator[None]:
    """Turn an error of SQLite into Unusable or Busy, told by its code and never by its text; the cause is chained.

    A text that cannot be UTF-8 is Refused. What no file and no disk can cause (an SQL error, a wrong number of
    parameters) is a bug and passes as it is.
    """
    try:
        yield
    except Exception as error:
        _raise_named(error)


@contextmanager
def reading(db: Database) -> Iterator[sqlite3.Connection]:
    """Give the connection to read on, with errors named as by :func:`named_errors`. Refused where ``db`` is none."""
    require_database(db)
    conn = db.conn
    try:
        yield conn
    except Exception as error:
        _raise_named(error, conn)


def _raise_named(error: BaseException, conn: sqlite3.Connection | None = None) -> NoReturn:
    named = _named(error)
    if named is None and conn is not None and isinstance(error, sqlite3.ProgrammingError):
        named = _why_not_here(conn)
    if named is None:
        raise error
    raise named from error


def _named(error: BaseException) -> Exception | None:
    match error:
        case sqlite3.Error():
            return unusable_for(error)
        case UnicodeEncodeError():
            return Refused("A text that was passed has a lone surrogate, which UTF-8 cannot say: nothing was changed.")
        case OverflowError():
            return Unusable("A number is beyond the 64 bits that SQLite stores: nothing was changed.")
        case UnicodeDecodeError():
            # A damaged schema: the driver cannot decode SQLite's own error text.
            return damaged()
        case _:
            return None


def _why_not_here(conn: sqlite3.Connection) -> Unusable | None:
    """Return what to raise where the connection was closed, or is another thread's; None where it can be used."""
    try:
        conn.in_transaction  # noqa: B018  asked of no thread, but refused by a connection that was closed
    except sqlite3.ProgrammingError:
        return Unusable("The database was closed: open it again; nothing was changed.")
    try:
        conn.cursor().close()
    except sqlite3.ProgrammingError:
        return Unusable(
            "The database was opened in another thread: each thread opens its own, or asks a group writer; nothing was "
            "changed."
        )
    return None


class GroupDatabase(Database):
    """A database whose rules can share one transaction, in :func:`group_transaction`."""

    in_group = False


class write_transaction:  # noqa: N801  used as a function is; a generator would take a tenth of a rule's own time
    """Hold the database's write lock from the first read to the commit, and give the connection.

    It is taken before the first read: what a rule reads is what it decides on. When the block raises, or the commit
    fails, everything is rolled back and no transaction stays open; in a group what the block did is undone and the
    group's transaction stays. A transaction of the caller's own is a bug, and is left as it is. Errors are named as by
    :func:`named_errors`.
    """

    __slots__ = ("_begin", "_commit", "_conn", "_undo")

    def __init__(self, db: Database) -> None:
        require_database(db)
        self._conn = db.conn
        in_group = isinstance(db, GroupDatabase) and db.in_group
        try:
            is_open = self._conn.in_transaction
        except sqlite3.ProgrammingError as error:
            _raise_named(error, self._conn)
        if is_open and not in_group:
            raise RuntimeError(
                "A transaction is open on this connection, and each function of the store makes its own: commit it or "
                "roll it back first."
            )
        self._begin, self._commit, self._undo = _IN_GROUP if in_group else _ALONE

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._conn.execute(self._begin)
        except BaseException as error:
            self._roll_back(error)
        return self._conn

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._roll_back(error)
        try:
            self._conn.execute(self._commit)
        except BaseException as failed:
            self._roll_back(failed)

    def _roll_back(self, error: BaseException) -> NoReturn:
        # SQLite may have rolled back by itself (a full disk); a rollback that fails has ended the transaction too.
        with suppress(sqlite3.Error):
            for statement in self._undo:
                self._conn.execute(statement)
        _raise_named(error, self._conn)


@contextmanager
def group_transaction(db: GroupDatabase) -> Iterator[None]:
    """Let the rules of the block share one transaction, which is committed at its end: then all of them are durable.

    A rule that raises is undone alone. Raises Unusable or Busy where nothing of the group was written, as
    :func:`write_transaction` does: also where SQLite has rolled all of it back in the middle of a rule (a full disk).
    """
    with write_transaction(db):
        db.in_group = True
        try:
            yield
        finally:
            db.in_group = False


def wait_until_alone(conn: sqlite3.Connection) -> None:
    """Wait, as long as the connection waits for locks, for a moment in which nobody else uses the database."""
    conn.execute("BEGIN EXCLUSIVE")
    conn.execute("ROLLBACK")


def require_no_group(db: Database) -> None:
    """Raise RuntimeError within a group: for what takes its time, or commits on its way. Refused for no database."""
    require_database(db)
    if isinstance(db, GroupDatabase) and db.in_group:
        raise RuntimeError("This takes too long to share a transaction: call it on a database of its own.")
