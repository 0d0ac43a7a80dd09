"""A dear question that is asked again whenever something has changed: one at a time, with a rest after each."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, Generic, TypeVar

from inspector.desktop.session.reader_link import ReaderGone, RequestFailed

Answer = TypeVar("Answer")

RESTS_TIMES: Final = 9
"""A rest is so many times as long as the answer took: the question is under way a tenth of the time at most."""

TRIES: Final = 3
"""How often it is asked where it is not answered: a reader may have been replaced meanwhile."""
TRIES_AGAIN_AFTER_S: Final = 1.0


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
        self._number = 0
        self._is_running = False
        self._task: asyncio.Task[object] | None = None
        self._wished = False
        self._rests_until_s = 0.0

    def refresh(self) -> None:
        """Ask after the rest; one that is under way is delivered first."""
        self._wished = True
        if not self._is_running:
            self._is_running = True
            self._spawn(self._run(self._number))

    def anew(self, *, after_s: float = 0.0) -> None:
        """Give up what is under way, and ask in ``after_s`` seconds: the answer would be to another question now."""
        self.stop()
        self._rests_until_s = asyncio.get_running_loop().time() + after_s
        self.refresh()

    def stop(self) -> None:
        """Give up what is under way."""
        self._number += 1
        self._is_running = self._wished = False
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, number: int) -> None:
        if number != self._number:
            return
        self._task = asyncio.current_task()
        try:
            while self._wished:
                await self._ask_once()
        finally:
            if number == self._number:
                self._is_running, self._task = False, None

    async def _ask_once(self) -> None:
        clock = asyncio.get_running_loop().time
        await asyncio.sleep(max(0.0, self._rests_until_s - clock()))
        self._wished = False
        started_s = clock()
        answer = await self._answered()
        took_s = clock() - started_s
        self._rests_until_s = clock() + max(self._least_rest_s, took_s * RESTS_TIMES)
        self._deliver(answer)

    async def _answered(self) -> Answer:
        for left in reversed(range(TRIES)):
            try:
                return await self._ask()
            except (ReaderGone, RequestFailed):
                if not left:
                    raise
            await asyncio.sleep(TRIES_AGAIN_AFTER_S)
        raise AssertionError("the last try returns or raises")
