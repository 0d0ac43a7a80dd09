"""Requests that replace one another, and requests that are made again."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from inspector.desktop.session.latest_only import LatestOnly, OneAtATime


class Reader:
    """Answers when told to."""

    def __init__(self) -> None:
        self.asked: list[asyncio.Future[str]] = []

    def request(self) -> Callable[[], Awaitable[str]]:
        async def ask() -> str:
            future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            self.asked.append(future)
            return await future

        return ask


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_the_answer_to_the_newest_request_is_the_only_one_delivered() -> None:
    async def scene() -> tuple[list[str], int]:
        latest, reader, shown = LatestOnly(), Reader(), list[str]()
        asks = [asyncio.create_task(latest.ask(reader.request(), shown.append)) for _ in range(3)]
        await settle()
        assert len(reader.asked) == 1, "only one request is under way"
        reader.asked[0].set_result("first")
        await settle()
        assert shown == [], "a newer request was made, so the first answer is late"
        reader.asked[1].set_result("third")
        await asyncio.gather(*asks)
        return shown, len(reader.asked)

    shown, asked = asyncio.run(scene())
    assert shown == ["third"]
    assert asked == 2, "the second request was never sent"


def test_a_failed_request_raises_where_it_was_awaited_and_does_not_block_the_next() -> None:
    async def scene() -> list[str]:
        latest, reader, shown = LatestOnly(), Reader(), list[str]()
        first = asyncio.create_task(latest.ask(reader.request(), shown.append))
        await settle()
        reader.asked[0].set_exception(ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            await first
        second = asyncio.create_task(latest.ask(reader.request(), shown.append))
        await settle()
        reader.asked[1].set_result("again")
        await second
        return shown

    assert asyncio.run(scene()) == ["again"]


def test_a_wish_that_waited_behind_a_failed_request_is_still_asked() -> None:
    async def scene() -> list[str]:
        latest, reader, shown = LatestOnly(), Reader(), list[str]()
        first = asyncio.create_task(latest.ask(reader.request(), shown.append))
        await settle()
        second = asyncio.create_task(latest.ask(reader.request(), shown.append))
        await settle()
        reader.asked[0].set_exception(ValueError("no"))
        await settle()
        reader.asked[1].set_result("second")
        await asyncio.gather(first, second, return_exceptions=True)
        return shown

    assert asyncio.run(scene()) == ["second"]


def test_a_forgotten_request_delivers_nothing() -> None:
    async def scene() -> list[str]:
        latest, reader, shown = LatestOnly(), Reader(), list[str]()
        ask = asyncio.create_task(latest.ask(reader.request(), shown.append))
        await settle()
        latest.forget()
        reader.asked[0].set_result("late")
        await ask
        return shown

    assert asyncio.run(scene()) == []


def test_a_refresh_is_delivered_although_more_was_asked_meanwhile_and_one_more_follows() -> None:
    async def scene() -> tuple[list[str], int]:
        again, reader, shown = OneAtATime(), Reader(), list[str]()
        refreshes = [asyncio.create_task(again.refresh(reader.request(), shown.append)) for _ in range(5)]
        await settle()
        assert len(reader.asked) == 1, "one is under way"
        reader.asked[0].set_result("first")
        await settle()
        assert shown == ["first"], "changes that come faster than answers do not keep what is shown from moving"
        reader.asked[1].set_result("second")
        await asyncio.gather(*refreshes)
        return shown, len(reader.asked)

    shown, asked = asyncio.run(scene())
    assert shown == ["first", "second"]
    assert asked == 2, "the five became two"


def test_a_refresh_that_failed_does_not_stand_in_the_way_of_the_next() -> None:
    async def scene() -> list[str]:
        again, reader, shown = OneAtATime(), Reader(), list[str]()
        first = asyncio.create_task(again.refresh(reader.request(), shown.append))
        await settle()
        reader.asked[0].set_exception(ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            await first
        second = asyncio.create_task(again.refresh(reader.request(), shown.append))
        await settle()
        reader.asked[1].set_result("again")
        await second
        return shown

    assert asyncio.run(scene()) == ["again"]


def test_what_was_forgotten_is_not_delivered_and_what_is_asked_then_is() -> None:
    async def scene() -> list[str]:
        again, reader, shown = OneAtATime(), Reader(), list[str]()
        first = asyncio.create_task(again.refresh(reader.request(), shown.append))
        await settle()
        again.forget()
        reader.asked[0].set_result("of the file before")
        await first
        second = asyncio.create_task(again.refresh(reader.request(), shown.append))
        await settle()
        reader.asked[1].set_result("of this one")
        await second
        return shown

    assert asyncio.run(scene()) == ["of this one"]
