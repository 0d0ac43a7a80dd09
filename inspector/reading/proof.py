"""The proof that a file was not touched: hashes, times and the folder's listing, before and after.

It opens the files, so it runs where no SQLite connection to them exists: closing any descriptor of a file drops the
locks that a process has on it (design 6).
"""

import hashlib
import os
import stat
from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from inspector.layout.pages import Progress
from inspector.layout.traces import FileTrace, TouchState
from inspector.layout.visible import visible
from inspector.reading.companions import SUFFIXES

_CHUNK: Final = 4 << 20
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def touch_state(path: str | os.PathLike[str], now_ms: Callable[[], int] = lambda: 0) -> TouchState:
    """Take down the state of the database at ``path``. Raises OSError where its folder is not there."""
    steps = touch_steps(path, now_ms)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            state: TouchState = ended.value
            return state


def touch_steps(path: str | os.PathLike[str], now_ms: Callable[[], int]) -> Generator[Progress, None, TouchState]:
    """Do the same in steps of 4 MiB, telling bytes done and bytes in all after each."""
    real = Path(os.path.realpath(path))
    at_ms = now_ms()
    folder_modified_ns = real.parent.stat().st_mtime_ns
    try:
        listing = tuple(sorted(entry.name for entry in real.parent.iterdir()))
    except PermissionError:
        listing = None
    found = []
    for suffix in ("", *SUFFIXES):
        each = real.with_name(real.name + suffix)
        try:
            found.append((each, each.lstat()))
        except OSError:
            continue
    total = sum(status.st_size for _, status in found)
    before, traces = 0, []
    for each, status in found:
        digest = None
        if stat.S_ISREG(status.st_mode):
            digest = yield from _sha256(each, before, total)
        traces.append(_trace(each.name, status, digest))
        before += status.st_size
    return TouchState(str(real), tuple(traces), listing, folder_modified_ns, at_ms)


def differences(before: TouchState, after: TouchState) -> tuple[str, ...]:
    """Say what differs between two states, one sentence each. Empty: nothing was touched."""
    earlier = {trace.name: trace for trace in before.files}
    later = {trace.name: trace for trace in after.files}
    found = [
        sentence
        for name, trace in earlier.items()
        if name in later and (sentence := difference(trace, later[name])) is not None
    ]
    names_before = set(earlier if before.listing is None else before.listing)
    names_after = set(later if after.listing is None else after.listing)
    found += [f"{visible(name)} appeared." for name in sorted(names_after - names_before)]
    found += [f"{visible(name)} is gone." for name in sorted(names_before - names_after)]
    if not found and before.folder_modified_ns != after.folder_modified_ns:
        found.append("The folder was written to.")
    return tuple(found)


def difference(before: FileTrace, after: FileTrace) -> str | None:
    """Say in one sentence what differs between two looks at one file, or None for nothing."""
    name = visible(before.name)
    if before == after:
        return None
    if before.inode != after.inode:
        return f"{name} was replaced."
    if before.size != after.size:
        return f"{name} {'grew' if after.size > before.size else 'shrank'}."
    if (before.sha256 is None) != (after.sha256 is None):
        when = "before" if before.sha256 is None else "again"
        return f"{name} could not be read {when}: its content is not compared."
    if before.sha256 != after.sha256:
        return f"{name} has other content."
    if before.modified_ns != after.modified_ns:
        return f"{name} was written to; its content is the same."
    return f"{name} has another owner, other permissions or links."


def proof_line(before: TouchState, after: TouchState) -> str:
    """Return the whole proof as one line for a ticket. Times are UTC."""
    name = visible(Path(before.path).name)
    moments = f"before {_utc(before.at_ms)}, after {_utc(after.at_ms)}"
    changes = differences(before, after)
    if changes:
        return f"{name} changed meanwhile: {' '.join(changes)} {moments[:1].upper()}{moments[1:]}."
    folder = "folder not listed" if before.listing is None or after.listing is None else "folder same"
    return f"{name} untouched: {'; '.join(_facts(trace) for trace in before.files)}; {folder}; {moments}."


def _facts(trace: FileTrace) -> str:
    digest = "not readable" if trace.sha256 is None else trace.sha256
    modified = _utc(trace.modified_ns // 1_000_000)
    return f"{visible(trace.name)} sha256 {digest}, size {trace.size:,}, modified {modified}"


def _utc(at_ms: int) -> str:
    try:
        moment = _EPOCH + timedelta(milliseconds=at_ms)
    except OverflowError:
        return str(at_ms)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _trace(name: str, status: os.stat_result, digest: str | None) -> FileTrace:
    rights = (status.st_mode, status.st_uid, status.st_gid, status.st_nlink)
    return FileTrace(name, status.st_ino, status.st_size, status.st_mtime_ns, rights, digest)


def _sha256(path: Path, before: int, total: int) -> Generator[Progress, None, str | None]:
    sha256 = hashlib.sha256()
    done = before
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                sha256.update(chunk)
                done += len(chunk)
                yield Progress(done, max(done, total))
    except OSError:
        return None
    return sha256.hexdigest()
