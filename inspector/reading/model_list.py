"""The registered models, and how many tasks name each."""

from typing import Final, NamedTuple

from inspector.layout.rows import ModelRow
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.errors import require_behind
from inspector.reading.recognising import Shape, Table
from inspector.reading.steps import Stride
from inspector.reading.values import integer, integer_or_none, odd_ones, text, text_or_none

_MOST: Final = 2_000
_METADATA_CHARS: Final = 4_096
_EARLIEST: Final = -(1 << 63)


class Listed(NamedTuple):
    """A model, and its id as it is stored."""

    model_id: Value
    row: ModelRow
    """With no task that names it: they are counted apart, which takes long where there are many."""


def listed_models(connection: ReadConnection, shape: Shape) -> tuple[Listed, ...]:
    """Return the registered models by name."""
    if shape.models is None:
        return ()
    sql = f"SELECT {model_columns(shape.models)} FROM models ORDER BY 2, 1 LIMIT ?"  # noqa: S608  names of ours
    return tuple(Listed(row[0], model_row(row)) for row in connection.rows(sql, [_MOST]))


def model_columns(models: Table) -> str:
    """Return the columns of a model's row, a list for SQL."""
    columns = models.select("id", "name", "digest", "size_bytes", "path", "format")
    metadata = f"substr(metadata, 1, {_METADATA_CHARS})" if "metadata" in models.columns else "NULL"
    return f"{columns}, {metadata}, {models.select('added_at')}"


def model_row(row: Row) -> ModelRow:
    """Return the model whose :func:`model_columns` are ``row``, with no task that names it."""
    model_id, name, digest, size_bytes, path, kind, metadata, added_at = row
    return ModelRow(
        id=text(model_id),
        name=text(name),
        digest=text(digest),
        size_bytes=integer_or_none(size_bytes),
        path=text(path),
        format=text_or_none(kind),
        metadata=text(metadata),
        added_at=integer_or_none(added_at),
        tasks=0,
        unfinished=0,
        odd=odd_ones((("size_bytes", size_bytes), ("added_at", added_at))),
    )


class ModelCount:
    """A count of the tasks that name one model, in short steps along the index on it."""

    def __init__(self, model_id: Value) -> None:
        self._model_id = model_id
        self._stride = Stride()
        self._after = _EARLIEST
        self.has_ended = False
        """Whether all of them are counted."""

    def step(self, connection: ReadConnection, shape: Shape) -> int:
        """Return how many more there are, as far as a step goes; where there is no such index all of them."""
        if "model_id" not in shape.tasks.columns:
            self.has_ended = True
            return 0
        number = shape.tasks.rowid
        if number is None or not shape.orders.by_model:
            self.has_ended = True
            return integer(connection.value("SELECT count(*) FROM tasks WHERE model_id = ?", [self._model_id]))
        of_model = f"SELECT {number} AS number FROM tasks WHERE model_id = ? AND {number} > ?"  # noqa: S608  ours
        sql = f"SELECT count(*), max(number) FROM ({of_model} ORDER BY {number} LIMIT ?)"  # noqa: S608  as above

        def take(most: int) -> tuple[int, Value]:
            ((found, last),) = connection.rows(sql, [self._model_id, self._after, most])
            require_behind(last, self._after, "tasks")
            # What is fewer than was asked for is the rest.
            self.has_ended = integer(found) < most
            return integer(found), last

        counted, last = self._stride.take(connection, take)
        self._after = integer(last)
        return counted
