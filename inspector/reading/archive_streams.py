"""An archive as a stream of bytes that is read once, with a bound on each read, on memory and on what comes out."""

import gzip
import os
import struct
import zlib
from collections.abc import Callable
from typing import BinaryIO, Final, Protocol

from inspector.reading.archive_kinds import ArchiveKind
from inspector.reading.errors import Unreadable

_CHUNK: Final = 1 << 16
_LARGEST_READ: Final = 8 << 20
"""A zip's list of contents is read in one piece: so long is that of some 60,000 members with ordinary names."""
_XZ_MEMORY: Final = 512 << 20
"""``xz -9`` needs 65 MiB to be unpacked."""
_LEAST: Final = 512 << 20
_RATIO: Final = 200
_MOST: Final = 64 << 30

_TROUBLE: Final = (OSError, EOFError, zlib.error, struct.error, ValueError)
"""What unpacking raises at bytes that it cannot read. (What the disk reports is told before, see Bounded.)"""


class Broken(Exception):
    """The archive cannot be read any further. ``cut_off``: it ends too early; else something in it is wrong."""

    def __init__(self, *, cut_off: bool) -> None:
        super().__init__("cut off" if cut_off else "damaged")
        self.cut_off = cut_off


class Meter:
    """Counts what comes out of an archive, and raises Unreadable where that is too much or is to stop."""

    def __init__(self, name: str, packed: int, should_stop: Callable[[], bool]) -> None:
        """``packed`` is the size of the archive: what comes out may be a multiple of it, and no more."""
        self._name = name
        self._left = self._most = min(_MOST, max(_LEAST, _RATIO * packed))
        self._should_stop = should_stop

    def tick(self) -> None:
        """Raise Unreadable where somebody wants this to stop."""
        if self._should_stop():
            raise Unreadable(f"{self._name} was not unpacked to its end.")

    def count(self, number: int) -> None:
        """Count so many bytes."""
        self.tick()
        self._left -= number
        if self._left < 0:
            raise Unreadable(
                f"{self._name} is not unpacked: more than {self._most:,} bytes come out of it, as out of a file that "
                "was made to fill a disk. If you trust it, unpack it yourself and open what comes out."
            )


class Bounded:
    """The archive's own file: no read of it is large, and each may be the last."""

    def __init__(self, file: BinaryIO, name: str, meter: Meter) -> None:
        self._file = file
        self.name = name
        self._meter = meter
        self.size = os.fstat(file.fileno()).st_size

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes, or all that are left. Raises Unreadable where those are very many."""
        self._meter.tick()
        # Python makes room for all that it is asked for, before it looks how much there is.
        wanted = _LARGEST_READ + 1 if size < 0 else min(size, _LARGEST_READ + 1)
        try:
            data = self._file.read(wanted)
        except OSError as error:
            raise Unreadable(f"{self.name} cannot be read: {error.strerror}.") from error
        if len(data) > _LARGEST_READ:
            raise Unreadable(
                f"{self.name} holds too many files to be looked through. Unpack it, and open the database that comes "
                "out."
            )
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place of the file, and return it. Raises OSError where there can be none."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place in the file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Say that one can go anywhere."""
        return True


class Stream:
    """Bytes that are read in their order, once; what is not wanted is skipped."""

    def __init__(self, file: Bounded, kind: ArchiveKind, meter: Meter) -> None:
        """Read ``file``, unpacked where ``kind`` says that it is compressed."""
        self._file = file
        self._meter = meter
        self._is_plain = kind is ArchiveKind.TAR
        self._source = _unpacked(file, kind)
        self._ahead = b""

    def read1(self, size: int) -> bytes:
        """Return what comes next, at least a byte and at most ``size``; nothing at the end. Raises Broken."""
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data
        try:
            data = self._source(size)
        except _TROUBLE as error:
            raise Broken(cut_off=isinstance(error, EOFError)) from error
        self._meter.count(0 if self._is_plain else len(data))
        return data

    def exactly(self, size: int) -> bytes:
        """Return ``size`` bytes, or as many as there are left. Raises Broken."""
        data = bytearray()
        while len(data) < size and (more := self.read1(size - len(data))):
            data += more
        return bytes(data)

    def peek(self, size: int) -> bytes:
        """Return the same without taking them: the next read gives them again."""
        self._ahead = self.exactly(size)
        return self._ahead

    def skip(self, size: int) -> None:
        """Leave out ``size`` bytes. Raises Broken where there are less."""
        taken = min(size, len(self._ahead))
        self._ahead = self._ahead[taken:]
        left = size - taken
        if self._is_plain:
            if self._file.tell() + left > self._file.size:
                raise Broken(cut_off=True)
            self._file.seek(left, os.SEEK_CUR)
            return
        while left:
            data = self.read1(min(left, _CHUNK))
            if not data:
                raise Broken(cut_off=True)
            left -= len(data)

    def drain(self) -> None:
        """Read to the end, where a compressed archive says what the sum of it all should be. Raises Broken."""
        while not self._is_plain and self.read1(_CHUNK):
            pass


def _unpacked(file: Bounded, kind: ArchiveKind) -> Callable[[int], bytes]:
    match kind:
        case ArchiveKind.GZIP:
            return gzip.GzipFile(fileobj=file, mode="rb").read1
        case ArchiveKind.BZIP2 | ArchiveKind.XZ:
            try:
                return _Packed(file, *_decompressor(kind)).read1
            except ImportError as error:
                raise Unreadable(
                    f"{file.name} cannot be unpacked: this Python was built without {kind}. Unpack it, and open the "
                    "database that comes out."
                ) from error
        case _:
            return file.read


def _decompressor(kind: ArchiveKind) -> "tuple[Callable[[], _Decompressor], type[Exception]]":
    """Return how to begin a stream of this kind, and what is raised where it makes no sense."""
    # There are Pythons without one of these, and they open a zip as well as any.
    if kind is ArchiveKind.BZIP2:
        import bz2  # noqa: PLC0415  as above

        return bz2.BZ2Decompressor, OSError
    import lzma  # noqa: PLC0415  as above

    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), lzma.LZMAError


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Packed:
    """The streams of a bzip2 or xz file, one after another. LZMAFile would take as much memory as the file wants."""

    def __init__(self, file: Bounded, new: "Callable[[], _Decompressor]", trouble: type[Exception]) -> None:
        self._file = file
        self._new = new
        self._trouble = trouble
        self._now = new()

    def read1(self, size: int) -> bytes:
        data = b""
        while not data:
            packed = b""
            if self._now.eof:
                packed = (self._now.unused_data or self._file.read(_CHUNK)).lstrip(b"\0")
                if not packed:
                    return b""
                self._now = self._new()
            elif self._now.needs_input:
                packed = self._file.read(_CHUNK)
                if not packed:
                    raise EOFError
            try:
                data = self._now.decompress(packed, size)
            except self._trouble as error:
                raise Broken(cut_off=False) from error
        return data
