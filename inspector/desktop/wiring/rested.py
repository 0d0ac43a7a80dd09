"""A dear question that is asked again whenever something has changed: one at a time, with a rest after each."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

RESTS_TIMES = 9
"""A rest is so many times as long as the answer took: the question is under way a tenth of the time at most."""


class Rested(Generic[Answer]):
    """Asks, delivers, rests, and asks again if that was wished meanwhile."""

    def __init__(
        self,
        spawn: Callable[[Coroutine[object, object, None]], None],
        ask: Callable[[], Awaitable[Answer]],
        deliver: Callable[[Answer], None],
        *,
        least_rest_s: float = 0.0,
    ) -> None:
        """Run ``ask`` by ``spawn`` and hand its answers to ``deliver``, with a rest of ``least_rest_s`` or longer."""
        self._spawn = spawn
        self._ask = ask
        self._deliver = deliver
        self._least_rest_s = least_rest_s
        self._running: asyncio.Task[None] | None = None
        self._wished = False
        self._rests_until_s = 0.0

    def refresh(self) -> None:
        """Ask after the rest; one that is under way is delivered first."""
        self._wished = True
        if self._running is None:
            self._spawn(self._run())

    def anew(self, *, after_s: float = 0.0) -> None:
        """Give up what is under way, and ask in ``after_s`` seconds: the answer would be to another question now."""
        self.stop()
        self._rests_until_s = asyncio.get_running_loop().time() + after_s
        self.refresh()

    def stop(self) -> None:
        """Give up what is under way."""
        if self._running is not None:
            self._running.cancel()
            self._running = None
        self._wished = False

    async def _run(self) -> None:
        mine = self._running = asyncio.ensure_future(self._go())
        try:
            await mine
        finally:
            if self._running is mine:
                self._running = None

    async def _go(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._wished:
            await asyncio.sleep(max(0.0, self._rests_until_s - clock()))
            self._wished = False
            started_s = clock()
            answer = await self._ask()
            took_s = clock() - started_s
            self._rests_until_s = clock() + max(self._least_rest_s, took_s * RESTS_TIMES)
            self._deliver(answer)
