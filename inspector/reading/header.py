"""The first hundred bytes of a file: whether it is SQLite's, and what it says of itself."""

import os
import stat
from typing import Final, NamedTuple

from inspector.layout.native import APPLICATION_ID
from inspector.lmsp.values import value
from inspector.reading.companions import SUFFIXES, state_of
from inspector.reading.errors import Unreadable

_MAGIC: Final = b"SQLite format 3\x00"
HEADER_BYTES: Final = 100
LONGEST_PAGE: Final = 1 << 16
CHANGES: Final = slice(24, 28)
"""Where it counts transactions: all of them in rollback-journal mode, those that change the first page in WAL mode."""
COOKIE: Final = slice(40, 44)
"""Where it counts changes of the schema."""
_MARK: Final = slice(68, 72)
_TEXT_PROBE: Final = 512
_WAL_FORMAT: Final = 2
_NEWEST_SCHEMA_FORMAT: Final = 4
WAL_HEADER_BYTES: Final = 32
WAL_FRAME_BYTES: Final = 24
"""What stands before each page in a -wal."""
JOURNAL_HEADER_BYTES: Final = 28
JOURNAL_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
"""What a rollback journal that waits begins with, and a super-journal's name in it ends with."""

_WAL_MAGIC: Final = 0x377F0683
_SHM_VERSION: Final = 3_007_000
_SHM_COPY: Final = 48
"""Where a -shm says once more what it begins with."""


class NotSqlite(Unreadable):
    """The file is no database; ``first`` is what it begins with."""

    def __init__(self, sentence: str, first: bytes) -> None:
        super().__init__(sentence)
        self.first = first


class Counts(NamedTuple):
    """What a header counts, and a service's own transactions only ever raise."""

    changes: int
    cookie: int


@value
class Header:
    """What the header of a database says."""

    wal: bool
    """Whether the file is in WAL mode."""
    missing_bytes: int
    """By how much the file is shorter than its header says; 0 where it is whole, or where the header does not know."""
    counts: Counts | None
    is_marked: bool
    """Whether it is marked as one of the native layout."""


def read_header(path: str, name: str) -> Header:
    """Read the header of the database at ``path``, which ``name`` stands for in sentences.

    Raises Unreadable, which is NotSqlite where the first bytes are not SQLite's: they may be an archive's.

    Opens and closes the file: not for a process that holds a SQLite connection to it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable(f"{name} is no file.")
        first = os.pread(descriptor, _TEXT_PROBE, 0)
    finally:
        os.close(descriptor)
    if not first:
        _refuse_companion(path, name, first)
        beside = state_of(f"{path}-wal")
        if beside is not None and beside.size:
            raise Unreadable(
                f"{name} is empty, though a -wal lies beside it: it was emptied, or not copied whole. Copy it again "
                "while no service has it open."
            )
        raise Unreadable(f"{name} is empty: no service has written to it yet.")
    if not is_sqlite(first):
        _refuse_companion(path, name, first)
        raise NotSqlite(_not_sqlite(first, name), first)
    if len(first) < HEADER_BYTES:
        raise Unreadable(f"{name} cannot be read: it ends within its header. It was cut off, or not copied to its end.")
    if first[19] > _WAL_FORMAT or int.from_bytes(first[44:48], "big") > _NEWEST_SCHEMA_FORMAT:
        raise Unreadable(f"{name} cannot be read: a newer SQLite made it.")
    return Header(
        wal=is_wal(first),
        missing_bytes=_missing(first, found.st_size),
        counts=counts_of(first),
        is_marked=_is_marked(first),
    )


def is_sqlite(first: bytes) -> bool:
    """Say whether a file that begins with these bytes is SQLite's."""
    return first.startswith(_MAGIC)


def counts_of(first: bytes) -> Counts | None:
    """Return what a file that begins with these bytes counts. None where it is not SQLite's."""
    if len(first) < HEADER_BYTES or not is_sqlite(first):
        return None
    return Counts(int.from_bytes(first[CHANGES], "big"), int.from_bytes(first[COOKIE], "big"))


def is_lower(now: int, then: int) -> bool:
    """Say whether a number of 32 bits that is only ever raised was set back. It may go round."""
    return (now - then) % (1 << 32) >= 1 << 31


def page_bytes(first: bytes) -> int:
    """Return how long a page is of a file that begins with these bytes, as far as they tell."""
    stored = int.from_bytes(first[16:18], "big")
    # As SQLite writes 65,536 into two bytes.
    return LONGEST_PAGE if stored == 1 else stored


def is_wal(first: bytes) -> bool:
    """Say whether a file with this header is in WAL mode."""
    return _WAL_FORMAT in first[18:20]


