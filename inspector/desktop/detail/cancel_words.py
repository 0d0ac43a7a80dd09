"""What a cancel asks and how it ended, in words: one sentence of fact, one of consequence. Pure."""

from typing import Final, Protocol

from inspector.desktop.widgets.words import duration, spoken
from inspector.layout.rows import TaskRow
from inspector.layout.visible import visible
from inspector.lmsp.cancelling import CancelOutcome
from inspector.lmsp.statuses import Status
from inspector.lmsp.values import value


class CancelAnswer(Protocol):
    """How a cancel ended, as the store says it."""

    @property
    def task_id(self) -> str:
        """The task that was to be cancelled."""
        ...

    @property
    def outcome(self) -> CancelOutcome:
        """How it ended."""
        ...

    @property
    def status(self) -> str | None:
        """The task's status afterwards."""
        ...

    @property
    def seq(self) -> int | None:
        """The event that says so."""
        ...

    @property
    def reason(self) -> str | None:
        """One sentence, for ``busy`` and ``refused``."""
        ...


@value
class Said:
    """What a bar says: a bold fact, then what it means."""

    fact: str
    meaning: str
    warns: bool = False


WAITING: Final = Said("Writing the cancel.", "Waiting for the database.")
"""What stands between the answer to the question and its outcome."""


@value
class Times:
    """What is known of times around a cancel, in words of the day or as lengths; None where it is not known."""

    finished: str | None = None
    """When the task finished."""
    cancelling_since: str | None = None
    took_ms: int | None = None
    """From the cancel to the end of the task, where both stand in the log."""


def short_id(task_id: str) -> str:
    """Return an id as a question names it: ``task_9f3c…e0b4``."""
    shown = visible(task_id[:200])
    return shown if len(shown) <= 16 else f"{shown[:9]}…{shown[-4:]}"


def question(task: TaskRow, now_ms: int | None) -> Said:
    """Return what is asked before a cancel."""
    since = task.created_at if task.status == Status.QUEUED else task.started_at
    waited = "" if since is None or now_ms is None or now_ms < since else f" since {spoken(now_ms - since)}"
    it_is = f"It is {visible(task.status[:40])}{waited}."
    match task.status:
        case Status.QUEUED:
            meaning = f"{it_is} No worker holds it, so it ends at once."
        case Status.CANCELLING:
            meaning = "It is already being cancelled; no second event is written."
        case _:
            meaning = f"{it_is} Its worker stops at its next write; what it has written stays."
    return Said(f"Cancel {short_id(task.id)}?", meaning)


def finished_meanwhile(status: str, times: Times) -> Said:
    """Return what is said where the task finished while the question stood."""
    return Said("Not cancelled: it finished first.", f"{_ended(status, times)} Nothing was written.")


def ending(answer: CancelAnswer, times: Times, *, status: str | None = None) -> Said:
    """Return how a cancel ended. ``status`` is the task's by now: what was ``cancelling`` may have ended since."""
    match answer.outcome:
        case CancelOutcome.CANCELLED:
            return Said("Cancelled.", "It was queued and no worker held it, so this is final.")
        case CancelOutcome.CANCELLING:
            if status == Status.CANCELLED:
                after = (
                    "" if times.took_ms is None or times.took_ms < 0 else f" {duration(times.took_ms)} after you asked"
                )
                return Said(f"Cancelled{after}.", "Its worker has stopped.")
            return Said("Cancelling.", "Its worker will see it at its next write.")
        case CancelOutcome.ALREADY_CANCELLING:
            since = "" if times.cancelling_since is None else f" since {times.cancelling_since}"
            return Said(f"Already being cancelled{since}.", "No second event was written.")
        case CancelOutcome.ALREADY_FINISHED:
            return finished_meanwhile(answer.status or "", times)
        case CancelOutcome.NOT_FOUND:
            return Said("This task is not in the database any more.", "Nothing was written.", warns=True)
        case CancelOutcome.BUSY:
            meaning = visible(answer.reason) if answer.reason else "Another process held the database."
            return Said("Busy, nothing changed.", meaning, warns=True)
        case CancelOutcome.REFUSED:
            meaning = visible(answer.reason) if answer.reason else "Nothing may be written to this file."
            return Said("Not cancelled.", meaning, warns=True)


def _ended(status: str, times: Times) -> str:
    word = visible(status[:40]).capitalize() or "Finished"
    return f"{word}." if times.finished is None else f"{word} at {times.finished}."
