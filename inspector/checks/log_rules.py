"""What holds within the log of one task, from each event to the next (section 11.2; types and attempts: our choice)."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from inspector.checks.rule import quoted
from inspector.checks.values import Event, Stretch
from inspector.lmsp.events import EventType, event_of_move, implied_status
from inspector.lmsp.statuses import FINAL, Status, may_move

_STATUSES: Final = frozenset(status.value for status in Status)
_FINAL: Final = frozenset(status.value for status in FINAL)
_MOVING: Final = {kind.value: str(implied_status(kind)) for kind in EventType}
"""The event types that stand for a status, with that status."""
_RAISING: Final = frozenset({EventType.QUEUED.value, EventType.RESUMED.value})
"""What only recovery writes."""
_STOPPING: Final = frozenset({Status.CANCELLING.value, Status.CANCELLED.value})


Break: TypeAlias = tuple[Event, str]
"""The event at which a rule is broken, and the sentence that says so."""


def _legal_moves() -> Iterator[tuple[str, str]]:
    for found in Status:
        for to in Status:
            if may_move(found, to):
                yield found.value, event_of_move(to).value
            elif may_move(found, to, recovering=True):
                yield found.value, (EventType.RESUMED if found is to else EventType.QUEUED).value


_LEGAL: Final = frozenset(_legal_moves())


def event_statuses_are_known(log: Stretch) -> Iterator[Break]:
    """Each event's status is one of the seven."""
    for event in log.events:
        if event.status not in _STATUSES:
            yield event, f"Event {event.seq} has the status {quoted(event.status)}, which is none of the seven."


def sequence_has_no_gap(log: Stretch) -> Iterator[Break]:
    """Sequence numbers start at 1 and have no gap and no repeat."""
    for event in log.firsts:
        if event.seq != 1:
            yield event, f"Its log starts with event {event.seq}, not with event 1."
    for before, event in log.pairs:
        if event.seq == before.seq:
            yield event, f"There are two events with the sequence number {event.seq}."
        elif event.seq != before.seq + 1:
            missing = event.seq - before.seq - 1
            told = "one is missing" if missing == 1 else f"{missing:,} are missing"
            yield event, f"After event {before.seq} comes event {event.seq}: {told}."


def nothing_follows_a_final_event(log: Stretch) -> Iterator[Break]:
    """After a final event a log takes no more."""
    for before, event in log.pairs:
        if before.status in _FINAL:
            yield event, f"{_named(event)} comes after event {before.seq}, by which the task was {before.status}."


def cancelling_ends_as_cancelled(log: Stretch) -> Iterator[Break]:
    """A task that is being cancelled is never completed, nor anything else but cancelled."""
    for before, event in log.pairs:
        if before.status == Status.CANCELLING and event.status not in _STOPPING and event.status in _STATUSES:
            yield (
                event,
                f"{_named(event)} makes it {event.status}, though it was being cancelled at event {before.seq}.",
            )


def moves_are_legal(log: Stretch) -> Iterator[Break]:
    """Only the moves of the state diagram occur, each by the event that stands for it."""
    for before, event in log.pairs:
        if event.type in _MOVING and (before.status, event.type) not in _LEGAL and not _told_elsewhere(before, event):
            yield (
                event,
                f"{_named(event)} follows event {before.seq}, at which it was {before.status}: no task moves so.",
            )


def _told_elsewhere(before: Event, event: Event) -> bool:
    return (
        event.type == EventType.CREATED
        or before.status not in _STATUSES
        or before.status in _FINAL
        or (before.status == Status.CANCELLING and event.status not in _STOPPING)
    )


def types_fit_statuses(log: Stretch) -> Iterator[Break]:
    """An event whose type stands for a status has that status, and a final status has no other type."""
    for event in log.events:
        implied = _MOVING.get(event.type)
        if implied is not None:
            if event.status != implied:
                yield event, f"{_named(event)} has the status {quoted(event.status)}, not {implied}."
        elif event.status in _FINAL:
            yield event, f"{_named(event)} has the status {event.status}, but is not the event that stands for it."


def progress_keeps_the_status(log: Stretch) -> Iterator[Break]:
    """An event that stands for no status leaves it as it was."""
    for before, event in log.pairs:
        if event.status != before.status and event.type not in _MOVING and event.status not in _FINAL:
            yield event, f"{_named(event)} is progress, but changes the status from {before.status} to {event.status}."


def created_comes_once(log: Stretch) -> Iterator[Break]:
    """``response.created`` is the first event and no other."""
    for _, event in log.pairs:
        if event.type == EventType.CREATED:
            yield event, f"Event {event.seq} is another {EventType.CREATED}."


def attempts_never_fall(log: Stretch) -> Iterator[Break]:
    """No attempt comes back: an older worker has written."""
    for before, event in log.pairs:
        if event.attempt < before.attempt:
            yield event, f"{_named(event)} is of attempt {event.attempt}, after attempt {before.attempt}."


def attempts_rise_by_recovery(log: Stretch) -> Iterator[Break]:
    """The attempt is raised by one with ``response.queued`` and ``response.resumed``, and with nothing else."""
    for before, event in log.pairs:
        raising = event.type in _RAISING
        if event.attempt != before.attempt + raising and event.attempt >= before.attempt:
            told = f"{_named(event)} is of attempt {event.attempt}, after attempt {before.attempt}"
            yield event, f"{told}: recovery raises it by one." if raising else f"{told}: only recovery raises it."


def attempts_start_at_one(log: Stretch) -> Iterator[Break]:
    """A task is accepted with attempt 1."""
    for event in log.firsts:
        if event.attempt != 1:
            yield event, f"Its first event is of attempt {event.attempt}."


def event_times_never_fall(log: Stretch) -> Iterator[Break]:
    """Times never fall within a log, whatever the clock did."""
    for before, event in log.pairs:
        if event.created_at < before.created_at:
            yield (
                event,
                f"Event {event.seq} is {before.created_at - event.created_at:,} ms older than event {before.seq}.",
            )


def event_ids_rise(log: Stretch) -> Iterator[Break]:
    """The ids, which are the feed of all that happened, rise with the sequence numbers."""
    for before, event in log.pairs:
        if event.id <= before.id:
            yield (
                event,
                f"Event {event.seq} has the id {event.id}, and event {before.seq} before it the id {before.id}.",
            )


def snapshot_stands_at_running(log: Stretch) -> Iterator[Break]:
    """A snapshot is saved only while the task is running."""
    if not log.snapshots:
        return
    for event in log.events:
        if event.seq == log.snapshots.get(event.task) and event.status != Status.RUNNING:
            yield event, f"Its snapshot stands at event {event.seq}, at which it was {quoted(event.status)}."


def _named(event: Event) -> str:
    return f"Event {event.seq} ({event.type if event.type in _MOVING else quoted(event.type)})"
