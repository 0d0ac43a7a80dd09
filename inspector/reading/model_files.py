"""Model files: what stat tells at once, and the digest of what is really there. No SQL; for any thread.

A path comes from the database and may name anything: a pipe does not hang, a device is not read.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import Final

from inspector.layout.files import FileCheck, FileState
from inspector.layout.rows import ModelRow
from inspector.lmsp.digests import digest_of, is_digest
from inspector.lmsp.values import value

_CHUNK: Final = 1 << 20
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})


@value
class FileFinding:
    """What was found at a path."""

    state: FileState
    digest: str | None = None
    size: int | None = None
    modified_at_ms: int | None = None

    def check_of(self, model_id: str, checked_at_ms: int) -> FileCheck:
        """Return the finding as one about the file of a model."""
        return FileCheck(model_id, self.state, self.digest, self.size, self.modified_at_ms, checked_at_ms)


def check_file(model: ModelRow, *, now_ms: int) -> FileCheck:
    """Say what stat tells of a model's file, without reading it: at best ``unchecked``."""
    return look_at_file(model.path, model.digest, model.size_bytes).check_of(model.id, now_ms)


def look_at_file(path: str, digest: str, size: int | None) -> FileFinding:
    """Say what stat tells of the file at ``path`` that should have ``digest`` and ``size`` bytes."""
    try:
        found = os.stat(path)  # noqa: PTH116  a Path drops what is odd in a stored path
    except (OSError, ValueError) as error:
        return FileFinding(_state_of(error))
    state = _state_by_stat(found, digest, size)
    if state is FileState.UNCHECKED and not os.access(path, os.R_OK, effective_ids=True):
        state = FileState.UNREADABLE
    return _finding(state, found)


def verify_file(
    path: str,
    digest: str,
    size: int | None,
    *,
    progress: Callable[[int], None] = lambda _bytes: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> FileFinding:
    """Read the file at ``path`` to its end and compare its digest.

    ``progress`` hears after each MiB how many bytes have been read. A file that is empty, too short or no file is not
    read. ``unchecked`` comes back where ``should_stop`` answered True, or the file changed while it was read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        return FileFinding(_state_of(error)) if not _is_special(path) else look_at_file(path, digest, size)
    try:
        before = os.fstat(descriptor)
        state = _state_by_stat(before, digest, size)
        if state not in (FileState.UNCHECKED, FileState.MISMATCH):
            return _finding(state, before)
        try:
            found = digest_of(_chunks(descriptor, progress, should_stop))
            after = os.fstat(descriptor)
        except _Stopped:
            return _finding(FileState.UNCHECKED, before)
        except OSError:
            return _finding(FileState.UNREADABLE, before)
    finally:
        os.close(descriptor)
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        return _finding(FileState.UNCHECKED, after)
    return _finding(FileState.MATCH if found == digest else FileState.MISMATCH, after, found)


class _Stopped(Exception):
    pass


def _chunks(descriptor: int, progress: Callable[[int], None], should_stop: Callable[[], bool]) -> Iterator[bytes]:
    done = 0
    while chunk := os.read(descriptor, _CHUNK):
        if should_stop():
            raise _Stopped
        yield chunk
        done += len(chunk)
        progress(done)


def _state_by_stat(found: os.stat_result, digest: str, size: int | None) -> FileState:
    if not stat.S_ISREG(found.st_mode):
        return FileState.NOT_A_FILE
    if not is_digest(digest):
        return FileState.BAD_DIGEST
    if found.st_size == 0 and size != 0:
        return FileState.EMPTY
    if size is None or found.st_size == size:
        return FileState.UNCHECKED
    return FileState.TRUNCATED if found.st_size < size else FileState.MISMATCH


def _state_of(error: Exception) -> FileState:
    # A NUL in the path is a ValueError: there is no such file.
    absent = isinstance(error, ValueError) or (isinstance(error, OSError) and error.errno in _ABSENT)
    return FileState.MISSING if absent else FileState.UNREADABLE


def _is_special(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  as above
    except (OSError, ValueError):
        return False


def _finding(state: FileState, found: os.stat_result, digest: str | None = None) -> FileFinding:
    return FileFinding(state, digest, found.st_size, found.st_mtime_ns // 1_000_000)
