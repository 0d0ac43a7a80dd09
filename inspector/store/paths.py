"""What a path must lead to before SQLite sees it, and which files a connection has open."""

import os
import sqlite3
import stat
from pathlib import Path
from typing import Final, TypeAlias

from inspector.store.arguments import wrong
from inspector.store.errors import Unusable

_JOURNAL_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")

_LOOKS: Final = 3

FileId: TypeAlias = tuple[int, int]
"""Device and inode: which file it is, under whatever name."""


def file_id(found: os.stat_result) -> FileId:
    """Return which file was looked at."""
    return (found.st_dev, found.st_ino)


def own_files(conn: sqlite3.Connection) -> frozenset[FileId]:
    """Return which files are the connection's database and its companions.

    A process must not open and close one of these beside SQLite: POSIX then drops its locks on the file, another
    process takes the database for one that nobody uses, and what is acknowledged from then on is lost.
    """
    # As a blob: the name of a file may be no UTF-8.
    rows = conn.execute("SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE file <> ''").fetchall()
    found = set()
    for (name,) in rows:
        for companion in (b"", b"-wal", b"-shm", b"-journal"):
            try:
                found.add(file_id(Path(os.fsdecode(name + companion)).stat()))
            except OSError:
                continue
    return frozenset(found)


def path_of(path: object) -> Path:
    """Return the path that was passed. Raises Refused for what is none: bytes, a number."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise wrong("path", "the path of a file, as text or a Path", path)
    return Path(path)


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
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        if not _is_writable(file.with_name(name)):
            # SQLite would open it for reading, and fail at the first write, when a service has told that it is ready.
            raise Unusable(
                "The database file, or one beside it, cannot be written to: look at their permissions, and whether the "
                "disk takes changes at all."
            )
    if _names_another_file(file.with_name(f"{file.name}-journal")):
        # SQLite 3.40 deletes the file that such a journal names, whoever put the name there.
        raise Unusable("A rollback journal that names another file lies beside the database; it is not touched.")


def _is_writable(file: Path) -> bool:
    # More than once: another process may make the file, or remove it, between the two questions.
    return any(
        os.access(file, os.W_OK, effective_ids=os.access in os.supports_effective_ids) or not file.exists()
        for _ in range(_LOOKS)
    )


def _names_another_file(journal: Path) -> bool:
    # Another connection of this process may have the database open. SQLite holds locks on the database and its -shm
    # alone: to open and close a journal drops none.
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
