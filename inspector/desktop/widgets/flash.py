"""The fade of a changed cell: one clock for a window, which runs only while something that is seen is warm."""

from collections.abc import Callable
from time import monotonic_ns

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QTimer
from PySide6.QtWidgets import QAbstractItemView
from shiboken6 import isValid

from inspector.desktop.widgets.motion import wants_motion

FULL_MS = 400
"""How long a changed cell keeps the whole colour."""
GONE_MS = 1_600
"""When nothing of it is left."""
STILL_MS = 1_000
"""How long it keeps the whole colour where nothing may move."""
TICK_MS = 60


def _monotonic_ms() -> int:
    return monotonic_ns() // 1_000_000


class FlashClock(QObject):
    """Says how warm a cell still is, and has warm cells painted again until they are cold.

    A model stores ``now_ms()`` of the moment when a cell changed and gives it back under ``FLASH_ROLE``. A delegate
    that paints a warm cell tells with ``warm()``; at the next tick that cell alone is painted again, and tells again if
    it is still warm. So the timer stops by itself when the last visible cell is cold, and never runs for one out of
    sight.
    """

    def __init__(
        self, parent: QObject | None = None, *, now_ms: Callable[[], int] = _monotonic_ms, still: bool | None = None
    ) -> None:
        """Count time by ``now_ms``. ``still``: warm for a second, then cold; None: as the desktop wishes."""
        super().__init__(parent)
        self.now_ms = now_ms
        self._still = still
        self._warm: dict[tuple[QAbstractItemView, QPersistentModelIndex], None] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.tick)

    def strength(self, at_ms: int | None) -> float:
        """Return how much of the flash colour a cell has that changed at ``at_ms``: 1 at first, 0 when it is cold."""
        if at_ms is None:
            return 0.0
        if self._still is None:
            self._still = not wants_motion()
        passed = self.now_ms() - at_ms
        if self._still:
            return 1.0 if passed < STILL_MS else 0.0
        if passed < FULL_MS:
            return 1.0
        return max(0.0, (GONE_MS - passed) / (GONE_MS - FULL_MS))

    def warm(self, view: QAbstractItemView, index: QModelIndex | QPersistentModelIndex) -> None:
        """Have the cell ``index`` of ``view`` painted again at the next tick."""
        self._warm[view, QPersistentModelIndex(index)] = None
        if not self._timer.isActive():
            self._timer.start(TICK_MS)

    def tick(self) -> None:
        """Have every cell painted again that was warm when it was last painted."""
        warm, self._warm = self._warm, {}
        for view, index in warm:
            if index.isValid() and isValid(view):
                view.update(index)

    @property
    def runs(self) -> bool:
        """Whether anything that is seen is still warm."""
        return self._timer.isActive()
