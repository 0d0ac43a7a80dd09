"""What a bar asks, what was found, and whether the run says anything: printed a line each."""

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

CONTROL_WITHIN = (0.9, 1.1)
"""Where the same arm twice differs by more, a run says nothing."""


class Databases(NamedTuple):
    """What is measured on, and how often."""

    big: Path
    """1,000,000 tasks with 10,000,000 events; with ``--small`` 20,000 and 200,000."""
    small: Path
    """A hundredth of that, but 2,000 tasks at least."""
    folder: Path
    """Where a bar may make files of its own."""
    rounds: int


class Verdict(NamedTuple):
    """One bar with what was found."""

    bar: str
    found: float
    limit: float
    control: float | None = None
    at_least: bool = False
    unit: str = " x"
    steady: bool = False
    """Whether it is the same at every size: then a small run tells too."""
    note: str = ""

    @property
    def word(self) -> str:
        """``held``, ``missed``, or ``inconclusive``."""
        if self.control is not None and not CONTROL_WITHIN[0] <= self.control <= CONTROL_WITHIN[1]:
            return "inconclusive"
        holds = self.found >= self.limit if self.at_least else self.found <= self.limit
        return "held" if holds else "missed"

    def line(self) -> str:
        """Return the bar as a line of the report."""
        asked = "at least" if self.at_least else "at most"
        control = "" if self.control is None else f", the same arm twice {self.control:.2f} x"
        note = f"; {self.note}" if self.note else ""
        return f"{self.bar}: {self.found:.2f}{self.unit}, {asked} {self.limit:g}{self.unit}{control}: {self.word}{note}"


def in_turns(arms: Mapping[str, Callable[[], object]], rounds: int, *, warm: int = 1) -> dict[str, list[float]]:
    """Run the arms in turns, in another order each time, and return the seconds of each arm by round."""
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    names = list(arms)
    for number in range(rounds + warm):
        random.shuffle(names)
        for name in names:
            started = time.perf_counter()
            arms[name]()
            if number >= warm:
                seconds[name].append(time.perf_counter() - started)
    return seconds


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the median of ``one`` in units of ``other``, round by round."""
    return statistics.median(a / b for a, b in zip(one, other, strict=True))
