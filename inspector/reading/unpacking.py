"""A database out of an archive into files of ours: read as a stream, under names of ours, as far as there is room.

Nothing of an archive is trusted: no member's name is a path, no link is followed, no size is believed.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from inspector.lmsp.values import value
from inspector.reading.archive_choice import COMPANIONS, Choice, Content, Member, choose, content_of
from inspector.reading.archive_entries import Entry, EntryKind, entries_of
from inspector.reading.archive_kinds import Archive
from inspector.reading.archive_streams import Broken, Meter
from inspector.reading.companions import state_of
from inspector.reading.errors import Unreadable
from inspector.reading.header import HEADER_BYTES

_CHUNK: Final = 1 << 18
_SPARE: Final = 64 << 20
_MOST: Final = 16 << 30
_TRIES: Final = 3


@value
class Unpacked:
    """What came out."""

    name: str
    """The database and its archive, visible: what sentences call it."""
    why: str
    """Why it is read from a copy."""
    notes: tuple[str, ...]
    is_whole: bool
    """Whether all of it could be read from the archive."""


def unpack(archive: Archive, target: str, *, should_stop: Callable[[], bool]) -> Unpacked:
    """Unpack the one database of an archive, or the one that is asked for, to ``target``, with its -wal and -journal.

    Raises Unreadable where there is none, more than one, no room for it, or nothing of it can be read.
    """
    for _ in range(_TRIES):
        before = state_of(archive.path)
        for suffix in COMPANIONS:
            Path(target + suffix).unlink(missing_ok=True)
        unpacked = _unpack(archive, target, should_stop)
        if state_of(archive.path) == before:
            return unpacked
    raise Unreadable(f"{archive.name} cannot be unpacked: it keeps changing.")


def _unpack(archive: Archive, target: str, should_stop: Callable[[], bool]) -> Unpacked:
    with _opened(archive) as file:
        packed = os.fstat(file.fileno()).st_size
        members, broken = _listed(archive, file, Meter(archive.name, packed, should_stop))
        try:
            choice = choose(archive, members)
        except Unreadable as error:
            raise error if broken is None else Unreadable(_said(archive, broken, error, members)) from error
        room = _Room(target, choice.name)
        wanted = {choice.database.number: ""} | {member.number: suffix for suffix, member in choice.companions}
        written = _written(archive, file, target, wanted, room, Meter(archive.name, packed, should_stop))
    faults = _faults(archive, choice, written)
    if broken is not None and not faults:
        faults = [f"{archive.name} {_word(broken)}: what stands behind that is not known."]
    beside = " and ".join(suffix for suffix, _ in choice.companions)
    what = f"{choice.name}, with its {beside}" if beside else choice.name
    return Unpacked(
        name=choice.name,
        why=f"Read from a private copy, because it lies in an archive: {what}.",
        notes=(*choice.notes, *faults),
        is_whole=not faults,
    )


def _opened(archive: Archive) -> BinaryIO:
    try:
        descriptor = os.open(archive.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Unreadable(f"{archive.name} cannot be read: {error.strerror}.") from error
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise Unreadable(f"{archive.name} is no file.")
    return file


def _listed(archive: Archive, file: BinaryIO, meter: Meter) -> tuple[list[Member], Broken | None]:
    """Look through the archive, and return what is in it with what ended that too early."""
    members: list[Member] = []
    try:
        for number, entry in enumerate(entries_of(archive, file, meter)):
            content = Content.OTHER
            if entry.kind is EntryKind.FILE and not 0 <= entry.size < HEADER_BYTES:
                try:
                    content = content_of(entry.beginning())
                except Broken:
                    # A tar ends here, as the next step says. The other members of a zip can be read all the same.
                    content = Content.OTHER
            members.append(Member(number, entry.name, entry.kind, content))
    except Broken as broken:
        return members, broken
    return members, None


def _said(archive: Archive, broken: Broken, error: Unreadable, members: list[Member]) -> str:
    told = f"{archive.name} {_word(broken)}"
    if not members:
        return f"{told}: nothing in it can be read. Copy it again."
    if any(member.content is Content.DATABASE for member in members):
        return error.sentence
    return f"{told}, and no database stands before that. Copy it again."


def _word(broken: Broken) -> str:
    return "was cut off, or not copied to its end" if broken.cut_off else "is damaged"


class _Room:
    """How much may be written, and what to say when it is used up."""

    def __init__(self, target: str, name: str) -> None:
        room = os.statvfs(Path(target).parent)
        self._free = max(0, room.f_bavail * room.f_frsize - _SPARE)
        self._name = name
        self._left = min(_MOST, self._free)

    def require(self, size: int) -> None:
        """Raise Unreadable where ``size`` bytes, which the archive only says, are too many already."""
        if size > self._left:
            raise self._none()

    def take(self, size: int) -> None:
        """Use up ``size`` bytes."""
        self.require(size)
        self._left -= size

    def _none(self) -> Unreadable:
        if self._free < _MOST:
            return Unreadable(
                f"{self._name} is not unpacked: it needs more than the {self._free:,} bytes that are free for private "
                "copies."
            )
        return Unreadable(
            f"{self._name} is not unpacked: more than {_MOST:,} bytes of it are no private copy any more. Unpack it "
            "yourself, and open the database that comes out."
        )


class _Written(NamedTuple):
    size: int
    broken: Broken | None


def _written(
    archive: Archive, file: BinaryIO, target: str, wanted: dict[int, str], room: _Room, meter: Meter
) -> dict[str, _Written]:
    """Write the wanted members, each told by its place in the archive, and return how much of each there was."""
    written: dict[str, _Written] = {}
    try:
        for number, entry in enumerate(entries_of(archive, file, meter)):
            if number in wanted:
                suffix = wanted[number]
                written[suffix] = _copied(archive, entry, target + suffix, room)
                if len(written) == len(wanted):
                    break
    except Broken:
        # What it was in the midst of has been told of; what comes behind that cannot be reached.
        return written
    return written


def _copied(archive: Archive, entry: Entry, target: str, room: _Room) -> _Written:
    room.require(entry.size)
    size = 0
    try:
        with Path(target).open("wb") as writing:
            while chunk := entry.read1(_CHUNK):
                room.take(len(chunk))
                writing.write(chunk)
                size += len(chunk)
    except Broken as broken:
        return _Written(size, broken)
    except OSError as error:
        raise Unreadable(f"{archive.name} cannot be unpacked: {error.strerror}.") from error
    return _Written(size, None)


def _faults(archive: Archive, choice: Choice, written: dict[str, _Written]) -> list[str]:
    """Say what of the wanted could not be read."""
    notes = []
    for suffix in ("", *(suffix for suffix, _ in choice.companions)):
        name = f"{choice.name}: its {suffix}" if suffix else choice.name
        size, broken = written.get(suffix, (0, Broken(cut_off=True)))
        if broken is None:
            continue
        if broken.cut_off:
            notes.append(f"{name} ends after {size:,} bytes: {archive.name} was cut off, or not copied to its end.")
        else:
            notes.append(f"{name} was damaged in the archive: {size:,} bytes could be read, and they may be wrong.")
    return notes
