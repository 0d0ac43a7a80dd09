"""Event types, and the status that each one implies.

``response.failed`` and ``response.cancelled`` are the specification's (section 11.3); the other names are our choice.
"""

from enum import StrEnum
from typing import Final

from inspector.lmsp.statuses import Status


class EventType(StrEnum):
    """The types of the events that change a task's status or start its log."""

    CREATED = "response.created"
    QUEUED = "response.queued"
    LOADING = "response.loading"
    IN_PROGRESS = "response.in_progress"
    CANCELLING = "response.cancelling"
    COMPLETED = "response.completed"
    FAILED = "response.failed"
    CANCELLED = "response.cancelled"
    RESUMED = "response.resumed"


OUTPUT_TEXT_DELTA: Final = "response.output_text.delta"
"""The commonest progress event: a piece of output text. Progress leaves the status as it is."""

_EVENT_OF_MOVE: dict[Status, EventType] = {
    Status.QUEUED: EventType.QUEUED,
    Status.LOADING: EventType.LOADING,
    Status.RUNNING: EventType.IN_PROGRESS,
    Status.CANCELLING: EventType.CANCELLING,
    Status.COMPLETED: EventType.COMPLETED,
    Status.FAILED: EventType.FAILED,
    Status.CANCELLED: EventType.CANCELLED,
}

_IMPLIED: dict[str, Status] = {
    EventType.CREATED: Status.QUEUED,
    EventType.RESUMED: Status.RUNNING,
    **{event: status for status, event in _EVENT_OF_MOVE.items()},
}


def event_of_move(to: Status) -> EventType:
    """Return the type of the event that is written when a task moves to ``to``."""
    return _EVENT_OF_MOVE[to]


def implied_status(event_type: str) -> Status | None:
    """Return the status a task has after an event of this type, or None for progress, which changes no status."""
    return _IMPLIED.get(event_type)
