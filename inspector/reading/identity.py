"""Which file was opened: what opens its path later, in another process or for one action, must come upon the same one.

What cannot be told here: a file that was written over by one whose header counts further. The reader that polls tells
that as far as it can be known (see main_file).
"""

import os
from pathlib import Path
from typing import Final

from inspector.layout.opened import FileIdentity
from inspector.reading.companions import Guard, guard_of
from inspector.reading.errors import Unreadable
from inspector.reading.header import HEADER_BYTES, Counts, counts_of, first_bytes, is_lower
from inspector.reading.messages import GONE

REPLACED: Final = f"{GONE} It was replaced by another one."
WRITTEN_OVER: Final = f"{GONE} It was written over by another one."
_FORBIDDEN: Final = "The file cannot be read any more: its folder may not be entered."


def identity_of(guard: Guard, counts: Counts | None) -> FileIdentity | None:
    """Return what ``guard`` and a header with these ``counts`` tell; None where there is no file."""
    if guard.identity is None:
        return None
    return FileIdentity(*guard.identity, *(counts or (0, 0)))


def loss_of(path: str, guard: Guard, identity: tuple[int, int] | None) -> str | None:
    """Say what became of the file ``identity`` (device and inode) at ``path``, or None where it is there."""
    if guard.main is None:
        return _FORBIDDEN if _may_not_look(path) else f"{GONE} It was removed."
    if guard.identity != identity:
        return REPLACED
    return f"{GONE} It was emptied." if guard.main.size == 0 else None


def require_there(path: str, wanted: FileIdentity) -> None:
    """Raise Unreadable where another file lies at ``path`` now, or none. Opens nothing.

    What lies in an archive is the archive.
    """
    real = _file_of(path)
    loss = loss_of(real, guard_of(real), (wanted.device, wanted.inode))
    if loss is not None:
        raise Unreadable(loss)


def require_same(path: str, wanted: FileIdentity) -> None:
    """Raise Unreadable where another file lies at ``path`` now, or in that file.

    Opens and closes it: not for a process that has a connection to it.
    """
    require_there(path, wanted)
    counts = counts_of(first_bytes(_file_of(path), HEADER_BYTES))
    # Only ever raised, by each transaction in rollback mode, and by each that changes the first page in WAL mode.
    if counts is not None and any(is_lower(now, before) for now, before in zip(counts, wanted.counts, strict=True)):
        raise Unreadable(WRITTEN_OVER)


def _file_of(path: str) -> str:
    real = os.path.realpath(path)
    return next((str(each) for each in Path(real).parents if each.is_file()), real)


def _may_not_look(path: str) -> bool:
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except OSError:
        pass
    return False
