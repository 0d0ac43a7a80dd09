"""How many tasks of each status and how many models the open file has: asked once, for all who show it."""

from typing import Final

from PySide6.QtCore import QObject, Signal

from inspector.desktop.session.session import Session
from inspector.desktop.wiring.rested import Rested
from inspector.layout.opened import Opened
from inspector.layout.pages import Counts
from inspector.reading.requests import CountsRequest

AFTER_PAINT_S: Final = 0.2
"""How long after a file was opened the background is asked: the rows are on screen before it takes a core."""


class Totals(QObject):
    """Counts the tasks of the open file, without any filter, and again whenever something was committed.

    Signals:
        counted: carries the ``Counts``.
    """

    counted = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._rested = Rested(session.spawn, self._ask, self._take)
        self._path: str | None = None
        self._newest: Counts | None = None
        session.opened.connect(self._on_opened)
        session.moved.connect(lambda _moved: self._rested.refresh())

    @property
    def newest(self) -> Counts | None:
        """The last counts of this file, or None before there were any."""
        return self._newest

    def forget(self) -> None:
        """Stop, and know nothing of the file that was open."""
        self._rested.stop()
        self._path = self._newest = None

    def _on_opened(self, how: Opened) -> None:
        if how.path != self._path:
            self._path = how.path
            self._newest = None
            self._rested.anew(after_s=AFTER_PAINT_S)
        else:
            self._rested.refresh()

    async def _ask(self) -> Counts:
        return await self._session.ask_in_background(CountsRequest())

    def _take(self, counts: Counts) -> None:
        self._newest = counts
        self.counted.emit(counts)
