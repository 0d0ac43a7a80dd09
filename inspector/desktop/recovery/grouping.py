"""A plan as the table of section 11.3 sees it: which cell each task stands in, and which tasks a list is narrowed to.

Pure: no Qt, so that every count is a function of the plan.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspector.lmsp.recovery import Policy, RecoveryPlan, RecoveryStep
from inspector.lmsp.statuses import Status, known_status

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


def place_of(step: RecoveryStep) -> Place | None:
    """Return the cell that a task stands in, or None where its status is none of the seven: it stands outside."""
    found = known_status(step.found)
    return None if found is None or step.effective is None else Place(found, step.effective)


def tallies(plan: RecoveryPlan) -> dict[Place, Tally]:
    """Return what stands in each of the twelve cells. A missing or unknown policy counts under fail."""
    tasks: dict[Place, int] = {}
    warned: dict[Place, int] = {}
    for step in plan.steps:
        place = place_of(step)
        if place is not None:
            tasks[place] = tasks.get(place, 0) + 1
            warned[place] = warned.get(place, 0) + bool(step.warnings)
    places = (Place(found, policy) for found in FOUND for policy in POLICIES)
    return {place: Tally(tasks.get(place, 0), warned.get(place, 0)) for place in places}


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
    return tuple(
        step for step in plan.steps if is_of_kind(step, to.kind) and (to.place is None or place_of(step) == to.place)
    )


def kind_counts(plan: RecoveryPlan, place: Place | None) -> Mapping[Kind, int]:
    """Return the count on each chip: with the chosen cell applied, as every count on a chip is."""
    within = narrowed(plan, Narrowing(place=place))
    return {kind: sum(is_of_kind(step, kind) for step in within) for kind in Kind}
