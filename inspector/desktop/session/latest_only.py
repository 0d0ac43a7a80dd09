"""Requests that replace one another, and requests that are made again: never more than one is under way."""

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


class OneAtATime:
    """Brings what is shown up to date, again and again, without a queue.

    However often it is asked for while one refresh is under way, one more follows it. Every answer is delivered: where
    changes come faster than answers, what is shown still moves.
    """

    def __init__(self) -> None:
        self._under_way = False
        self._again = False
        self._forgotten = 0

    def forget(self) -> None:
        """Drop the answer that is under way and what was noted."""
        self._forgotten += 1
        self._again = False

    async def refresh(self, request: Callable[[], Awaitable[Answer]], deliver: Callable[[Answer], None]) -> None:
        """Await ``request`` and hand its answer to ``deliver``; while one is under way, only note that it is wanted.

        What a request raises is raised in the call that awaited it, and ends what was noted.
        """
        if self._under_way:
            self._again = True
            return
        self._under_way = True
        try:
            self._again = True
            while self._again:
                self._again = False
                before = self._forgotten
                answer = await request()
                if before == self._forgotten:
                    deliver(answer)
        finally:
            self._under_way = self._again = False
