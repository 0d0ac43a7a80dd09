"""The table of section 11.3, and the plan that recovery makes from it.

The preview shows the plan and the store applies it: both come from :func:`plan_recovery`, whoever read the rows.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from inspector.lmsp.events import EventType
from inspector.lmsp.statuses import FINAL, Status, known_status
from inspector.lmsp.values import value

SERVER_RESTARTED = "server_restarted"
"""The error code of a task that recovery fails, and the reason in the events it writes (section 11.3)."""


class Policy(StrEnum):
    """A task's ``on_restart`` policy."""

    FAIL = "fail"
    RETRY = "retry"
    RESUME = "resume"


class Warning(StrEnum):  # noqa: A001  the field's word; nothing here warns in Python's sense
    """What a person should know about one step of a plan. None of them stops a recovery."""

    NO_POLICY = "no_policy"
    UNKNOWN_POLICY = "unknown_policy"
    NO_SNAPSHOT = "no_snapshot"
    UNKNOWN_STATUS = "unknown_status"
    LOG_AHEAD = "log_ahead"
    LOG_BROKEN = "log_broken"

    @property
    def sentence(self) -> str:
        """The warning in words."""
        return _SENTENCES[self]


_SENTENCES = {
    Warning.NO_POLICY: "No policy stored: taken as fail",
    Warning.UNKNOWN_POLICY: "Policy unknown: taken as fail",
    Warning.NO_SNAPSHOT: "No snapshot: resumed without one",
    Warning.UNKNOWN_STATUS: "Status is none of the seven: left alone",
    Warning.LOG_AHEAD: "Its log has events that its row does not know of: goes on after them",
    Warning.LOG_BROKEN: "Its log does not fit its row: left alone",
}

_TABLE: dict[Status, dict[Policy, Status]] = {
    Status.QUEUED: {Policy.FAIL: Status.FAILED, Policy.RETRY: Status.QUEUED, Policy.RESUME: Status.QUEUED},
    Status.LOADING: {Policy.FAIL: Status.FAILED, Policy.RETRY: Status.QUEUED, Policy.RESUME: Status.QUEUED},
    Status.RUNNING: {Policy.FAIL: Status.FAILED, Policy.RETRY: Status.QUEUED, Policy.RESUME: Status.RUNNING},
    Status.CANCELLING: dict.fromkeys(Policy, Status.CANCELLED),
}


def recovery_target(found: Status, policy: Policy) -> Status:
    """Return the status a leftover task found in ``found`` is moved to: one cell of the 11.3 table.

    Raises KeyError for a final status, which is never a leftover.
    """
    return _TABLE[found][policy]


def recovery_event(found: Status, target: Status) -> EventType | None:
    """Return the type of the event that is written with the move, or None where the task stays as it was."""
    match target:
        case Status.FAILED:
            return EventType.FAILED
        case Status.CANCELLED:
            return EventType.CANCELLED
        case Status.RUNNING:
            return EventType.RESUMED
        case _:
            return None if found == target else EventType.QUEUED


def effective_policy(stored: str | None) -> tuple[Policy, Warning | None]:
    """Return the policy that a stored ``on_restart`` counts as; missing and unknown ones count as fail (our choice)."""
    if stored is None:
        return Policy.FAIL, Warning.NO_POLICY
    if stored in Policy.__members__.values():
        return Policy(stored), None
    return Policy.FAIL, Warning.UNKNOWN_POLICY


class Number(StrEnum):
    """A number that a layout of others may not tell."""

    ATTEMPT = "attempt"
    LAST_SEQ = "last_seq"
    LOG_SEQ = "log_seq"


Unknown: TypeAlias = frozenset[Number]
"""The numbers that are not known. Their fields stand for nothing: 0, and for ``last_seq`` what the log says."""


