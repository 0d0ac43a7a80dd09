"""What goes wrong with a file or with one question about it, each as one sentence for a person.

SQLite's errors are told apart by their result code, never by their text (the text may quote the file).
"""

import sqlite3
from collections.abc import Callable
from typing import Final, TypeVar

_Answer = TypeVar("_Answer")
_Instead = TypeVar("_Instead")


class Unreadable(Exception):
    """The file cannot be read at all, or not any more. ``sentence`` says which file and why."""

    def __init__(self, sentence: str, *, may_pass: bool = False, is_locked: bool = False) -> None:
        """``may_pass`` says that another try a little later may well succeed, as where ``is_locked``.

        ``is_locked`` says that another process keeps it locked now.
        """
        super().__init__(sentence)
        self.sentence = sentence
        self.may_pass = may_pass or is_locked
        self.is_locked = is_locked


class Unanswered(Exception):
    """One question was not answered; others still may be. ``sentence`` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class LockedOut(Unanswered):
    """One question was not answered because another process keeps the file locked: a little later it may be."""


class TookTooLong(Unanswered):
    """One question was not answered before its deadline, or the reader is to stop."""


class Damaged(Unanswered):
    """One question was not answered because the file is damaged there."""


class NotOpened(sqlite3.OperationalError):
    """A value cannot be opened by itself: it is one of a view, or of a table with generated columns."""


SqliteTrouble: Final = (sqlite3.Error, UnicodeError, OverflowError)
"""What reading through sqlite3 may raise: a damaged schema ends in UnicodeDecodeError (faults.md 1.6)."""

_PRIMARY: Final = 0xFF

_BY_CODE: Final = {
    sqlite3.SQLITE_BUSY: "is locked by another process",
    sqlite3.SQLITE_LOCKED: "is locked by another process",
    sqlite3.SQLITE_CORRUPT: "is incomplete or damaged",
    sqlite3.SQLITE_NOTADB: "cannot be read: it is no SQLite database, or an encrypted one",
    sqlite3.SQLITE_CANTOPEN: "cannot be read: the file, its -wal or its folder is not accessible",
    sqlite3.SQLITE_IOERR: "cannot be read: the disk reports an error",
    sqlite3.SQLITE_PERM: "cannot be read: there is no permission",
    sqlite3.SQLITE_PROTOCOL: "is locked by another process",
    sqlite3.SQLITE_NOMEM: "cannot be read: there is not enough memory",
    sqlite3.SQLITE_TOOBIG: "holds a value that is too large to be read here",
    sqlite3.SQLITE_AUTH: "asks for something that reading does not allow",
    sqlite3.SQLITE_READONLY: "cannot be read in place: SQLite would have to write to it first",
    sqlite3.SQLITE_ERROR: "cannot be read: its schema does not fit",
}

_OWN_COLLATION: Final = "SQLITE_ERROR_MISSING_COLLSEQ"

OWN_COLLATION: Final = "sorts text by a collation that only its own program knows"
"""What stands behind the name of a table, or of a column, that cannot be read for that."""

_BY_NAME: Final = {_OWN_COLLATION: f"cannot be read: it {OWN_COLLATION}"}
"""What the extended code alone tells."""

BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
"""Primary codes that pass by themselves."""

PASSING: Final = BUSY | {sqlite3.SQLITE_READONLY}
"""Primary codes that may pass while other processes come and go: among them "another reader must let go first"."""

STALE: Final = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB}
)
"""Primary codes after which the file should be looked at anew: its companions or its mode may have changed."""


def primary_code(error: BaseException) -> int | None:
    """Return SQLite's primary result code of ``error``, or None where the driver gave none."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & _PRIMARY if isinstance(code, int) else None


def is_too_big(error: BaseException) -> bool:
    """Say whether a value was larger than what the connection takes."""
    return primary_code(error) == sqlite3.SQLITE_TOOBIG


def unnoticed_damage(what: str) -> sqlite3.DatabaseError:
    """Return what SQLite would raise had it noticed ``what`` is damaged: so it is gone around in the same way."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_CORRUPT, "SQLITE_CORRUPT"
    return error


def require_behind(number: object, before: int, what: str, *, falling: bool = False) -> None:
    """Raise what SQLite would had it noticed that a walk over ``what`` by rising numbers does not come further.

    It follows a damaged tree and does not look whether its numbers rise: the walk could lead in a circle for ever.
    """
    if isinstance(number, int) and (number >= before if falling else number <= before):
        raise unnoticed_damage(f"the {what} do not stand in the order of their numbers")


def is_damage(error: BaseException) -> bool:
    """Say whether SQLite found the file damaged, or could not even decode its own words about it (faults.md 1.6)."""
    return primary_code(error) == sqlite3.SQLITE_CORRUPT or isinstance(error, (UnicodeDecodeError, Damaged))


def is_own_collation(error: BaseException) -> bool:
    """Say whether a statement needs a collation that only the program knows which made the file."""
    cause = error.__cause__ if isinstance(error, Unanswered) else error
    return getattr(cause, "sqlite_errorname", None) == _OWN_COLLATION


def around_damage(read: Callable[[], _Answer], instead: Callable[[], _Instead]) -> _Answer | _Instead:
    """Return what ``read`` reads, or where it comes upon damage what ``instead`` gives."""
    try:
        return read()
    except SqliteTrouble as error:
        if not is_damage(error):
            raise
    return instead()


def sentence_of(error: BaseException, name: str) -> str:
    """Say what ``error``, raised while reading the file called ``name``, means; its code's name stands behind."""
    code = primary_code(error)
    if code is None:
        return f"{name} is incomplete or damaged."
    code_name = getattr(error, "sqlite_errorname", None)
    meaning = _BY_NAME.get(str(code_name)) or _BY_CODE.get(code, "cannot be read")
    return f"{name} {meaning} ({code_name})." if code_name else f"{name} {meaning}."
