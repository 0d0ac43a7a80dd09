"""The Search view on a session: one search at a time, and what was given up is heard of no more."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC
from functools import partial
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from inspector.desktop.search.standing import State
from inspector.desktop.search.view import SearchView
from inspector.desktop.search.words import HitColumn
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.desktop.settings import Settings
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.wiring import search as wiring_module
from inspector.desktop.wiring.content import Content
from inspector.desktop.wiring.search import SearchWiring
from inspector.layout.opened import LayoutKind, Mode, Opened
from inspector.layout.pages import EventHits, Progress
from inspector.reading.requests import EventSearchRequest
from tests.desktop.search.hits import NOW_MS, answer, hit, progress
from tests.support.finding import found
from tests.support.waiting import until


class Asked:
    """One question that a test answers."""

    def __init__(self, request: EventSearchRequest, tell: Callable[[Progress], None]) -> None:
        self.request = request
        self.tell = tell
        self.future: asyncio.Future[EventHits] = asyncio.get_running_loop().create_future()


class Asking(QObject):
    """A session whose long questions a test answers."""

    opened = Signal(object)
    lost = Signal(str, object)
    pause_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.how: Opened | None = opened()
        self.is_paused = False
        self.is_lost = False
        self.read_at_ms = NOW_MS
        self.asked: list[Asked] = []
        self.work: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.work.add(task)
        task.add_done_callback(self.work.discard)

    async def ask_in_background(self, request: EventSearchRequest, tell: Callable[[Progress], None]) -> EventHits:
        self.asked.append(Asked(request, tell))
        return await self.asked[-1].future

    def lose(self) -> None:
        self.is_lost = True
        self.lost.emit("It is gone.", NOW_MS)


def opened(path: str = "service.db", mode: Mode = Mode.LIVE) -> Opened:
    return Opened(path, mode, "", (), None, LayoutKind.NATIVE, 1, "3.40.1", True, None)


class Searching:
    """View, session and what lies between them."""

    def __init__(self, qtbot: QtBot, *, mode: Mode = Mode.LIVE, is_paused: bool = False) -> None:
        self.session = Asking()
        self.session.how = opened(mode=mode)
        self.session.is_paused = is_paused
        self.view = SearchView(UTC)
        qtbot.addWidget(self.view)
        session: Any = self.session
        self.damage: list[str] = []
        self.content = Content(cast(Session, session), Settings(None))
        self.wiring = SearchWiring(self.view, cast(Session, session), self.content, self.damage.append)

    def stands(self) -> State:
        return self.view.standing.state

    def covers(self) -> bool:
        return self.view.hits.is_covered

    async def search(self, text: str = "needle") -> Asked:
        """Ask for a text in the view, and return the question that comes of it."""
        before = len(self.session.asked)
        self.view.search_requested.emit(text)
        await until(lambda: len(self.session.asked) > before)
        return self.session.asked[-1]

    async def ended(self) -> None:
        """Wait until nothing is asked any more."""
        await until(lambda: not self.session.work)


@pytest.fixture
def on(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Searching:
    monkeypatch.setattr(wiring_module, "TRIES_AGAIN_AFTER_S", 0.0)
    return Searching(qtbot)


pytestmark = pytest.mark.usefixtures("qloop")


async def test_what_is_found_reaches_the_view_as_it_is_told_and_at_the_end(on: Searching) -> None:
    asked = await on.search()
    assert asked.request == EventSearchRequest("needle", limit=wiring_module.PART)
    asked.tell(progress(5, 10, hit(9)))
    assert on.view.hits.rowCount() == 1
    asked.future.set_result(answer(hit(9), hit(4)))
    await on.ended()
    assert on.view.hits.rowCount() == 2
    assert on.stands() is State.ENDED


async def test_damage_is_told_at_the_end_whichever_part_met_it(on: Searching) -> None:
    (await on.search()).future.set_result(replace(answer(hit(9), searched_to=9), damage="Some are damaged."))
    await until(lambda: len(on.session.asked) == 2)
    on.session.asked[-1].future.set_result(answer(hit(4)))
    await on.ended()
    assert on.damage == ["Some are damaged."]
    (await on.search("other")).future.set_result(answer())
    await on.ended()
    assert on.damage == ["Some are damaged.", ""]


async def test_hits_come_in_parts_until_there_are_enough_and_are_all_of_the_first_moment(
    on: Searching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring_module, "AT_A_TIME", 3)
    (await on.search()).future.set_result(answer(hit(9), hit(7), searched_to=7))
    await until(lambda: len(on.session.asked) == 2)
    assert on.session.asked[1].request == EventSearchRequest("needle", 7, wiring_module.PART)
    assert on.stands() is State.SEARCHING

    later = EventHits((hit(4),), 4, NOW_MS + 60_000)
    on.session.asked[1].future.set_result(later)
    await on.ended()

    assert on.view.strip.text == "The newest 3 hits, as of 00:55:00"


async def test_a_search_goes_on_where_it_had_found_enough(on: Searching, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring_module, "AT_A_TIME", 1)
    (await on.search()).future.set_result(answer(hit(9), searched_to=9))
    await on.ended()
    assert on.stands() is State.FULL

    on.view.more_requested.emit(9)
    await until(lambda: len(on.session.asked) == 2)

    assert on.session.asked[1].request == EventSearchRequest("needle", 9, wiring_module.PART)
    assert on.stands() is State.SEARCHING
    on.session.asked[1].future.set_result(answer(hit(4)))
    await on.ended()
    assert on.view.hits.rowCount() == 2


async def test_stopping_ends_the_wait_at_once_and_what_still_comes_is_dropped(on: Searching) -> None:
    asked = await on.search()
    on.view.stop_requested.emit()
    assert on.stands() is State.STOPPED
    await on.ended()
    assert asked.future.cancelled()
    asked.tell(progress(5, 10, hit(9)))
    assert on.view.hits.rowCount() == 0


async def test_another_text_takes_the_place_of_the_one_that_is_searched_for(on: Searching) -> None:
    first = await on.search("first")
    second = await on.search("second")
    assert first.future.cancelled()
    first.tell(progress(5, 10, hit(9)))
    second.tell(progress(1, 10, hit(8)))
    assert [on.view.hits.hit_at(row) for row in range(2)] == [hit(8), None]
    second.future.set_result(answer(hit(8)))
    await on.ended()


async def test_a_search_that_is_stopped_before_its_first_step_asks_nothing(on: Searching) -> None:
    on.view.search_requested.emit("needle")
    on.view.stop_requested.emit()
    await on.ended()
    assert on.session.asked == []
    assert on.stands() is State.STOPPED


async def test_a_pause_stops_what_is_searched_and_a_search_in_it_is_made(on: Searching) -> None:
    asked = await on.search()
    on.session.pause_changed.emit(True)
    await on.ended()
    assert asked.future.cancelled()
    assert on.stands() is State.STOPPED_BY_PAUSE
    (await on.search()).future.set_result(answer(hit(9)))
    await on.ended()
    assert on.stands() is State.ENDED


async def test_why_it_cannot_be_searched_is_told_in_the_reader_s_words(on: Searching) -> None:
    (await on.search()).future.set_exception(RequestFailed("They hold no data\u202e."))
    await on.ended()
    assert on.view.strip.text == "They hold no data\\u202e."


async def test_when_the_file_is_read_in_another_way_the_search_is_begun_again_and_keeps_its_hits(on: Searching) -> None:
    asked = await on.search()
    asked.tell(progress(5, 10, hit(9)))
    on.session.opened.emit(opened(mode=Mode.CRASHED))
    asked.future.set_exception(ReaderGone())
    await until(lambda: len(on.session.asked) == 2)
    again = on.session.asked[1]
    again.tell(progress(1, 10, hit(9)))
    again.future.set_result(answer(hit(9), hit(4)))
    await on.ended()
    assert [on.view.hits.hit_at(row) for row in range(3)] == [hit(9), hit(4), None]


async def test_a_reader_that_goes_again_and_again_ends_the_search_with_a_word(on: Searching) -> None:
    await on.search()
    for nth in range(wiring_module.TRIES):
        await until(partial(lambda asked: len(on.session.asked) > asked, nth))
        on.session.asked[nth].future.set_exception(ReaderGone())
    await on.ended()
    assert len(on.session.asked) == wiring_module.TRIES
    assert on.stands() is State.FAILED


async def test_where_nobody_can_answer_any_more_it_is_not_asked_again(on: Searching) -> None:
    asked = await on.search()
    on.session.how = None
    asked.future.set_exception(ReaderGone())
    await on.ended()
    assert len(on.session.asked) == 1


async def test_a_file_that_goes_away_ends_the_search_and_what_was_found_stays(on: Searching) -> None:
    asked = await on.search()
    asked.tell(progress(5, 10, hit(9)))
    on.session.lose()
    await on.ended()
    assert asked.future.cancelled()
    assert (on.stands(), on.view.hits.rowCount()) == (State.LOST, 1)

    on.view.search_requested.emit("other")
    await on.ended()
    assert len(on.session.asked) == 1, "nobody could answer"
    assert (on.stands(), on.view.hits.rowCount()) == (State.LOST, 1), "what was read stays, under its own name"
    assert on.view.standing.text == asked.request.text

    on.session.is_lost = False
    on.session.opened.emit(opened())
    assert on.stands() is State.NONE, "another file may be in its place"


@pytest.mark.parametrize("way", ["told", "opened"])
async def test_another_file_ends_the_search_and_leaves_nothing_of_it(on: Searching, way: str) -> None:
    asked = await on.search()
    asked.tell(progress(5, 10, hit(9)))
    if way == "told":
        on.wiring.forget()
    else:
        on.session.opened.emit(opened("other.db"))
    await on.ended()
    asked.tell(progress(6, 10, hit(8)))
    assert asked.future.cancelled()
    assert (on.stands(), on.view.hits.rowCount()) == (State.NONE, 0)


async def test_what_events_hold_is_covered_on_files_that_are_not_live_until_it_is_asked_for(on: Searching) -> None:
    assert not on.covers()
    on.session.how = opened(mode=Mode.RESTING)
    on.session.opened.emit(on.session.how)
    assert on.covers()
    on.view.uncover_wanted.emit()
    assert not on.covers()


async def test_a_view_that_is_made_late_covers_and_says_what_holds_by_then(qtbot: QtBot) -> None:
    late = Searching(qtbot, mode=Mode.COPY, is_paused=True)
    assert late.covers()
    assert "Paused" in found(late.view, EmptySentence).accessibleName()


async def test_hits_of_another_day_have_their_date_from_the_first_one_on(on: Searching) -> None:
    on.session.read_at_ms = NOW_MS + 3 * 86_400_000
    asked = await on.search()
    asked.tell(progress(5, 10, hit(9)))
    assert str(on.view.hits.index(0, HitColumn.TIME).data()).startswith("30 Nov ")
    asked.future.set_result(answer(hit(9)))
    await on.ended()
