"""A moment to wait for: until scrolling rests, until an answer is late."""

from PySide6.QtCore import QObject, QTimer, Signal


class Pause(QObject):
    """Tells once that it is over, unless it was begun anew or ended before.

    Signals:
        over: the time has passed.
    """

    over = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.over)

    @property
    def is_on(self) -> bool:
        """Whether it has begun and is not over."""
        return self._timer.isActive()

    def begin(self, ms: int) -> None:
        """Begin, or begin anew: it is over in ``ms`` milliseconds."""
        self._timer.start(ms)

    def end(self) -> None:
        """End it without a word."""
        self._timer.stop()
