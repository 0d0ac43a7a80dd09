"""The order of the Tasks table: newest first, by creation time and id. One without a time stands after the others."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from inspector.layout.pages import TaskKey, TaskPage
from inspector.layout.rows import TaskRow

Order: TypeAlias = tuple[int, int, str, int]
"""A place in the list, greater further up. The last number is 0 just below a task, 1 at it."""

TOP: Final[Order] = (2, 0, "", 0)


def order_of(task: TaskRow | TaskKey) -> Order:
    """Return the place of a task."""
    return (0, 0, task.id, 1) if task.created_at is None else (1, task.created_at, task.id, 1)


def below(task: TaskRow | TaskKey) -> Order:
    """Return the place just below a task."""
    return (*order_of(task)[:3], 0)


def end_of(page: TaskPage) -> TaskKey | None:
    """Return where a page ends, and the next one begins: its last task, or the last one that was looked at for it."""
    if page.scanned_to is not None or not page.tasks:
        return page.scanned_to
    return TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)


def runs(rows: Iterable[int]) -> Iterable[tuple[int, int]]:
    """Yield the first and last of each run of neighbours in rising ``rows``."""
    first = last = -1
    for row in rows:
        if first >= 0 and row == last + 1:
            last = row
            continue
        if first >= 0:
            yield first, last
        first = last = row
    if first >= 0:
        yield first, last


def count_above(tasks: Sequence[TaskRow], place: Order) -> int:
    """Return how many of ``tasks``, newest first, stand above ``place``."""
    low, high = 0, len(tasks)
    while low < high:
        middle = (low + high) // 2
        if order_of(tasks[middle]) > place:
            low = middle + 1
        else:
            high = middle
    return low
