"""When tasks come in, and when the service is down: days with a busy noon and a quiet night, and weekends."""

import math
import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from inspector.demo.simulating.sizes import Size

END_MS: Final = 1_796_126_400_000
"""When the last task comes in, at the latest: 1 December 2026, noon, UTC. It is fixed, so that a history is the same
whenever it is made."""

_STRETCH_MS: Final = 900_000
_FEWEST_STRETCHES: Final = 20
_DAY_MS: Final = 86_400_000
_HOURS: Final = (5, 4, 3, 3, 3, 4, 6, 9, 12, 14, 15, 14, 11, 13, 15, 15, 14, 12, 11, 10, 9, 8, 7, 6)
"""How much comes in at each hour of a day."""
_WEEKEND: Final = 0.5
_SWINGS: Final = 0.2
_MONDAY_MS: Final = 4 * _DAY_MS
"""The first Monday of Unix time."""

_RESTART_EVERY_MS: Final = _DAY_MS / 3
_FROM_TASKS: Final = 200
"""A shorter history has no restart."""
_BETWEEN_TASKS: Final = 40
"""So many tasks, in the mean, come in between two restarts at least."""


@dataclass(frozen=True, slots=True)
class Outage:
    """The service died at ``crash_ms``; at ``back_ms`` it was back, and had recovered."""

    crash_ms: int
    back_ms: int


class Calendar:
    """The span of a history, and how many tasks come in at each stretch of it."""

    def __init__(self, size: Size, rng: random.Random) -> None:
        self.span_ms = max(1_000.0, size.tasks * size.gap_ms)
        self.start_ms = int(END_MS - self.span_ms)
        number = max(_FEWEST_STRETCHES, math.ceil(self.span_ms / _STRETCH_MS))
        self._stretch_ms = self.span_ms / number
        weights = (self._weight(at) * rng.lognormvariate(0, _SWINGS) for at in range(number))
        sums = list(accumulate(weights))
        upto = [round(size.tasks * upto / sums[-1]) for upto in sums]
        self._upto = upto
        """How many tasks have come in at the end of each stretch."""

    def _weight(self, at: int) -> float:
        moment = self.start_ms + (at + 0.5) * self._stretch_ms
        day = (moment - _MONDAY_MS) // _DAY_MS % 7
        return _HOURS[int(moment % _DAY_MS * 24 / _DAY_MS)] * (_WEEKEND if day >= 5 else 1.0)

    def arrivals(self, rng: random.Random) -> Iterator[int]:
        """Give the moment of each task, none before the one before it."""
        before = 0
        for at, upto in enumerate(self._upto):
            start = self.start_ms + at * self._stretch_ms
            yield from sorted(int(start + rng.random() * self._stretch_ms) for _ in range(upto - before))
            before = upto

    def moment_of(self, task: int) -> float:
        """Return the start of the stretch in which the task of this number comes in."""
        return self.start_ms + bisect_right(self._upto, task) * self._stretch_ms

    def outages(self, size: Size, rng: random.Random, spared_ms: float) -> list[Outage]:
        """Return the outages in order, none of them where the long log is written, which takes ``spared_ms``."""
        if size.tasks < _FROM_TASKS:
            return []
        wanted = max(1, min(round(self.span_ms / _RESTART_EVERY_MS), size.tasks // (2 * _BETWEEN_TASKS)))
        if size.tasks >= 10 * _FROM_TASKS:
            wanted = max(2, wanted)
        spared = None if size.large is None else self.moment_of(size.large)
        outages: list[Outage] = []
        for part in range(wanted):
            # One in each part, where tasks come in.
            place = (part + rng.random() * 0.8) / wanted
            crash_ms = int(self.moment_of(int(size.tasks * (0.04 + 0.8 * place))) + rng.random() * self._stretch_ms)
            down_ms = 3_000 + rng.expovariate(1) * (600_000 if rng.random() < 0.1 else 12_000)
            back_ms = crash_ms + 1 + int(min(down_ms, self.span_ms / wanted / 20))
            if back_ms >= self.moment_of(size.tasks - size.left_over) or (outages and crash_ms <= outages[-1].back_ms):
                continue
            if spared is None or back_ms < spared or crash_ms > spared + self._stretch_ms + spared_ms:
                outages.append(Outage(crash_ms, back_ms))
        return outages
