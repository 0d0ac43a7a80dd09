"""Time, as the commands are given it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """What time it is, and how to wait. The command line makes the real one, a test its own."""

    now_ms: Callable[[], int]
    """The time in Unix milliseconds."""
    wait: Callable[[float], object]
    """Return after so many seconds."""
