"""Which other processes have a database open, as far as their locks tell."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from inspector.layout.visible import visible
from inspector.lmsp.values import value
from inspector.reading.locks import ANY_USE, WAL_OPEN, LockRange, listed_owners, lock_owner, told_by_system

READER_NAME: Final = "lmsp-reader"
"""What reader processes call themselves, so that two windows on one file do not take each other for its service."""

_OWN_NAME: Final = Path("/proc/self/comm")


@value
class Holder:
    """A process that has the file open. ``pid`` is 0 where it is known to be there but is not visible from here."""

    pid: int
    name: str

    def __str__(self) -> str:
        """The process as the header shows it."""
        if not self.pid:
            return "a process"
        return f"{self.name} (pid {self.pid})"


def holders_of(path: str | os.PathLike[str]) -> tuple[Holder, ...]:
    """Return the processes other than this one that have the database at ``path`` open, by pid.

    In WAL mode that is known for certain; in rollback-journal mode a connection shows only while it reads or writes.
    Opens the file and its -shm: never call it in a process that has a connection to the file (design 6).
    """
    real = os.path.realpath(path)
    return tuple(sorted({*_asked(f"{real}-shm", WAL_OPEN), *_asked(real, ANY_USE)}, key=lambda holder: holder.pid))


def holders_listed(path: str, wanted: LockRange, *, others_only: bool = True) -> tuple[Holder, ...] | None:
    """Return the other processes that hold a lock within ``wanted`` of the file ``path``, without opening it.

    None where the system does not list locks. For a process that has a connection to the file; without
    ``others_only`` it counts as well.
    """
    owners = listed_owners(path, wanted, others_only=others_only)
    return None if owners is None else _named(owners)


def exclusive_holder(path: str) -> Holder | None:
    """Return the process that keeps all others from reading the file ``path``, without opening it, as far as is listed.

    None where the system lists none: it may be there and not visible from here.
    """
    holders = _named(listed_owners(path, ANY_USE, exclusive_only=True) or frozenset())
    return holders[0] if holders else None


def _asked(path: str, wanted: LockRange) -> tuple[Holder, ...]:
    try:
        owner = lock_owner(path, wanted)
    except OSError:
        owner = None
    owners = set(listed_owners(path, wanted) or ())
    if owner is not None:
        owners.add(owner)
    return _named(frozenset(owners))


def _named(owners: frozenset[int]) -> tuple[Holder, ...]:
    holders = (Holder(pid, _name(pid)) for pid in sorted(owners))
    return tuple(holder for holder in holders if holder.name != READER_NAME)


def call_this_process_a_reader() -> None:
    """Let this process pass for a reader: another one that asks takes it for no service.

    Nothing happens where the system gives processes no names.
    """
    with suppress(OSError):
        _OWN_NAME.write_text(READER_NAME, encoding="ascii")


@contextmanager
def named_as_reader() -> Iterator[None]:
    """Call this process a reader while the block runs."""
    before = None
    with suppress(OSError):
        before = _OWN_NAME.read_bytes()
    call_this_process_a_reader()
    try:
        yield
    finally:
        if before is not None:
            with suppress(OSError):
                _OWN_NAME.write_bytes(before.rstrip(b"\n"))


def _name(pid: int) -> str:
    try:
        return visible(told_by_system(f"/proc/{pid}/comm").decode("utf-8", "backslashreplace").rstrip("\n"))
    except OSError:
        return "a process"
