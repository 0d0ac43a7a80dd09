"""The detail pane on a session: the selected task, its events as they come, and its cancel."""

import asyncio
from collections.abc import Callable
from typing import Final

from inspector.desktop.detail.view import DetailPane
from inspector.desktop.selection import Selection
from inspector.desktop.session.acting import Acting
from inspector.desktop.session.latest_only import OneAtATime
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.desktop.wiring.content import Content
from inspector.desktop.wiring.growing_log import GrowingLog
from inspector.layout.opened import Opened
from inspector.layout.pages import EventPage
from inspector.layout.rows import ESCAPED_BYTE, NO_ID, TOO_LARGE, TaskDetail
from inspector.layout.visible import visible
from inspector.lmsp.values import value
from inspector.reading.messages import Moved
from inspector.reading.requests import EventDataRequest, EventPageRequest, TaskDetailRequest

_LONGEST_ID: Final = 100
_LEADS_NOWHERE: Final = {
    TOO_LARGE: "The id of this task is too large to be listed: nothing more of it can be asked for by it.",
    NO_ID: "This task has no id (NULL): nothing leads to its texts and events. The Tables view shows its row.",
}
_NO_UTF8: Final = "Nothing leads to a task whose id is no UTF-8. The Tables view shows its row."


@value
class News:
    """What is new of a task that is on screen."""

    detail: TaskDetail | None
    page: EventPage


