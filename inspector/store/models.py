"""Registering models (section 11.1: model files stay outside; the database holds metadata and content digests)."""

import os
import sqlite3
import stat
import uuid
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from inspector.layout.rows import ModelRow
from inspector.layout.visible import visible
from inspector.lmsp.digests import digest_of
from inspector.store.arguments import (
    require_filled,
    require_filled_or_none,
    require_function,
    require_moment,
    require_text_or_none,
)
from inspector.store.errors import Refused, Unusable
from inspector.store.paths import FileId, file_id, own_files
from inspector.store.stored_json import from_json, object_to_json
from inspector.store.writing import reading, require_no_group, write_transaction

_CHUNK_BYTES: Final = 1024 * 1024
_SELECT: Final = "SELECT id, name, digest, size_bytes, path, format, metadata, added_at FROM models"


def register_model(
    db: Database,
    path: str | os.PathLike[str],
    *,
    name: str,
    now_ms: int,
    model_id: str | None = None,
    format: str | None = None,  # noqa: A002  the column's name
    metadata: Mapping[str, object] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ModelRow:
    """Read the model's file once and keep its digest, size and absolute path; the file stays where it is.

    The database is not locked while the file is read. ``progress`` is called with the bytes read so far and the file's
    size after each chunk of 1 MiB, and once at the end; what it raises ends the reading, and nothing is written.

    A model that is there already, with the same path, digest and name (and id, where one is given), is returned as it
    is stored, and nothing is written. ``model_id`` is made up where none is given; one that stands for another name,
    path or content is Refused, and so is another ``format`` or ``metadata`` than a model has that is there already,
    where one is given. Refused are also bytes in place of a path, what is no regular file, a file of this very database
    (under any name), an empty name, a text that has no UTF-8, and metadata that is no JSON object. Raises Unusable
    where the file cannot be read, or changes while it is read; one that grows is not read on.
    """
    require_no_group(db)
    if not _is_path(path):
        raise Refused("A model is registered by the path of its file; its bytes stay outside the database.")
    require_filled("name", name)
    require_filled_or_none("model_id", model_id)
    require_text_or_none("format", format)
    require_moment(now_ms)
    if progress is not None:
        require_function("progress", progress)
    with _named_file_errors(Path(path)):
        # A relative path needs the working directory, which may be gone.
        file = Path(path).absolute()
    with reading(db) as conn:
        # What cannot be stored is refused before a file of many GB is read for it.
        f"{name}{file}{model_id}{format}".encode()
        own = own_files(conn)
    described = object_to_json({} if metadata is None else metadata, "metadata")
    digest, size_bytes = _read(file, own, progress)
    with write_transaction(db) as conn:
        stored = _stored(conn, model_id, name=name, path=str(file), digest=digest)
        if stored is None:
            new_id = f"model_{uuid.uuid4().hex}" if model_id is None else model_id
            stored = (new_id, name, digest, size_bytes, str(file), format, described, now_ms)
            conn.execute(
                """
                INSERT INTO models (id, name, digest, size_bytes, path, format, metadata, added_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                stored,
            )
        else:
            _require_same(stored, format, None if metadata is None else described)
        counts = _counts(conn, stored[0])
    return ModelRow(*stored, *counts)


def list_models(db: Database) -> tuple[ModelRow, ...]:
    """Return all models in the order in which they were registered, each with the number of tasks that name it."""
    with reading(db) as conn:
        rows = conn.execute(f"{_SELECT} ORDER BY added_at, id").fetchall()
        return tuple(ModelRow(*row, *_counts(conn, row[0])) for row in rows)


def _counts(conn: sqlite3.Connection, model_id: str) -> tuple[int, ...]:
    """Return how many tasks name the model, and how many of those have not ended."""
    rows: list[tuple[int, ...]] = conn.execute(
        """
        SELECT count(*), count(*) FILTER (WHERE status NOT IN ('completed', 'failed', 'cancelled'))
        FROM tasks WHERE model_id = ?""",
        (model_id,),
    ).fetchall()
    return rows[0]


def _is_path(path: object) -> bool:
    return isinstance(path, str | os.PathLike) and isinstance(os.fspath(path), str)


def _stored(
    conn: sqlite3.Connection, model_id: str | None, *, name: str, path: str, digest: str
) -> tuple[Any, ...] | None:
    """Return the columns of the model that is registered already, or None. Raises Refused where its id is taken."""
    rows: list[tuple[Any, ...]]
    if model_id is None:
        rows = conn.execute(
            f"{_SELECT} WHERE name = ? AND digest = ? AND path = ? ORDER BY added_at, id LIMIT 1", (name, digest, path)
        ).fetchall()
        return rows[0] if rows else None
    rows = conn.execute(f"{_SELECT} WHERE id = ?", (model_id,)).fetchall()
    if not rows:
        return None
    _, old_name, old_digest, _, old_path, *_ = rows[0]
    pairs = (("name", old_name, name), ("path", old_path, path), ("content", old_digest, digest))
    others = [what for what, old, new in pairs if old != new]
    if others:
        raise Refused(f"There is a model {model_id} already, with another {' and another '.join(others)}.")
    return rows[0]


def _require_same(stored: tuple[Any, ...], new_format: str | None, described: str | None) -> None:
    """Raise Refused where a model that is there was described otherwise, and what was asked for would be lost."""
    model_id, *_, old_format, old_described, _ = stored
    others = ["format"] if new_format not in (None, old_format) else []
    if described is not None and from_json(described, "The metadata") != from_json(old_described, "Its metadata"):
        others.append("metadata")
    if others:
        raise Refused(f"There is a model {model_id} already, with another {' and another '.join(others)}.")


def _read(file: Path, own: Container[FileId], progress: Callable[[int, int], None] | None) -> tuple[str, int]:
    """Return the digest and the size of what was read: one pass, so that both are of the same bytes."""
    with _named_file_errors(file):
        if file_id(file.stat()) in own:
            # Not even opened: to close it again would drop the locks that this process holds on its database.
            raise Refused(f"{visible(str(file))} is a file of this database, not of a model: nothing was registered.")
    with _opened(file) as descriptor:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            kind = "a folder" if stat.S_ISDIR(before.st_mode) else "not a regular file"
            raise Refused(f"{visible(str(file))} is {kind}, not the file of a model: nothing was registered.")
        chunks = _Chunks(file, descriptor, before.st_size, progress)
        digest = digest_of(chunks)
        with _named_file_errors(file):
            # By its path: another file may have taken its place.
            after = file.stat()
    if chunks.read_bytes != before.st_size or _state(after) != _state(before):
        raise Unusable(f"{visible(str(file))} changed while it was read: register it again when it is complete.")
    if progress is not None:
        progress(chunks.read_bytes, before.st_size)
    return digest, chunks.read_bytes


def _state(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@contextmanager
def _opened(file: Path) -> Iterator[int]:
    with _named_file_errors(file):
        # Without O_NONBLOCK the opening of a FIFO would wait for a writer, for ever.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _named_file_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Unusable(
            f"The model's file {visible(str(file))} cannot be read: {reason}; nothing was registered."
        ) from error


@dataclass(slots=True)
class _Chunks:
    file: Path
    descriptor: int
    size_bytes: int
    progress: Callable[[int, int], None] | None
    read_bytes: int = 0

    def __iter__(self) -> Iterator[bytes]:
        while chunk := self._next():
            self.read_bytes += len(chunk)
            if self.read_bytes > self.size_bytes:
                # It has grown. One that grows as fast as it is read is not followed.
                return
            if self.progress is not None:
                self.progress(self.read_bytes, self.size_bytes)
            yield chunk

    def _next(self) -> bytes:
        with _named_file_errors(self.file):
            return os.read(self.descriptor, _CHUNK_BYTES)
