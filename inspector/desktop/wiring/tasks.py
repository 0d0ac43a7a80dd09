"""The Tasks view on a session: pages, places, changes and counts."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from inspector.desktop.selection import Selection
from inspector.desktop.session.latest_only import LatestOnly
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.desktop.tasks.blocks import BLOCK_ROWS, Stretch
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.wiring.first_read import FirstRead
from inspector.desktop.wiring.rested import Rested
from inspector.desktop.wiring.totals import AFTER_PAINT_S, Totals
from inspector.layout.opened import Opened
from inspector.layout.pages import Counts, TaskFilter, TaskKey, TaskPage, TaskPlaces
from inspector.layout.visible import visible
from inspector.reading.messages import Moved
from inspector.reading.requests import (
    CountsRequest,
    TaskPageRequest,
    TaskPlacesRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
)

PLACES_REST_S: Final = 10.0


class TasksWiring:
    """Asks for what the Tasks view wants, and shows it what moved. Counts and places never hold up a page."""

    def __init__(
        self,
        view: TasksView,
        session: Session,
        selection: Selection,
        totals: Totals,
        damaged: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        """Keep ``view`` on the session; ``damaged`` hears what of the tasks cannot be read."""
        self._damaged = damaged
        self._view = view
        self._session = session
        self._selection = selection
        self._pages = LatestOnly()
        self._rows = LatestOnly()
        self._counts = Rested(session.spawn, self._ask_counts, self._take_counts)
        self._places = Rested(session.spawn, self._ask_places, self._take_places, least_rest_s=PLACES_REST_S)
        self._totals = totals
        self._path: str | None = None
        self._counted = TaskFilter()
        self._listed: TaskFilter | None = None
        """The filter whose tasks are in the view, which may be another one than it wants; None before there are any."""
        self._first = FirstRead(session, view.show_unread)
        self._is_first_page = False
        view.filter_changed.connect(self._on_filter_changed)
        view.older_wanted.connect(lambda last: session.spawn(self._append_older(last)))
        view.rows_wanted.connect(lambda stretches: session.spawn(self._load(stretches)))
        view.shown_changed.connect(session.watch)
        view.task_selected.connect(self._on_task_selected)
        selection.changed.connect(self._on_selected)
        totals.counted.connect(self._on_totals)
        session.opened.connect(self._on_opened)
        session.lost.connect(self._on_lost)
        session.acting_changed.connect(lambda acting: view.set_may_act(acting.may_act))
        session.moved.connect(self._on_moved)

    def forget(self) -> None:
        """Stop, and leave no task of the file that was open in the view; the filter stays."""
        self._path = self._listed = None
        self._first.forget()
        self._pages.forget()
        self._rows.forget()
        self._places.stop()
        self._counts.stop()
        self._view.clear()

    def _on_opened(self, how: Opened) -> None:
        if how.path != self._path:
            self._path = how.path
            self._is_first_page = True
            self._view.show_busy()
            self._places.stop()
            self._session.spawn(self._show_newest())
            if not self._counted.is_empty:
                self._counts.anew(after_s=AFTER_PAINT_S)
        else:
            # The same file in another mode: nothing that is on screen may jump.
            self._session.spawn(self._refresh_newest() if self._listed == self._view.wanted else self._show_newest())
            self._refresh_counts()
            if not self._view.rows.is_whole:
                self._places.refresh()

    def _on_lost(self) -> None:
        self._pages.forget()
        self._places.stop()
        self._counts.stop()
        if self._listed is not None and _counted(self._listed) != self._counted:
            self._counted = _counted(self._listed)
            self._view.show_counts(self._totals.newest if self._counted.is_empty else None)
        self._view.show_lost(self._view.wanted if self._listed is None else self._listed)

    def _on_moved(self, moved: Moved) -> None:
        self._view.show_changes(moved.rows, moved.gone)
        if moved.fell_behind or moved.cleaned:
            self._session.spawn(self._refresh_newest())
        if moved.cleaned:
            self._places.refresh()
        self._view.expect_counts()
        self._refresh_counts()

    def _on_filter_changed(self, wanted: TaskFilter) -> None:
        self._places.stop()
        self._session.spawn(self._show_newest())
        if wanted.text:
            self._session.spawn(self._select_by_id(wanted))
        if self._counted != _counted(wanted):
            self._counted = _counted(wanted)
            self._view.expect_counts(of_another_filter=True)
            if not self._counted.is_empty:
                self._counts.anew()
                return
            self._counts.stop()
            if self._totals.newest is not None:
                self._view.show_counts(self._totals.newest)

    def _on_totals(self, counts: Counts) -> None:
        if self._counted.is_empty:
            self._view.show_counts(counts)

    def _refresh_counts(self) -> None:
        # Without a filter they are the file's own, which are asked for by themselves.
        if not self._counted.is_empty:
            self._counts.refresh()

    def _on_task_selected(self, task_id: str | None) -> None:
        if task_id is not None:
            self._selection.select(task_id)

    def _on_selected(self, task_id: str | None) -> None:
        self._view.mark_selected(task_id)
        if task_id is not None and self._view.rows.row_of(task_id) is None and self._session.how is not None:
            self._session.spawn(self._seek(task_id))

    async def _seek(self, task_id: str) -> None:
        """Go to the row of a task that is not among the loaded ones."""
        for task in await self._session.ask(TasksByIdRequest((task_id,))):
            if task.id == self._selection.task_id:
                self._view.seek(task)

    async def _show_newest(self) -> None:
        wanted = self._view.wanted

        def show(page: TaskPage) -> None:
            self._first.take()
            self._listed = wanted
            self._view.show_page(page, selected=self._selection.task_id)
            self._damaged(page.damage)
            if self._selection.task_id is None and page.tasks:
                self._selection.select(page.tasks[0].id)
            elif self._is_first_page:
                self._on_selected(self._selection.task_id)
            self._is_first_page = False
            if page.scanned_to is not None:
                self._session.spawn(self._find_first(wanted, page.scanned_to))
            elif page.more:
                self._places.anew(after_s=AFTER_PAINT_S)

        try:
            await self._first.awaited(self._pages.ask(lambda: self._session.ask(TaskPageRequest(wanted)), show))
        except RequestFailed as failed:
            if self._listed != self._view.wanted and not self._session.is_lost:
                # Those that are listed would stand under a filter that they need not pass.
                self._listed = None
                self._view.show_unread(visible(failed.sentence))
            raise
        finally:
            self._view.show_idle()

    async def _select_by_id(self, wanted: TaskFilter) -> None:
        """Select the one task whose id begins with what is searched for: at once, wherever in the list it stands."""
        found = await self._session.ask(TasksByPrefixRequest(wanted.text, wanted))
        if len(found) == 1 and wanted == self._view.wanted:
            self._selection.select(found[0].id)

    async def _refresh_newest(self) -> None:
        wanted = self._view.wanted
        page = await self._session.ask(TaskPageRequest(wanted))
        if wanted == self._view.wanted:
            self._view.refresh_page(page)
            self._damaged(page.damage)
            if self._view.rows.misses_some_new:
                self._places.refresh()

    async def _append_older(self, last: TaskKey) -> None:
        wanted = self._view.wanted
        page = await self._session.ask(TaskPageRequest(wanted, after=last))
        if wanted == self._view.wanted:
            self._view.append_page(page)
            if page.damage:
                self._damaged(page.damage)
            if page.scanned_to is not None:
                await self._look_on(wanted, page.scanned_to)

    async def _find_first(self, wanted: TaskFilter, at: TaskKey) -> None:
        """Look for the first tasks that pass; how long the list is matters when there is more of it than that."""
        with suppress(ReaderGone, RequestFailed):
            await self._look_on(wanted, at)
        if wanted == self._view.wanted and not self._view.rows.is_whole:
            self._places.anew()

    async def _look_on(self, wanted: TaskFilter, at: TaskKey | None) -> None:
        """Look through older tasks for ones that pass, in the background, until a page of them is found."""
        self._view.show_busy()
        try:
            while at is not None:
                page = await self._session.ask_in_background(TaskPageRequest(wanted, after=at))
                if wanted != self._view.wanted or self._view.rows.is_whole:
                    return
                self._view.append_page(page)
                at = page.scanned_to
        finally:
            if wanted == self._view.wanted:
                self._view.show_idle()

    async def _load(self, stretches: tuple[Stretch, ...]) -> None:
        wanted = self._view.wanted

        async def ask() -> list[tuple[Stretch, TaskPage]]:
            requests = [(each, TaskPageRequest(wanted, after=each.after, start=each.start)) for each in stretches]
            return [(stretch, await self._session.ask(request)) for stretch, request in requests]

        def show(found: list[tuple[Stretch, TaskPage]]) -> None:
            if wanted == self._view.wanted:
                self._view.show_rows(found)

        await self._rows.ask(ask, show)

    async def _ask_places(self) -> TaskPlaces:
        return await self._session.ask_in_background(TaskPlacesRequest(self._view.wanted, BLOCK_ROWS))

    def _take_places(self, places: TaskPlaces) -> None:
        self._view.show_places(places)

    async def _ask_counts(self) -> Counts:
        """Count what passes all filters but that by status: the chips say how many each would let in."""
        return await self._session.ask_in_background(CountsRequest(self._counted))

    def _take_counts(self, counts: Counts) -> None:
        self._view.show_counts(counts)


def _counted(wanted: TaskFilter) -> TaskFilter:
    return TaskFilter(text=wanted.text, model_id=wanted.model_id)
