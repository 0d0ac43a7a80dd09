"""The detail pane on a session: the selected task, its events as they come, and its cancel."""

from inspector.desktop.detail.view import DetailPane
from inspector.desktop.selection import Selection
from inspector.desktop.session.acting import Acting
from inspector.desktop.session.latest_only import LatestOnly
from inspector.desktop.session.session import Session
from inspector.layout.opened import Opened
from inspector.layout.pages import EventPage, TaskTimeline
from inspector.layout.rows import StoredText, TaskDetail
from inspector.reading.messages import Moved
from inspector.reading.requests import EventDataRequest, EventPageRequest, TaskDetailRequest, TimelineRequest


class DetailWiring:
    """Keeps the pane on the selected task."""

    def __init__(self, pane: DetailPane, session: Session, selection: Selection) -> None:
        self._pane = pane
        self._session = session
        self._selection = selection
        self._details = LatestOnly()
        self._timelines = LatestOnly()
        self._last_seq = 0
        selection.changed.connect(self._on_selected)
        session.opened.connect(self._on_opened)
        session.acting_changed.connect(self._on_acting_changed)
        session.moved.connect(self._on_moved)
        pane.events_wanted.connect(self._on_events_wanted)
        pane.event_data_wanted.connect(self._on_event_data_wanted)

    def _on_selected(self, task_id: str | None) -> None:
        self._last_seq = 0
        self._pane.show_task(None)
        if task_id is not None:
            self._session.spawn(self._show_task(task_id))
            self._session.spawn(self._show_last_events(task_id))
            self._session.spawn(self._show_timeline(task_id))

    def _on_acting_changed(self, acting: Acting) -> None:
        self._pane.set_may_act(acting.may_act, acting.why_not)

    def _on_opened(self, _how: Opened) -> None:
        self._update()

    def _on_moved(self, moved: Moved) -> None:
        task_id = self._selection.task_id
        if moved.fell_behind or task_id in moved.gone or any(task.id == task_id for task in moved.rows):
            self._update()

    def _update(self) -> None:
        task_id = self._selection.task_id
        if task_id is not None:
            self._session.spawn(self._show_task(task_id))
            self._session.spawn(self._show_newer_events(task_id))
            self._session.spawn(self._show_timeline(task_id))

    def _on_events_wanted(self, task_id: str, after_seq: int | None, before_seq: int | None) -> None:
        self._session.spawn(self._show_events(EventPageRequest(task_id, after_seq, before_seq), replace=False))

    def _on_event_data_wanted(self, task_id: str, seq: int) -> None:
        self._session.spawn(self._show_event_data(task_id, seq))

    async def _show_task(self, task_id: str) -> None:
        def show(detail: TaskDetail | None) -> None:
            if task_id == self._selection.task_id:
                self._pane.show_task(detail)

        await self._details.ask(lambda: self._session.ask(TaskDetailRequest(task_id)), show)

    async def _show_timeline(self, task_id: str) -> None:
        def show(timeline: TaskTimeline) -> None:
            if task_id == self._selection.task_id:
                self._pane.show_timeline(timeline)

        await self._timelines.ask(lambda: self._session.ask(TimelineRequest(task_id)), show)

    async def _show_last_events(self, task_id: str) -> None:
        await self._show_events(EventPageRequest(task_id), replace=True)

    async def _show_newer_events(self, task_id: str) -> None:
        await self._show_events(EventPageRequest(task_id, after_seq=self._last_seq), replace=False)

    async def _show_events(self, request: EventPageRequest, *, replace: bool) -> None:
        page: EventPage = await self._session.ask(request)
        if request.task_id != self._selection.task_id:
            return
        self._pane.show_events(page, replace=replace)
        if page.events:
            self._last_seq = max(self._last_seq, page.events[-1].seq)
        if page.more_after and request.before_seq is None:
            await self._show_newer_events(request.task_id)

    async def _show_event_data(self, task_id: str, seq: int) -> None:
        data: StoredText | None = await self._session.ask(EventDataRequest(task_id, seq))
        if data is not None and task_id == self._selection.task_id:
            self._pane.show_event_data(seq, data)
