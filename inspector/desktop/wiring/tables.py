"""The Tables view on a session: its pages as one scrolls, its values as they are chosen, its statements."""

from collections.abc import Awaitable
from typing import Final

from PySide6.QtCore import QObject

from inspector.desktop.session.latest_only import LatestOnly, OneAtATime
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import LOST, Session
from inspector.desktop.session.statements import Statements
from inspector.desktop.tables.view import TablesView
from inspector.desktop.widgets.pause import Pause
from inspector.desktop.wiring.content import Content
from inspector.desktop.wiring.first_read import FirstRead
from inspector.layout.opened import Opened
from inspector.layout.tables import MOST_COLUMNS, RowKey, RowPage, StoredCell, TableList
from inspector.layout.visible import visible
from inspector.reading.requests import StatementRequest, TableRowsRequest, TablesRequest, TableValueRequest

_GONE: Final = "The reader went away before it had the rows. Choose the table again."

RENEWS_EVERY_MS: Final = 500
"""However often something is committed, rows on screen are read anew no more often."""


class TablesWiring(QObject):
    """Reads what the view wants. Where a request is answered when another one was made, nobody hears of it."""

    def __init__(self, view: TablesView, session: Session, content: Content, statements: Statements) -> None:
        super().__init__(view)
        self._view = view
        self._session = session
        self._statements = statements
        self._on_screen = False
        self._path = None if session.how is None else session.how.path
        self._pages = LatestOnly()
        self._values = LatestOnly()
        self._tables = OneAtATime()
        self._renewed = OneAtATime()
        self._rest = Pause(self)
        self._has_moved = False
        self._run_number = 0
        self._first = FirstRead(session, view.show_unread)
        view.page_wanted.connect(lambda name, key, inclusive: session.spawn(self._show_page(name, key, inclusive)))
        view.more_wanted.connect(lambda name, key: session.spawn(self._append_page(name, key)))
        view.value_wanted.connect(lambda name, key, column: session.spawn(self._show_value(name, key, column)))
        view.run_requested.connect(self._on_run_requested)
        view.stop_requested.connect(self._on_stop_requested)
        view.uncover_wanted.connect(lambda: content.show(True))
        content.changed.connect(lambda shown: view.set_covered(not shown))
        session.opened.connect(self._on_opened)
        session.moved.connect(lambda _moved: self._on_moved())
        session.lost.connect(self._on_lost)
        self._rest.over.connect(self._on_rested)
        view.set_covered(not content.is_shown)
        if session.is_lost:
            view.show_lost(LOST)

    def set_on_screen(self, on_screen: bool) -> None:
        """Say whether the view can be seen: only then is anything read for it."""
        self._on_screen = on_screen
        if on_screen:
            self._on_moved()

    def forget(self) -> None:
        """Stop, and leave nothing of the file that was open in the view."""
        self._give_up("")
        for answers in (self._values, self._tables, self._renewed):
            answers.forget()
        self._first.forget()
        self._view.clear()

    def _on_opened(self, how: Opened) -> None:
        if how.path != self._path:
            self.forget()
        self._path = how.path
        self._on_moved()

    def _on_lost(self) -> None:
        self._give_up(LOST)
        self._view.show_lost(LOST)

    def _on_moved(self) -> None:
        self._has_moved = True
        if not self._rest.is_on:
            self._on_rested()

    def _on_rested(self) -> None:
        if self._has_moved and self._on_screen:
            self._has_moved = False
            self._rest.begin(RENEWS_EVERY_MS)
            self._session.spawn(self._show_tables())
            self._session.spawn(self._renew())

    async def _show_tables(self) -> None:
        def show(found: TableList) -> None:
            self._first.take()
            self._view.show_tables(found)

        await self._first.awaited(self._tables.refresh(lambda: self._session.ask(TablesRequest()), show))

    async def _show_page(self, name: str, key: RowKey | None, inclusive: bool) -> None:
        def show(page: RowPage) -> None:
            if page.table.name == self._view.shown:
                self._view.show_page(page, is_first=key is None)

        request = TableRowsRequest(name, key, inclusive=inclusive)
        await self._or_sentence(name, self._pages.ask(lambda: self._session.ask(request), show))

    async def _append_page(self, name: str, key: RowKey) -> None:
        def append(page: RowPage) -> None:
            last = self._view.rows.row_at(self._view.rows.rowCount() - 1)
            if page.table.name == self._view.shown and last is not None and last.key == key:
                self._view.append_page(page)
            else:
                self._view.pass_over()

        await self._or_sentence(name, self._pages.ask(lambda: self._session.ask(TableRowsRequest(name, key)), append))

    async def _renew(self) -> None:
        """Read the rows on screen anew, from the first of them on."""
        place, name = self._view.place(), self._view.shown
        if name is None:
            return
        at, key = place or (0, None)

        def show(page: RowPage) -> None:
            if page.table.name == self._view.shown and self._view.place() == place:
                self._view.renew(at, page)

        request = TableRowsRequest(name, key, inclusive=True)
        await self._renewed.refresh(lambda: self._session.ask(request), show)

    async def _show_value(self, name: str, key: RowKey, column: str) -> None:
        def show(cell: StoredCell | None) -> None:
            if cell is not None and name == self._view.shown:
                self._view.show_value(key, column, cell)

        request = TableValueRequest(name, key, column)
        await self._values.ask(lambda: self._session.ask(request), show)

    async def _or_sentence(self, name: str, reading: Awaitable[None]) -> None:
        try:
            await reading
        except RequestFailed as failed:
            if name == self._view.shown:
                self._view.show_failed(visible(failed.sentence))
        except ReaderGone:
            if name == self._view.shown:
                self._view.show_failed(LOST if self._session.is_lost else _GONE)

    def _on_run_requested(self, sql: str) -> None:
        self._run_number += 1
        self._view.show_running(self._statements.most_s)
        self._session.spawn(self._run(self._run_number, sql))

    def _on_stop_requested(self) -> None:
        self._give_up("Stopped.")

    def _give_up(self, sentence: str) -> None:
        """End the statement that runs, and say so where one does."""
        self._run_number += 1
        self._statements.stop()
        self._pages.forget()
        if self._view.box.is_running:
            self._view.show_refused(sentence)

    async def _run(self, number: int, sql: str) -> None:
        try:
            answer = await self._statements.run(StatementRequest(sql, columns=MOST_COLUMNS))
        except RequestFailed as failed:
            if number == self._run_number:
                self._view.show_refused(visible(failed.sentence))
        except ReaderGone:
            if number == self._run_number:
                self._view.show_refused("The process that ran the statement ended before it was done.")
        else:
            if number == self._run_number:
                self._view.show_answer(answer)
