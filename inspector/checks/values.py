"""What the rules are asked about, as frozen values of the right types. Times are Unix milliseconds, UTC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


class Task(NamedTuple):
    """One task's row without its large columns. A column that the file does not have is 0, empty or None."""

    rowid: int
    id: str
    status: str
    last_seq: int
    attempt: int
    created_at: int
    updated_at: int
    on_restart: str | None
    error_code: str | None
    client_id: str | None
    model_id: str | None
    snapshot_seq: int | None
    started_at: int | None
    finished_at: int | None
    has_snapshot: int
    """1 or 0."""
    is_large: int
    """1 where one of its large columns is above the agreed size."""


class Event(NamedTuple):
    """One event. A named tuple, since a check makes millions of them."""

    task: int
    """The rowid of its task."""
    id: int
    seq: int
    type: str
    status: str
    attempt: int
    created_at: int
    error: str | None
    """The start of the data of a ``response.failed`` event, None for any other."""
    is_large: int
    """1 where its data is above the agreed size."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some events, each task's own in the order of its log: the logs of some tasks, or a part of one long log."""

    events: Sequence[Event]
    """Those of the right types."""
    pairs: Sequence[tuple[Event, Event]]
    """Each event with the one before it in its log; where one of them is of wrong types, there is no pair."""
    firsts: Sequence[Event]
    """The events with which a log begins."""
    snapshots: Mapping[int, int]
    """By the rowids of tasks, the sequence numbers that their snapshots stand at."""


def stretch_of(
    events: Sequence[Event | None],
    tasks: Sequence[object],
    snapshots: Mapping[int, int],
    *,
    before: Event | None = None,
    goes_on: bool = False,
) -> Stretch:
    """Return the stretch of these events, one or more; None stands for one of wrong types.

    ``tasks`` has the rowid of the task of each. Where the first of them ``goes_on`` with a log, ``before`` is the event
    before it.
    """
    whole = [event for event in events if event is not None]
    if len(whole) == len(events):
        neighbours = list(pairwise(whole))
        pairs = [pair for pair in neighbours if pair[0].task == pair[1].task]
        firsts = [event for earlier, event in neighbours if earlier.task != event.task]
        if not goes_on:
            firsts.insert(0, whole[0])
        elif before is not None:
            pairs.insert(0, (before, whole[0]))
        return Stretch(whole, pairs, firsts, snapshots)
    pairs, firsts = [], []
    owner = tasks[0] if goes_on else None
    for task, event in zip(tasks, events, strict=True):
        if event is not None and task != owner:
            firsts.append(event)
        elif event is not None and before is not None:
            pairs.append((before, event))
        owner, before = task, event
    return Stretch(whole, pairs, firsts, snapshots)


@dataclass(frozen=True, slots=True)
class Ended:
    """A task and how its log begins and ends. Only made where every event of it is of the right types."""

    task: Task
    first: Event | None
    last: Event | None
    finals: int
    """How many of its events have a final status."""


@dataclass(frozen=True, slots=True)
class Response:
    """A stored response."""

    status: object
    client_id: object
    model_id: object


@dataclass(frozen=True, slots=True)
class Key:
    """An idempotency key, without the key itself: that is a secret."""

    client_id: object


@dataclass(frozen=True, slots=True)
class Owned:
    """A task with what belongs to it beside its log."""

    task: Task
    responses: Sequence[Response]
    keys: Sequence[Key]


@dataclass(frozen=True, slots=True)
class Restarted:
    """A task, and when the service last recovered what was left over."""

    task: Task
    started_at: int


@dataclass(frozen=True, slots=True)
class Stored:
    """One value of a row that a walk found doubtful."""

    column: str
    """``table.column``."""
    name: str
    """What a sentence calls it."""
    owner: str | None
    """What tells its row apart among those of no task: an id, a key."""
    kind: str
    """Its storage class."""
    size: int | None
    """In bytes; None where it is too large to be read."""
    limit: int
    """The bytes that it may have."""
    text: str | None
    """The text, or the first MiB of a longer one; None for anything else."""


@dataclass(frozen=True, slots=True)
class Model:
    """One registered model. Each field but ``blobs`` is None where no text is stored."""

    id: str | None
    digest: str | None
    path: str | None
    blobs: tuple[str, ...]
    """The columns that hold a BLOB."""
    large: tuple[str, ...]
    """The columns that hold a text above the size of metadata."""
