"""Waiting for a condition in an async test."""

import asyncio
from collections.abc import Callable

HANG_S = 20.0


async def until(condition: Callable[[], object]) -> None:
    """Return as soon as ``condition()`` is truthy; raise TimeoutError when it never is."""
    async with asyncio.timeout(HANG_S):
        while not condition():  # noqa: ASYNC110  what is waited for has no event of its own
            await asyncio.sleep(0.01)
