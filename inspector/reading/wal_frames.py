"""Whether a -wal holds the frames that its -shm says are in it.

Where a -wal is cut off under its service, the service goes on behind the cut, and a hole of zeros is left that SQLite
reads, and at the next checkpoint moves into the main file, without a word. Only when it recovers a -wal does SQLite ask
for what is asked for here: that each frame carries the salts of the header (https://sqlite.org/fileformat.html,
section 4.1).
"""

import os
from collections.abc import Iterable
from itertools import chain
from typing import Final

from inspector.lmsp.values import value
from inspector.reading.companions import FileState, state_of
from inspector.reading.header import WAL_FRAME_BYTES, WAL_HEADER_BYTES, is_wal_header

_HEADER_SALTS: Final = slice(16, 24)
_SALTS_AT: Final = 8
_SALTS_BYTES: Final = 8
_MOST_FIRST: Final = 8_192
"""So many frames are looked at when a -wal is first met."""
_MOST_LATER: Final = 256
"""So many of those that came since the last look."""
_NEWEST: Final = 64
"""So many at the end are among them, whatever comes before."""


@value
class Told:
    """What a -shm says that there is in its -wal."""

    frames: int
    page_bytes: int
    salts: bytes

    @property
    def frame_bytes(self) -> int:
        """How long a frame is: a header and a page."""
        return WAL_FRAME_BYTES + self.page_bytes

    def start_of(self, number: int) -> int:
        """Where frame ``number`` begins, from 1 on; at one more than there are, where they end."""
        return WAL_HEADER_BYTES + (number - 1) * self.frame_bytes


class WalFrames:
    """The frames of one -wal, looked at again and again: each time at those that are new."""

    def __init__(self, wal: str) -> None:
        """Look at the file ``wal``, which is opened for each look at something new, and closed again."""
        self._path = wal
        self._told: Told | None = None
        self._state: FileState | None = None
        self._newest = b""

    def lack_some(self, told: Told) -> bool:
        """Say whether not all that ``told`` tells of is there. False where no -wal is.

        A service may begin its -wal anew meanwhile: the answer counts if it still tells of the same salts afterwards.
        Where neither the file nor what is told of it is new, that costs one stat. A hole that was cut since the last
        look reaches over the frame that was the newest one then, or lies among those that came behind it.
        """
        state = state_of(self._path)
        if state is None or (told == self._told and state == self._state):
            return False
        if state.size < told.start_of(told.frames + 1):
            return True
        known = self._told if self._told is not None and _goes_on(self._told, told) else None
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            if not _has_header(descriptor, told) or not _carry_salts(descriptor, told, known):
                return True
            if known is not None and _frame(descriptor, known) != self._newest:
                return True
            self._newest = _frame(descriptor, told)
        finally:
            os.close(descriptor)
        self._told, self._state = told, state
        return False


def _goes_on(earlier: Told, told: Told) -> bool:
    same = (earlier.salts, earlier.page_bytes) == (told.salts, told.page_bytes)
    return same and earlier.frames <= told.frames


def _has_header(descriptor: int, told: Told) -> bool:
    first = os.pread(descriptor, WAL_HEADER_BYTES, 0)
    return is_wal_header(first) and first[_HEADER_SALTS] == told.salts


def _carry_salts(descriptor: int, told: Told, known: Told | None) -> bool:
    chosen = _chosen(1, told.frames, _MOST_FIRST) if known is None else _chosen(known.frames, told.frames, _MOST_LATER)
    at = WAL_HEADER_BYTES + _SALTS_AT - told.frame_bytes
    # A thousand frames at each opening of a live file: nothing is made for one that could be made before.
    pread, each, salts = os.pread, told.frame_bytes, told.salts
    return all(pread(descriptor, _SALTS_BYTES, at + number * each) == salts for number in chosen)


def _chosen(first: int, last: int, most: int) -> Iterable[int]:
    """Return the numbers from ``first`` to ``last``; of more than ``most`` some at equal distances, and the newest."""
    count = last - first + 1
    if count <= most:
        return range(first, last + 1)
    spread = most - _NEWEST
    return chain(
        (first + each * (count - _NEWEST) // spread for each in range(spread)), range(last - _NEWEST + 1, last + 1)
    )


def _frame(descriptor: int, told: Told) -> bytes:
    """Return the last frame that ``told`` tells of: what is committed is written once."""
    return os.pread(descriptor, told.frame_bytes, told.start_of(told.frames))
