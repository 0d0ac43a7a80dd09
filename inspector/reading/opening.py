"""How a file is to be read: the table of design 6, decided without opening it through SQLite and without a write.

Call it only in a process that has no SQLite connection to the file yet: asking for locks opens and closes it.
"""

import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Final

from inspector.layout.opened import Mode
from inspector.layout.visible import visible
from inspector.lmsp.values import value
from inspector.reading.archive_kinds import LAST_PROBE, PROBE, Archive, ArchiveKind, ends_as_zip, kind_of, other_archive
from inspector.reading.checkpoints import Checkpoints
from inspector.reading.companions import Guard, guard_of, not_there, other_wal, refuse_odd_companions
from inspector.reading.errors import Unreadable
from inspector.reading.header import (
    JOURNAL_HEADER_BYTES,
    JOURNAL_MAGIC,
    Counts,
    Header,
    NotSqlite,
    first_bytes,
    is_hot,
    journal_rolls_back,
    last_bytes,
    read_header,
    wal_holds_frames,
)
from inspector.reading.holders import Holder, holders_of
from inspector.reading.live_companions import (
    refuse_companions_of_another,
    refuse_stray_journal,
    require_companions_of,
)
from inspector.reading.wal_end import pages_left_out

_LONGEST_PATH: Final = 504
"""SQLite takes 512 bytes, ``-journal`` included."""


@value
class Look:
    """What a look at a file found, and how it will be read."""

    path: str
    """Absolute, links resolved."""
    name: str
    """The last part of the path, made visible: what sentences call the file."""
    mode: Mode
    modes: tuple[Mode, ...]
    """Those that a wish for them is followed in."""
    why: str
    notes: tuple[str, ...]
    holder: Holder | None
    wal: bool
    """Whether the file is in WAL mode."""
    guard: Guard
    hot_journal: bool
    """Whether a -journal of an unfinished transaction lies beside it."""
    rolls_back: bool
    """Whether SQLite takes anything from that."""
    may_read_shm: bool
    """Whether there is permission for the -shm, where there is one."""
    faulty: bool
    """Whether pages of it are known to be missing or left out."""
    counts: Counts | None = None
    """What its header counts."""
    has_wal: bool = False
    """Whether a -wal that holds something lies beside it."""
    is_marked: bool = False
    """Whether the file itself, without its -wal, is marked as one of the native layout."""
    archive: Archive | None = None
    """The archive that it lies in; ``path`` is that one's then. What of it is read is found out by unpacking it."""

    @property
    def other_wal(self) -> tuple[str, ...]:
        """The sentence on what may be why the file is damaged: one or none."""
        return (other_wal(self.name),) if self.has_wal and self.holder is None else ()

    @property
    def place(self) -> str:
        """What to look at to have the same again: the path, and within an archive the member that was asked for."""
        member = None if self.archive is None else self.archive.member
        return self.path if member is None else f"{self.path}/{member}"


def look_at(
    path: str | os.PathLike[str], mode: Mode | None = None, *, was_live: bool = False, seen_changing: bool = False
) -> Look:
    """Decide how the database at ``path`` is read. Raises Unreadable with one sentence where it cannot be.

    ``mode`` is the user's wish: followed where it is safe, else refused with the reason. ``was_live`` says that we
    have read it live until now; ``seen_changing`` that a file in rollback-journal mode, where an idle service holds no
    lock, was changed while it was read.
    """
    real, name, member = _existing_file(path)
    try:
        if member is not None:
            return _look_at_member(real, name, member, mode)
        found, header, guard = _found(real, name, was_live=was_live, seen_changing=seen_changing)
    except NotSqlite as error:
        return _look_at_archive(real, name, None, mode, error)
    except OSError as error:
        # It went away under our hands, or the disk fails.
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from error
    chosen = found.mode() if mode is None else found.wished(mode)
    left_out = _left_out(real, chosen)
    missing = 0 if found.has_wal or found.hot_journal else header.missing_bytes
    return Look(
        path=real,
        name=name,
        mode=chosen,
        modes=tuple(each for each in Mode if found.may_be(each)),
        why=found.why(chosen, wished=mode is not None),
        notes=() if found.holder else found.notes(missing, left_out),
        holder=found.holder,
        wal=header.wal,
        guard=guard,
        hot_journal=found.hot_journal,
        rolls_back=found.rolls_back,
        may_read_shm=found.may_read_shm,
        faulty=not found.holder and bool(left_out or missing),
        counts=header.counts,
        has_wal=found.has_wal,
        is_marked=header.is_marked,
    )


