"""How long a window's thread works without a pause."""

import asyncio
import time
from contextlib import suppress

TURN_S = 0.002


class Holds:
    """How long the window's thread worked without a pause, at most, while this runs.

    Its own processor time, which a busy machine does not make longer by making it wait; and the time that passed.
    """

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self.passed_ms = 0.0

    async def __aenter__(self) -> "Holds":
        self._task = asyncio.ensure_future(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _watch(self) -> None:
        while True:
            started, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(TURN_S)
            self.longest_ms = max(self.longest_ms, (time.thread_time() - worked) * 1e3)
            self.passed_ms = max(self.passed_ms, (time.perf_counter() - started - TURN_S) * 1e3)
