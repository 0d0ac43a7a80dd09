"""Folders for files that are being made: known from each other, and from those whose maker was killed.

A maker holds a lock on its folder for as long as it is at work, and the system lets go of it whatever ends the maker.
So a folder of this kind that can be locked is nobody's any more.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

COMPANIONS: Final = ("-wal", "-shm", "-journal")

UNFINISHED: Final = "database"
"""The name of the one file that is made in such a folder; SQLite puts its companions beside it."""

_NAME: Final = re.compile(r"\.lmsp-[0-9a-f]{16}\.part")
_OURS: Final = (UNFINISHED, *(f"{UNFINISHED}{suffix}" for suffix in COMPANIONS))


@contextmanager
def own_folder(beside: Path) -> Iterator[Path]:
    """Make a hidden folder in ``beside`` and give its path; at the end it is removed with the files of ours in it.

    Raises OSError where it cannot be made.
    """
    while True:
        folder = beside / f".lmsp-{secrets.token_hex(8)}.part"
        folder.mkdir(mode=0o700)
        descriptor = _locked(folder)
        # Between the two, somebody who cleans up may have taken it for one that was left.
        if descriptor is not None:
            break
    try:
        yield folder
    finally:
        _remove(folder, descriptor)


def remove_abandoned(beside: Path) -> None:
    """Remove the folders in ``beside`` whose makers were killed. One that is locked, or holds other files, stays."""
    with suppress(OSError):
        for entry in list(os.scandir(beside)):
            if _NAME.fullmatch(entry.name) and (descriptor := _locked(Path(entry.path))) is not None:
                _remove(Path(entry.path), descriptor)


def _locked(folder: Path) -> int | None:
    """Return a descriptor of the folder that holds its lock, or None where another has it or it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), folder.stat(follow_symlinks=False)):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _remove(folder: Path, descriptor: int) -> None:
    try:
        for name in _OURS:
            with suppress(OSError):
                os.unlink(name, dir_fd=descriptor)
        with suppress(OSError):
            folder.rmdir()
    finally:
        os.close(descriptor)
