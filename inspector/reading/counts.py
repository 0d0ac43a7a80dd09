"""How many: tasks by status, and the models with the tasks that name them."""

from typing import Final

from inspector.layout.pages import Counts, ModelPage, TaskFilter
from inspector.layout.rows import ModelRow
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.filtering import conditions, where
from inspector.reading.recognising import Shape
from inspector.reading.steps import Stride
from inspector.reading.values import integer, integer_or_none, text, text_or_none

_MOST_STATUSES: Final = 1_000
_MOST_MODELS: Final = 2_000
_METADATA_CHARS: Final = 4_096
_MOST_COMMON: Final = "completed"
_LATEST: Final = (1 << 63) - 1
_EARLIEST: Final = -(1 << 63)


def counts(connection: ReadConnection, shape: Shape, wanted: TaskFilter, read_at_ms: int) -> Counts:
    """Return how many tasks pass ``wanted`` for each status as stored, and how many models are registered."""
    if wanted.is_empty and shape.tasks.is_ours and shape.orders.by_status:
        return Counts(_all_by_status(connection), how_many_models(connection, shape), read_at_ms)
    needed, values = conditions(wanted, shape.tasks)
    sql = f"""
        SELECT status, count(*)
        FROM tasks
        {where(needed)}
        GROUP BY status
        LIMIT :most
    """  # noqa: S608  conditions of ours; every value is a parameter
    by_status: dict[str, int] = {}
    for status, count in connection.rows(sql, values | {"most": _MOST_STATUSES}):
        by_status[text(status)] = by_status.get(text(status), 0) + integer(count)
    return Counts(by_status, how_many_models(connection, shape), read_at_ms)


def stored_statuses(connection: ReadConnection) -> list[str]:
    """Return the statuses that the tasks of a table of ours have: by the index, with a look at one task of each."""
    found: list[str] = []
    while True:
        sql = "SELECT status FROM tasks WHERE status > ? ORDER BY status LIMIT 1"
        following = connection.value(sql, [found[-1] if found else ""])
        if following is None:
            return found
        found.append(text(following))


def _all_by_status(connection: ReadConnection) -> dict[str, int]:
    """Count all tasks, which SQLite does by the page, and one by one those that are not completed: far fewer."""
    with connection.one_moment():
        total = integer(connection.value("SELECT count(*) FROM tasks"))
        found = {
            status: integer(connection.value("SELECT count(*) FROM tasks WHERE status = ?", [status]))
            for status in stored_statuses(connection)
            if status != _MOST_COMMON
        }
    completed = total - sum(found.values())
    return found | ({_MOST_COMMON: completed} if completed else {})


class StatusCount:
    """A count of the tasks of one status in a table of ours, in short steps along the index on the status."""

    def __init__(self, status: str) -> None:
        self._status = status
        self._stride = Stride()
        self._from = _LATEST
        self.has_ended = False
        """Whether all of them are counted."""

    def step(self, connection: ReadConnection) -> int:
        """Return how many older ones there are, as far as a step goes."""
        counted, oldest = self._stride.take(connection, lambda rows: self._next(connection, rows))
        self.has_ended = oldest is None or oldest == _EARLIEST
        self._from = (oldest or 0) - 1
        return counted

    def _next(self, connection: ReadConnection, rows: int) -> tuple[int, int | None]:
        values: dict[str, Value] = {"status": self._status, "from": self._from, "rows": rows}
        # Up to a moment, since SQL tells the least of many, but not the last of a few: those of that moment all count.
        oldest = connection.value(
            """
            SELECT min(created_at)
            FROM (
                SELECT created_at
                FROM tasks
                WHERE status = :status AND created_at <= :from
                ORDER BY created_at DESC
                LIMIT :rows
            )
            """,
            values,
        )
        if oldest is None:
            return 0, None
        counted = connection.value(
            "SELECT count(*) FROM tasks WHERE status = :status AND created_at BETWEEN :oldest AND :from",
            {"status": self._status, "from": self._from, "oldest": oldest},
        )
        return integer(counted), integer(oldest)


def how_many_models(connection: ReadConnection, shape: Shape) -> int:
    """Return how many models are registered."""
    return 0 if shape.models is None else integer(connection.value("SELECT count(*) FROM models"))


def models(connection: ReadConnection, shape: Shape, read_at_ms: int) -> ModelPage:
    """Return the registered models by name, each with how many tasks name it and how many of those are unfinished."""
    if shape.models is None:
        return ModelPage((), read_at_ms)
    columns = shape.models.select("id", "name", "digest", "size_bytes", "path", "format")
    metadata = f"substr(metadata, 1, {_METADATA_CHARS})" if "metadata" in shape.models.columns else "NULL"
    added_at = shape.models.select("added_at")
    with connection.one_moment():
        rows = connection.rows(
            f"SELECT {columns}, {metadata}, {added_at} FROM models ORDER BY 2, 1 LIMIT ?",  # noqa: S608  names of ours
            [_MOST_MODELS],
        )
        unfinished = _unfinished(connection, shape)
        found = tuple(
            ModelRow(
                id=text(model_id),
                name=text(name),
                digest=text(digest),
                size_bytes=integer_or_none(size_bytes),
                path=text(path),
                format=text_or_none(kind),
                metadata=text(metadata),
                added_at=integer_or_none(added),
                tasks=_tasks_of(connection, shape, model_id),
                unfinished=unfinished.get(text(model_id), 0),
            )
            for model_id, name, digest, size_bytes, path, kind, metadata, added in rows
        )
    return ModelPage(found, read_at_ms)


def _tasks_of(connection: ReadConnection, shape: Shape, model_id: Value) -> int:
    if "model_id" not in shape.tasks.columns:
        return 0
    return integer(connection.value("SELECT count(*) FROM tasks WHERE model_id = ?", [model_id]))


def _unfinished(connection: ReadConnection, shape: Shape) -> dict[str, int]:
    if "model_id" not in shape.tasks.columns:
        return {}
    rows = connection.rows("""
        SELECT model_id, count(*)
        FROM tasks
        WHERE status IN ('queued', 'loading', 'running', 'cancelling')
        GROUP BY model_id
    """)
    return {text(model_id): integer(count) for model_id, count in rows}
