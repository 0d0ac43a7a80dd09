"""A discrete-event loop in one thread: plays are generators that say how long they wait before they go on.

Time is a clock's, so that the same plays run in real time, faster, or at once in a time of their own.
"""

import heapq
import os
import select
import time
from collections.abc import Generator
from typing import Protocol

Play = Generator[float, None, None]
"""One actor: yields the milliseconds (at speed 1) until it wants to go on."""


class Clock(Protocol):
    """What the loop needs to know about time."""

    @property
    def pace(self) -> float:
        """How much faster than at speed 1 the plays go."""

    def now_ms(self) -> float:
        """Return the time, in Unix milliseconds. It never goes back."""

    def wait(self, ms: float) -> bool:
        """Let ``ms`` milliseconds go by (none when 0 or less). Return False when the loop shall end."""


class PastClock:
    """A time of its own that starts at ``at_ms`` and passes only when waited for, at once."""

    pace = 1.0

    def __init__(self, at_ms: float) -> None:
        self._now_ms = at_ms

    def now_ms(self) -> float:
        """Return the time that has been waited for."""
        return self._now_ms

    def wait(self, ms: float) -> bool:
        """Move the time on."""
        self._now_ms += max(0.0, ms)
        return True


class LiveClock:
    """Real time, until the descriptor ``leash`` is closed at its other end: then the loop shall end.

    The end of a process closes its descriptors whatever ended it, so who holds the other end never leaves us behind.
    """

    def __init__(self, pace: float, leash: int) -> None:
        self.pace = pace
        self._leash = leash
        # Unix time at the start and the steady clock since then: a wall clock that is set back holds up nothing.
        self._began_ms = time.time() * 1000 - time.monotonic() * 1000

    def now_ms(self) -> float:
        """Return the time."""
        return self._began_ms + time.monotonic() * 1000

    def wait(self, ms: float) -> bool:
        """Wait in real time; return False as soon as the leash is closed."""
        until = time.monotonic() + max(0.0, ms) / 1000
        while True:
            readable = select.select([self._leash], [], [], max(0.0, until - time.monotonic()))[0]
            if readable and not os.read(self._leash, 4096):
                return False
            if time.monotonic() >= until:
                return True


class Loop:
    """Runs plays, each when its time has come, those of one time in the order in which they asked for it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        """May be exchanged for one that shows the same time or a later one."""
        self._due: list[tuple[float, int, Play]] = []
        self._asked = 0

    def start(self, play: Play, *, after_ms: float = 0) -> None:
        """Let ``play`` begin in ``after_ms`` milliseconds (at speed 1)."""
        self._asked += 1
        heapq.heappush(self._due, (self.clock.now_ms() + after_ms / self.clock.pace, self._asked, play))

    def run(self, *, until_ms: float = float("inf")) -> bool:
        """Run plays until nothing is due at or before ``until_ms``. Return False when the clock ended it."""
        while self._due and self._due[0][0] <= until_ms:
            if not self.clock.wait(self._due[0][0] - self.clock.now_ms()):
                return False
            play = heapq.heappop(self._due)[2]
            wait_ms = next(play, None)
            if wait_ms is not None:
                self.start(play, after_ms=wait_ms)
        return True
