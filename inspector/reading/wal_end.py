"""How a -wal ends: what stands behind its last whole commit is left out by SQLite without a word.

The format is that of SQLite's file format document, section 4: a header of 32 bytes, then frames of 24 bytes and a
page; a frame counts where its salts are those of the header and its checksum goes on from the frame before it.
"""

import os
import struct
from collections.abc import Iterator
from typing import Final

from inspector.reading.header import wal_holds_frames
from inspector.reading.wal_frames import Told

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_SALTS: Final = slice(16, 24)
_BIG_ENDIAN: Final = 0x377F0683
_MOST_SUMMED: Final = 4 << 20
"""Of a longer -wal the checksums are not computed: its sentence must not wait for that."""
_MOST_FRAMES: Final = 1 << 18
_WORD: Final = 0xFFFFFFFF


def pages_left_out(path: str, told: Told | None = None) -> int:
    """Return how many pages of the -wal at ``path``, whole or not, belong to it and stand behind its last whole commit.

    Also those that its -shm told of, where that is known, and those behind a hole. What is left there of an earlier
    round is none of them. 0 where it cannot be read. Opens and closes the file.
    """
    if not wal_holds_frames(path):
        return 0
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return _left_out(descriptor, os.fstat(descriptor).st_size, told)
    except OSError:
        return 0
    finally:
        os.close(descriptor)


def _left_out(descriptor: int, size: int, told: Told | None) -> int:
    first = os.pread(descriptor, _HEADER.size, 0)
    magic, _version, page, _round, *_salts, _sum_1, _sum_2 = _HEADER.unpack(first)
    checked = _Sum(magic == _BIG_ENDIAN, first[: _HEADER.size - 8]) if size <= _MOST_SUMMED else None
    committed = 0
    # After a loss of power a -shm may tell of another round.
    last = told.frames if told is not None and told.salts == first[_SALTS] else 0
    whole = checked is None or checked.is_at(first[-8:])
    for number, (frame, content) in enumerate(_frames(descriptor, page, read_pages=checked is not None), start=1):
        is_one = len(frame) == _FRAME.size and frame[8:16] == first[_SALTS]
        if is_one:
            last = max(last, number)
        whole = whole and is_one
        if whole and checked is not None:
            checked.take(frame[:8] + content)
            whole = len(content) == page and checked.is_at(frame[16:])
        if whole and frame[4:8] != b"\0\0\0\0":
            committed = number
    return max(0, last - committed)


def _frames(descriptor: int, page: int, *, read_pages: bool) -> Iterator[tuple[bytes, bytes]]:
    for number in range(_MOST_FRAMES):
        at = _HEADER.size + number * (_FRAME.size + page)
        data = os.pread(descriptor, _FRAME.size + (page if read_pages else 0), at)
        if not data:
            return
        yield data[: _FRAME.size], data[_FRAME.size :]


class _Sum:
    """The running checksum of a -wal: two numbers of 32 bits."""

    def __init__(self, big_endian: bool, header: bytes) -> None:
        self._order = ">" if big_endian else "<"
        self._first = self._second = 0
        self.take(header)

    def take(self, data: bytes) -> None:
        """Go on over ``data``; less than eight bytes at its end are passed over."""
        first, second = self._first, self._second
        words = struct.unpack(f"{self._order}{len(data) // 8 * 2}I", data[: len(data) // 8 * 8])
        for even, odd in zip(words[::2], words[1::2], strict=True):
            first = (first + even + second) & _WORD
            second = (second + odd + first) & _WORD
        self._first, self._second = first, second

    def is_at(self, stored: bytes) -> bool:
        """Say whether the checksum is the one that is stored."""
        return stored == struct.pack(">2I", self._first, self._second)
