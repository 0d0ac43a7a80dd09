"""The line above the rows: what they are of, where they are damaged, and where one can go from there."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import ui_font
from inspector.desktop.widgets.strips import Strip
from inspector.desktop.widgets.tools import LinkButton


class RowStrip(Strip):
    """Says what the rows are.

    Signals:
        first_wanted: the rows are wanted from the first on.
        on_wanted: rows are wanted behind those that are there.
    """

    first_wanted = Signal()
    on_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=36)
        self._name = ElidedLabel(face=lambda: ui_font(bold=True), parent=self)
        self._words = ElidedLabel(tone="text2", parent=self)
        self._first = LinkButton(self.tr("From the first row"), self)
        self._on = LinkButton("", self)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 4, 12, 4)
        line.setSpacing(8)
        line.addWidget(self._name)
        line.addWidget(self._words, 1)
        line.addWidget(self._on)
        line.addWidget(self._first)
        self._first.clicked.connect(self.first_wanted)
        self._on.clicked.connect(self.on_wanted)
        self.show_words("", "")

    @property
    def name(self) -> str:
        """What the rows are of."""
        return self._name.text()

    @property
    def text(self) -> str:
        """What is said of the rows."""
        return self._words.text()

    @property
    def on_link(self) -> LinkButton:
        """The link to the rows behind."""
        return self._on

    @property
    def first_link(self) -> LinkButton:
        """The link to the first row."""
        return self._first

    def show_words(self, name: str, words: str, *, go_on: str = "", is_first: bool = True, warns: bool = False) -> None:
        """Say ``words`` of the rows of ``name``, both visible; ``go_on`` is where one can go, empty for nowhere."""
        self._name.setText(name)
        self._words.setText(words)
        self._words.set_tone("warn_fg" if warns else "text2")
        self._on.set_text(go_on)
        self._on.setVisible(bool(go_on))
        self._first.setVisible(not is_first)
