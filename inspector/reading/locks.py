"""Who holds which of SQLite's locks on a file, asked of the operating system (design 6).

POSIX drops a process's locks on a file when it closes *any* descriptor of it. So :func:`lock_owner`, which opens the
file, is for a process that has no SQLite connection to it (an immutable one takes no locks and does not count);
:func:`listed_owners` opens nothing of the file and may be asked at any time, but sees only what /proc shows.
"""

import fcntl
import os
import struct
from typing import Final

from inspector.lmsp.values import value

_FLOCK: Final = struct.Struct("hhqqi4x")
"""struct flock on 64-bit Linux: type, whence, start, length, pid."""

_PIECE: Final = 1 << 16


@value
class LockRange:
    """Bytes of a file that SQLite locks: the first, and how many."""

    start: int
    length: int


WAL_OPEN: Final = LockRange(128, 1)
"""In the -shm: each connection to a WAL database holds it shared, and nobody does after a kill."""

ANY_USE: Final = LockRange(0x40000000, 2 + 510)
"""In the main file: pending and reserved, held by a writer in rollback-journal mode, and shared, held while reading."""


def lock_owner(path: str, wanted: LockRange, *, exclusive: bool = True) -> int | None:
    """Return the pid of a process whose lock stands in the way of ours on ``wanted``; None where there is none.

    Zero stands for a process that is not visible from here. ``exclusive`` asks for a write lock, which any lock is in
    the way of; without it, only a write lock is. Raises OSError where the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return holder_of_lock(descriptor, wanted, exclusive=exclusive)
    finally:
        os.close(descriptor)


def holder_of_lock(descriptor: int, wanted: LockRange, *, exclusive: bool = True) -> int | None:
    """Return what :func:`lock_owner` does, of a file that is open already. Raises OSError."""
    kind = fcntl.F_WRLCK if exclusive else fcntl.F_RDLCK
    ask = _FLOCK.pack(kind, os.SEEK_SET, wanted.start, wanted.length, 0)
    found, _, _, _, pid = _FLOCK.unpack(fcntl.fcntl(descriptor, fcntl.F_GETLK, ask))
    return None if found == fcntl.F_UNLCK else max(int(pid), 0)


def listed_owners(
    path: str, wanted: LockRange, *, others_only: bool = True, exclusive_only: bool = False
) -> frozenset[int] | None:
    """Return the pids of all other processes that hold a lock within ``wanted``, by /proc/locks; None without it.

    Without ``others_only`` this process is among them. ``exclusive_only`` leaves out who only reads. One in a container
    of its own may be missing from that list.
    """
    try:
        found = os.lstat(path)
        listed = told_by_system("/proc/locks").decode("ascii", "replace")
    except OSError:
        return None
    mine = os.getpid()
    # Asked once a second for as long as a file is open: of the locks of the whole machine only these are taken apart.
    lines = [line for line in listed.splitlines() if f":{found.st_ino} " in line]
    entries = [entry for line in lines if (entry := _entry(line)) and entry.inode == found.st_ino]
    # On overlay and btrfs the device listed is not the one that stat tells; our own lock, where we hold one, shows it.
    devices = {f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"}
    devices |= {entry.device for entry in entries if entry.pid == mine}
    last = wanted.start + wanted.length - 1
    return frozenset(
        entry.pid
        for entry in entries
        if not (others_only and entry.pid == mine)
        and (entry.is_exclusive or not exclusive_only)
        and entry.device in devices
        and entry.start <= last
        and entry.end >= wanted.start
    )


def told_by_system(path: str) -> bytes:
    """Return what a file of /proc says. Raises OSError. Asked every second: a Python file costs five times as much."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(descriptor, _PIECE):
            pieces.append(piece)
    finally:
        os.close(descriptor)
    return b"".join(pieces)


@value
class _Entry:
    pid: int
    device: str
    inode: int
    start: int
    end: int
    is_exclusive: bool


def _entry(line: str) -> _Entry | None:
    fields = [field for field in line.split() if field != "->"]
    try:
        _number, kind, _advisory, access, pid, place, start, end = fields
        major, minor, inode = place.split(":")
        last = (1 << 63) - 1 if end == "EOF" else int(end)
        if kind != "POSIX":
            return None
        return _Entry(int(pid), f"{major}:{minor}", int(inode), int(start), last, access == "WRITE")
    except ValueError:
        return None
