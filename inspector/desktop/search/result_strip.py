"""The line above the hits: how far a search is, what it found, and what can be done about it."""

from datetime import tzinfo
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from inspector.desktop.search.standing import Standing, State, line
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.strips import Strip
from inspector.desktop.widgets.tools import LinkButton

_STEPS: Final = 1_000
_BAR_AT_MOST: Final = 220


class ResultStrip(Strip):
    """How the search stands.

    Signals:
        stop_requested: the search is to stop.
        more_requested: the search is to go on where it has found enough.
        uncover_requested: what the events hold is to be shown.
    """

    stop_requested = Signal()
    more_requested = Signal()
    uncover_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=36)
        self._bar = QProgressBar(self)
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._bar.setMaximumWidth(_BAR_AT_MOST)
        self._bar.setAccessibleName(self.tr("Search of all events"))
        self._words = ElidedLabel(parent=self)
        self._uncover = LinkButton(self.tr("Show the content of this file"), self)
        self._more = QPushButton(self.tr("Search on"), self)
        self._stop = QPushButton(self.tr("Stop"), self)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 4, 12, 4)
        line.setSpacing(8)
        line.addWidget(self._bar, 1)
        line.addWidget(self._words, 3)
        line.addWidget(self._uncover)
        for button in (self._more, self._stop):
            button.setAutoDefault(False)
            line.addWidget(button)
        self._stop.setToolTip(self.tr("Esc"))
        self._stop.clicked.connect(self.stop_requested)
        self._more.clicked.connect(self.more_requested)
        self._uncover.clicked.connect(self.uncover_requested)

    @property
    def text(self) -> str:
        """What is said of the search."""
        return self._words.text()

    @property
    def stop_button(self) -> QPushButton:
        """The button that stops the search."""
        return self._stop

    @property
    def more_button(self) -> QPushButton:
        """The button that lets it go on."""
        return self._more

    @property
    def uncover_link(self) -> LinkButton:
        """The link that shows what is covered."""
        return self._uncover

    @property
    def has_keyboard(self) -> bool:
        """Whether one of its buttons has it."""
        return any(each.hasFocus() for each in (self._uncover, self._more, self._stop))

    def show_standing(self, standing: Standing, zone: tzinfo, *, is_covered: bool) -> None:
        """Say how the search stands, times as in ``zone``; ``is_covered``: what the events hold is hidden."""
        words = line(standing, zone)
        self.setVisible(bool(words))
        if words != self._words.text():
            self._words.setText(words)
            self._bar.setAccessibleDescription(words)
        searching = standing.state is State.SEARCHING
        self._bar.setVisible(searching)
        self._bar.setValue(round(standing.fraction * _STEPS))
        self._stop.setVisible(searching)
        self._more.setVisible(standing.state is State.FULL)
        self._uncover.setVisible(is_covered and standing.hits > 0)
