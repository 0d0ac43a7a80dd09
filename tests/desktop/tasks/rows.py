"""Tasks for the Tasks view, and a list of them that answers as the reader does."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from inspector.desktop.tasks.blocks import Stretch
from inspector.desktop.tasks.order import below, count_above, order_of
from inspector.layout.pages import PAGE_ROWS, TaskKey, TaskPage, TaskPlaces
from inspector.layout.rows import TaskRow

NOW_MS = 1_796_000_100_000


def row(number: int, status: str = "queued", **fields: Any) -> TaskRow:  # noqa: ANN401  any field of the row
    """Return task ``number``; a greater number is a newer task."""
    task = TaskRow(
        id=f"task_{number:04}",
        client_id=None,
        model_id="small-model",
        kind="response",
        status=status,
        on_restart="retry",
        snapshot_seq=None,
        last_seq=1,
        attempt=1,
        error_code=None,
        created_at=1_796_000_000_000 + number * 1_000,
        started_at=None,
        finished_at=None,
        updated_at=1_796_000_000_000 + number * 1_000,
    )
    return replace(task, **fields)


def page(*tasks: TaskRow, more: bool = False) -> TaskPage:
    """Return a page of these tasks."""
    return TaskPage(tasks, more, NOW_MS)


class TaskList:
    """All tasks that there are, newest first."""

    def __init__(self, tasks: Iterable[TaskRow] = ()) -> None:
        self.tasks = sorted(tasks, key=order_of, reverse=True)

    def add(self, task: TaskRow) -> None:
        """Put a task where it belongs."""
        self.tasks.insert(count_above(self.tasks, order_of(task)), task)

    def drop(self, task_ids: Iterable[str]) -> None:
        """Delete tasks."""
        gone = set(task_ids)
        self.tasks = [task for task in self.tasks if task.id not in gone]

    def page(self, *, start: TaskKey | None = None, after: TaskKey | None = None) -> TaskPage:
        """Answer as to a ``TaskPageRequest``."""
        first = 0 if start is None else count_above(self.tasks, order_of(start))
        if after is not None:
            first = max(first, count_above(self.tasks, below(after)))
        last = first + PAGE_ROWS
        return TaskPage(tuple(self.tasks[first:last]), last < len(self.tasks), NOW_MS)

    def page_at(self, stretch: Stretch) -> TaskPage:
        """Answer what a stretch of rows asks for."""
        return self.page(start=stretch.start, after=stretch.after)

    def places(self, every: int) -> TaskPlaces:
        """Answer as to a ``TaskPlacesRequest``."""
        starts = tuple(TaskKey(task.created_at, task.id) for task in self.tasks[::every])
        return TaskPlaces(len(self.tasks), every, starts, NOW_MS)