@value
class Leftover:
    """What recovery has to know about one task that is not in a final status."""

    task_id: str
    status: str
    on_restart: str | None
    attempt: int
    last_seq: int
    snapshot_seq: int | None
    log_seq: int | None = None
    """The last sequence number in its log, 0 where the log is empty; None where it is not known, as ``last_seq``."""
    log_ended: bool = False
    """Whether the log's last event is a final one, which nothing can follow."""
    unknown: Unknown = frozenset()
    """Always empty in the native layout."""


@value
class RecoveryStep:
    """What recovery does to one task: the row of the preview, and the instruction that is applied."""

    task_id: str
    found: str
    policy: str | None
    """As stored; what it counts as is in ``effective``."""
    effective: Policy | None
    """None for a task that is left alone."""
    target: str
    """The status afterwards; ``found`` itself where the task stays."""
    event: EventType | None
    error_code: str | None
    attempt: int
    """The attempt as found."""
    next_attempt: int
    """The attempt afterwards: raised where the task leaves a worker's hands, or is resumed (the fence of design 3)."""
    last_seq: int
    log_seq: int
    """The last sequence number in its log: what is written goes on from there."""
    snapshot_seq: int | None
    warnings: tuple[Warning, ...]
    unknown: Unknown = frozenset()
    """Nothing that follows from these is known either: what is shown is asked of the properties that say so."""

    @property
    def next_seq(self) -> int:
        """The task's ``last_seq`` afterwards; also the sequence number of the event, where one is written."""
        return self.last_seq if self.event is None else self.log_seq + 1

    @property
    def raises_attempt(self) -> bool:
        """Whether the attempt is raised, also where it is not known."""
        return self.next_attempt != self.attempt

    @property
    def known_attempt(self) -> int | None:
        """The attempt as found; None where it is not known."""
        return None if Number.ATTEMPT in self.unknown else self.attempt

    @property
    def known_next_attempt(self) -> int | None:
        """The attempt afterwards; None where it is not known."""
        return None if Number.ATTEMPT in self.unknown else self.next_attempt

    @property
    def known_last_seq(self) -> int | None:
        """The task's ``last_seq`` as found; None where it is not known."""
        return None if Number.LAST_SEQ in self.unknown else self.last_seq

    @property
    def known_next_seq(self) -> int | None:
        """The same afterwards, and the sequence number of the event, where one is written; None for not known."""
        follows = Number.LAST_SEQ if self.event is None else Number.LOG_SEQ
        return None if follows in self.unknown else self.next_seq

    def event_data(self) -> dict[str, object]:
        """Return the data of the event that is written. Call it only where ``event`` is not None."""
        data: dict[str, object] = {"reason": SERVER_RESTARTED}
        match self.event:
            case EventType.FAILED:
                data["error"] = {"code": SERVER_RESTARTED, "message": SERVER_RESTARTED_MESSAGE}
            case EventType.QUEUED:
                data["attempt"] = self.known_next_attempt
            case EventType.RESUMED:
                data["snapshot_seq"] = self.snapshot_seq
                data["attempt"] = self.known_next_attempt
            case _:
                pass
        return data


SERVER_RESTARTED_MESSAGE = "The service restarted before this task had finished."
"""The error message that goes with ``server_restarted``."""


@value
class Outcome:
    """What steps are counted by, for a person."""

    found: str
    """Empty for a task that is left alone, as ``target``: there may be as many statuses as tasks."""
    effective: str | None
    target: str
    writes_event: bool
    has_warnings: bool
    lacks_snapshot: bool
    """Whether it is resumed without one."""


def outcomes_of(steps: Iterable[RecoveryStep]) -> Counter[Outcome]:
    """Count steps by what they do."""
    # Of thousands of steps few are of different kinds: to make and to hash an outcome of each takes far longer.
    kinds = Counter(
        (step.found, step.effective, step.target, step.event is not None, step.warnings)
        if step.effective is not None
        else ("", None, "", False, step.warnings)
        for step in steps
    )
    found = Counter[Outcome]()
    for (status, effective, target, writes_event, warnings), many in kinds.items():
        policy = None if effective is None else str(effective)
        lacks_snapshot = Warning.NO_SNAPSHOT in warnings
        found[Outcome(str(status), policy, str(target), writes_event, bool(warnings), lacks_snapshot)] += many
    return found


