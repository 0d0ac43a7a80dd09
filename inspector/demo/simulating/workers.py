"""Who is free when, and which models are in memory: of the service between each two of its restarts."""

import heapq
import math
from typing import Final

from inspector.demo.simulating.arrivals import Outage

_WARM_MODELS: Final = 5
"""So many models are in memory at once; loading one more puts out the one that was used longest ago."""

_TRIES_EVERY_MS: Final = 20
"""So quickly come in one after another what clients have kept while the service was down."""


class ServiceLife:
    """The service from one start to the next crash. Its workers take the tasks in the order in which they came in."""

    def __init__(self, start_ms: int, outage: Outage | None, workers: int) -> None:
        self.start_ms = start_ms
        self.crash_ms: float = math.inf if outage is None else outage.crash_ms
        self.back_ms = 0 if outage is None else outage.back_ms
        """When the next life begins."""
        self.recovered: dict[str, int] = {}
        """How many tasks that were left over by this life became what."""
        self._free = [start_ms] * workers
        self._warm: list[str] = []

    @property
    def free_ms(self) -> int:
        """When the next worker is free."""
        return self._free[0]

    def is_warm(self, model: str) -> bool:
        """Say whether the model is in memory."""
        return model in self._warm

    def work(self, until_ms: int, model: str) -> None:
        """Note that the worker who is free next works until then, with this model."""
        heapq.heapreplace(self._free, max(until_ms, self._free[0]))
        if model in self._warm:
            self._warm.remove(model)
        self._warm.append(model)
        del self._warm[:-_WARM_MODELS]

    def recover(self, target: str) -> None:
        """Count a task that the restart after this life has made ``target``."""
        self.recovered[target] = self.recovered.get(target, 0) + 1


class Lives:
    """All lives of the service, in order."""

    def __init__(self, start_ms: int, outages: list[Outage], workers: int) -> None:
        starts = [start_ms, *(outage.back_ms for outage in outages)]
        self.all = [ServiceLife(at, outage, workers) for at, outage in zip(starts, [*outages, None], strict=True)]
        self._now = 0
        self._last_ms = 0

    def upto(self, sent_ms: int) -> int:
        """Return when a task comes in that was sent then: while the service is down, clients try again and again.

        Moments must not fall; those that are returned do not either.
        """
        while sent_ms >= self.all[self._now].crash_ms:
            self._now += 1
        life = self.all[self._now]
        waited = sent_ms < life.start_ms
        self._last_ms = max(sent_ms, life.start_ms, self._last_ms + waited * _TRIES_EVERY_MS)
        return self._last_ms

    @property
    def of_now(self) -> list[ServiceLife]:
        """The life in which the task of the last moment comes in, and those after it."""
        return self.all[self._now :]
