"""The tasks that are new and wait above the Tasks table, so that nothing moves by itself. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from inspector.desktop.tasks.order import Order, below, order_of
from inspector.layout.rows import TaskRow

MOST_WAITING: Final = 400
"""Of more than this only the newest wait as rows; of the others it is known that they are there."""
KEPT_WAITING: Final = 200


class WaitingTasks:
    """New tasks by id. Between them and the first row of the table may be some that are only counted."""

    def __init__(self) -> None:
        self._tasks: dict[str, TaskRow] = {}
        self._unlisted = 0
        self._listed_above: Order | None = None

    def __len__(self) -> int:
        return len(self._tasks) + self._unlisted

    def __contains__(self, task_id: str) -> bool:
        return task_id in self._tasks

    @property
    def unlisted(self) -> int:
        """How many are only counted."""
        return self._unlisted

    def are_above(self, top: Order | None) -> bool:
        """Say whether all of them belong above the row at ``top``."""
        return top is None or all(order_of(task) > top for task in self._tasks.values())

    def add(self, task: TaskRow, top: Order | None) -> None:
        """Let a task wait; ``top`` is the place of the first row. One of those that are only counted stays that."""
        if self._listed_above is None or not (top is None or top < order_of(task) < self._listed_above):
            self._tasks[task.id] = task

    def update(self, task: TaskRow) -> None:
        """Take a task that waits as it is now."""
        if task.id in self._tasks:
            self._tasks[task.id] = task

    def drop(self, task_ids: Iterable[str]) -> None:
        """Let these wait no longer, where they do."""
        for task_id in task_ids:
            self._tasks.pop(task_id, None)

    def shorten(self, top: Order | None) -> None:
        """Keep only the newest as rows, where they have become many."""
        if len(self._tasks) > MOST_WAITING:
            above = self._above(top)
            self._count_only(above[KEPT_WAITING:], above[:KEPT_WAITING], 0)

    def follow_gap(self, newest: Sequence[TaskRow], top: Order | None) -> None:
        """Let the ``newest`` tasks, read anew, wait instead, if some below them and above what is known are unseen."""
        known = max((order_of(task) for task in self._above(top)[:1]), default=top)
        if newest and known is not None and order_of(newest[-1]) > known:
            self._count_only(self._above(top), newest, 1)

    def count_anew(self, above: int, top: Order | None) -> None:
        """Hear how many tasks there are above the first row, which is at ``top``."""
        if self._unlisted:
            self._unlisted = max(1, above - len(self._above(top)))

    def take(self, top: Order | None) -> tuple[list[TaskRow], int, list[TaskRow]]:
        """Have none of them wait any more, and return them.

        First those that belong above the first row, newest first, then how many follow them that are only counted,
        then those that belong further down.
        """
        above = self._above(self._listed_above if self._unlisted else top)
        names = {task.id for task in above}
        others = [task for task in self._tasks.values() if task.id not in names]
        taken = above, self._unlisted, others
        self.clear()
        return taken

    def clear(self) -> None:
        """Forget all of them."""
        self._tasks.clear()
        self._unlisted = 0
        self._listed_above = None

    def _above(self, place: Order | None) -> list[TaskRow]:
        found = [task for task in self._tasks.values() if place is None or order_of(task) > place]
        return sorted(found, key=order_of, reverse=True)

    def _count_only(self, tasks: Sequence[TaskRow], listed: Sequence[TaskRow], unseen: int) -> None:
        if not tasks and not unseen:
            return
        kept = {task.id for task in listed}
        self._unlisted += sum(1 for task in tasks if task.id not in kept) + unseen
        for task in tasks:
            self._tasks.pop(task.id, None)
        self._tasks.update((task.id, task) for task in listed)
        if listed:
            self._listed_above = below(listed[-1])
