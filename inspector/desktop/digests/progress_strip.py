"""The line above the table while files are hashed: which one, how far, how fast, and Stop."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from inspector.desktop.digests.standing import Progress
from inspector.desktop.digests.words import one_line, progress_words
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import small_font, ui_font
from inspector.desktop.widgets.strips import Strip, plain_label

_STEPS: Final = 1_000
_BAR_AT_MOST: Final = 300


class ProgressStrip(Strip):
    """How the verification goes.

    Signals:
        stop_requested: hashing is to stop; what was verified stays known.
    """

    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=36)
        self._verifying = plain_label(self.tr("Verifying"))
        self._name = ElidedLabel(face=lambda: ui_font(bold=True))
        self._bar = QProgressBar()
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._bar.setMaximumWidth(_BAR_AT_MOST)
        self._words = ElidedLabel(tone="text2", face=small_font)
        self._stop = QPushButton(self.tr("Stop"))
        self._stop.setAutoDefault(False)
        self._stop.clicked.connect(self._on_stop)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 4, 12, 4)
        line.setSpacing(8)
        line.addWidget(self._verifying)
        line.addWidget(self._name)
        line.addWidget(self._bar, 2)
        line.addWidget(self._words, 3)
        line.addWidget(self._stop)

    def show_progress(self, name: str, progress: Progress, bytes_per_s: float, waiting: int) -> None:
        """Show how far the file of the model ``name`` has been read, and how many files wait."""
        shown = one_line(name)
        if shown != self._name.text():
            self._name.setText(shown)
            self._stop.setEnabled(True)
        self._bar.setValue(round(progress.fraction * _STEPS))
        self._words.setText(progress_words(progress, bytes_per_s, waiting))
        self._bar.setAccessibleName(self.tr("Verifying {name}").format(name=shown))
        self._bar.setAccessibleDescription(self._words.text())

    def text(self) -> str:
        """Return what is said of the progress."""
        return f"{self._verifying.text()} {self._name.text()} {self._words.text()}"

    def start(self) -> None:
        """Let it be stopped, again."""
        self._stop.setEnabled(True)

    def _on_stop(self) -> None:
        self._stop.setEnabled(False)
        self.stop_requested.emit()
