"""A file that another process keeps locked: what the window says while it waits for that."""

from collections.abc import Callable
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QObject

from inspector.desktop.main_window import MainWindow
from inspector.desktop.session.session import Session
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.words import clock_time
from inspector.layout.visible import visible

BAR: Final = "locked"
"""The key of the message about a lock."""


class LockWiring(QObject):
    """Shows the lock that the session tells of, until it is lifted or no file is open; what was read stays."""

    def __init__(self, window: MainWindow, session: Session, zone: tzinfo, close: Callable[[], None]) -> None:
        """Tell times in ``zone``. ``close`` gives up a file that is still being opened."""
        super().__init__(window)
        self._window = window
        self._session = session
        self._zone = zone
        self._close = close
        session.lock.met.connect(self._on_met)
        session.lock.lifted.connect(self._on_lifted)

    def _on_met(self, sentence: str) -> None:
        self._window.header.show_locked(True)
        is_open = self._session.how is not None
        bar = self._window.show_message(
            BAR,
            MessageKind.WARN,
            visible(sentence),
            self._shows() if is_open else self.tr("It opens by itself as soon as the lock is gone."),
            verbs=() if is_open else (self.tr("Close"),),
            closable=False,
        )
        bar.verb_clicked.connect(lambda _verb: self._close())

    def _on_lifted(self) -> None:
        self._window.header.show_locked(False)
        self._window.hide_message(BAR)

    def _shows(self) -> str:
        read_at_ms = self._session.read_at_ms or 0
        at = clock_time(read_at_ms, read_at_ms, self._zone)
        if self._session.is_paused:
            return self.tr("This shows %s.") % at
        return self.tr("This shows %s. It is read again by itself as soon as the lock is gone.") % at
