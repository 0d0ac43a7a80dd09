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

STEP_WHERE_IT_HOLDS_BACK_S: Final = 0.001
"""The same where a checkpoint may wait for it. The shorter it is, the less often it is overtaken by another process
while it is at it, and then holds the checkpoint back for as long as that one runs."""

_STEP_MS: Final = 50
"""After so long a step is given up, and tried again with fewer rows: the disk is slow, or the rows are large."""

_WHOLE_MS: Final = 60_000

_FEWEST: Final = 8
_MOST: Final = 20_000
_FIRST: Final = 1_000


REST_S: Final = 0.005
"""How long a rest is after a step while a service writes, at least: in it a checkpoint ends and the -wal begins anew.

For that a transaction has to begin in a moment in which nobody reads. Steps that follow one another leave none, however
short they are, and the -wal grows for as long as they go on.
"""

_RESTS_TIMES: Final = 4
"""How many times as long as the step the rest is."""


def rest_s(step_s: float) -> float:
    """Return how long the rest is after a step that took ``step_s``."""
    return max(REST_S, _RESTS_TIMES * step_s)


class Rests:
    """The rests between the steps of a question that is answered at once."""

    def __init__(self, connection: ReadConnection, wait: Callable[[float], None]) -> None:
        """``wait`` waits for so many seconds; where there is reason to, less."""
        self._connection = connection
        self._wait = wait
        self._version = connection.data_version() if connection.holds_back else None

    def after(self, step_s: float) -> None:
        """Rest after a step, if a service has written since the one before."""
        if self._version is None:
            return
        version = self._connection.data_version()
        if version != self._version:
            self._version = version
            self._wait(rest_s(step_s))


class Stride:
    """How many rows a step looks at: as many as take about as long as a step should."""

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
                wanted_s = STEP_WHERE_IT_HOLDS_BACK_S if connection.holds_back else STEP_S
                fitting = int(self.rows * wanted_s / max(time.monotonic() - began, 1e-6))
                self.rows = max(_FEWEST, min(fitting, 2 * self.rows, _MOST))
                return found

    def shorten(self) -> bool:
        """Look at fewer rows from now on, and say whether that is possible."""
        if self.rows <= _FEWEST:
            return False
        self.rows = max(_FEWEST, self.rows // 8)
        return True
