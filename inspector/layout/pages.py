"""What is asked of the read side, and what it answers with."""

from collections.abc import Mapping
from dataclasses import field

from inspector.layout.rows import EventRow, ModelRow, Odd, TaskRow, WithOdd
from inspector.lmsp.recovery import Leftover, Outcome
from inspector.lmsp.values import value

PAGE_ROWS = 200
"""The most rows in one answer."""

TEXT_COLUMNS = ("id", "model_id", "client_id", "error_code")
"""Where the text of a filter is looked for."""

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def ascii_lower(text: str) -> str:
    """Return ``text`` in lower case as SQLite's own ``lower`` sees it: A to Z only."""
    return text.translate(_ASCII_LOWER)


@value
class TaskFilter:
    """Which tasks are wanted. All that is given must hold."""

    statuses: frozenset[str] = frozenset()
    """Any of these; empty means any status."""
    text: str = ""
    """Found in the id, the model, the client or the error code, A to Z in any case; empty means any."""
    model_id: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether every task passes."""
        return not (self.statuses or self.text or self.model_id is not None)

    def passes(self, task: TaskRow) -> bool:
        """Say whether ``task`` is wanted: the same as the read side's SQL says of its row.

        Bytes that are no UTF-8, which the row shows escaped, are found by neither.
        """
        if self.statuses and task.status not in self.statuses:
            return False
        if self.model_id is not None and task.model_id != self.model_id:
            return False
        if not self.text:
            return True
        text = ascii_lower(self.text)
        places = (getattr(task, column) for column in TEXT_COLUMNS)
        return any(text in ascii_lower(place) for place in places if place is not None)


@value
class TaskKey:
    """The place of a task in the order of lists: newest first, by creation time and id.

    A task whose time of creation is None stands after all that have one.
    """

    created_at: int | None
    id: str


@value
class TaskPage:
    """Tasks, newest first."""

    tasks: tuple[TaskRow, ...]
    more: bool
    """Whether older tasks follow, or may: see ``scanned_to``."""
    read_at_ms: int
    scanned_to: TaskKey | None = None
    """Set where few tasks pass the filter, and the page ended before it was full: the last task that was looked at.

    The rest is asked for after this key. Such a page may hold no task at all.
    """
    damage: str = ""
    """What of the table cannot be read, in one sentence; empty where all of the page could be."""


@value
class TaskPlaces:
    """Where pages begin in the list of all tasks that pass a filter, newest first: so a list of any length can jump."""

    total: int
    """How many pass."""
    every: int
    starts: tuple[TaskKey, ...]
    """``starts[n]`` is the key of the task in row ``n * every``."""
    read_at_ms: int
    """When the walk over them began; tasks that came later are not counted."""


@value
class EventHit(WithOdd):
    """One event whose data holds a text."""

    id: int
    task_id: str
    seq: int
    type: str
    excerpt: str
    """What stands around the first place of the text in the data, as stored."""
    match_at: int
    """Where in the excerpt the text begins, in characters."""
    match_length: int
    """How many characters of the excerpt it takes, escaped as it is stored; 0 where the data is no text."""
    created_at: int | None
    odd: Odd = ()


@value
class EventHits:
    """What a search of all events found, newest first."""

    hits: tuple[EventHit, ...]
    searched_to: int | None
    """Where the search ended because there were hits enough: it goes on before the event of this id."""
    read_at_ms: int
    damage: str = ""
    """What of the events cannot be read, in one sentence; empty where all were looked at."""


@value
class Progress:
    """How far a question has come that walks over many rows."""

    done: int
    """How many rows were looked at."""
    of: int | None
    """About how many there are, where that is known."""
    hits: tuple[EventHit, ...] = ()
    """What was found since the last time, where the question is for events."""


@value
class Leftovers:
    """The tasks in no final status, oldest first."""

    tasks: tuple[Leftover, ...]
    more: tuple[tuple[Outcome, int], ...] = ()
    """How many there are behind those, by what recovery does to them."""
    damage: str = ""
    """What of them, or of their logs, cannot be read, in one sentence or two; empty where all could be."""


@value
class EventPage:
    """Events of one task, by sequence number, rising."""

    task_id: str
    events: tuple[EventRow, ...]
    more_before: bool
    more_after: bool
    damage: str = ""
    """What of the log cannot be read, in one sentence; empty where all of the page could be."""


@value
class Tick:
    """One event as the timeline needs it: all of a task's log fits, where its data would not."""

    seq: int
    type: str
    status: str
    created_at: int
    """Where no integer is stored, that of the event before it."""
    is_numbered: bool = True
    """Whether ``seq`` is stored; else it is the event's place in its log."""


@value
class LogStretch:
    """A stretch of one task's log without its data, as it was read."""

    task_id: str
    ticks: tuple[Tick, ...]
    """Rising by sequence number; thinned out evenly where that was asked, changes of status and the last one kept."""
    events: int
    """How many events were read for it."""
    last_seq: int
    """The last of them, after which the next stretch begins; where there was none, that after which it was looked."""
    status: str
    """The status after that one."""
    more: bool
    """Whether there are events after it already."""


@value
class TaskTimeline:
    """The log of one task without its data."""

    task_id: str
    ticks: tuple[Tick, ...]
    """Rising by sequence number; thinned out evenly, changes of status kept, where the log is longer than its limit."""
    events: int
    """How many events the log has."""


@value
class Counts:
    """How many tasks there are for each status as stored, and how many models."""

    by_status: Mapping[str, int] = field(default_factory=dict)
    models: int = 0
    read_at_ms: int = 0
    damage: str = ""
    """What could not be counted, in one sentence or two; empty where all could be."""

    @property
    def tasks(self) -> int:
        """All tasks."""
        return sum(self.by_status.values())


@value
class ModelPage:
    """The registered models, by name."""

    models: tuple[ModelRow, ...]
    read_at_ms: int
    damage: str = ""
    """What of the models, or of the tasks that name them, cannot be read; empty where all could be."""
