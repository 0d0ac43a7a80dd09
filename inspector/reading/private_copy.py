"""A private copy of a database that cannot be read in place, by faults.md 3.2."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from inspector.reading.companions import Guard, guard_of
from inspector.reading.errors import Unreadable
from inspector.reading.header import JOURNAL_MAGIC, first_bytes
from inspector.reading.whole_copies import take_in_companions

_PREFIX: Final = "lmsp-inspector-copy-"
_CHUNK: Final = 1 << 20
_SPARE: Final = 64 << 20
_TRIES: Final = 3


class PrivateCopy:
    """A copy in a folder that only this user can enter; gone with :meth:`remove`."""

    def __init__(self) -> None:
        _remove_orphans()
        self._folder = _temporary_folder() / f"{_PREFIX}{os.getpid()}-{os.urandom(8).hex()}"
        try:
            self._folder.mkdir(mode=0o700)
        except OSError as error:
            raise Unreadable(f"No private copy can be made in {self._folder.parent}: {error.strerror}.") from error
        self.path = str(self._folder / "copy.db")

    def fill(self, path: str, name: str, *, hot: bool, should_stop: Callable[[], bool]) -> None:
        """Copy the database at ``path`` with its -wal or -journal; a ``hot`` journal is rolled back in the copy.

        Raises Unreadable where there is no room, a part is no regular file, or it keeps changing.
        """
        copy_files(path, self.path, name, should_stop=should_stop)
        if hot:
            take_in_companions(self.path)

    def settle(self, *, hot: bool) -> None:
        """Make a database that was put at :attr:`path` in another way what :meth:`fill` leaves there."""
        settle_journal(self.path)
        if hot:
            take_in_companions(self.path)

    def remove(self) -> None:
        """Remove the copy. A second time does nothing."""
        _remove(self._folder)


def copy_files(path: str, target: str, name: str, *, should_stop: Callable[[], bool]) -> None:
    """Copy a database that nobody writes, with its -wal and -journal, to ``target``: never the -shm.

    A super-journal's name is cut off the journal, and one that is no journal is left out. Raises Unreadable where there
    is no room, a part is no regular file, or it keeps changing.
    """
    for _ in range(_TRIES):
        before = guard_of(path)
        _require_room(before, target, name)
        for suffix in ("", "-wal", "-journal"):
            _copy(path + suffix, target + suffix, name + suffix, should_stop)
        if guard_of(path) == before:
            settle_journal(target)
            return
    raise Unreadable(f"{name} cannot be copied: it keeps changing.")


def settle_journal(path: str) -> None:
    """Make the -journal beside the copy at ``path`` safe, and leave out one that is none."""
    if first_bytes(f"{path}-journal", len(JOURNAL_MAGIC)) == JOURNAL_MAGIC:
        cut_super_journal(f"{path}-journal")
    else:
        Path(f"{path}-journal").unlink(missing_ok=True)


def cut_super_journal(journal: str) -> None:
    """Cut the name of a super-journal off a rollback journal: SQLite would delete the file that it names."""
    try:
        with Path(journal).open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size < 20:
                return
            file.seek(size - 16)
            length = int.from_bytes(file.read(4), "big")
            file.seek(size - 8)
            if file.read(8) == JOURNAL_MAGIC and 20 + length <= size:
                file.truncate(size - 20 - length)
    except FileNotFoundError:
        return


def _require_room(guard: Guard, target: str, name: str) -> None:
    needed = sum(state.size for state in (guard.main, guard.wal, guard.journal) if state)
    room = os.statvfs(Path(target).parent)
    free = room.f_bavail * room.f_frsize
    if needed + _SPARE > free:
        wanted = f"{needed + _SPARE:,} bytes are needed, {_SPARE >> 20} MiB to be left free among them"
        raise Unreadable(f"{name} cannot be copied: {wanted}, and {free:,} are free.")


def _copy(source: str, target: str, name: str, should_stop: Callable[[], bool]) -> None:
    Path(target).unlink(missing_ok=True)
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENAMETOOLONG):
            # A companion whose name is too long cannot be there either.
            return
        raise Unreadable(f"{name} cannot be copied: {error.strerror}.") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(f"{name} cannot be copied: it is no file.")
        with Path(target).open("xb") as writing:
            while chunk := os.read(descriptor, _CHUNK):
                if should_stop():
                    raise Unreadable(f"{name} was not copied to its end.")
                writing.write(chunk)
    except OSError as error:
        raise Unreadable(f"{name} cannot be copied: {error.strerror}.") from error
    finally:
        os.close(descriptor)


def _temporary_folder() -> Path:
    # Not by tempfile: every reader would load it before its first page, and next to none makes a copy.
    return Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108  the folder in it is ours alone, under a random name


def _remove(folder: Path) -> None:
    with suppress(OSError):
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def _remove_orphans() -> None:
    """Remove copies of readers that were killed before they could."""
    for folder in _temporary_folder().glob(f"{_PREFIX}*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            found = folder.lstat()
            orphaned = pid.isdecimal() and not Path(f"/proc/{pid}").exists()
            if orphaned and stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
                _remove(folder)
        except OSError:
            continue
