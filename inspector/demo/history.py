"""The history of a demo: the minutes before its start, lived through at once by the same service on the same store."""

from collections.abc import Callable
from typing import Final, Protocol

from inspector.demo.chance import chance
from inspector.demo.playing import Clock, Loop, PastClock
from inspector.demo.service import Service, Staging

BUDGET_S: Final = 2.0
"""What the history may cost at the start; a slow disk gets less of it."""

_STRETCH_MS = 60_000
"""The past is played in stretches of this length, with a look at the budget after each."""

_TOLERANCE = 0.8
"""So much of what is left must be affordable: what a stretch costs varies."""

_DRAIN_MS = 60_000
"""What the service gets to finish its tasks before it goes down in order."""

_CLOSE_MS = 100
"""The past has caught up with now when it is this close: what is due in between comes a little late."""

_DOWN_MS = 12_000
"""How long the service was down at a restart of the past."""


class Begin(Protocol):
    """Begins one life of the service, which recovers what the one before it has left."""

    def __call__(self, loop: Loop, past: bool) -> Service:
        """Return the service; its plays are on the loop."""


def make_history(staging: Staging, clock: Clock, begin: Begin, stopwatch: Callable[[], float]) -> Service:
    """Live through the minutes before now, at once, and return the service as it is now, with all it has in hand.

    Only the time of the past passes without waiting. At a restart of the past the tasks in hand are dropped and
    recovered, as after a kill. Where the disk is too slow for all of it, the service finishes what it has after the
    first minutes and is down for long.
    """
    began_s = stopwatch()
    length_ms = staging.scenario.history_minutes * 60_000
    until_ms = clock.now_ms() - length_ms
    rng = chance(staging.seed, "restarts")
    restarts = sorted(until_ms + length_ms * rng.uniform(0.3, 0.9) for _ in range(staging.scenario.history_restarts))
    service = begin(Loop(PastClock(until_ms)), past=True)
    played_ms = 0.0
    # Playing the past takes time as well, though much less than it lasts: now is asked each time.
    while (now_ms := clock.now_ms()) - until_ms > _CLOSE_MS:
        stretch_ms = min(_STRETCH_MS, now_ms - until_ms)
        service.loop.run(until_ms=until_ms + stretch_ms)
        until_ms += stretch_ms
        played_ms += stretch_ms
        left_ms = now_ms - until_ms
        affordable_ms = _affordable_ms(played_ms, stopwatch() - began_s, left_ms)
        is_too_much = affordable_ms < left_ms * _TOLERANCE
        if is_too_much:
            service.clients_wait = True
            service.loop.run(until_ms=until_ms + _DRAIN_MS)
            until_ms += _DRAIN_MS
        if is_too_much or (restarts and restarts[0] <= until_ms):
            until_ms = min(now_ms, max(until_ms + _DOWN_MS, now_ms - affordable_ms))
            restarts = [restart_ms for restart_ms in restarts if restart_ms > until_ms]
            service = begin(Loop(PastClock(until_ms)), past=True)
    service.loop.clock = clock
    service.past = False
    return service


def _affordable_ms(played_ms: float, spent_s: float, left_ms: float) -> float:
    """Return how much of what is left the budget allows, going by what was played; always enough for the first look."""
    if spent_s <= 0 or (played_ms < 3 * _STRETCH_MS and spent_s < BUDGET_S / 2):
        # One slow minute says little.
        return left_ms
    return max(played_ms * (BUDGET_S / spent_s - 1), 2 * _STRETCH_MS)
