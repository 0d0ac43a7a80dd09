"""How much one batch of a long work may do, so that others who write never wait long: learned from those before it."""

from typing import Final

_FIRST_PIECES: Final = 1_000
_FIRST_MS_A_PIECE: Final = 0.01
_LEAST_SHARE: Final = 0.25
"""What is left of the time for the work itself, however long a commit takes."""


class Pace:
    """Estimates what the pieces of a work cost, and how long the work of one batch may take.

    A piece is about one row. All times are in milliseconds.
    """

    def __init__(self, hold_ms: float) -> None:
        """Aim at holding the write lock for ``hold_ms`` at a time, the commit included."""
        self._hold_ms = hold_ms
        self._commit_ms = hold_ms / 2
        # As if a batch had been seen already: a very small first one says little about the next.
        self._pieces = float(_FIRST_PIECES)
        self._worked_ms = _FIRST_PIECES * _FIRST_MS_A_PIECE

    @property
    def budget_ms(self) -> float:
        """How long the work of the next batch may take: what the commit is likely to leave of the time."""
        return max(self._hold_ms - self._commit_ms, self._hold_ms * _LEAST_SHARE)

    def cost_ms(self, pieces: int) -> float:
        """Return how long the work of so many pieces is likely to take."""
        return pieces * self._worked_ms / self._pieces

    def learn(self, pieces: int, worked_ms: float, commit_ms: float) -> None:
        """Take in what a batch has really taken. Each batch counts half as much as the one after it."""
        self._pieces = (self._pieces + pieces) / 2
        self._worked_ms = (self._worked_ms + worked_ms) / 2
        # A disk that has become slow is believed at once, one that has become fast again little by little.
        self._commit_ms = max(commit_ms, (self._commit_ms + commit_ms) / 2)
