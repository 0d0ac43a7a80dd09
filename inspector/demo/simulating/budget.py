"""How many events each task may have, so that all together have as many as were asked for."""

from typing import Final

from inspector.demo.simulating.sizes import LEAST_EVENTS

_MEAN_FROM: Final = 50
"""So many tasks of the usual kind are taken for granted, until there are others to go by."""
_USUAL_FIXED: Final = 3.7
_USUAL_DELIVERED: Final = 0.75
_PLAIN_BELOW: Final = 0.8


class Budget:
    """Some events for some tasks, of which each must have at least the fewest that a life takes."""

    def __init__(self, tasks: int, events: int) -> None:
        self._tasks = tasks
        self._events = events
        self._fixed = _USUAL_FIXED * _MEAN_FROM
        self._delivered = _USUAL_DELIVERED * _MEAN_FROM
        self._wanted = float(_MEAN_FROM)
        self._done = float(_MEAN_FROM)

    @property
    def most(self) -> int:
        """The most events that the next task can have; what the last one must have."""
        return self._events - LEAST_EVENTS * (self._tasks - 1)

    @property
    def fair(self) -> int:
        """The events of each task, if all that are left had the same number."""
        return self._events // self._tasks

    @property
    def is_last(self) -> bool:
        """Whether one task is left."""
        return self._tasks == 1

    @property
    def pieces(self) -> float:
        """How many pieces of text the next answer has in the mean, if it is to come out even at the end."""
        # What was asked for is not what came: some tasks fail, are cancelled, or begin anew after a restart.
        each = self._events / self._tasks - self._fixed / self._done
        return max(1.0, each * self._wanted / self._delivered)

    @property
    def plain_share(self) -> float:
        """The share of tasks that must be plain: of very few events not many lives can be eventful."""
        return max(0.0, 1.0 - (self._events / self._tasks - LEAST_EVENTS) / _PLAIN_BELOW)

    def spend(self, events: int, pieces: int, wanted: float) -> None:
        """Note that a task has so many events, of which ``pieces`` are text, where ``wanted`` were in the mean."""
        self._tasks -= 1
        self._events -= events
        self._fixed += events - pieces
        self._delivered += pieces
        self._wanted += wanted
        self._done += 1