@value
class RecoveryPlan:
    """What recovery does to every leftover task, one step each, in the order of the rows."""

    steps: tuple[RecoveryStep, ...]
    more: tuple[tuple[Outcome, int], ...] = ()
    """How many tasks there are behind those of ``steps``, by what is done to them; for a person alone."""

    def outcomes(self) -> Counter[Outcome]:
        """Return how many tasks there are in all, by what is done to them."""
        found = outcomes_of(self.steps)
        for outcome, tasks in self.more:
            found[outcome] += tasks
        return found

    def counts(self) -> dict[str, int]:
        """Return the number of tasks of ``steps`` for each status afterwards."""
        counts: dict[str, int] = {}
        for step in self.steps:
            counts[step.target] = counts.get(step.target, 0) + 1
        return counts


def plan_step(leftover: Leftover) -> RecoveryStep:
    """Return what recovery does to one leftover task."""
    status = known_status(leftover.status)
    log_seq = leftover.last_seq if leftover.log_seq is None else leftover.log_seq
    if status is None or status in FINAL:
        return _left_alone(leftover, log_seq, (Warning.UNKNOWN_STATUS,) if status is None else ())
    policy, doubt = effective_policy(leftover.on_restart)
    target = recovery_target(status, policy)
    event = recovery_event(status, target)
    if event is not None and (leftover.log_ended or log_seq + 1 < leftover.last_seq):
        # No event can be written that would fit both; the other tasks are not to wait for this one.
        return _left_alone(leftover, log_seq, (Warning.LOG_BROKEN,))
    warnings = [] if doubt is None else [doubt]
    if event is not None and log_seq != leftover.last_seq:
        warnings.append(Warning.LOG_AHEAD)
    if event is EventType.RESUMED and leftover.snapshot_seq is None:
        warnings.append(Warning.NO_SNAPSHOT)
    raised = event in (EventType.QUEUED, EventType.RESUMED)
    return RecoveryStep(
        task_id=leftover.task_id,
        found=status,
        policy=leftover.on_restart,
        effective=policy,
        target=target,
        event=event,
        error_code=SERVER_RESTARTED if target is Status.FAILED else None,
        attempt=leftover.attempt,
        next_attempt=leftover.attempt + raised,
        last_seq=leftover.last_seq,
        log_seq=log_seq,
        snapshot_seq=leftover.snapshot_seq,
        warnings=tuple(warnings),
        unknown=_unknown(leftover),
    )


def _unknown(leftover: Leftover) -> Unknown:
    """Return what is not known of a step. Of a log that was not looked at the row has to say where it ends."""
    if leftover.log_seq is None and Number.LAST_SEQ in leftover.unknown:
        return leftover.unknown | {Number.LOG_SEQ}
    return leftover.unknown


def _left_alone(leftover: Leftover, log_seq: int, warnings: tuple[Warning, ...]) -> RecoveryStep:
    return RecoveryStep(
        task_id=leftover.task_id,
        found=leftover.status,
        policy=leftover.on_restart,
        effective=None,
        target=leftover.status,
        event=None,
        error_code=None,
        attempt=leftover.attempt,
        next_attempt=leftover.attempt,
        last_seq=leftover.last_seq,
        log_seq=log_seq,
        snapshot_seq=leftover.snapshot_seq,
        warnings=warnings,
        unknown=_unknown(leftover),
    )


def plan_recovery(leftovers: Iterable[Leftover]) -> RecoveryPlan:
    """Make the plan for these tasks. Tasks in a final status are not leftovers and are left out."""
    unfinished = (leftover for leftover in leftovers if known_status(leftover.status) not in FINAL)
    return RecoveryPlan(tuple(plan_step(leftover) for leftover in unfinished))
