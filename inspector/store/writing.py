"""How a write begins and ends: the only BEGIN, and the only place where errors of SQLite become ours.

A rule is one transaction. In a group, which is one transaction for many rules, it is a savepoint: what it refuses is
undone alone, and what it did is durable when the group is.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlite_utils import Database

from inspector.store.errors import Refused, Unusable, damaged, unusable_for


@contextmanager
def named_errors() -> Iterator[None]:
    """Turn an error of SQLite into Unusable or Busy, told by its code and never by its text; the cause is chained.

    A text that cannot be UTF-8 is Refused. What no file and no disk can cause (an SQL error, a wrong number of
    parameters) is a bug and passes as it is.
    """
    try:
        yield
    except sqlite3.Error as error:
        named = unusable_for(error)
        if named is None:
            raise
        raise named from error
    except UnicodeEncodeError as error:
        raise Refused("A text with a lone surrogate has no UTF-8: it is neither stored nor found.") from error
    except OverflowError as error:
        raise Unusable("A number is beyond the 64 bits that SQLite stores: nothing was changed.") from error
    except UnicodeDecodeError as error:
        # A damaged schema: the driver cannot decode SQLite's own error text.
        raise damaged() from error


class GroupDatabase(Database):
    """A database whose rules can share one transaction, in :func:`group_transaction`."""

    in_group = False


@contextmanager
def write_transaction(db: Database) -> Iterator[sqlite3.Connection]:
    """Hold the database's write lock from the first read to the commit, and give the connection.

    It is taken before the first read: what a rule reads is what it decides on. When the block raises, or the commit
    fails, everything is rolled back and no transaction stays open; in a group what the block did is undone and the
    group's transaction stays. A transaction of the caller's own is a bug, and is left as it is.
    """
    conn = db.conn
    if isinstance(db, GroupDatabase) and db.in_group:
        begin, commit, undo = "SAVEPOINT rule", "RELEASE rule", ["ROLLBACK TO rule", "RELEASE rule"]
    elif conn.in_transaction:
        raise RuntimeError("A rule of the store is a transaction of its own, and one is open on this connection.")
    else:
        begin, commit, undo = "BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]
    with named_errors():
        try:
            conn.execute(begin)
            yield conn
            conn.execute(commit)
        except BaseException:
            # SQLite may have rolled back by itself (a full disk); a rollback that fails has ended the transaction too.
            with suppress(sqlite3.Error):
                for statement in undo:
                    conn.execute(statement)
            raise


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
