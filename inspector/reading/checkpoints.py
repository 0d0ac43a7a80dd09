"""What the -shm tells of its -wal: whether pages of it were moved into the main file, and how long it has to be.

The layout is that of SQLite's WAL-index: https://sqlite.org/walformat.html, section 2.
"""

import os
import sys
from contextlib import suppress
from typing import Final

from inspector.reading.companions import state_of
from inspector.reading.locks import LockRange, holder_of_lock
from inspector.reading.wal_frames import Told, WalFrames

_CHECKPOINTER: Final = LockRange(121, 1)
_SALTS: Final = slice(32, 40)
_MOVED: Final = slice(96, 100)
_ABOUT_TO_BE_MOVED: Final = slice(128, 132)
_FRAMES: Final = slice(16, 20)
_PAGE_SIZE: Final = slice(14, 16)
_HEADER_BYTES: Final = 136
_ONE: Final = slice(0, 48)
_SAME: Final = slice(48, 96)
"""SQLite writes this one first: where both are the same, neither is half written."""


class Checkpoints:
    """The -shm, held open as long as the connection: closing it sooner would drop the connection's locks."""

    def __init__(self, path: str) -> None:
        """Open the -shm of the database at ``path`` (links resolved); where that cannot be done, nothing is known."""
        self._frames = WalFrames(f"{path}-wal")
        self._path = f"{path}-shm"
        self._descriptor = -1
        with suppress(OSError):
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)

    def progress(self) -> bytes | None:
        """Return how far the -wal has been moved: another value after each checkpoint. None where that is not known."""
        first = self._header()
        return None if first is None else first[_SALTS] + first[_MOVED] + first[_ABOUT_TO_BE_MOVED]

    def may_have_run_since(self, progress: bytes | None) -> bool:
        """Say whether another process may have written to the main file since that was told: also where none can say.

        What it wrote before now is told of, since it holds its lock until it has written how far it came. Of one that
        died before it came to that, nothing more is told.
        """
        if progress is None or _is_unfinished(progress):
            return True
        return holder_of_lock(self._descriptor, _CHECKPOINTER) is not None or self.progress() != progress

    def wal_is_cut(self) -> bool:
        """Say whether the -wal is known to lack what is said to be in it: its end, its beginning, or what is between.

        Costs a read and a stat where nothing is new.
        """
        told = self.told()
        if told is None or not self._frames.lack_some(told):
            return False
        # A service may begin its -wal anew, which it tells first, or close it and make another one: then that was
        # looked at.
        again = self.told()
        return again is not None and again.salts == told.salts and self.is_in_use()

    def is_in_use(self) -> bool:
        """Say whether the -shm that is open here is the one that lies beside the file now."""
        found, mine = state_of(self._path), os.fstat(self._descriptor)
        return found is not None and (found.device, found.inode) == (mine.st_dev, mine.st_ino)

    def told(self) -> Told | None:
        """Return what is in the -wal. None where nothing is, where that is not known, or is being written down."""
        first = self._header()
        if first is None or first[_ONE] != first[_SAME] or not _number(first[_FRAMES]):
            return None
        page = _number(first[_PAGE_SIZE])
        # As SQLite writes 65,536 into two bytes.
        return Told(_number(first[_FRAMES]), page if page != 1 else 1 << 16, first[_SALTS])

    def _header(self) -> bytes | None:
        if self._descriptor < 0:
            return None
        first = os.pread(self._descriptor, _HEADER_BYTES, 0)
        return first if len(first) == _HEADER_BYTES else None

    def close(self) -> None:
        """Let go of the -shm, after the connection. A second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _number(stored: bytes) -> int:
    return int.from_bytes(stored, sys.byteorder)


def _is_unfinished(progress: bytes) -> bool:
    moved, about_to_be_moved = progress[-8:-4], progress[-4:]
    return moved != about_to_be_moved
