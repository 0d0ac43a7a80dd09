"""How a write begins and ends: the only BEGIN, and the only place where errors of SQLite become ours."""

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


@contextmanager
def write_transaction(db: Database) -> Iterator[sqlite3.Connection]:
    """Hold the database's write lock from the first read to the commit, and give the connection.

    It is taken before the first read: what a rule reads is what it decides on. When the block raises, or the commit
    fails, everything is rolled back and no transaction stays open. A transaction of the caller's own is a bug, and is
    left as it is.
    """
    conn = db.conn
    if conn.in_transaction:
        raise RuntimeError("A rule of the store is a transaction of its own, and one is open on this connection.")
    with named_errors():
        try:
            conn.execute("BEGIN IMMEDIATE")
            yield conn
            conn.execute("COMMIT")
        except BaseException:
            # SQLite may have rolled back by itself (a full disk); a rollback that fails has ended the transaction too.
            with suppress(sqlite3.Error):
                conn.execute("ROLLBACK")
            raise


def wait_until_alone(conn: sqlite3.Connection) -> None:
    """Wait, as long as the connection waits for locks, for a moment in which nobody else uses the database."""
    conn.execute("BEGIN EXCLUSIVE")
    conn.execute("ROLLBACK")
