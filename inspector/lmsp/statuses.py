"""The seven statuses of a task, and the moves between them (section 11.2; what it leaves open is our choice)."""

from enum import StrEnum


class Status(StrEnum):
    """The status of a task, spelled as the specification spells it (section 11.3)."""

    QUEUED = "queued"
    LOADING = "loading"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = frozenset({Status.QUEUED, Status.LOADING, Status.RUNNING, Status.CANCELLING})
"""The statuses that recovery looks at and that cleanup never deletes (section 11.2)."""

FINAL = frozenset({Status.COMPLETED, Status.FAILED, Status.CANCELLED})
"""The statuses that a task never leaves."""

_MOVES: dict[Status, frozenset[Status]] = {
    Status.QUEUED: frozenset({Status.LOADING, Status.RUNNING, Status.FAILED, Status.CANCELLED}),
    Status.LOADING: frozenset({Status.RUNNING, Status.CANCELLING, Status.FAILED}),
    Status.RUNNING: frozenset({Status.CANCELLING, Status.COMPLETED, Status.FAILED}),
    # 11.2: a task that is being cancelled never completes; a failure that arrives now ends it as cancelled.
    Status.CANCELLING: frozenset({Status.CANCELLED}),
    Status.COMPLETED: frozenset(),
    Status.FAILED: frozenset(),
    Status.CANCELLED: frozenset(),
}

_RECOVERY_MOVES: dict[Status, frozenset[Status]] = {
    Status.LOADING: frozenset({Status.QUEUED}),
    Status.RUNNING: frozenset({Status.QUEUED, Status.RUNNING}),
}


_BY_SPELLING = {status.value: status for status in Status}


def known_status(text: object) -> Status | None:
    """Return the status spelled ``text``, or None where it is none of the seven."""
    return _BY_SPELLING.get(text) if isinstance(text, str) else None


def may_move(found: Status, to: Status, *, recovering: bool = False) -> bool:
    """Say whether a task in ``found`` may be moved to ``to``.

    ``recovering`` adds the moves that only recovery at startup makes (section 11.3): back to ``queued``, and
    ``running`` kept by a resume.
    """
    return to in _MOVES[found] or (recovering and to in _RECOVERY_MOVES.get(found, frozenset()))
