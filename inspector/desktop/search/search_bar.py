"""The line with the text that is searched for."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from inspector.desktop.widgets.icons import icon
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.strips import Strip

_WIDEST: Final = 560
_LONGEST: Final = 10_000
"""The most characters of a text: a paste that was not meant is no question."""


class SearchBar(Strip):
    """A field and its button.

    Signals:
        wanted: Return in the field, or the button: what stands in the field is to be searched for.
    """

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=40)
        self._field = QLineEdit(self)
        self._field.setPlaceholderText(self.tr("Text in the data of any event"))
        self._field.setAccessibleName(self.tr("Search all events for a text"))
        self._field.setClearButtonEnabled(True)
        self._field.setMaxLength(_LONGEST)
        self._field.setMinimumWidth(236)
        self._field.setMaximumWidth(_WIDEST)
        self._glass = QAction(self)
        self._field.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._field.returnPressed.connect(self.wanted)
        self._button = QPushButton(self.tr("Search"), self)
        self._button.setAutoDefault(False)
        self._button.setEnabled(False)
        self._button.clicked.connect(self.wanted)
        self._field.textChanged.connect(lambda text: self._button.setEnabled(bool(text)))
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 6, 12, 6)
        line.setSpacing(8)
        line.addWidget(self._field, 1)
        line.addWidget(self._button)
        line.addStretch(0)
        self.setFocusProxy(self._field)
        self._draw_glass()

    @property
    def field(self) -> QLineEdit:
        """The field."""
        return self._field

    @property
    def text(self) -> str:
        """What is searched for, to the last blank: it may matter."""
        return self._field.text()

    def focus(self) -> None:
        """Put the keyboard into the field, its text selected."""
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_glass()

    def _draw_glass(self) -> None:
        self._glass.setIcon(icon("find", tokens_of(self.palette()).text2))
