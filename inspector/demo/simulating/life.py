"""The life of one task of a simulated history, and its events, which are made as they are asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from inspector.demo.simulating.asks import Asked
from inspector.demo.simulating.pieces import DATA
from inspector.lmsp.events import OUTPUT_TEXT_DELTA, EventType
from inspector.lmsp.recovery import SERVER_RESTARTED_MESSAGE, Leftover, plan_step
from inspector.lmsp.statuses import Status
from inspector.store.stored_json import to_json

QUEUED: Final = Status.QUEUED.value
LOADING: Final = Status.LOADING.value
RUNNING: Final = Status.RUNNING.value
CANCELLING: Final = Status.CANCELLING.value
COMPLETED: Final = Status.COMPLETED.value
FAILED: Final = Status.FAILED.value
CANCELLED: Final = Status.CANCELLED.value
"""Plain texts: SQLite's driver looks for an adapter of every other kind of str, and there are millions of them."""

_FINAL: Final = frozenset({COMPLETED, FAILED, CANCELLED})
_DELTA: Final = str(OUTPUT_TEXT_DELTA)

Event: TypeAlias = tuple[int, str, int, str, str, int, str]
"""created_at, task_id, seq, type, status, attempt, data: so events of different tasks sort by their time."""

_chance = Random(5)  # noqa: S311  no secret
_UNEVEN: Final = tuple(_chance.random() ** 2 * 0.98 for _ in range(257))
"""A share of its step by which each piece of text comes late, in turn: rarely by much."""


@dataclass(frozen=True, slots=True)
class _Stream:
    """Pieces of text, one event each, ``step_ms`` apart but for an unevenness within the step."""

    first_ms: float
    step_ms: float
    pieces: int
    number: int
    """The number of the first piece within the answer."""
    seq: int
    status: str
    attempt: int

    def at(self, index: int) -> int:
        """Return when the piece of this index comes."""
        return int(self.first_ms + (index + _UNEVEN[(index + int(self.first_ms)) % 257]) * self.step_ms)


class Life:
    """One task, from its acceptance to where it stands at the end. Times must not fall."""

    __slots__ = (
        "_parts",
        "asked",
        "attempt",
        "created_at",
        "error_code",
        "error_message",
        "finished_at",
        "pieces",
        "saved_pieces",
        "seq",
        "snapshot_seq",
        "started_at",
        "status",
        "task_id",
        "updated_at",
        "written_pieces",
    )

    def __init__(self, task_id: str, asked: Asked, created_at: int) -> None:
        self.task_id = task_id
        self.asked = asked
        self.created_at = created_at
        self.updated_at = created_at
        self.started_at: int | None = None
        self.finished_at: int | None = None
        self.status = QUEUED
        self.attempt = 1
        self.seq = 0
        self.error_code: str | None = None
        self.error_message: str | None = None
        self.snapshot_seq: int | None = None
        self.saved_pieces = 0
        """How many pieces of the answer the snapshot covers."""
        self.pieces = 0
        """How many pieces of the answer there are."""
        self.written_pieces = 0
        """How many were written, also those that another attempt has written again."""
        self._parts: list[Event | _Stream] = []
        self.move(created_at, EventType.CREATED.value, QUEUED)

    @property
    def is_finished(self) -> bool:
        """Whether the task has ended."""
        return self.finished_at is not None

    def move(self, at_ms: int, event_type: str, status: str, data: str = "{}") -> None:
        """Write an event; the task is in ``status`` after it."""
        self.seq += 1
        self._parts.append((at_ms, self.task_id, self.seq, event_type, status, self.attempt, data))
        self.status = status
        self.updated_at = at_ms
        if status in _FINAL:
            self.finished_at = at_ms

    def fail(self, at_ms: int, code: str, message: str) -> None:
        """End the task as failed."""
        self.error_code, self.error_message = code, message
        data = to_json({"error": {"code": code, "message": message}}, "The error")
        self.move(at_ms, EventType.FAILED.value, FAILED, data)

    def complete(self, at_ms: int) -> None:
        """End the task as completed."""
        self.move(at_ms, EventType.COMPLETED.value, COMPLETED, f'{{"response_id":"{self.response_id}"}}')

    @property
    def response_id(self) -> str:
        """The id of the response that a completed task has."""
        return f"resp_{self.task_id}"

    def stream(self, pieces: int, first_ms: float, step_ms: float) -> None:
        """Write so many more pieces of the answer."""
        if pieces > 0:
            part = _Stream(first_ms, step_ms, pieces, self.pieces, self.seq + 1, self.status, self.attempt)
            self._parts.append(part)
            self.seq += pieces
            self.pieces += pieces
            self.written_pieces += pieces
            self.updated_at = part.at(pieces - 1)

    def save(self, pieces_ago: int) -> None:
        """Keep a snapshot as it was so many pieces of text ago."""
        self.snapshot_seq = self.seq - pieces_ago
        self.saved_pieces = self.pieces - pieces_ago

    def recover(self, back_ms: int) -> str:
        """Do what section 11.3 says at a restart, and return the status afterwards."""
        step = plan_step(
            Leftover(self.task_id, self.status, self.asked.policy, self.attempt, self.seq, self.snapshot_seq)
        )
        target = str(step.target)
        if step.event is not None:
            self.attempt = step.next_attempt
            self.move(back_ms, step.event.value, target, to_json(step.event_data(), "The data of the event"))
            if step.error_code is not None:
                self.error_code, self.error_message = step.error_code, SERVER_RESTARTED_MESSAGE
            if target == QUEUED:
                self.started_at = None
                self.pieces = 0
            elif target == RUNNING:
                self.pieces = self.saved_pieces
        return target

    def events(self) -> Iterator[Event]:
        """Give all events in their order."""
        task_id, first, known = self.task_id, self.asked.ask.first_piece, len(DATA)
        for part in self._parts:
            if not isinstance(part, _Stream):
                yield part
                continue
            start, step, seq, number = part.first_ms, part.step_ms, part.seq, part.number
            status, attempt, rhythm = part.status, part.attempt, int(start)
            # As ``_Stream.at`` has it, written out: nearly all events come from here.
            for index in range(part.pieces):
                at = int(start + (index + _UNEVEN[(index + rhythm) % 257]) * step)
                piece = number + index
                data = f"{DATA[(first + piece) % known]}{piece}}}"
                yield at, task_id, seq + index, _DELTA, status, attempt, data
