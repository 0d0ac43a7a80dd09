"""The tasks that pass a filter as a list, newest first: read along an index, from any key on, never by OFFSET.

The list has up to two parts: the tasks whose time of creation is an integer, by it and their id, and behind them, in a
file that is not ours, the others by their id alone.
"""

from collections.abc import Sequence
from typing import Final

from inspector.layout.pages import TaskFilter, TaskKey
from inspector.layout.rows import TaskRow
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.filtering import of_each_status, of_model, of_status, of_text, values_of, where
from inspector.reading.recognising import Shape, Table
from inspector.reading.shown_ids import shown_id, stored_id
from inspector.reading.task_rows import newest_first, selected_tasks
from inspector.reading.values import integer, integer_or_none, text

_LATEST: Final = (1 << 63) - 1

_RARE: Final = 2_000
"""A model that so few tasks name is looked for by its own index; another one along the list."""

_MOST_KNOWN: Final = 1_000

_TIMED: Final = "created_at <= :latest AND typeof(created_at) = 'integer'"
_UNTIMED: Final = "typeof(created_at) <> 'integer'"


@value
class Bound:
    """Where a page begins: behind the task at a key, or at it."""

    key: TaskKey
    inclusive: bool = False


@value
class Part:
    """One part of the list. Each of its streams is a condition whose rows an index has in the order of the list."""

    tasks: Table
    by_created: bool
    streams: tuple[str, ...]
    tests: str
    """A condition that is looked at row by row while a stream is followed; empty where each row of a stream passes."""
    values: dict[str, Value]
    is_sorted: bool = False
    """Whether the rows, few of them, come from another index and are sorted."""

    def rows(
        self, connection: ReadConnection, bound: Bound | None, down_to: TaskKey | None, limit: int
    ) -> list[TaskRow]:
        """Return the first ``limit`` tasks from ``bound`` on that pass, none older than ``down_to``."""
        found: list[TaskRow] = []
        for stream in self.streams:
            tail, values = self._tail(connection, (stream, self.tests), bound, down_to, limit)
            found += selected_tasks(connection, self.tasks, tail, values)
        if len(self.streams) > 1:
            found = newest_first(found)
        return found[:limit]

    def columns(
        self, connection: ReadConnection, names: str, bound: Bound | None, down_to: TaskKey | None, limit: int
    ) -> list[Row]:
        """Return the time of creation, the id and the columns ``names`` of the same tasks, in the order of the list."""
        found: list[Row] = []
        for stream in self.streams:
            tail, values = self._tail(connection, (stream, self.tests), bound, down_to, limit)
            found += connection.rows(self._select(names, tail), values)
        return self._in_order(found)[:limit]

    def key_of(self, row: Row) -> TaskKey:
        """Return the key of a task by its first two columns, as :meth:`columns` gives them."""
        return TaskKey(integer_or_none(row[0]) if self.by_created else None, shown_id(row[1], self.tasks))

    def far(self, connection: ReadConnection, bound: Bound | None, rows: int) -> tuple[list[Row], TaskKey | None]:
        """Follow the streams for the next ``rows`` tasks, whether they pass or not.

        Return the time of creation and the id of each, and the key of the last; None instead where the streams end
        before. With several streams it is as far as all of them were followed.
        """
        last: list[Row] = []
        found: list[Row] = []
        for stream in self.streams:
            tail, values = self._tail(connection, (stream,), bound, None, rows)
            walked = connection.rows(self._select("", tail), values)
            found += walked
            if len(walked) == rows:
                last.append(walked[-1])
        found = self._in_order(found)
        if not last:
            return found, None
        to = max(last, key=_place) if len(last) > 1 else last[0]
        if len(self.streams) > 1:
            found = found[: 1 + found.index(to)]
        return found, self.key_of(to)

    def _in_order(self, rows: list[Row]) -> list[Row]:
        return sorted(rows, key=_place, reverse=True) if len(self.streams) > 1 else rows

    def _select(self, names: str, tail: str) -> str:
        created_at = "created_at" if self.by_created else "NULL"
        return f"SELECT {created_at}, id{names and ', '}{names} FROM tasks {tail}"  # noqa: S608  names of ours

    def _tail(
        self,
        connection: ReadConnection,
        conditions: Sequence[str],
        bound: Bound | None,
        down_to: TaskKey | None,
        limit: int,
    ) -> tuple[str, dict[str, Value]]:
        needed = [condition for condition in conditions if condition]
        values = self.values | {"limit": limit}
        key = "(created_at, id) {} (:{}_created_at, :{}_id)" if self.by_created else "id {0} :{1}_id"
        first = None if bound is None else bound.key
        for name, comparison, at in (
            ("bound", "<=" if bound and bound.inclusive else "<", first),
            ("down_to", ">=", down_to),
        ):
            if at is not None:
                needed.append(key.format(comparison, name, name))
                values[f"{name}_id"] = stored_id(connection, self.tasks, "id", at.id)
                if self.by_created:
                    values[f"{name}_created_at"] = at.created_at
        # With a plus SQLite does not follow the index of the list instead.
        plus = "+" if self.is_sorted else ""
        order = f"{plus}created_at DESC, {plus}id DESC" if self.by_created else f"{plus}id DESC"
        return f"{where(needed)} ORDER BY {order} LIMIT :limit", values


