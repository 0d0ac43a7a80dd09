"""The tasks that are unfinished at the end of a history: something for the recovery preview to tell of."""

from dataclasses import dataclass
from typing import Final

from inspector.demo.simulating.course import step_for
from inspector.demo.simulating.life import CANCELLING, LOADING, QUEUED, RUNNING, Life
from inspector.demo.simulating.sizes import Size
from inspector.lmsp.events import EventType
from inspector.lmsp.recovery import Policy

_LOADING_EVENTS: Final = 2
_RUNNING_EVENTS: Final = 2
_CANCELLING_EVENTS: Final = 3
_STEP_MS: Final = 2_400.0


@dataclass(frozen=True, slots=True)
class Leftover:
    """One task that is unfinished at the end."""

    status: str
    policy: str
    share: float = 0.0
    """How much text it has, of what a task has in the mean."""
    saved: bool = False
    """Whether it has a snapshot."""


_IN_ORDER_OF_NEED: Final = (
    (0, Leftover(RUNNING, Policy.RESUME.value, share=0.9, saved=True)),
    (7, Leftover(QUEUED, Policy.RETRY.value)),
    (4, Leftover(CANCELLING, Policy.FAIL.value, share=0.5)),
    (5, Leftover(LOADING, Policy.RETRY.value)),
    (1, Leftover(RUNNING, Policy.FAIL.value, share=0.8)),
    (8, Leftover(QUEUED, Policy.FAIL.value)),
    (2, Leftover(RUNNING, Policy.RETRY.value, share=0.6)),
    (9, Leftover(QUEUED, Policy.RESUME.value)),
    (3, Leftover(RUNNING, Policy.RESUME.value, share=0.3)),
    (6, Leftover(LOADING, Policy.FAIL.value)),
)
"""With the place of each in the order in which they came in: those that wait came last."""


def left_over(size: Size) -> list[Leftover]:
    """Return the unfinished tasks of a history of this size, the oldest first."""
    chosen = _IN_ORDER_OF_NEED[: size.left_over]
    return [leftover for _, leftover in sorted(chosen, key=lambda placed: placed[0])]


def pieces_of(leftover: Leftover, size: Size) -> int:
    """Return how many pieces of text it has; never so many that others would go short."""
    if leftover.status not in (RUNNING, CANCELLING):
        return 0
    return max(1, int((size.each - _CANCELLING_EVENTS) * leftover.share))


def events_of(leftover: Leftover, size: Size) -> int:
    """Return how many events it has."""
    fixed = {QUEUED: 1, LOADING: _LOADING_EVENTS, RUNNING: _RUNNING_EVENTS, CANCELLING: _CANCELLING_EVENTS}
    return fixed[leftover.status] + pieces_of(leftover, size)


def live_so_far(life: Life, leftover: Leftover, size: Size, until_ms: int) -> None:
    """Lead the task to where it stands at the end of the history, at ``until_ms`` or somewhat later."""
    if leftover.status == QUEUED:
        return
    at = life.started_at = life.created_at + 5
    if leftover.status == LOADING:
        life.move(at, EventType.LOADING.value, LOADING)
        return
    life.move(at, EventType.IN_PROGRESS.value, RUNNING)
    pieces = pieces_of(leftover, size)
    # It writes up to the end, quicker than others if it must.
    step_ms = min(step_for(pieces, _STEP_MS), max(1.0, (until_ms - at) / pieces))
    first_ms = max(at, until_ms - pieces * step_ms)
    life.stream(pieces, first_ms, step_ms)
    if leftover.saved:
        life.save(min(2, pieces - 1))
    if leftover.status == CANCELLING:
        life.move(max(until_ms, life.updated_at), EventType.CANCELLING.value, CANCELLING)
