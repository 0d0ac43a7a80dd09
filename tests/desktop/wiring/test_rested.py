"""A dear question is asked one at a time, with a rest after each."""

import asyncio

import pytest

from inspector.desktop.wiring.rested import Rested
from tests.desktop.tasks.rows import TaskList
from tests.desktop.wiring.test_tasks import Answering
from tests.support.waiting import until


@pytest.mark.usefixtures("qloop")
async def test_a_dear_question_is_asked_one_at_a_time_and_once_more_for_all_that_changed_meanwhile() -> None:
    session = Answering(TaskList())
    going, free, delivered = asyncio.Event(), asyncio.Event(), list[int]()
    asked = 0

    async def ask() -> int:
        nonlocal asked
        asked += 1
        going.set()
        await free.wait()
        return asked

    rested = Rested(session.spawn, ask, delivered.append)
    rested.refresh()
    await going.wait()
    for _ in range(5):
        rested.refresh()
    assert asked == 1
    free.set()
    await until(lambda: delivered == [1, 2])

    free.clear()
    going.clear()
    rested.anew()
    await going.wait()
    rested.stop()
    await until(lambda: not session.work)
    assert delivered == [1, 2], "what was given up is not delivered"
