"""The events of all tasks in the order of their time: those of tasks that run side by side come in turn."""

import heapq
from collections.abc import Iterator

from inspector.demo.simulating.life import Event, Life


class Feed:
    """Merges the logs of the tasks that have come in; of each it holds its next event only."""

    def __init__(self) -> None:
        self._next: list[Event] = []
        self._logs: dict[str, Iterator[Event]] = {}

    def add(self, life: Life) -> None:
        """Take in the log of a task."""
        log = life.events()
        self._logs[life.task_id] = log
        heapq.heappush(self._next, next(log))

    def take(self, before_ms: float, most: int) -> list[Event]:
        """Return the next events, at most so many, each earlier than ``before_ms``; none where there is no other."""
        taken: list[Event] = []
        heap, logs, replace = self._next, self._logs, heapq.heapreplace
        while heap and heap[0][0] < before_ms and len(taken) < most:
            event = heap[0]
            taken.append(event)
            following = next(logs[event[1]], None)
            if following is None:
                heapq.heappop(heap)
                del logs[event[1]]
            else:
                replace(heap, following)
        return taken
