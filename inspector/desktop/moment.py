"""What time it is for what is shown: now in a file that moves, and its own last moment in one where nothing goes on."""

from inspector.layout.rows import TaskRow
from inspector.lmsp.statuses import UNFINISHED
from inspector.lmsp.values import value


@value
class Moment:
    """The moments that ages and durations are told of, in Unix milliseconds."""

    now_ms: int | None = None
    """Now, where the file moves; None where nothing goes on in it."""
    today_ms: int | None = None
    """Now, for the question whether a time is today's, where ``now_ms`` is None; without either every date is told."""
    last_ms: int | None = None
    """The last moment that a file tells of in which nothing goes on, as far as that is known."""

    @property
    def date_ms(self) -> int | None:
        """The moment that decides what is today."""
        return self.today_ms if self.now_ms is None else self.now_ms


def goes_on(task: TaskRow) -> bool:
    """Say whether the task had come to no end when it was read."""
    return task.status in UNFINISHED and task.finished_at is None


def end_ms(task: TaskRow, moment: Moment) -> int | None:
    """Return until when what is told of the task lasted: its end, else now, else the file's last moment.

    None where that is not known: of a task that ended at no moment that is stored, or is in no status of section 11.
    """
    if not goes_on(task):
        return task.finished_at
    if moment.now_ms is not None:
        return moment.now_ms
    # A clock may have gone backwards: nothing ends before its own last sign of life.
    known = [at_ms for at_ms in (task.updated_at, moment.last_ms) if at_ms is not None]
    return max(known, default=None)
