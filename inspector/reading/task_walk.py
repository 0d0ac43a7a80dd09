"""A walk over the list of tasks that pass a filter, in short steps: each is a read of a few milliseconds.

So a service's checkpoint never waits for one, a question that was stopped ends with its step, and a filter that few
tasks pass holds nothing up.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from inspector.layout.pages import TaskKey
from inspector.layout.rows import TaskRow
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.errors import TookTooLong, unnoticed_damage
from inspector.reading.shown_ids import shown_id
from inspector.reading.steps import Stride
from inspector.reading.task_list import Bound, Part
from inspector.reading.values import integer_or_none

_Found = TypeVar("_Found")


class TaskWalk:
    """The walk. Each step says what it found, and :attr:`at` how far the walk has come."""

    def __init__(self, parts: Sequence[Part], bound: Bound | None) -> None:
        """Walk over ``parts``, as task_list gives them, from ``bound`` in the first of them on."""
        self._parts = list(parts)
        self._tasks = parts[0].tasks
        self._bound = bound
        self._stride = Stride()
        self.walked = 0
        """How many tasks were looked at."""

    @property
    def at(self) -> TaskKey | None:
        """The last task that was looked at. None before the first step, and between the two parts of the list."""
        return None if self._bound is None else self._bound.key

    @property
    def has_ended(self) -> bool:
        """Whether the list has no more tasks."""
        return not self._parts

    def page(self, connection: ReadConnection, limit: int, within_ms: int) -> list[TaskRow] | None:
        """Return the next ``limit`` tasks that pass by one statement, or None where it takes longer than that."""
        part = self._parts[0]
        if part.tests:
            try:
                with connection.within(within_ms):
                    found = part.rows(connection, self._bound, None, limit)
            except TookTooLong:
                return None
        else:
            found = part.rows(connection, self._bound, None, limit)
        if len(found) < limit:
            self._go_on(None)
        return found

    def rows(self, connection: ReadConnection, limit: int) -> list[TaskRow]:
        """Take a step, and return the tasks in it that pass; no more than ``limit``, then the walk is over."""

        def read(part: Part) -> tuple[list[TaskRow], int, TaskKey | None]:
            walked, to = part.far(connection, self._bound, self._stride.rows)
            return part.rows(connection, self._bound, to, limit) if walked else [], len(walked), to

        return self._step(connection, read)

    def columns(self, connection: ReadConnection, names: str = "") -> list[Row]:
        """Take a step, and return the time of creation, the id and the columns ``names`` of the tasks that pass."""

        def read(part: Part) -> tuple[list[Row], int, TaskKey | None]:
            walked, to = part.far(connection, self._bound, self._stride.rows)
            if not walked or not (part.tests or names):
                return walked, len(walked), to
            return part.columns(connection, names, self._bound, to, len(walked)), len(walked), to

        return self._step(connection, read)

    def key_of(self, row: Row) -> TaskKey:
        """Return the key of a task by its first two columns, as :meth:`columns` gave them."""
        return TaskKey(integer_or_none(row[0]), shown_id(row[1], self._tasks))

    def _step(
        self, connection: ReadConnection, read: Callable[[Part], tuple[list[_Found], int, TaskKey | None]]
    ) -> list[_Found]:
        found, walked, to = self._stride.take(connection, lambda _rows: read(self._parts[0]))
        self.walked += walked
        self._go_on(to)
        return found

    def _go_on(self, to: TaskKey | None) -> None:
        before = None if self._bound is None or self._bound.inclusive else self._bound.key
        if to is not None and before is not None and not _is_behind(to, before):
            # As numbers may not rise (see require_behind).
            raise unnoticed_damage("the tasks do not stand in the order of the list")
        if to is None:
            del self._parts[0]
        self._bound = None if to is None else Bound(to)


def _is_behind(key: TaskKey, before: TaskKey) -> bool:
    """Say whether a key can stand behind another one: of ids, which may be numbers or blobs, only if it is the same."""
    if key.created_at is None or before.created_at is None or key.created_at == before.created_at:
        return key.id != before.id
    return key.created_at < before.created_at
