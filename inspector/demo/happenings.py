"""What happens in a demo, as lines of JSON: from the service to its supervisor, and on to whoever started that."""

import json
import os
import select
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class HappeningKind(StrEnum):
    """The kinds of happenings."""

    STARTED = "started"
    """A service process runs; details: pid, life (1 for the first)."""
    READY = "ready"
    """It has its models and its history, and works from now on; details: tasks, took_ms."""
    RECOVERED = "recovered"
    """It found leftovers and applied section 11.3; details: tasks, and a number for each status afterwards."""
    READY_TO_DIE = "ready_to_die"
    """The mix that the scenario wants is running; the supervisor kills the service at once. Details: as killed."""
    KILLED = "killed"
    """The service was killed (SIGKILL); details: pid, dead_for_ms, and the number of tasks for each status."""
    MODEL_DAMAGED = "model_damaged"
    """A model's file was damaged; details: model, how."""
    RACED = "raced"
    """A cancel raced a completion; details: number, task_id, outcome, status, gap_ms."""
    RACES_OVER = "races_over"
    """All tries of a race are done; details: cancelled, completed."""
    UNUSABLE = "unusable"
    """The service cannot go on, for the reason that the sentence gives."""
    STOPPED = "stopped"
    """The demo has ended, and no process of it is left."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened, with a sentence for a person and its details for a program."""

    kind: HappeningKind
    at_ms: int
    """Unix milliseconds."""
    sentence: str
    details: Mapping[str, object] = field(default_factory=dict)

    def line(self) -> bytes:
        """Return the happening as one line of JSON, with its end of line."""
        members = {"happening": self.kind, "at_ms": self.at_ms, "sentence": self.sentence, **self.details}
        return json.dumps(members, allow_nan=False).encode() + b"\n"


Report = Callable[[Happening], None]
"""Where happenings go."""


def parse_happening(line: bytes) -> Happening | None:
    """Return the happening in ``line``, or None where the line is none that we write."""
    try:
        members = json.loads(line)
        return Happening(
            kind=HappeningKind(members.pop("happening")),
            at_ms=int(members.pop("at_ms")),
            sentence=str(members.pop("sentence")),
            details=members,
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


class LineWriter:
    """Writes happenings to a file descriptor, each at once and whole.

    A reader that has gone, or that does not read, is left behind: the demo plays on without it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._gone = False

    def __call__(self, happening: Happening) -> None:
        """Write ``happening``, unless it cannot be written without waiting."""
        if self._gone or not select.select([], [self._descriptor], [], 0)[1]:
            return
        try:
            os.write(self._descriptor, happening.line())
        except BrokenPipeError:
            self._gone = True
