"""Whether anybody opens a file, by what the system tells of it (inotify)."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_IN_OPEN = 0x20
_EVENT = 16
"""The bytes of an event without a name, as one of a single file is."""


class Opened:
    """How often a file was opened since it is watched."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = 0

    def times(self) -> int:
        """Return how often, in any process."""
        with suppress(BlockingIOError):
            while chunk := os.read(self._descriptor, 1 << 16):
                self._seen += len(chunk) // _EVENT
        return self._seen


@contextmanager
def watched(path: Path) -> Iterator[Opened]:
    """Watch the file at ``path``."""
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if descriptor < 0 or library.inotify_add_watch(descriptor, os.fsencode(path), _IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "this file cannot be watched")
        yield Opened(descriptor)
    finally:
        os.close(descriptor)
