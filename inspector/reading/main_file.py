"""The main file of a database that is open in place: whether somebody wrote over it or cut it, beside its service.

SQLite itself notices nothing of that in WAL mode: it answers from its cache and the -wal, and mixes both with what is
there now (faults.md 2.4). A service's own writes are told from it by what only ever rises in a header, and by the
checkpoints that the -shm tells of: outside of them nothing is written to the main file.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from inspector.reading.checkpoints import Checkpoints
from inspector.reading.companions import FileState, is_shorter, state_of
from inspector.reading.connection import ReadConnection
from inspector.reading.header import CHANGES, COOKIE, HEADER_BYTES, WAL_FRAME_BYTES, counts_of, is_sqlite, is_wal
from inspector.reading.rewritten import begins_another
from inspector.reading.values import integer

OVERWRITTEN: Final = "It was written over by another one."
CUT: Final = "A part of it was cut off."

_SAMPLE: Final = 1 << 16
"""So many bytes at either end are compared: a touched file is none that was written over."""
_FIXED: Final = (slice(16, 18), slice(56, 60))
"""Size of a page and encoding of texts: no service changes them in WAL mode."""


class MainFile:
    """The main file, held open as long as the connection: closing it sooner would drop the connection's locks."""

    def __init__(self, path: str) -> None:
        """Open the file at ``path`` (links resolved), beside a connection to it. Raises OSError."""
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        self._checkpoints = Checkpoints(path)
        # In this order, here and in each look: a checkpoint that comes in between is then told of by the next one.
        self._progress = self._checkpoints.progress()
        self._seen = state_of(path)
        self._sample = self._read_sample()
        self._is_committed = is_wal(self._sample)
        """Whether that is known to be what a transaction left, and is not taken in the middle of one."""

    def settle(self, connection: ReadConnection) -> None:
        """Look at it once more as of one moment, where a service writes to the file itself. Raises sqlite3.Error."""
        if not self._is_committed:
            with _at_one_moment(connection):
                self._seen, self._sample = state_of(self._path), self._read_sample()
            self._is_committed = True

    def has_moved(self) -> bool:
        """Say whether the file was written to, or went away, since it was looked at last. Costs one stat."""
        return state_of(self._path) != self._seen

    def look(self, connection: ReadConnection) -> tuple[str | None, bool]:
        """Return what was done to the file that no service does, if anything, and whether it is shorter than before.

        Raises sqlite3.Error where not even its size can be read.
        """
        progress, now = self._checkpoints.progress(), state_of(self._path)
        sample = self._read_sample()
        if is_sqlite(sample) and not is_wal(sample):
            with _at_one_moment(connection):
                now, sample = state_of(self._path), self._read_sample()
        shorter = is_shorter(now, self._seen)
        harm = self._harm(sample, connection) or self._harm_of_nobody(sample, now)
        # Only now: where the database could not be asked, it is looked at again.
        self._progress, self._seen, self._sample = progress, now, sample
        self._is_committed = True
        return harm, shorter

    def harm_unasked(self) -> str | None:
        """Say what :meth:`look` does, as far as that is known without the connection: it came upon the harm first."""
        if not is_wal(self._sample) or not self.has_moved() or not self._checkpoints.is_in_use():
            return None
        now, sample = state_of(self._path), self._read_sample()
        if _begins_otherwise(sample, self._sample):
            return OVERWRITTEN
        return self._harm_of_nobody(sample, now)

    def wal_is_cut(self) -> bool:
        """Say whether the -wal beside it is known to lack a part of what its service put there."""
        return self._checkpoints.wal_is_cut()

    def close(self) -> None:
        """Let go of the file, after its connection. A second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._checkpoints.close()

    def _read_sample(self) -> bytes:
        """Return both ends of the file, its header first."""
        size = os.fstat(self._descriptor).st_size
        return os.pread(self._descriptor, _SAMPLE, 0) + os.pread(self._descriptor, _SAMPLE, max(0, size - _SAMPLE))

    def _harm_of_nobody(self, sample: bytes, now: FileState | None) -> str | None:
        """Say what ``sample``, of the file as it is ``now``, is where no service can have made it."""
        # What was only added at its end is none of the database's business.
        longer = is_shorter(self._seen, now) and sample[:_SAMPLE] == self._sample[:_SAMPLE]
        if sample == self._sample or longer or self._may_be_of_a_service(sample):
            return None
        return CUT if is_shorter(now, self._seen) else OVERWRITTEN

    def _may_be_of_a_service(self, sample: bytes) -> bool:
        """Say whether a service may have made ``sample`` of what was read before."""
        if is_wal(sample):
            return self._checkpoints.may_have_run_since(self._progress)
        # Each transaction in rollback-journal mode is counted, or no other connection would read its cache anew.
        return not self._is_committed or counts_of(sample) != counts_of(self._sample)

    def _harm(self, sample: bytes, connection: ReadConnection) -> str | None:
        if self._is_another(sample, connection):
            return OVERWRITTEN
        return CUT if is_wal(sample) and lacking_pages(connection, self._path) else None

    def _is_another(self, first: bytes, connection: ReadConnection) -> bool:
        before = self._sample
        if len(first) < HEADER_BYTES or not is_sqlite(first):
            return True
        if not is_wal(before):
            # Each commit writes to the file itself, and SQLite reads it anew.
            return self._is_committed and begins_another(first, before)
        if _begins_otherwise(first, before):
            return True
        # A checkpoint brings nothing into the file that the connection has not seen.
        return int.from_bytes(first[COOKIE], "big") > integer(connection.value("PRAGMA schema_version"))


def _begins_otherwise(first: bytes, before: bytes) -> bool:
    """Say whether ``first`` begins what no service makes in WAL mode of a database that began with ``before``."""
    if not is_sqlite(first) or not is_wal(first) or any(first[part] != before[part] for part in _FIXED):
        return True
    return first[CHANGES] < before[CHANGES] or first[COOKIE] < before[COOKIE]


@contextmanager
def _at_one_moment(connection: ReadConnection) -> Iterator[None]:
    """Let nobody write to a file in rollback-journal mode: what it holds in the block, transactions left."""
    with connection.one_moment():
        connection.value("PRAGMA schema_version")
        yield


def lacking_pages(connection: ReadConnection, path: str) -> int:
    """Return how many pages of a database in WAL mode are, for all that its -wal can hold, not there any more.

    Raises sqlite3.Error.
    """
    pages = integer(connection.value("PRAGMA page_count"))
    page = integer(connection.value("PRAGMA page_size"))
    # The -wal first: a page that a checkpoint moves meanwhile is then counted twice, and never not at all.
    wal, main = state_of(f"{path}-wal"), state_of(path)
    if main is None:
        return 0
    frames = 0 if wal is None else -(-wal.size // (page + WAL_FRAME_BYTES))
    return max(0, pages - main.size // page - frames)
