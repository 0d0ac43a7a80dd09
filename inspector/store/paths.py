"""What a path must lead to before SQLite sees it."""

import os
import stat
from pathlib import Path
from typing import Final

from inspector.store.errors import Unusable

_JOURNAL_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")


def check_path(file: Path, *, may_create: bool) -> None:
    """Refuse what SQLite would hang on, follow to a wrong place, or open as something it is not."""
    try:
        found = file.stat()
    except FileNotFoundError as error:
        if file.is_symlink():
            raise Unusable("The path is a link to a file that does not exist.") from error
        if not may_create:
            raise Unusable("There is no such file.") from error
        if not file.parent.is_dir():
            raise Unusable("The folder of the file does not exist.") from error
        return
    except (OSError, ValueError) as error:
        raise Unusable(f"The file cannot be looked at: {_why(error)}.") from error
    if not stat.S_ISREG(found.st_mode):
        raise Unusable("The path is not a regular file.")
    if _names_another_file(file.with_name(f"{file.name}-journal")):
        # SQLite 3.40 deletes the file that such a journal names, whoever put the name there.
        raise Unusable("A rollback journal that names another file lies beside the database; it is not touched.")


def _names_another_file(journal: Path) -> bool:
    try:
        descriptor = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        size = os.fstat(descriptor).st_size
        return size >= len(_JOURNAL_MAGIC) and os.pread(descriptor, 8, size - 8) == _JOURNAL_MAGIC
    finally:
        os.close(descriptor)


def _why(error: Exception) -> str:
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)


def size_of(file: Path) -> int:
    """Return the size of a file in bytes, 0 where there is none."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
