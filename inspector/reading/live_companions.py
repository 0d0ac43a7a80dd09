"""Whether the -wal and -shm of a database are still those that the service at work on it has open, whole and alone.

Opens and closes the file: not for a process that has a connection to it (see opening).
"""

from typing import Final

from inspector.reading.checkpoints import Checkpoints
from inspector.reading.companions import state_of
from inspector.reading.errors import Unreadable
from inspector.reading.header import first_bytes, is_hot
from inspector.reading.holders import Holder, holders_of
from inspector.reading.locks import ANY_USE, lock_owner

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


def _wal_is_cut(real: str) -> bool:
    told = Checkpoints(real)
    try:
        return told.wal_is_cut()
    finally:
        told.close()
