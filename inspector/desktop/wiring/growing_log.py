"""One task's log as its timeline needs it, read in stretches: from its beginning, and then as it grows."""

from typing import Final

from inspector.layout.pages import LogStretch, TaskTimeline, Tick
from inspector.lmsp.events import implied_status
from inspector.reading.requests import BEFORE_ALL, TimelineRequest

LOG_TICKS: Final = 8_000
"""How many events a timeline shows before it is thinned: several for each pixel of a wide window."""


class GrowingLog:
    """What was read of one log. A stretch is asked for with :attr:`next_request` and taken with :meth:`take`.

    Memory and the cost of a picture do not grow with the log: above :data:`LOG_TICKS` one event of a few stays, and
    each that changes the status, as long as those alone do not come to twice as many.
    """

    def __init__(self, task_id: str, last_seq: int) -> None:
        """Begin with nothing of a log that has about ``last_seq`` events."""
        self.task_id = task_id
        self._ticks: list[Tick] = []
        self._events = 0
        self._last_seq = BEFORE_ALL
        self._status = ""
        self._every = max(1, -(-last_seq // LOG_TICKS))

    @property
    def next_request(self) -> TimelineRequest:
        """What to ask for next."""
        return TimelineRequest(self.task_id, self._last_seq, self._status, self._every)

    @property
    def timeline(self) -> TaskTimeline:
        """The log as far as it was read."""
        return TaskTimeline(self.task_id, tuple(self._ticks), self._events)

    def take(self, stretch: LogStretch) -> bool:
        """Add what was read, and say whether that was anything. Another task's, or one read before, adds nothing."""
        if stretch.task_id != self.task_id or stretch.last_seq <= self._last_seq:
            return False
        self._ticks += stretch.ticks
        self._events += stretch.events
        self._last_seq, self._status = stretch.last_seq, stretch.status
        if len(self._ticks) > 2 * LOG_TICKS:
            self._thin_out()
        return True

    def _thin_out(self) -> None:
        """Leave half of what is there, the first and the last event and the changes of status among it."""
        self._every *= 2
        last = len(self._ticks) - 1
        kept = [
            tick
            for place, tick in enumerate(self._ticks)
            if place % 2 == 0 or place == last or implied_status(tick.type) is not None
        ]
        # A log that claims a change of status with every event is cut down too.
        self._ticks = kept if len(kept) <= 3 * LOG_TICKS // 2 else [*self._ticks[:-1:2], self._ticks[-1]]