def look_at_unpacked(look: Look, path: str, name: str, why: str) -> Look:
    """Return ``look``, which is of an archive, with what is known now that a database of it was unpacked to ``path``.

    ``name`` is what sentences call that, ``why`` says why it is read from a copy. Raises Unreadable as
    :func:`look_at` does.
    """
    found, header, _guard = _found(path, name, was_live=False, seen_changing=False)
    left_out = pages_left_out(f"{path}-wal")
    missing = 0 if found.has_wal or found.hot_journal else header.missing_bytes
    return replace(
        look,
        name=name,
        why=why,
        notes=found.notes(missing, left_out),
        wal=header.wal,
        hot_journal=found.hot_journal,
        rolls_back=found.rolls_back,
        faulty=bool(left_out or missing),
        has_wal=found.has_wal,
    )


def _look_at_member(real: str, name: str, member: str, mode: Mode | None) -> Look:
    """Look at a file that a path goes on behind: as into a folder, which an archive can stand for."""
    no_folder = NotSqlite(
        f"{visible(Path(member).name)} is not there: a part of its path is no folder.",
        first_bytes(real, PROBE),
    )
    return _look_at_archive(real, name, member, mode, no_folder)


def _look_at_archive(real: str, name: str, member: str | None, mode: Mode | None, error: NotSqlite) -> Look:
    """Look at a file that is no database. Raises ``error`` where it is no archive either."""
    kind = kind_of(error.first)
    if kind is None:
        other = other_archive(error.first)
        if other is None and ends_as_zip(*last_bytes(real, LAST_PROBE)):
            kind = ArchiveKind.ZIP
        elif other is None:
            raise error
    if kind is None:
        raise Unreadable(f"{name} is an archive ({other}) that is not opened here. Unpack it, and open the database.")
    if mode not in (None, Mode.COPY):
        raise Unreadable(f"{name} is not opened as {mode}: it is an archive, and only a copy of what is in it is read.")
    return Look(
        path=real,
        name=name,
        mode=Mode.COPY,
        modes=(Mode.COPY,),
        why="It lies in an archive.",
        notes=(),
        holder=None,
        wal=False,
        guard=guard_of(real),
        hot_journal=False,
        rolls_back=False,
        may_read_shm=True,
        faulty=False,
        archive=Archive(real, name, kind, member),
    )


def _left_out(real: str, mode: Mode) -> int:
    if mode not in (Mode.CRASHED, Mode.COPY):
        return 0
    checkpoints = Checkpoints(real)
    try:
        return pages_left_out(f"{real}-wal", checkpoints.told())
    finally:
        checkpoints.close()


