"""The thin line that says that an answer is still awaited."""

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.desktop.widgets.motion import wants_motion
from inspector.desktop.widgets.palette import tokens_of

PATIENCE_MS = 300
"""What is answered within this shows no line at all."""
_STEP_MS = 40
_ROUND = 30
"""Steps from one end to the other."""


class BusyLine(QWidget):
    """Two pixels under a header that are always there, and in which a bar runs while something is busy for long.

    ``still``: the whole line is coloured instead; None: as the desktop wishes.
    """

    def __init__(self, parent: QWidget | None = None, *, still: bool | None = None) -> None:
        super().__init__(parent)
        self._still = still
        self._step = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._appear)
        self._moving = QTimer(self)
        self._moving.setInterval(_STEP_MS)
        self._moving.timeout.connect(self._move)

    @property
    def is_shown(self) -> bool:
        """Whether the line is seen now."""
        return self._step >= 0

    def set_busy(self, is_busy: bool) -> None:
        """Begin or end; a busy time shorter than 300 ms shows nothing."""
        if not is_busy:
            self._patience.stop()
            self._moving.stop()
            self._step = -1
            self.setAccessibleDescription("")
            self.update()
        elif not self.is_shown and not self._patience.isActive():
            self._patience.start()

    def sizeHint(self) -> QSize:
        return QSize(80, 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 2)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.set_busy(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_shown:
            return
        painter = QPainter(self)
        accent = tokens_of(self.palette()).accent
        if self._is_still():
            painter.fillRect(self.rect(), accent)
        else:
            width = self.width() / 4
            left = (self.width() + width) * self._step / _ROUND - width
            painter.fillRect(QRectF(left, 0, width, self.height()), accent)
        painter.end()

    def _appear(self) -> None:
        self._step = 0
        self.setAccessibleDescription(self.tr("Busy"))
        if not self._is_still():
            self._moving.start()
        self.update()

    def _is_still(self) -> bool:
        if self._still is None:
            self._still = not wants_motion()
        return self._still

    def _move(self) -> None:
        self._step = (self._step + 1) % (_ROUND + 1)
        self.update()
