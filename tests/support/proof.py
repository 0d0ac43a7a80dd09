"""The proof that a file was not touched: hashes, times and the folder's listing, before and after.

It opens the files, so it runs where no SQLite connection to them exists: on the command line and in tests.
"""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector.layout.visible import visible
from inspector.reading.companions import SUFFIXES

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class FileTrace:
    """One file at one moment."""

    name: str
    inode: int
    size: int
    modified_ns: int
    rights: tuple[int, int, int, int]
    """Mode, owner, group and number of links: each by itself, since opening a -wal as root moves its change time."""
    sha256: str | None
    """None for what is no file or cannot be read."""


@dataclass(frozen=True, slots=True)
class TouchState:
    """A database, its companions and their folder at one moment."""

    path: str
    files: tuple[FileTrace, ...]
    listing: tuple[str, ...]
    folder_modified_ns: int


def touch_state(path: str | os.PathLike[str]) -> TouchState:
    """Take down the state of the database at ``path``. Raises OSError where its folder cannot be read.

    Not for a process with a SQLite connection to it: closing a file drops the process's locks on it (design 6).
    """
    real = Path(os.path.realpath(path))
    traces = (_trace(real.with_name(real.name + suffix)) for suffix in ("", *SUFFIXES))
    return TouchState(
        path=str(real),
        files=tuple(trace for trace in traces if trace),
        listing=tuple(sorted(entry.name for entry in real.parent.iterdir())),
        folder_modified_ns=real.parent.stat().st_mtime_ns,
    )


def differences(before: TouchState, after: TouchState) -> tuple[str, ...]:
    """Say what differs between two states, one sentence each. Empty: nothing was touched."""
    earlier = {trace.name: trace for trace in before.files}
    later = {trace.name: trace for trace in after.files}
    found = [
        sentence
        for name, trace in earlier.items()
        if name in later and (sentence := _difference(trace, later[name])) is not None
    ]
    found += [f"{visible(name)} appeared." for name in sorted(set(after.listing) - set(before.listing))]
    found += [f"{visible(name)} is gone." for name in sorted(set(before.listing) - set(after.listing))]
    if not found and before.folder_modified_ns != after.folder_modified_ns:
        found.append("The folder was written to.")
    return tuple(found)


def _difference(before: FileTrace, after: FileTrace) -> str | None:
    name = visible(before.name)
    if before == after:
        return None
    if before.inode != after.inode:
        return f"{name} was replaced."
    if before.size != after.size:
        return f"{name} {'grew' if after.size > before.size else 'shrank'}."
    if before.sha256 != after.sha256:
        return f"{name} has other content."
    if before.modified_ns != after.modified_ns:
        return f"{name} was written to; its content is the same."
    return f"{name} has another owner, other permissions or links."


def _trace(path: Path) -> FileTrace | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    digest = _sha256(path) if stat.S_ISREG(found.st_mode) else None
    rights = (found.st_mode, found.st_uid, found.st_gid, found.st_nlink)
    return FileTrace(path.name, found.st_ino, found.st_size, found.st_mtime_ns, rights, digest)


def _sha256(path: Path) -> str | None:
    sha256 = hashlib.sha256()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                sha256.update(chunk)
    except OSError:
        return None
    return sha256.hexdigest()