class DetailWiring:
    """Keeps the pane on the selected task."""

    def __init__(
        self,
        pane: DetailPane,
        session: Session,
        selection: Selection,
        content: Content,
        missing: Callable[[str], None],
        damaged: Callable[[str], None],
    ) -> None:
        """Keep ``pane`` on the selected task.

        ``missing`` hears of one that is not in the file, ``damaged`` what of its log cannot be read.
        """
        self._missing = missing
        self._damaged = damaged
        self._pane = pane
        self._session = session
        self._selection = selection
        self._updates = OneAtATime()
        self._loaded: str | None = None
        self._last_seq = 0
        self._log: GrowingLog | None = None
        self._log_reads = OneAtATime()
        selection.changed.connect(self._on_selected)
        session.opened.connect(self._on_opened)
        session.acting_changed.connect(self._on_acting_changed)
        session.moved.connect(self._on_moved)
        pane.events_wanted.connect(self._on_events_wanted)
        pane.event_data_wanted.connect(self._on_event_data_wanted)
        pane.content_wanted.connect(lambda: content.show(True))
        content.changed.connect(lambda shown: pane.set_covered(not shown))
        pane.set_covered(not content.is_shown)
        self._on_acting_changed(session.acting)
        self._on_selected(selection.task_id)

    def forget(self) -> None:
        """Leave nothing of the file that was open; where the next one has the selected task too, it is read anew."""
        self._updates.forget()
        self._log_reads.forget()
        self._pane.show_unread("")
        self._loaded, self._last_seq, self._log = None, 0, None

    def _on_selected(self, task_id: str | None) -> None:
        self._loaded, self._last_seq, self._log = None, 0, None
        if task_id is None:
            self._pane.show_task(None)
        elif self._session.how is not None:
            # Before that it is loaded when the file is open.
            self._load(task_id)

    def _on_acting_changed(self, acting: Acting) -> None:
        self._pane.set_may_act(acting.may_act, acting.why_not)

    def _on_opened(self, _how: Opened) -> None:
        self._update()

    def _on_moved(self, moved: Moved) -> None:
        task_id = self._selection.task_id
        if task_id is not None and task_id == self._loaded:
            for task in moved.rows:
                if task.id == task_id:
                    self._pane.show_row(task)
        if moved.fell_behind or task_id in moved.gone or any(task.id == task_id for task in moved.rows):
            self._update()

    def _update(self) -> None:
        task_id = self._selection.task_id
        if task_id is None:
            return
        if self._loaded == task_id:
            self._session.spawn(self._updates.refresh(self._news, self._show_news))
        else:
            self._load(task_id)

    def _on_events_wanted(self, task_id: str, after_seq: int | None, before_seq: int | None) -> None:
        self._session.spawn(self._show_events(EventPageRequest(task_id, after_seq, before_seq)))

    def _on_event_data_wanted(self, task_id: str, seq: int) -> None:
        self._session.spawn(self._show_event_data(task_id, seq))

    def _load(self, task_id: str) -> None:
        """Show a task that was just selected: what it is and its last events at once, its log as it is read."""
        # Asked before the loop goes on: the reader answers while the selection is painted elsewhere.
        detail, page = self._session.ask(TaskDetailRequest(task_id)), self._session.ask(EventPageRequest(task_id))
        self._session.spawn(self._show_loaded(task_id, detail, page))

    async def _show_loaded(
        self, task_id: str, asked: asyncio.Future[TaskDetail | None], asked_page: asyncio.Future[EventPage]
    ) -> None:
        try:
            detail, page = await asked, await asked_page
        except (RequestFailed, ReaderGone) as error:
            if task_id == self._selection.task_id and self._loaded != task_id:
                self._pane.show_unread(_why(task_id, error))
            raise
        if task_id == self._selection.task_id and self._loaded != task_id:
            self._loaded = task_id
            self._pane.show_task(detail)
            self._show_page(page, replace=True)
            if detail is None:
                self._show_missing(task_id)
            else:
                self._log = GrowingLog(task_id, detail.task.last_seq)
                self._session.spawn(self._read_log())

    def _show_missing(self, task_id: str) -> None:
        why = _LEADS_NOWHERE.get(task_id) or (_NO_UTF8 if ESCAPED_BYTE in task_id else None)
        if why is None:
            self._missing(task_id)
        else:
            self._pane.show_unread(why)

    async def _read_log(self) -> None:
        """Read what the log has that is not known yet, a stretch at a time; others are answered between two."""
        await self._log_reads.refresh(self._rest_of_log, lambda _log: None)

    async def _rest_of_log(self) -> None:
        log, more = self._log, True
        shown = _Doubling()
        while more and log is not None and log is self._log:
            stretch = await self._session.ask(log.next_request)
            more = stretch.more
            if log.take(stretch) and log is self._log and (not more or shown.is_due()):
                self._pane.show_timeline(log.timeline)
            if more:
                # What waits to be painted comes between two stretches.
                await asyncio.sleep(0)

    async def _news(self) -> News:
        # Asked anew for whatever is selected by now: a refresh may have waited for the one before it.
        task_id = self._loaded or ""
        detail = await self._session.ask(TaskDetailRequest(task_id))
        page = await self._session.ask(EventPageRequest(task_id, after_seq=self._last_seq))
        return News(detail, page)

    def _show_news(self, news: News) -> None:
        if news.page.task_id == self._selection.task_id == self._loaded:
            self._pane.show_task(news.detail)
            self._show_page(news.page, replace=False)
            self._session.spawn(self._read_log())
            if news.page.more_after:
                self._update()

    async def _show_events(self, request: EventPageRequest) -> None:
        try:
            page = await self._session.ask(request)
        except (RequestFailed, ReaderGone) as error:
            self._pane.show_no_events_came(request.task_id, visible(f"No more events can be read. {_told(error)}"))
            raise
        if request.task_id == self._selection.task_id == self._loaded:
            # Without a place it is the last page, which stands instead of what was loaded.
            self._show_page(page, replace=request.after_seq is None and request.before_seq is None)

    def _show_page(self, page: EventPage, *, replace: bool) -> None:
        self._pane.show_events(page, replace=replace)
        if page.damage or replace:
            self._damaged(page.damage)
        if page.events:
            self._last_seq = max(self._last_seq, page.events[-1].seq)

    async def _show_event_data(self, task_id: str, seq: int) -> None:
        data = await self._session.ask(EventDataRequest(task_id, seq))
        if data is not None and task_id == self._selection.task_id:
            self._pane.show_event_data(seq, data)


def _why(task_id: str, error: RequestFailed | ReaderGone) -> str:
    """Say why a task cannot be shown."""
    return visible(f"Task {task_id[:_LONGEST_ID]} cannot be read. {_told(error)}")


def _told(error: RequestFailed | ReaderGone) -> str:
    return error.sentence if isinstance(error, RequestFailed) else "The file is not read any more."


class _Doubling:
    """Says when what grows is worth another look: after 1, 2, 4, 8 steps, so that all looks cost like the last."""

    def __init__(self) -> None:
        self._steps = 0

    def is_due(self) -> bool:
        """Count one step, and say whether it is time."""
        self._steps += 1
        return self._steps & (self._steps - 1) == 0
