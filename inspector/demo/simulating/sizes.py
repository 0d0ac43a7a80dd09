"""How large a history may be, and what follows from it: which tasks are special, and how much the service has to do."""

from dataclasses import dataclass
from typing import Final

LEAST_EVENTS: Final = 4
"""A life of fewer events tells nothing: it is created, it runs, it says something, it ends."""
MOST_EVENTS: Final = 1_000_000
MOST_TASKS: Final = 100_000_000

LARGE_EVENTS: Final = 100_000
"""The length of the one long log that a large history has."""
_LARGE_FROM_EVENTS: Final = 1_000_000

_LEFT_OVER: Final = 10
_WORKERS: Final = 6
_BUSY: Final = 0.4
"""The share of their time that the workers work; at the busiest hour it is nearly all."""
_QUICKEST_MS: Final = 5_000
_LONGEST_SPAN_MS: Final = 120 * 86_400_000
_FIXED_EVENTS: Final = 4
_FIXED_MS: Final = 2_000
_PIECE_MS: Final = 2_800
LONGEST_ANSWER_MS: Final = 240_000
"""About how long a task streams at most; one with more text streams faster."""


class Impossible(ValueError):
    """There is no history of this size; the sentence names what is possible."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Size:
    """A history of so many tasks and events, no more and no less. Raises Impossible."""

    tasks: int
    events: int

    def __post_init__(self) -> None:
        if not 0 < self.tasks <= MOST_TASKS:
            raise Impossible(f"A history has 1 to {MOST_TASKS:,} tasks.")
        least, most = LEAST_EVENTS * self.tasks, MOST_EVENTS * self.tasks
        if not least <= self.events <= most:
            many = "1 task" if self.tasks == 1 else f"{self.tasks:,} tasks"
            raise Impossible(f"A history of {many} has {least:,} to {most:,} events.")

    @property
    def each(self) -> float:
        """The events of a task, in the mean."""
        return self.events / self.tasks

    @property
    def left_over(self) -> int:
        """How many tasks are unfinished at the end."""
        return min(_LEFT_OVER, self.tasks // 10)

    @property
    def large(self) -> int | None:
        """The number of the task with the long log, from 0; None where there is none."""
        rest = self.events - LARGE_EVENTS
        if self.events < _LARGE_FROM_EVENTS or self.tasks < _LEFT_OVER or rest < (LEAST_EVENTS + 1) * self.tasks:
            return None
        return (self.tasks - self.left_over) // 2

    @property
    def gap_ms(self) -> float:
        """The time from one task to the next, in the mean."""
        quick = max(_QUICKEST_MS, self._work_ms / (_WORKERS * _BUSY))
        return min(quick, _LONGEST_SPAN_MS / self.tasks)

    @property
    def workers(self) -> int:
        """How many tasks run side by side."""
        return max(_WORKERS, round(self._work_ms / (self.gap_ms * _BUSY)))

    @property
    def _work_ms(self) -> float:
        pieces = max(1.0, self.each - _FIXED_EVENTS)
        return _FIXED_MS + min(pieces * _PIECE_MS, LONGEST_ANSWER_MS)
