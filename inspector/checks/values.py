"""What the rules are asked about, as frozen values of the right types. Times are Unix milliseconds, UTC."""

from collections.abc import Sequence
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
    """A part of one task's log, by sequence number: all of it, or the next some thousand events."""

    task: Task | None
    """Its row; None where that is of wrong types."""
    events: Sequence[Event]
    """Those of the right types."""
    pairs: Sequence[tuple[Event, Event]]
    """Each event that has a neighbour before it, with that; where one of them is of wrong types, there is no pair."""
    first: Event | None
    """The first event of the log, in the stretch that begins with it."""


def stretch_of(task: Task | None, events: Sequence[Event | None], before: Event | None, *, is_first: bool) -> Stretch:
    """Return the stretch of these events; None stands for one of wrong types, ``before`` for the one before them."""
    if None not in events:
        whole = [event for event in events if event is not None]
        pairs = list(pairwise(whole if before is None else [before, *whole]))
        return Stretch(task, whole, pairs, whole[0] if is_first and whole else None)
    neighbours = pairwise([before, *events])
    return Stretch(
        task,
        [event for event in events if event is not None],
        [(earlier, event) for earlier, event in neighbours if earlier is not None and event is not None],
        events[0] if is_first else None,
    )


@dataclass(frozen=True, slots=True)
class Ended:
    """A task and how its log begins and ends. Only made where every event of it is of the right types."""

    task: Task
    first: Event | None
    last: Event | None
    events: int
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
class Model:
    """One registered model. Each field but ``blobs`` is None where no text is stored."""

    id: str | None
    digest: str | None
    path: str | None
    blobs: tuple[str, ...]
    """The columns that hold a BLOB."""
    large: tuple[str, ...]
    """The columns that hold a text above the size of metadata."""
