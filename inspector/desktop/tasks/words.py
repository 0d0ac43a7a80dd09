"""What the columns of the Tasks table say of a task. Pure: the moment is passed in."""

from collections.abc import Sequence
from datetime import tzinfo
from enum import IntEnum
from typing import Final

from inspector.desktop.moment import Moment, end_ms, goes_on
from inspector.desktop.widgets.cells import DIM_LEAST, WARN_STRONG
from inspector.desktop.widgets.row_cells import Cell
from inspector.desktop.widgets.words import NOTHING, age, counted, duration, grouped, short_time
from inspector.layout.pages import Counts, TaskFilter
from inspector.layout.rows import TaskRow
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.statuses import FINAL, known_status

QUIET_AFTER_MS: Final = 30_000
"""An unfinished task in a worker's hands that has written nothing for so long is marked."""

SAME_MOMENT_MS: Final = 1_000
SHOWN_CHARACTERS: Final = 300
"""A cell shows no more of a text."""


class TaskColumn(IntEnum):
    """The columns of the table, from the left."""

    STATE = 0
    TASK = 1
    MODEL = 2
    WAIT = 3
    RUN = 4
    EVENTS = 5
    LAST_EVENT = 6


HEADINGS: Final = ("State", "Task", "Model", "Wait", "Run", "Events", "Last event")

_NOTHING: Final = Cell("")
NOT_LOADED: Final[Sequence[Cell]] = tuple(
    Cell("…", dim=DIM_LEAST) if column == TaskColumn.TASK else _NOTHING for column in TaskColumn
)
"""What a row shows while it is on its way."""

NEVER_READ: Final[Sequence[Cell]] = tuple(
    Cell("not read", dim=DIM_LEAST) if column == TaskColumn.TASK else _NOTHING for column in TaskColumn
)
"""What a row shows that was not read before the file was lost."""

NOT_FILTERED: Final = "The file cannot be read any more: the tasks cannot be filtered."


def nothing_words(wanted: TaskFilter, counts: Counts | None, *, is_looking_on: bool) -> str:
    """Say in place of the rows why there is none; ``counts`` are of the tasks that pass all filters but that by status.

    ``is_looking_on``: older tasks are being looked through for ones that pass.
    """
    if is_looking_on:
        return "No task matches so far."
    if wanted.is_empty:
        return "No tasks yet."
    others = counts.tasks if counts is not None and wanted.statuses else 0
    return "No task matches." + (f" {counted(others, 'does', 'do')} without the status filter." if others else "")


def task_cells(task: TaskRow, moment: Moment, zone: tzinfo, warm: tuple[int, int] | None = None) -> Sequence[Cell]:
    """Return what each column shows at ``moment``: where nothing goes on, how long it lasted at least.

    ``warm``: when cells changed, and which, as the bits of :func:`changed_cells`.
    """
    end, now_ms = end_ms(task, moment), moment.now_ms
    at_least = "≥ " if now_ms is None and end is not None and goes_on(task) else ""
    waits = at_least if task.started_at is None else ""
    cells = (
        Cell(visible(task.status[:SHOWN_CHARACTERS]), task.status),
        Cell(visible(task.id[:SHOWN_CHARACTERS])),
        Cell(visible((task.model_id or "–")[:SHOWN_CHARACTERS])),
        Cell(_span(task.created_at, task.started_at or end, waits)),
        Cell(_span(task.started_at, end, at_least)),
        Cell(_events(task)),
        Cell(_last_event(task, moment, zone), warn=WARN_STRONG if _is_quiet(task, now_ms) else 0),
    )
    if warm is None:
        return cells
    at_ms, mask = warm
    return tuple(cell._replace(flash_at_ms=at_ms) if mask >> column & 1 else cell for column, cell in enumerate(cells))


def changed_cells(old: TaskRow, new: TaskRow) -> int:
    """Return the columns that changed as bits, the first column the lowest."""
    changed = (
        (TaskColumn.STATE, old.status != new.status),
        (TaskColumn.WAIT, old.started_at != new.started_at),
        (TaskColumn.RUN, (old.started_at, old.finished_at) != (new.started_at, new.finished_at)),
        (TaskColumn.EVENTS, old.last_seq != new.last_seq),
        (TaskColumn.LAST_EVENT, old.updated_at != new.updated_at),
    )
    return sum(1 << column for column, differs in changed if differs)


def _span(start_ms: int | None, end_ms: int | None, at_least: str) -> str:
    return NOTHING if start_ms is None or end_ms is None else at_least + duration(end_ms - start_ms)


def _events(task: TaskRow) -> str:
    """Return how many events there are: where no number of the last one is told, as many as were counted."""
    return number_words(task.told("last_seq"), grouped, grouped(task.last_seq) if task.last_seq else NOTHING)


def _last_event(task: TaskRow, moment: Moment, zone: tzinfo) -> str:
    if task.updated_at is None or moment.now_ms is None:
        return or_as_stored(short_time(task.updated_at, moment.today_ms, zone), task.as_stored("updated_at"))
    since = moment.now_ms - task.updated_at
    # The moment on screen is a little older than what was just read; a clock that was set back is another matter.
    return age(0 if -SAME_MOMENT_MS < since < 0 else since)


def _is_quiet(task: TaskRow, now_ms: int | None) -> bool:
    if now_ms is None or task.updated_at is None or now_ms - task.updated_at < QUIET_AFTER_MS:
        return False
    status = known_status(task.status)
    return status not in FINAL and status != "queued"
