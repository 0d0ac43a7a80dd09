"""Registering models (section 11.1: model files stay outside; the database holds metadata and content digests)."""

import os
import stat
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from inspector.layout.rows import ModelRow
from inspector.lmsp.digests import digest_of
from inspector.store.errors import Refused, Unusable
from inspector.store.stored_json import object_to_json
from inspector.store.writing import write_transaction

_CHUNK_BYTES: Final = 1024 * 1024


def register_model(
    db: Database,
    path: str | os.PathLike[str],
    *,
    name: str,
    now_ms: int,
    model_id: str | None = None,
    format: str | None = None,  # noqa: A002  the column's name
    metadata: Mapping[str, object] | None = None,
) -> ModelRow:
    """Read the model's file once and keep its digest, size and absolute path; the file stays where it is.

    The database is not locked while the file is read. ``model_id`` is made up where none is given. Raises Refused for
    bytes in place of a path, for what is no regular file, for an empty name, for metadata that is no JSON object, and
    for an id that is taken; Unusable where the file cannot be read.
    """
    if not isinstance(path, str | os.PathLike):
        raise Refused("A model is registered by the path of its file; its bytes stay outside the database.")
    if not name or model_id == "":
        raise Refused("The name and the id of a model are not empty.")
    file = Path(path).absolute()
    described = object_to_json({} if metadata is None else metadata, "The metadata")
    digest, size_bytes = _read(file)
    new_id = f"model_{uuid.uuid4().hex}" if model_id is None else model_id
    with write_transaction(db) as conn:
        stored = conn.execute(
            """
            INSERT INTO models (id, name, digest, size_bytes, path, format, metadata, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING""",
            (new_id, name, digest, size_bytes, str(file), format, described, now_ms),
        )
        if stored.rowcount != 1:
            raise Refused(f"There is a model {new_id} already.")
        tasks, unfinished = conn.execute(
            """
            SELECT count(*), count(*) FILTER (WHERE status NOT IN ('completed', 'failed', 'cancelled'))
            FROM tasks WHERE model_id = ?""",
            (new_id,),
        ).fetchall()[0]
    return ModelRow(
        id=new_id,
        name=name,
        digest=digest,
        size_bytes=size_bytes,
        path=str(file),
        format=format,
        metadata=described,
        added_at=now_ms,
        tasks=tasks,
        unfinished=unfinished,
    )


def _read(file: Path) -> tuple[str, int]:
    """Return the digest and the size of what was read: one pass, so that both are of the same bytes."""
    try:
        # Without O_NONBLOCK the opening of a FIFO would wait for a writer, for ever.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused("The path of a model is not a regular file.")
            chunks = _Counted(descriptor)
            return digest_of(chunks), chunks.size_bytes
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise Unusable("The model's file cannot be read.") from error


@dataclass(slots=True)
class _Counted:
    descriptor: int
    size_bytes: int = field(default=0)

    def __iter__(self) -> Iterator[bytes]:
        while chunk := os.read(self.descriptor, _CHUNK_BYTES):
            self.size_bytes += len(chunk)
            yield chunk
