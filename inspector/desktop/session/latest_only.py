"""Requests that replace one another: only the answer to the last one is delivered."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

Answer = TypeVar("Answer")


class LatestOnly:
    """Delivers the answer to the newest request, and drops the others in one place, so that no view has to compare.

    At most one request is under way. Asking again meanwhile keeps only the newest wish, which is asked when the one
    under way has been answered: a slow reader is never sent a queue of requests that nobody waits for any more.
    """

    def __init__(self) -> None:
        self._waiting: Callable[[], Awaitable[None]] | None = None
        self._under_way = False
        self._asked = 0

    async def ask(self, request: Callable[[], Awaitable[Answer]], deliver: Callable[[Answer], None]) -> None:
        """Await ``request`` and hand its answer to ``deliver``, unless something newer was asked meanwhile.

        What a request raises is raised in the call that awaited it.
        """
        self._asked += 1
        mine = self._asked

        async def run() -> None:
            answer = await request()
            if mine == self._asked:
                deliver(answer)

        if self._under_way:
            self._waiting = run
            return
        self._under_way = True
        try:
            await run()
        finally:
            # Also after a failure: the wish that waits is another one, and may be answered.
            try:
                await self._ask_those_that_waited()
            finally:
                self._under_way = False

    async def _ask_those_that_waited(self) -> None:
        while self._waiting is not None:
            following, self._waiting = self._waiting, None
            await following()

    def forget(self) -> None:
        """Drop the answer that is under way and the wish that waits."""
        self._asked += 1
        self._waiting = None
