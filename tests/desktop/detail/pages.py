"""Builders of event pages and details for the tests of the detail pane."""

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow, StoredText, TaskDetail, TaskRow
from inspector.lmsp.cancelling import CancelOutcome
from tests.desktop.timeline.histories import T0, TASK, task

CHANGES = {1: ("response.created", "queued"), 2: ("response.in_progress", "running")}
"""The first two events of every log of these tests; all others are progress."""


def stored(text: str, length: int | None = None) -> StoredText:
    """Return a stored text; ``length`` where it is cut."""
    return StoredText(text, len(text) if length is None else length)


def event(seq: int, data: str | None = None, *, length: int | None = None, task_id: str = TASK) -> EventRow:
    """Return event ``seq``, ten milliseconds after the one before it."""
    kind, status = CHANGES.get(seq, ("response.output_text.delta", "running"))
    text = f'{{"delta": "word {seq}"}}' if data is None else data
    whole = len(text) if length is None else length
    return EventRow(seq, task_id, seq, kind, status, 1, T0 + 10 * (seq - 1), text, whole)


def page(seqs: Iterable[int], *, before: bool | None = None, after: bool = False, task_id: str = TASK) -> EventPage:
    """Return a page of these events; more come before it unless it begins with the first."""
    events = tuple(event(seq, task_id=task_id) for seq in seqs)
    more_before = bool(events) and events[0].seq > 1 if before is None else before
    return EventPage(task_id, events, more_before, after)


def detail(row: TaskRow | None = None, **texts: StoredText | None) -> TaskDetail:
    """Return a task with a request and, of the other texts, those that are named."""
    given: dict[str, StoredText | None] = {
        "request": stored('{"input": "why"}'),
        "snapshot": None,
        "error_message": None,
        "response": None,
    }
    given.update(texts)
    return TaskDetail(task(last_seq=3) if row is None else row, **given)


@dataclass(frozen=True)
class Answer:
    """How a cancel ended, as the store says it."""

    outcome: CancelOutcome
    status: str | None = None
    seq: int | None = None
    reason: str | None = None
    task_id: str = TASK