@value
class _Found:
    name: str
    wal: bool
    holder: Holder | None
    has_wal: bool
    has_shm: bool
    may_read_shm: bool
    hot_journal: bool
    rolls_back: bool
    wal_size: int | None
    """None where no -wal lies there."""
    odd_journal: bool
    """Whether a -journal lies there that SQLite can do nothing with."""
    was_live: bool
    seen_changing: bool

    def mode(self) -> Mode:
        if self.holder or (self.seen_changing and not self.wal and not self.hot_journal):
            return Mode.LIVE
        in_place = self.has_shm and self.may_read_shm and not self.odd_journal
        if self.hot_journal or (self.wal and self.has_wal and not in_place):
            return Mode.COPY
        return Mode.CRASHED if self.wal and self.has_wal else Mode.RESTING

    def may_be(self, mode: Mode) -> bool:
        fitting = self.mode()
        return mode in (fitting, Mode.COPY) or (mode is Mode.LIVE and fitting is Mode.RESTING and not self.wal)

    def wished(self, mode: Mode) -> Mode:
        if self.may_be(mode):
            return mode
        raise Unreadable(f"{self.name} is not opened as {mode}: {self._objection(mode, self.mode())}")

    def _objection(self, mode: Mode, fitting: Mode) -> str:
        if fitting is Mode.LIVE:
            return f"{self.holder or 'a process'} has it open, and only reading it live gives right answers."
        if self.hot_journal or (self.odd_journal and fitting is Mode.COPY):
            return "a -journal lies here that SQLite would have to roll back first. A copy can be read."
        if mode is Mode.LIVE:
            return "no process has it open, and reading it that way could leave a -wal and -shm beside it."
        if mode is Mode.RESTING:
            return "a -wal waits to be read, and would be left out."
        return "there is no -wal and -shm of a service that died."

    def why(self, mode: Mode, *, wished: bool) -> str:
        match mode:
            case Mode.LIVE:
                reading = "no lock it could wait for" if self.wal else "a commit may wait a few ms for a read"
                if self.holder is None and not self.seen_changing:
                    # By itself it is read live only where somebody has it open, or writes to it.
                    seen = "nobody was seen writing to it when it was opened"
                    return f"Read live, because you asked for it: {seen}. Reading only; {reading}."
                if self.holder is None:
                    return f"It changed while it was read: a process writes to it. Reading only; {reading}."
                has_it = f"{str(self.holder)[:1].upper()}{str(self.holder)[1:]}" if not self.holder.pid else self.holder
                return f"{has_it} has it open. Reading only{',' if self.wal else ';'} {reading}."
            case Mode.RESTING if self.wal:
                return "No process has it open. Read in place, nothing created."
            case Mode.RESTING:
                return "No process is writing to it. Read in place, nothing created."
            case Mode.CRASHED if self.was_live:
                # Our own reading keeps a service from tidying up as it ends: it may have ended well.
                return "A -wal and -shm are here and no process has the file open any more: its service has ended."
            case Mode.CRASHED:
                return "A -wal and -shm are here and no process has the file open: its service died."
            case Mode.COPY if wished:
                return "Read from a private copy, because you asked for a copy."
            case Mode.COPY if self.hot_journal:
                return "Read from a private copy: a -journal of an unfinished transaction lies here."
            case Mode.COPY if self.odd_journal and self.has_shm:
                return "Read from a private copy: a -journal lies here that SQLite would try to roll back."
            case Mode.COPY if not self.may_read_shm:
                return "Read from a private copy: there is no permission for the -shm beside it."
            case Mode.COPY:
                return "Read from a private copy: a -wal lies here without its -shm."

    def notes(self, missing_bytes: int, left_out: int) -> tuple[str, ...]:
        notes = []
        if left_out:
            pages = "1 page" if left_out == 1 else f"{left_out:,} pages"
            notes.append(
                f"{pages} at the end of the -wal belong to no whole commit and are left out: a transaction was not "
                "finished, or the file was cut off or damaged."
            )
        if self.wal and not self.has_wal:
            notes.append(
                f"{self._no_wal()} If this is a copy that was made while its service ran, the latest changes are "
                "missing from it."
            )
        if self.odd_journal:
            notes.append(f"The -journal beside {self.name} is none that SQLite can roll back, and is left out.")
        if missing_bytes:
            notes.append(
                f"{self.name} is {missing_bytes:,} bytes shorter than its header says: what stood there cannot be read."
            )
        return tuple(notes)

    def _no_wal(self) -> str:
        if self.wal_size is None:
            return f"No -wal lies beside {self.name}."
        if not self.wal_size:
            return f"The -wal beside {self.name} is empty."
        return f"The -wal beside {self.name} holds nothing that SQLite can read, and is left out."


