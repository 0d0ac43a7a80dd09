"""Whether anything of the open file was read for a view yet; where nothing can be any more, the view says so."""

from collections.abc import Awaitable, Callable
from typing import Final

from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.layout.visible import visible

NOTHING_READ: Final = "The file cannot be read any more, and nothing of it had been read for this view."


class FirstRead:
    """The first answer that a view has of a file. Before it a view has nothing to show: it is told why.

    A view that had an answer keeps what it shows, whatever fails later.
    """

    def __init__(self, session: Session, show_unread: Callable[[str], None]) -> None:
        """``show_unread`` has the view say one visible sentence in place of what was not read."""
        self._session = session
        self._show_unread = show_unread
        self._is_there = False
        session.lost.connect(self._on_lost)
        if session.is_lost:
            self._on_lost()

    @property
    def is_there(self) -> bool:
        """Whether the view had an answer."""
        return self._is_there

    def take(self) -> None:
        """Hear that the view has an answer."""
        self._is_there = True

    def forget(self) -> None:
        """Begin anew: another file is read from now on."""
        self._is_there = False

    async def awaited(self, reading: Awaitable[None]) -> None:
        """Await ``reading``, whose answer is taken with :meth:`take`; where it fails before one, the view says why.

        What it raises is raised. A reader that is gone is replaced, and asked again, unless the file is lost.
        """
        try:
            await reading
        except RequestFailed as failed:
            if not self._is_there:
                self._show_unread(NOTHING_READ if self._session.is_lost else visible(failed.sentence))
            raise
        except ReaderGone:
            if self._session.is_lost:
                self._on_lost()
            raise

    def _on_lost(self, _sentence: str = "", _at_ms: object = None) -> None:
        if not self._is_there:
            self._show_unread(NOTHING_READ)