def missing_bytes(path: str) -> int:
    """Return by how much the database at ``path`` is shorter than its header says; 0 where that is not known.

    Opens and closes the file: not for a process that has a connection to it.
    """
    found, first = state_of(path), first_bytes(path, HEADER_BYTES)
    return _missing(first, found.size) if found is not None and counts_of(first) is not None else 0


def first_bytes(path: str, count: int) -> bytes:
    """Return up to ``count`` bytes from the start of a companion; none where it cannot be. Opens and closes it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, count, 0)
    finally:
        os.close(descriptor)


def last_bytes(path: str, count: int) -> tuple[bytes, int]:
    """Return up to ``count`` bytes from the end of a file, and its size; nothing where it cannot be opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b"", 0
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, count, max(0, size - count)), size
    finally:
        os.close(descriptor)


def is_hot(journal: bytes) -> bool:
    """Say whether SQLite takes a -journal that begins with these bytes for one that is to be rolled back first."""
    return journal[:1] not in (b"", b"\0")


def journal_rolls_back(first: bytes) -> bool:
    """Say whether SQLite rolls back a -journal whose header is ``first``, or takes nothing from it.

    By https://sqlite.org/fileformat.html, section 3.
    """
    return first.startswith(JOURNAL_MAGIC) and _is_size(first[20:24], 32) and _is_size(first[24:28], 512)


def wal_holds_frames(path: str) -> bool:
    """Say whether the -wal at ``path`` may hold anything: SQLite takes one without a header of its own for empty.

    Opens and closes the file, as :func:`read_header` does. False where it cannot be opened.
    """
    first = first_bytes(path, WAL_HEADER_BYTES + 1)
    return len(first) > WAL_HEADER_BYTES and is_wal_header(first)


def is_wal_header(first: bytes) -> bool:
    """Say whether a -wal that begins with these bytes has a header that SQLite takes for one."""
    return int.from_bytes(first[:4], "big") | 1 == _WAL_MAGIC and _is_size(first[8:12], 512)


def _is_size(stored: bytes, least: int) -> bool:
    """Say whether this can be the size of a page or sector."""
    size = int.from_bytes(stored, "big")
    return least <= size <= LONGEST_PAGE and size.bit_count() == 1


def _not_sqlite(first: bytes, name: str) -> str:
    if _MAGIC.startswith(first):
        return f"{name} cannot be read: it ends within its header. It was cut off, or not copied to its end."
    try:
        text = first.decode("utf-8")
    except UnicodeDecodeError as error:
        text = first.decode("utf-8", "ignore") if error.start > len(first) - 4 else ""
    if text and all(character.isprintable() or character in "\t\r\n" for character in text):
        return f"{name} cannot be read: it is a text file."
    return f"{name} cannot be read: its first page is not SQLite's. It may be encrypted, or another kind of file."


def _is_marked(first: bytes) -> bool:
    return int.from_bytes(first[_MARK], "big") == APPLICATION_ID


def _refuse_companion(path: str, name: str, first: bytes) -> None:
    """Raise NotSqlite where a file is what SQLite keeps beside a database: by its name, or by what it begins with."""
    holds = _companion_kind(first)
    named = next((suffix for suffix in SUFFIXES if name.endswith(suffix) and name != suffix), None)
    if named is None:
        if holds is None:
            return
        raise NotSqlite(
            f"{name} is no database but the {holds} of one, and is read together with it: put it beside the database "
            f"that it belongs to, under that one's name and {holds}, and open the database.",
            first,
        )
    of, database = name.removesuffix(named), path.removesuffix(named)
    if is_sqlite(first_bytes(database, len(_MAGIC))) or (holds is not None and state_of(database) is not None):
        raise NotSqlite(f"{name} is no database but the {named} of {of}, which lies beside it: open {of}.", first)
    if holds is not None:
        raise NotSqlite(
            f"{name} is no database but the {holds} of one, and by its name of {of}, which is not there: put it beside "
            f"{of}, and open that.",
            first,
        )


def _companion_kind(first: bytes) -> str | None:
    """Return what is kept beside a database and begins with these bytes, by the end of its name."""
    if len(first) >= WAL_HEADER_BYTES and is_wal_header(first):
        return "-wal"
    if first.startswith(JOURNAL_MAGIC):
        return "-journal"
    twice = first[:4], first[_SHM_COPY : _SHM_COPY + 4]
    is_shm = any(twice == (number, number) for number in (_SHM_VERSION.to_bytes(4, "little"), _SHM_VERSION.to_bytes(4)))
    return "-shm" if is_shm else None


def _missing(first: bytes, size: int) -> int:
    pages = int.from_bytes(first[28:32], "big")
    if first[24:28] != first[92:96]:
        return 0  # an older SQLite wrote last: the number of pages is not kept
    return max(0, pages * page_bytes(first) - size)
