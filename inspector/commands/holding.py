"""Which processes have a database open, before something is written to it that only its one service may write."""

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.reading.holders import Holder, holders_of


def holders_by_lock_and_descriptor(path: Path) -> tuple[Holder, ...]:
    """Return the other processes that have the file open, by pid. Call it before this process opens the file.

    Locks tell of every connection in WAL mode, whoever's it is. In rollback-journal mode an idle connection holds no
    lock, but it has a descriptor.
    """
    found = {holder.pid: holder for holder in (*holders_of(path), *holders_by_descriptor(path))}
    return tuple(found[pid] for pid in sorted(found))


def holders_by_descriptor(path: Path) -> tuple[Holder, ...]:
    """Return the other processes with a descriptor of the file, as far as they may be looked into. Opens nothing."""
    wanted = path.stat()
    mine = os.getpid()
    return tuple(
        Holder(pid, _name(pid))
        for pid in sorted(_pids())
        if pid != mine and any(os.path.samestat(wanted, found) for found in _open_files(pid))
    )


def _pids() -> Iterator[int]:
    yield from (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())


def _open_files(pid: int) -> Iterator[os.stat_result]:
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        # Ended meanwhile, or another user's.
        return
    for descriptor in descriptors:
        try:
            yield descriptor.stat()
        except OSError:
            continue


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="backslashreplace").rstrip("\n")
    except OSError:
        return "a process"
