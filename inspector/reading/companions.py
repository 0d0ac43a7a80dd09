"""The files that lie beside a database, and the guard that tells whether anything of it has moved."""

import os
import stat
from pathlib import Path
from typing import Final, NamedTuple

from inspector.reading.errors import Unreadable

SUFFIXES: Final = ("-wal", "-shm", "-journal")


class FileState(NamedTuple):
    """What stat tells of one file."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class Guard(NamedTuple):
    """A database and its companions as they stood at one moment. Equal guards: nothing was written in between."""

    main: FileState | None
    wal: FileState | None
    shm: FileState | None
    journal: FileState | None

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode of the main file: which file it is, whatever it holds. None where it is gone."""
        return None if self.main is None else (self.main.device, self.main.inode)

    @property
    def newest_ns(self) -> int:
        """When any of them was touched last."""
        states = (self.main, self.wal, self.shm, self.journal)
        return max((max(state.modified_ns, state.changed_ns) for state in states if state), default=0)


def guard_of(path: str) -> Guard:
    """Stat the database at ``path`` (links resolved) and its companions. Opens nothing."""
    return Guard(state_of(path), state_of(f"{path}-wal"), state_of(f"{path}-shm"), state_of(f"{path}-journal"))


class Watched:
    """A database and its companions, asked after each read whether anything of them has moved: so it is quick."""

    def __init__(self, path: str, before: Guard) -> None:
        """Compare with ``before``, the guard of the database at ``path`` (links resolved)."""
        self._path = path
        self._main = before.main
        beside = [(path + suffix, state) for suffix, state in zip(SUFFIXES, before[1:], strict=True)]
        self._absent = [path for path, state in beside if state is None]
        self._present = [(path, state) for path, state in beside if state is not None]

    def has_changed(self) -> bool:
        """Say whether the guard is another one now."""
        try:
            found = os.lstat(self._path)
        except OSError:
            return self._main is not None
        if (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns) != self._main:
            return True
        for path in self._absent:
            # Asked for without an error, which would take as long as all the rest.
            if os.access(path, os.F_OK):
                return True
        return any(state_of(path) != state for path, state in self._present)


def refuse_odd_companions(path: str, name: str) -> None:
    """Raise Unreadable where a companion is a link or no file: SQLite would refuse it, or read what was not meant."""
    for suffix in SUFFIXES:
        try:
            found = Path(path + suffix).lstat()
        except OSError:
            continue
        if stat.S_ISLNK(found.st_mode):
            raise Unreadable(f"{name} cannot be read: {name}{suffix} beside it is a link to another file.")
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable(f"{name} cannot be read: {name}{suffix} beside it is no file.")


def not_there(path: str, name: str) -> str:
    """Say that there is no database at ``path``, and where something of it was left there alone, that too."""
    for suffix in ("-wal", "-journal"):
        state = state_of(path + suffix)
        if state is not None and state.size:
            return (
                f"{name} is not there, only its {suffix}: that cannot be read without it. Put both into one folder, "
                f"and open {name}."
            )
    return f"{name} is not there."


def other_wal(name: str) -> str:
    """Say of a database that is damaged, with a -wal beside it that no service has open, what may be why.

    SQLite takes any -wal whose checksums are right: nothing in it says which database it belongs to.
    """
    return (
        f"The -wal beside {name} may be of another database, or of another state of this one: to compare, copy {name} "
        "without it into another folder, and open that copy."
    )


def is_shorter(now: FileState | None, before: FileState | None) -> bool:
    """Say whether a file that is there is shorter than it was."""
    return now is not None and before is not None and now.size < before.size


def was_written(now: FileState | None, before: FileState | None) -> bool:
    """Say whether a file that is there holds something else than before, as far as stat tells.

    When its inode was changed says nothing: as root, SQLite sets the owner of each -wal that it opens.
    """
    return now is not None and before is not None and now[:-1] != before[:-1]


def state_of(path: str) -> FileState | None:
    """Stat the file at ``path``; None where none is there."""
    try:
        # At every read: a Path takes three times as long as the question.
        found = os.lstat(path)
    except OSError:
        return None
    return FileState(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
