"""A plan as the table of section 11.3 sees it: which cell each task stands in, and which tasks a list is narrowed to.

Pure: no Qt, so that every count is a function of the plan.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspector.lmsp.recovery import Policy, RecoveryPlan, RecoveryStep
from inspector.lmsp.statuses import Status

FOUND: Final = (Status.QUEUED, Status.LOADING, Status.RUNNING, Status.CANCELLING)
"""The rows of the table: the states that are found at startup."""

POLICIES: Final = (Policy.FAIL, Policy.RETRY, Policy.RESUME)
"""The columns of the table."""


@dataclass(frozen=True, slots=True)
class Place:
    """One cell of the table."""

    found: Status
    policy: Policy


@dataclass(frozen=True, slots=True)
class Tally:
    """What stands in one cell."""

    tasks: int = 0
    warnings: int = 0
    """How many of these tasks carry a warning."""


class Kind(StrEnum):
    """What a restart does to a task, as the chips above the list tell it apart."""

    ALL = "all"
    MOVES = "moves"
    """An event is written, also where the status is kept by a resume."""
    STAYS = "stays"
    WARNINGS = "warnings"
    LEFT_ALONE = "left_alone"
    """Its status is none of the seven: recovery does not touch it."""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which tasks the list shows. Both must hold."""

    kind: Kind = Kind.ALL
    place: Place | None = None


_PLACES: Final = {(found, policy): Place(found, policy) for found in FOUND for policy in POLICIES}


def place_of(step: RecoveryStep) -> Place | None:
    """Return the cell that a task stands in, or None where its status is none of the seven: it stands outside."""
    return _PLACES.get((step.found, step.effective))  # type: ignore[arg-type]  # a stored status is found by its text


def tallies(plan: RecoveryPlan) -> dict[Place, Tally]:
    """Return what stands in each of the twelve cells. A missing or unknown policy counts under fail."""
    tasks: Counter[tuple[str, str | None]] = Counter()
    warned: Counter[tuple[str, str | None]] = Counter()
    for outcome, many in plan.outcomes().items():
        tasks[outcome.found, outcome.effective] += many
        warned[outcome.found, outcome.effective] += many * outcome.has_warnings
    return {place: Tally(tasks[key], warned[key]) for key, place in _PLACES.items()}


def is_of_kind(step: RecoveryStep, kind: Kind) -> bool:
    """Say whether a chip of this kind counts the task."""
    match kind:
        case Kind.ALL:
            return True
        case Kind.MOVES:
            return step.event is not None
        case Kind.STAYS:
            return step.event is None and step.effective is not None
        case Kind.WARNINGS:
            return bool(step.warnings)
        case Kind.LEFT_ALONE:
            return step.effective is None


def narrowed(plan: RecoveryPlan, to: Narrowing) -> tuple[RecoveryStep, ...]:
    """Return the steps that the list shows, in the order of the plan."""
    if to == Narrowing():
        return plan.steps
    return tuple(
        step for step in plan.steps if is_of_kind(step, to.kind) and (to.place is None or place_of(step) == to.place)
    )


def kind_counts(plan: RecoveryPlan, place: Place | None) -> Mapping[Kind, int]:
    """Return the count on each chip: with the chosen cell applied, as every count on a chip is."""
    within = [
        (outcome, many)
        for outcome, many in plan.outcomes().items()
        if place is None or (outcome.found, outcome.effective) == (place.found, place.policy)
    ]
    every = sum(many for _, many in within)
    moves = sum(many for outcome, many in within if outcome.writes_event)
    alone = sum(many for outcome, many in within if outcome.effective is None)
    return {
        Kind.ALL: every,
        Kind.MOVES: moves,
        Kind.STAYS: every - moves - alone,
        Kind.WARNINGS: sum(many for outcome, many in within if outcome.has_warnings),
        Kind.LEFT_ALONE: alone,
    }
