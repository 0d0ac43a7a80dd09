"""What a rule and a disk say when they say no. Anything else that is raised is a bug."""

import sqlite3
from typing import Final


class Refused(Exception):
    """A rule said no, and nothing was changed.

    ``task_id`` is the task it is about, ``found`` the status that task was found in (None where there is no such task),
    ``wanted`` the status that was asked for. Each is None where the rule is about something else.
    """

    def __init__(
        self, sentence: str, *, task_id: str | None = None, found: str | None = None, wanted: str | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.task_id = task_id
        self.found = found
        self.wanted = wanted


class Unusable(Exception):
    """The database, a file or the disk cannot serve this request, for a reason outside this program.

    ``sentence`` is one sentence for a person; the cause is chained.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Busy(Unusable):
    """Another process held the database for longer than the waiting time. Nothing was changed; try again."""


class NotOurs(Unusable):
    """The file is sound, but nothing may be written to it: another layout, a newer version, triggers of others."""


_SENTENCES: Final = {
    sqlite3.SQLITE_BUSY: "Another process is writing to the database: nothing was changed.",
    sqlite3.SQLITE_LOCKED: "Another connection holds a lock on the database: nothing was changed.",
    sqlite3.SQLITE_PROTOCOL: "Other processes are opening the database at once: nothing was changed.",
    sqlite3.SQLITE_FULL: (
        "The disk is full, or the database has reached its largest size: nothing was changed; make room, then try "
        "again."
    ),
    sqlite3.SQLITE_READONLY: (
        "The database file or its folder cannot be written to: look at their permissions, and whether the disk takes "
        "changes at all."
    ),
    sqlite3.SQLITE_PERM: "The database file may not be used this way.",
    sqlite3.SQLITE_AUTH: "The database connection does not permit this.",
    sqlite3.SQLITE_IOERR: (
        "The disk reported an error: look at the disk, and at what the system's log says of it, then try again."
    ),
    sqlite3.SQLITE_CORRUPT: "The database is damaged.",
    sqlite3.SQLITE_NOTADB: "The file is not a SQLite database, or it is encrypted.",
    sqlite3.SQLITE_CANTOPEN: (
        "The database file, or one beside it, cannot be opened: look at their permissions and those of the folder, and "
        "whether the disk has room."
    ),
    sqlite3.SQLITE_TOOBIG: "A value is larger than SQLite can store: nothing was changed.",
    sqlite3.SQLITE_INTERRUPT: "The work on the database was interrupted: nothing was changed.",
}

# A commit whose sync has failed is rolled back, but its last bytes lie there: a crash before the next commit may bring
# it back. So nobody is told that nothing was changed.
_NOT_CONFIRMED: Final = (
    "The disk did not confirm what was written: it does not count, though a crash may bring it back; look at the disk, "
    "then try again."
)
_NO_SHARED_MEMORY: Final = (
    "The file of shared memory beside the database cannot grow: nothing was changed; make room on the disk, then try "
    "again."
)

_SENTENCES_OF_MORE_EXACT_CODES: Final = {
    sqlite3.SQLITE_IOERR_WRITE: (
        "The disk did not take what was written, for an error of its own or a limit on the size of files: nothing was "
        "changed; look at both, then try again."
    ),
    sqlite3.SQLITE_IOERR_FSYNC: _NOT_CONFIRMED,
    sqlite3.SQLITE_IOERR_DIR_FSYNC: _NOT_CONFIRMED,
    sqlite3.SQLITE_IOERR_SHMSIZE: _NO_SHARED_MEMORY,
    sqlite3.SQLITE_IOERR_SHMMAP: _NO_SHARED_MEMORY,
    sqlite3.SQLITE_READONLY_DBMOVED: (
        "The database file was moved or replaced while it was open: nothing was changed; open it again."
    ),
}


def damaged() -> Unusable:
    """Return what to raise for a database that cannot be read as one."""
    return Unusable(_SENTENCES[sqlite3.SQLITE_CORRUPT])


def unusable_for(error: sqlite3.Error) -> Unusable | None:
    """Return what to raise for an error of SQLite, told by its result code, or None where it is a bug of ours.

    An error without a code is text that is not UTF-8: Python raises it and SQLite knows nothing of it.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return (
            Unusable("The database holds text that is not UTF-8.") if type(error) is sqlite3.OperationalError else None
        )
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_CONSTRAINT:
        return Unusable(f"The database's own rules refuse this change ({error}): nothing was changed.")
    sentence = _SENTENCES_OF_MORE_EXACT_CODES.get(code, _SENTENCES.get(primary))
    if sentence is None:
        return None
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return Busy(sentence)
    return Unusable(sentence)
