"""The moment after a window was painted for the first time."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from inspector.desktop.widgets.pause import Pause

PAUSE_MS: Final = 30
"""About two frames: what was painted reaches the screen, and what a person does at once comes first."""


class FirstPaint(QObject):
    """Tells once that a window has been on screen for a moment; what it left out for that can be made then.

    Signals:
        passed: the moment is over.
    """

    passed = Signal()
    _painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._pause = Pause(self)
        self._pause.over.connect(self.passed)
        self._painted.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        window.installEventFilter(self)

    def stop(self) -> None:
        """Tell nothing any more."""
        self._window.removeEventFilter(self)
        self._pause.end()

    def _begin(self) -> None:
        self._pause.begin(PAUSE_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # Counted from when all of the window has been painted, which may take longer than the pause.
            self._painted.emit()
        return False
