"""Steps: what walks over many rows reads a few of them at a time, for a few milliseconds.

So a service's checkpoint never waits for a walk, and one that is stopped ends with its step.
"""

import time
from collections.abc import Callable, Generator
from typing import Final, Protocol, TypeAlias, TypeVar

from inspector.layout.pages import Progress
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import TookTooLong
from inspector.reading.recognising import Shape

_Read = TypeVar("_Read")

Job: TypeAlias = Generator[Progress, None, object]
"""A question that takes many steps. It returns the answer; closed before its end it leaves nothing behind."""


class Ask(Protocol):
    """Runs one read of a database, and gives back what it read."""

    def __call__(self, question: Callable[[ReadConnection, Shape], _Read], /) -> _Read:
        """Run ``question``. It may be run more than once."""


STEP_S: Final = 0.004
"""How long a step should take."""

_STEP_MS: Final = 50
"""After so long a step is given up, and tried again with fewer rows: the disk is slow, or the rows are large."""

_WHOLE_MS: Final = 60_000

_FEWEST: Final = 8
_MOST: Final = 20_000
_FIRST: Final = 1_000


class Stride:
    """How many rows a step looks at: as many as take about STEP_S."""

    def __init__(self) -> None:
        self.rows = _FIRST

    def take(self, connection: ReadConnection, read: Callable[[int], _Read]) -> _Read:
        """Return what ``read`` reads, told how many rows to look at; where that takes long, told again of fewer.

        Raises TookTooLong where even the fewest do not come in time.
        """
        while True:
            began = time.monotonic()
            try:
                with connection.within(_STEP_MS if self.rows > _FEWEST else _WHOLE_MS):
                    found = read(self.rows)
            except TookTooLong:
                if not self.shorten():
                    raise
            else:
                fitting = int(self.rows * STEP_S / max(time.monotonic() - began, 1e-6))
                self.rows = max(_FEWEST, min(fitting, 2 * self.rows, _MOST))
                return found

    def shorten(self) -> bool:
        """Look at fewer rows from now on, and say whether that is possible."""
        if self.rows <= _FEWEST:
            return False
        self.rows = max(_FEWEST, self.rows // 8)
        return True
