"""How many: tasks by status, all of them, and the models."""

from typing import Final

from inspector.layout.pages import Counts, TaskFilter
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.errors import require_behind, unnoticed_damage
from inspector.reading.filtering import conditions, where
from inspector.reading.recognising import Shape
from inspector.reading.steps import Stride
from inspector.reading.values import integer, text

_MOST_STATUSES: Final = 1_000
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
        if text(following) in found:
            # As numbers may not rise (see require_behind).
            raise unnoticed_damage("the statuses do not stand in their order")
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
    if completed < 0:
        # SQLite counts all of them in whichever index is the smallest, and does not look whether it is whole.
        raise unnoticed_damage("the indexes of the tasks hold different numbers of them")
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
        require_behind(oldest, self._from + 1, "tasks", falling=True)
        counted = connection.value(
            "SELECT count(*) FROM tasks WHERE status = :status AND created_at BETWEEN :oldest AND :from",
            {"status": self._status, "from": self._from, "oldest": oldest},
        )
        return integer(counted), integer(oldest)


def about_how_many_tasks(connection: ReadConnection, shape: Shape) -> int | None:
    """Return how many tasks there are at most, told by their rowids; None where they have none."""
    number = shape.tasks.rowid
    if number is None:
        return None
    ((least, most),) = connection.rows(
        f"SELECT (SELECT min({number}) FROM tasks), (SELECT max({number}) FROM tasks)"  # noqa: S608  names of ours
    )
    return 0 if most is None else integer(most) - integer(least) + 1


def how_many_models(connection: ReadConnection, shape: Shape) -> int:
    """Return how many models are registered."""
    return 0 if shape.models is None else integer(connection.value("SELECT count(*) FROM models"))