def _found(real: str, name: str, *, was_live: bool, seen_changing: bool) -> tuple[_Found, Header, Guard]:
    guard = guard_of(real)
    header = read_header(real, name)
    refuse_odd_companions(real, name)
    _require_readable_companions(real, name, guard)
    holders = holders_of(real)
    if holders:
        refuse_companions_of_another(holders[0], real, name)
    if holders and header.wal:
        require_companions_of(holders[0], real, name)
        refuse_stray_journal(holders[0], real, name)
    journal = first_bytes(f"{real}-journal", JOURNAL_HEADER_BYTES)
    found = _Found(
        name=name,
        wal=header.wal,
        holder=holders[0] if holders else None,
        has_wal=wal_holds_frames(f"{real}-wal"),
        has_shm=guard.shm is not None,
        may_read_shm=guard.shm is None or os.access(f"{real}-shm", os.R_OK, effective_ids=True),
        hot_journal=journal.startswith(JOURNAL_MAGIC),
        rolls_back=journal_rolls_back(journal),
        wal_size=None if guard.wal is None else guard.wal.size,
        odd_journal=is_hot(journal) and not journal.startswith(JOURNAL_MAGIC),
        was_live=was_live,
        seen_changing=seen_changing,
    )
    return found, header, guard


def _existing_file(path: str | os.PathLike[str]) -> tuple[str, str, str | None]:
    """Return the file, links resolved, what sentences call it, and what of the path stands behind a file's name."""
    given = os.fsdecode(path)
    name = visible(Path(given).name or given)
    if "\0" in given:
        raise Unreadable(f"{name} cannot be opened: its path holds a NUL character.")
    try:
        real = os.path.realpath(given)
        found = Path(given).stat()
    except FileNotFoundError:
        if Path(given).is_symlink():
            raise Unreadable(f"{name} is a link to a file that is not there.") from None
        raise Unreadable(not_there(given, name)) from None
    except NotADirectoryError:
        file = next((each for each in Path(given).parents if each.is_file()), None)
        if file is not None:
            return (*_existing_file(file)[:2], str(Path(given).relative_to(file)))
        raise Unreadable(f"{name} is not there: a part of its path is no folder.") from None
    except PermissionError:
        raise Unreadable(f"{name} cannot be read: there is no permission for its folder.") from None
    except OSError as error:
        raise Unreadable(
            f"{name} cannot be opened: {_ERRNO_WORDS.get(error.errno or 0, 'the path leads nowhere')}."
        ) from None
    name = visible(Path(real).name or real)
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        raise Unreadable(f"{name} cannot be read: it is {_KINDS.get(kind, 'no file')}.")
    if len(os.fsencode(real)) > _LONGEST_PATH:
        raise Unreadable(f"{name} cannot be opened: its path is too long for SQLite.")
    if not os.access(real, os.R_OK, effective_ids=True):
        raise Unreadable(f"{name} cannot be read: there is no permission for it.")
    return real, name, None


_KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}

_ERRNO_WORDS: Final = {36: "its name or path is too long", 40: "its links lead in a circle"}


def _require_readable_companions(real: str, name: str, guard: Guard) -> None:
    for suffix, state in (("-wal", guard.wal), ("-journal", guard.journal)):
        if state is not None and state.size and _is_forbidden(real + suffix):
            raise Unreadable(f"{name} cannot be read: there is no permission for {name}{suffix} beside it.")


def _is_forbidden(companion: str) -> bool:
    """Say whether a -wal or -journal, on which nobody holds a lock, may not be read: one that went away is none."""
    try:
        os.close(os.open(companion, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC))
    except PermissionError:
        return True
    except OSError:
        pass
    return False
