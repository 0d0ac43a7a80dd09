"""What a cancel does to a task, by the status it is found in (section 11.2: the cancel transition is atomic)."""

from enum import StrEnum

from inspector.lmsp.statuses import Status
from inspector.lmsp.values import value


class CancelOutcome(StrEnum):
    """How a cancel ended. Only the first two wrote something."""

    CANCELLED = "cancelled"
    """It was queued and no worker held it: final at once."""
    CANCELLING = "cancelling"
    """It was loading or running: its worker will see it at its next write."""
    ALREADY_CANCELLING = "already_cancelling"
    ALREADY_FINISHED = "already_finished"
    NOT_FOUND = "not_found"
    BUSY = "busy"
    """The database could not be written in time."""
    REFUSED = "refused"
    """Nothing may be written here: a copy, a layout that is not ours, foreign triggers, an unknown status."""


@value
class CancelResult:
    """How a cancel ended."""

    task_id: str
    outcome: CancelOutcome
    status: str | None
    """The task's status afterwards; None where it was not read."""
    seq: int | None
    """The event that says so: the one just written, or the one by which the task was already cancelling or finished."""
    reason: str | None = None
    """One sentence, for ``busy`` and ``refused``."""


def cancel_target(found: Status) -> tuple[CancelOutcome, Status | None]:
    """Return the outcome of a cancel for a task found in ``found``, and the status to write, if any."""
    match found:
        case Status.QUEUED:
            return CancelOutcome.CANCELLED, Status.CANCELLED
        case Status.LOADING | Status.RUNNING:
            return CancelOutcome.CANCELLING, Status.CANCELLING
        case Status.CANCELLING:
            return CancelOutcome.ALREADY_CANCELLING, None
        case Status.COMPLETED | Status.FAILED | Status.CANCELLED:  # pragma: no branch  (mypy: no status is left)
            return CancelOutcome.ALREADY_FINISHED, None