def _place(row: Row) -> tuple[int, str]:
    return integer(row[0]), text(row[1])


def task_list(connection: ReadConnection, shape: Shape, wanted: TaskFilter, bound: Bound | None) -> list[Part]:
    """Return the parts of the list of the tasks that pass ``wanted``, from the one that holds ``bound`` on.

    A ``bound`` belongs to the first of them.
    """
    tasks, orders = shape.tasks, shape.orders
    has_time = "created_at" in tasks.columns
    timed = has_time and (orders.by_created or not orders.by_id)
    parts = []
    if timed and not (bound and bound.key.created_at is None):
        parts.append(_part(connection, shape, wanted, by_created=True, also="" if tasks.is_ours else _TIMED))
    if not (timed and tasks.is_ours):
        parts.append(_part(connection, shape, wanted, by_created=False, also=_UNTIMED if timed else ""))
    return parts


def _part(connection: ReadConnection, shape: Shape, wanted: TaskFilter, *, by_created: bool, also: str) -> Part:
    tasks = shape.tasks
    values = values_of(wanted)
    if also == _TIMED:
        values["latest"] = _LATEST
    statuses, models, texts = of_status(wanted, tasks), of_model(wanted, tasks), of_text(wanted, tasks)
    if models and shape.orders.by_model and models[0].startswith("model_id") and _is_rare(connection, models, wanted):
        return Part(tasks, by_created, (_all(*models, also),), _all(*map(_plus, statuses), *texts), values, True)
    streams: tuple[str, ...] = ()
    if by_created and shape.orders.by_status and statuses:
        # Each status has its index in the right order; together they would be sorted, all of them, for one page. What
        # the order of ids is in a table that is not ours, only SQLite knows: one stream needs no merging.
        each = of_each_status(wanted, tasks)
        if each and (tasks.is_ours or len(each) == 1):
            streams = tuple(_all(condition, also) for condition in each)
            statuses = []
    if not streams:
        # Few tasks are without a time: it is looked for row by row.
        streams = ("",) if also == _UNTIMED else (also,)
        statuses += [also] if also == _UNTIMED else []
    return Part(tasks, by_created, streams, _all(*map(_plus, [*statuses, *models]), *texts), values)


def _is_rare(connection: ReadConnection, models: list[str], wanted: TaskFilter) -> bool:
    model = wanted.model_id or ""
    if model in connection.common:
        return False
    sql = f"SELECT count(*) FROM (SELECT 1 FROM tasks WHERE {models[0]} LIMIT :most)"  # noqa: S608  a condition of ours
    found = connection.value(sql, {"model_id": wanted.model_id, "most": _RARE + 1})
    if isinstance(found, int) and found <= _RARE:
        return True
    if len(connection.common) < _MOST_KNOWN:
        connection.common.add(model)
    return False


def _all(*conditions: str) -> str:
    return " AND ".join(condition for condition in conditions if condition)


def _plus(condition: str) -> str:
    """Keep SQLite from an index on the column that ``condition`` begins with: the list is followed by another one."""
    return f"+{condition}" if condition[:1].isalpha() and not condition.startswith(("CASE", "typeof")) else condition
