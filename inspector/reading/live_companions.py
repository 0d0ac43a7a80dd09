"""Whether the -wal and -shm of a database are still those that the service at work on it has open, whole and alone.

Opens and closes the file: not for a process that has a connection to it (see opening).
"""

from typing import Final

from inspector.reading.checkpoints import Checkpoints
from inspector.reading.companions import state_of
from inspector.reading.errors import Unreadable
from inspector.reading.header import first_bytes, is_hot
from inspector.reading.holders import Holder, holders_of
from inspector.reading.locks import ANY_USE, WAL_OPEN, listed_owners, lock_owner

KILL_IT: Final = (
    "Kill that process, and open the file then: what stands before the cut is whole. If it is ended in its ordinary "
    "way, it may move the gap into the file."
)
"""What to do where a service goes on with a -wal that was cut off. Tried: it writes zeros over whole pages."""


def refuse_stray_journal(holder: Holder, real: str, name: str) -> None:
    """Raise Unreadable where a -journal lies beside a file that ``holder`` has open in WAL mode.

    It needs none, and looks at none; but whoever opens the file now would first have to undo what the -journal tells
    of, and SQLite lets nobody do that while ``holder`` reads (https://sqlite.org/fileformat2.html, section 3).
    """
    if not is_hot(first_bytes(f"{real}-journal", 1)):
        return
    # One that just changed the file to WAL mode still has it, behind such a lock.
    if lock_owner(real, ANY_USE, exclusive=False) is not None or holder not in holders_of(real):
        return
    if is_hot(first_bytes(f"{real}-journal", 1)):
        raise Unreadable(
            f"{name} cannot be read: {name}-journal lies beside it, and until it is gone SQLite lets no other process "
            f"into the file. {holder} has the file open with its -wal and does not use that -journal, which was left "
            "over or copied there. Move it to another folder, and open the file then."
        )


def require_companions_of(holder: Holder, real: str, name: str) -> None:
    """Raise Unreadable where ``holder`` goes on with files that have no name any more, or lack a part.

    Nobody else can see what it commits to the former, and SQLite would put an empty -wal in the place of the one that
    is missing; of the latter it would read zeros.
    """
    # Now, and not before it was seen: SQLite makes them right after its first lock.
    removed = next((suffix for suffix in ("-wal", "-shm") if state_of(real + suffix) is None), None)
    if removed is None and not _wal_is_cut(real):
        return
    # One that keeps the file for itself needs no -shm, and one that closes it empties or removes both behind such a
    # lock.
    if lock_owner(real, ANY_USE, exclusive=False) is not None or holder not in holders_of(real):
        return
    if removed is None:
        raise Unreadable(
            f"{name} cannot be read: its -wal was cut off while {holder} has it open, and what stood there is lost. "
            f"{KILL_IT}"
        )
    raise Unreadable(
        f"{name} cannot be read: its {removed} was removed while {holder} has it open. If that process is ended in its "
        "ordinary way, it writes all it has into the file; if it is killed, the latest changes may be lost."
    )


def refuse_companions_of_another(holder: Holder, real: str, name: str) -> None:
    """Raise Unreadable where a process works on the -wal and -shm here, and on another file than the one at ``real``.

    So it is after another file was renamed to the place of one that a service has open. SQLite would read the new file
    through the -wal of the old one, and as it closes move that -wal into the new file (https://sqlite.org/howtocorrupt.html,
    section 1.4).
    """
    stray = _at_work_elsewhere(real)
    # One that closes the file gives up the -shm first.
    if stray and stray & _at_work_elsewhere(real):
        raise Unreadable(
            f"{name} cannot be read: {holder} has another file open, which lay here before, and {name}-wal and "
            f"{name}-shm are of that one. Whoever opens {name} now mixes the two, and may destroy it. End that "
            f"process, move {name}-wal and {name}-shm away where they are still there, and open {name} then; what "
            "that process has written is not in it."
        )


def _at_work_elsewhere(real: str) -> frozenset[int]:
    """Return the pids of those who have the -shm open, and not the file: in WAL mode a lock is held on both."""
    try:
        seen = lock_owner(f"{real}-shm", WAL_OPEN)
        listed = listed_owners(f"{real}-shm", WAL_OPEN) or frozenset()
        owners = listed_owners(real, ANY_USE) or frozenset()
        if seen is not None and seen not in listed and lock_owner(real, ANY_USE) is None:
            return listed - owners | {seen}
    except OSError:
        return frozenset()
    return listed - owners


def _wal_is_cut(real: str) -> bool:
    told = Checkpoints(real)
    try:
        return told.wal_is_cut()
    finally:
        told.close()
