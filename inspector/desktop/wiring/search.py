"""The Search view on a session: a search in the background, one at a time, that ends when nobody waits for it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from inspector.desktop.search.standing import State
from inspector.desktop.search.view import SearchView
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.desktop.wiring.content import Content
from inspector.layout.opened import Opened
from inspector.layout.pages import EventHits, Progress
from inspector.layout.visible import visible
from inspector.reading.requests import EventSearchRequest

AT_A_TIME: Final = 1_000
"""So many hits, and a search ends until it is wanted that it goes on."""
PART: Final = 200
"""It is asked for in parts of so many: what comes at once is no more than the window takes in beside a frame."""
TRIES: Final = 3
"""How often a search is begun where its reader goes: the file may be read in another way from now on."""
TRIES_AGAIN_AFTER_S: Final = 0.5


class SearchWiring:
    """Searches for what the view wants. What is told by a search that was given up reaches nobody."""

    def __init__(self, view: SearchView, session: Session, content: Content, damaged: Callable[[str], None]) -> None:
        """Search for ``view``; ``damaged`` hears what cannot be searched: a sentence, or an empty text."""
        self._view = view
        self._session = session
        self._damaged = damaged
        self._number = 0
        self._task: asyncio.Task[object] | None = None
        self._path = None if session.how is None else session.how.path
        view.search_requested.connect(self._on_search_requested)
        view.more_requested.connect(self._on_more_requested)
        view.stop_requested.connect(lambda: self._stop(State.STOPPED))
        view.uncover_wanted.connect(lambda: content.show(True))
        content.changed.connect(lambda shown: view.set_covered(not shown))
        session.opened.connect(self._on_opened)
        session.lost.connect(self._on_lost)
        session.pause_changed.connect(self._on_pause_changed)
        view.set_covered(not content.is_shown)
        view.set_paused(session.is_paused)
        if session.is_lost:
            view.show_lost()

    def forget(self) -> None:
        """Stop, and leave nothing of the file that was open in the view."""
        self._give_up()
        self._view.clear()

    def _on_opened(self, how: Opened) -> None:
        # The same file in another mode is the same file; after it was lost, another one may be in its place.
        if how.path != self._path or self._view.standing.state is State.LOST:
            self.forget()
        self._path = how.path

    def _on_lost(self) -> None:
        self._give_up()
        self._view.show_lost()

    def _on_pause_changed(self, paused: bool) -> None:
        self._view.set_paused(paused)
        if paused:
            self._stop(State.STOPPED_BY_PAUSE)

    def _on_search_requested(self, text: str) -> None:
        if self._session.is_lost:
            return
        self._give_up()
        self._view.show_begun(text)
        self._view.set_today(self._session.read_at_ms)
        self._session.spawn(self._search(self._number, text, None))

    def _on_more_requested(self, before_id: int) -> None:
        self._give_up()
        self._view.show_going_on()
        self._session.spawn(self._search(self._number, self._view.standing.text, before_id))

    def _stop(self, state: State) -> None:
        self._give_up()
        self._view.show_stopped(state)

    def _give_up(self) -> None:
        self._number += 1
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _search(self, number: int, text: str, before_id: int | None) -> None:
        if number != self._number:
            return
        self._task = asyncio.current_task()
        try:
            await self._search_in_parts(number, text, before_id)
        except RequestFailed as failed:
            if number == self._number:
                self._view.show_failed(visible(failed.sentence))
        except ReaderGone:
            if number == self._number:
                self._view.show_failed("The search ended before it was done: its reader went away.")
        finally:
            if number == self._number:
                self._task = None

    async def _search_in_parts(self, number: int, text: str, before_id: int | None) -> None:
        found, began_at_ms, damage = 0, None, ""
        while True:
            answer = await self._answered(number, EventSearchRequest(text, before_id, PART))
            if number != self._number:
                return
            found += len(answer.hits)
            damage = answer.damage or damage
            before_id, began_at_ms = answer.searched_to, began_at_ms or answer.read_at_ms
            if before_id is None or found >= AT_A_TIME:
                self._damaged(damage)
                self._view.show_answer(replace(answer, read_at_ms=began_at_ms))
                return
            self._view.show_progress(Progress(0, None, answer.hits))

    async def _answered(self, number: int, request: EventSearchRequest) -> EventHits:
        def tell(progress: Progress) -> None:
            if number == self._number:
                self._view.show_progress(progress)

        for left in reversed(range(TRIES)):
            try:
                return await self._session.ask_in_background(request, tell)
            except ReaderGone:
                if not left or self._session.how is None or self._session.is_lost:
                    raise
            await asyncio.sleep(TRIES_AGAIN_AFTER_S)
        raise AssertionError("the last try returns or raises")
