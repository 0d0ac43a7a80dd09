"""What lies in an archive, one after another: what each is, and its bytes as a stream. No name is ever a path here."""

import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import BinaryIO, Final, cast

from inspector.reading.archive_kinds import PROBE, Archive, ArchiveKind, kind_of
from inspector.reading.archive_streams import Bounded, Broken, Meter, Stream
from inspector.reading.errors import Unreadable

MOST_ENTRIES: Final = 30_000
"""So many are looked through: more take longer than one waits for the sentence that there is no database."""

_LONGEST_HEADER: Final = 1 << 20
"""What a tar may say of one member. Names and times take less than a page."""
_FOR_ONE: Final = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_NO_MEMBERS: Final = (*_FOR_ONE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_SPARSE_MORE, _SPARSE_MORE_AGAIN = 482, 504
_FROM_UNIX: Final = 16
_ENCRYPTED: Final = 0x41
_READ_HERE: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The other ways to pack a zip's members are unpacked by zipfile without a bound for memory."""
_SUFFIXES: Final = (".gz", ".bz2", ".xz")

_ZIP_TROUBLE: Final = (
    zipfile.BadZipFile,
    OSError,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)
"""What zipfile raises at bytes that make no sense: an OSError is a place before the beginning."""


class EntryKind(Enum):
    """What a member is, as far as that decides whether it is read."""

    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    SPECIAL = auto()
    """A device, a pipe, or what else is no file."""
    ENCRYPTED = auto()
    ODDLY_PACKED = auto()
    """In a way that is not read here: with holes left out, or by a rare method."""


class Entry:
    """One member while it is its turn: its bytes can be read until the next one is asked for."""

    def __init__(self, name: str, kind: EntryKind, size: int, read1: Callable[[int], bytes]) -> None:
        """``size`` is what the archive says, -1 where it does not; ``read1`` gives the next bytes, none at the end."""
        self.name = name
        self.kind = kind
        self.size = size
        self.read1 = read1
        """Raises Broken."""

    def beginning(self) -> bytes:
        """Read its first bytes, :data:`PROBE` of them where there are as many. Raises Broken."""
        data = bytearray()
        while len(data) < PROBE and (more := self.read1(PROBE - len(data))):
            data += more
        return bytes(data)


def entries_of(archive: Archive, file: BinaryIO, meter: Meter) -> Iterator[Entry]:
    """Go through ``file``, which is the archive's, from its start. Raises Broken where it cannot be read any further.

    Raises Unreadable where there are too many members, or the meter says that it is enough.
    """
    bounded = Bounded(file, archive.name, meter)
    bounded.seek(0)
    entries = (
        _zipped(archive, bounded, meter) if archive.kind is ArchiveKind.ZIP else _streamed(archive, bounded, meter)
    )
    for number, entry in enumerate(entries):
        meter.tick()
        if number >= MOST_ENTRIES:
            raise _too_many(archive)
        yield entry


def _too_many(archive: Archive) -> Unreadable:
    return Unreadable(
        f"{archive.name} holds more than {MOST_ENTRIES:,} files and folders: that many are not looked through. Unpack "
        "it, and open the database that comes out."
    )


def _streamed(archive: Archive, file: Bounded, meter: Meter) -> Iterator[Entry]:
    stream = Stream(file, archive.kind, meter)
    if kind_of(stream.peek(PROBE)) is ArchiveKind.TAR:
        yield from _of_tar(stream)
        stream.drain()
    else:
        name = next((archive.name.removesuffix(end) for end in _SUFFIXES if archive.name.endswith(end)), archive.name)
        yield Entry(name or archive.name, EntryKind.FILE, -1, stream.read1)


def _of_tar(stream: Stream) -> Iterator[Entry]:
    """Read the headers one by one: TarFile itself follows chains of them, and searches in them for a long time."""
    told: dict[str, str] = {}
    while (header := _header(stream)) is not None:
        size = _number(told["size"]) if "size" in told else header.size
        if size < 0:
            raise Broken(cut_off=False)
        padded = -(-size // PROBE) * PROBE
        if header.type in _NO_MEMBERS:
            if size > _LONGEST_HEADER:
                raise Broken(cut_off=False)
            text = stream.exactly(padded)[:size]
            if len(text) < size:
                raise Broken(cut_off=True)
            told |= _told(header.type, text)
            continue
        # Links and folders may tell a size, and have no bytes all the same.
        has_bytes = header.isreg() or header.type not in tarfile.SUPPORTED_TYPES
        inside = _Inside(stream, size if has_bytes else 0)
        entry = Entry(told.get("path", header.name), _kind(header, told), size, inside.read1)
        told = {}
        yield entry
        inside.leave()


def _header(stream: Stream) -> tarfile.TarInfo | None:
    """Read the next header; None at the end of the archive. Raises Broken where it ends without saying so."""
    block = stream.exactly(PROBE)
    if len(block) < PROBE:
        raise Broken(cut_off=True)
    if not block.strip(b"\0"):
        return None
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.type == tarfile.GNUTYPE_SPARSE:
            more = block[_SPARSE_MORE]
            while more:
                block = stream.exactly(PROBE)
                if len(block) < PROBE:
                    raise Broken(cut_off=True)
                more = block[_SPARSE_MORE_AGAIN]
    except (tarfile.HeaderError, ValueError, OverflowError) as error:
        raise Broken(cut_off=False) from error
    return header


def _told(kind: bytes, text: bytes) -> dict[str, str]:
    """Return what a header of this kind says of the member behind it."""
    if kind == tarfile.GNUTYPE_LONGNAME:
        return {"path": text.partition(b"\0")[0].decode("utf-8", "surrogateescape")}
    found = {}
    while kind in _FOR_ONE and text.strip(b"\0"):
        length, _, rest = text.partition(b" ")
        size = _number(length.decode("ascii", "replace"))
        if size <= len(length) + 1 or size > len(text):
            raise Broken(cut_off=False)
        key, _, value = rest[: size - len(length) - 2].partition(b"=")
        found[key.decode("utf-8", "surrogateescape")] = value.decode("utf-8", "surrogateescape")
        text = text[size:]
    if "GNU.sparse.name" in found:
        found["path"] = found["GNU.sparse.name"]
    return found


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise Broken(cut_off=False)
    return int(text)


def _kind(header: tarfile.TarInfo, told: dict[str, str]) -> EntryKind:
    if header.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse.") for key in told):
        return EntryKind.ODDLY_PACKED
    if header.isreg():
        return EntryKind.FILE
    if header.isdir():
        return EntryKind.FOLDER
    return EntryKind.LINK if header.issym() or header.islnk() else EntryKind.SPECIAL


class _Inside:
    """One member's bytes within a tar."""

    def __init__(self, stream: Stream, size: int) -> None:
        self._stream = stream
        self._left = size
        self._padding = -size % PROBE

    def read1(self, size: int) -> bytes:
        if not self._left:
            return b""
        data = self._stream.read1(min(size, self._left))
        if not data:
            raise Broken(cut_off=True)
        self._left -= len(data)
        return data

    def leave(self) -> None:
        self._stream.skip(self._left + self._padding)


def _zipped(archive: Archive, file: Bounded, meter: Meter) -> Iterator[Entry]:
    try:
        zipped = zipfile.ZipFile(file)
    except _ZIP_TROUBLE as error:
        # Its list of contents stands at its end: without it hardly anything can be told for certain.
        raise Broken(cut_off=True) from error
    with zipped:
        if len(zipped.infolist()) > MOST_ENTRIES:
            raise _too_many(archive)
        for info in zipped.infolist():
            reading = _Zipped(zipped, info, meter)
            yield Entry(info.filename, _zipped_kind(info), info.file_size, reading.read1)
            reading.close()


def _zipped_kind(info: zipfile.ZipInfo) -> EntryKind:
    mode = info.external_attr >> _FROM_UNIX
    if info.filename.endswith("/") or stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return EntryKind.SPECIAL
    if info.flag_bits & _ENCRYPTED:
        return EntryKind.ENCRYPTED
    return EntryKind.FILE if info.compress_type in _READ_HERE else EntryKind.ODDLY_PACKED


class _Zipped:
    """One member's bytes within a zip. The sum is compared here: zipfile would keep the last bytes of a wrong one."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: Meter) -> None:
        self._archive = archive
        self._info = info
        self._meter = meter
        self._told = info.CRC
        self._sum = 0
        self._open: zipfile.ZipExtFile | None = None

    def read1(self, size: int) -> bytes:
        try:
            if self._open is None:
                del self._info.CRC
                self._open = cast("zipfile.ZipExtFile", self._archive.open(self._info))
            data = self._open.read1(size)
        except _ZIP_TROUBLE as error:
            raise Broken(cut_off=isinstance(error, EOFError)) from error
        self._meter.count(len(data))
        self._sum = zlib.crc32(data, self._sum)
        if not data and self._sum != self._told:
            raise Broken(cut_off=False)
        return data

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
