"""The Tasks view on a session: pages, changes and counts."""

from inspector.desktop.selection import Selection
from inspector.desktop.session.latest_only import LatestOnly, OneAtATime
from inspector.desktop.session.session import Session
from inspector.desktop.tasks.view import TasksView
from inspector.layout.opened import Opened
from inspector.layout.pages import Counts, TaskFilter, TaskKey, TaskPage
from inspector.layout.rows import TaskRow
from inspector.reading.messages import Moved
from inspector.reading.requests import CountsRequest, TaskPageRequest


class TasksWiring:
    """Asks for what the Tasks view wants, and shows it what moved."""

    def __init__(self, view: TasksView, session: Session, selection: Selection) -> None:
        self._view = view
        self._session = session
        self._selection = selection
        self._pages = LatestOnly()
        self._counts = OneAtATime()
        self._path: str | None = None
        view.filter_changed.connect(self._on_filter_changed)
        view.older_wanted.connect(self._on_older_wanted)
        view.shown_changed.connect(session.watch)
        view.task_selected.connect(self._on_task_selected)
        selection.changed.connect(view.mark_selected)
        session.opened.connect(self._on_opened)
        session.acting_changed.connect(lambda acting: view.set_may_act(acting.may_act))
        session.moved.connect(self._on_moved)

    def _on_opened(self, how: Opened) -> None:
        if how.path != self._path:
            self._path = how.path
            self._view.show_busy()
            self._session.spawn(self._show_newest())
        else:
            # The same file in another mode: nothing that is on screen may jump.
            self._session.spawn(self._refresh_newest())
        self._session.spawn(self._show_counts())

    def _on_moved(self, moved: Moved) -> None:
        self._view.show_changes(moved.rows, moved.gone)
        if moved.fell_behind or moved.cleaned:
            self._session.spawn(self._refresh_newest())
        self._session.spawn(self._show_counts())

    def _on_filter_changed(self, wanted: TaskFilter) -> None:
        self._session.spawn(self._show_newest())
        self._session.spawn(self._show_counts())

    def _on_older_wanted(self, oldest: TaskRow) -> None:
        self._session.spawn(self._append_older(oldest))

    def _on_task_selected(self, task_id: str | None) -> None:
        if task_id is not None:
            self._selection.select(task_id)

    async def _show_newest(self) -> None:
        wanted = self._view.wanted

        def show(page: TaskPage) -> None:
            self._view.show_page(page, selected=self._selection.task_id)
            if self._selection.task_id is None and page.tasks:
                self._selection.select(page.tasks[0].id)

        try:
            await self._pages.ask(lambda: self._session.ask(TaskPageRequest(wanted)), show)
        finally:
            self._view.show_idle()

    async def _refresh_newest(self) -> None:
        wanted = self._view.wanted
        page = await self._session.ask(TaskPageRequest(wanted))
        if wanted == self._view.wanted:
            self._view.refresh_page(page)

    async def _append_older(self, oldest: TaskRow) -> None:
        wanted = self._view.wanted
        after = TaskKey(oldest.created_at or 0, oldest.id)
        page = await self._session.ask(TaskPageRequest(wanted, after))
        if wanted == self._view.wanted:
            self._view.append_page(page)

    async def _show_counts(self) -> None:
        await self._counts.refresh(self._counts_of_others, self._view.show_counts)

    async def _counts_of_others(self) -> Counts:
        """Count what passes all filters but that by status: the chips say how many each would let in."""
        wanted = self._view.wanted
        return await self._session.ask(CountsRequest(TaskFilter(text=wanted.text, model_id=wanted.model_id)))
