"""New files and folders that are there when they are whole, and not before.

Each is written under a hidden name beside its own, ``.NAME.RANDOM.part``, and gets its name at the end. Whoever is
stopped on the way removes it; what a killed one left is removed by the next export to the same name, which tells it
from one at work by a lock on it.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from inspector.layout.visible import visible
from inspector.reading.beside import why_not_new

_SUFFIX: Final = ".part"
_RANDOM: Final = 8
_NAME_BYTES: Final = 200
"""So much of a name is in the hidden one: no file system takes more than 255 bytes."""


class NotWritten(Exception):
    """Nothing was written, or nothing is left of it. ``sentence`` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def require_free(path: Path, database: Path) -> None:
    """Raise NotWritten where nothing new can be at ``path``, or where SQLite would take it for a part of a database."""
    why_not = why_not_new(path, database)
    if why_not is not None:
        raise NotWritten(why_not)


@contextmanager
def new_file(path: Path, *, private: bool) -> Iterator["NewFile"]:
    """Give a file that is at ``path`` once the block has ended, and nowhere where it is left by an exception.

    ``private``: nobody else may read it. Raises NotWritten.
    """
    hidden = _hidden(path)
    file = None
    try:
        file = NewFile(hidden, path, private=private)
        yield file
        file.finish()
        with _written(path):
            _name_file(hidden, path)
    finally:
        if file is not None:
            file.close()
        _remove(hidden)


@contextmanager
def new_folder(path: Path, *, private: bool) -> Iterator[Path]:
    """Give a folder that is at ``path`` once the block has ended, with what was put into it. As :func:`new_file`."""
    hidden = _hidden(path)
    lock = -1
    try:
        with _written(path):
            hidden.mkdir(mode=0o700 if private else 0o777)
            lock = os.open(hidden, os.O_RDONLY | os.O_DIRECTORY)
            _lock(lock)
        yield hidden
        with _written(path):
            os.fsync(lock)
            _require_nothing_at(path)
            hidden.rename(path)
            _sync(path.parent)
    finally:
        _remove(hidden)
        if lock >= 0:
            os.close(lock)


class NewFile:
    """A file that is being written, in UTF-8. Raises NotWritten."""

    def __init__(self, place: Path, shown_as: Path, *, private: bool) -> None:
        """Make the file at ``place``; sentences call it ``shown_as``."""
        self._shown_as = shown_as
        with _written(shown_as):
            descriptor = os.open(
                place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600 if private else 0o666
            )
            _lock(descriptor)
            self._file = os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="")

    def write(self, text: str) -> int:
        """Write the text as it is."""
        try:
            return self._file.write(text)
        except OSError as error:
            raise _not_written(self._shown_as, error) from error

    def finish(self) -> None:
        """Let all of it be on the disk."""
        with _written(self._shown_as):
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close it, whatever became of it."""
        with suppress(OSError):
            self._file.close()


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> NotWritten:
    return NotWritten(f"{visible(str(path))} cannot be written: {error.strerror}.")


def _hidden(path: Path) -> Path:
    """Return a hidden name beside ``path`` that is free, after what killed exports left there was removed."""
    start = f".{os.fsdecode(os.fsencode(path.name)[:_NAME_BYTES])}."
    with suppress(OSError):
        for found in path.parent.iterdir():
            if found.name.startswith(start) and found.name.endswith(_SUFFIX):
                middle = found.name[len(start) : -len(_SUFFIX)]
                if len(middle) == 2 * _RANDOM and set(middle) <= set("0123456789abcdef"):
                    _remove_left_over(found)
    return path.with_name(f"{start}{os.urandom(_RANDOM).hex()}{_SUFFIX}")


def _lock(descriptor: int) -> None:
    # Where a file system has no locks, what a killed export leaves is not told from one at work, and stays.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_left_over(found: Path) -> None:
    with suppress(OSError):
        if found.lstat().st_uid != os.geteuid():
            return
        descriptor = os.open(found, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(found)
        finally:
            os.close(descriptor)


def _remove(hidden: Path) -> None:
    with suppress(OSError):
        if stat.S_ISDIR(hidden.lstat().st_mode):
            for each in hidden.iterdir():
                each.unlink()
            hidden.rmdir()
        else:
            hidden.unlink()


def _name_file(hidden: Path, path: Path) -> None:
    try:
        path.hardlink_to(hidden)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links, a stick's: between the look and the name somebody else may take it.
        _require_nothing_at(path)
        hidden.rename(path)
    _sync(path.parent)


def _require_nothing_at(path: Path) -> None:
    if os.path.lexists(path):
        raise NotWritten(f"{visible(str(path))} is there by now and is left as it is.")


def _sync(folder: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
