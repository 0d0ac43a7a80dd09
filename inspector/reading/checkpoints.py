"""Whether somebody moves pages from the -wal into the main file, as the -shm beside it tells.

The layout is that of SQLite's WAL-index: https://sqlite.org/walformat.html, section 2.
"""

import os
from contextlib import suppress
from typing import Final

from inspector.reading.locks import LockRange, holder_of_lock

_CHECKPOINTER: Final = LockRange(121, 1)
_SALTS: Final = slice(32, 40)
_MOVED: Final = slice(96, 100)
_ABOUT_TO_BE_MOVED: Final = slice(128, 132)
_HEADER_BYTES: Final = 136


class Checkpoints:
    """The -shm, held open as long as the connection: closing it sooner would drop the connection's locks."""

    def __init__(self, path: str) -> None:
        """Open the -shm of the database at ``path`` (links resolved); where that cannot be done, nothing is known."""
        self._descriptor = -1
        with suppress(OSError):
            self._descriptor = os.open(f"{path}-shm", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)

    def progress(self) -> bytes | None:
        """Return how far the -wal has been moved: another value after each checkpoint. None where that is not known."""
        if self._descriptor < 0:
            return None
        first = os.pread(self._descriptor, _HEADER_BYTES, 0)
        return first[_SALTS] + first[_MOVED] + first[_ABOUT_TO_BE_MOVED] if len(first) == _HEADER_BYTES else None

    def may_have_run_since(self, progress: bytes | None) -> bool:
        """Say whether another process may have written to the main file since that was told: also where none can say.

        What it wrote before now is told of, since it holds its lock until it has written how far it came. Of one that
        died before it came to that, nothing more is told.
        """
        if progress is None or _is_unfinished(progress):
            return True
        return holder_of_lock(self._descriptor, _CHECKPOINTER) is not None or self.progress() != progress

    def close(self) -> None:
        """Let go of the -shm, after the connection. A second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _is_unfinished(progress: bytes) -> bool:
    moved, about_to_be_moved = progress[-8:-4], progress[-4:]
    return moved != about_to_be_moved
