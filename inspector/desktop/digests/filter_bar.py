"""The line above the table: search, chips, and what is to be verified."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QPushButton, QWidget

from inspector.desktop.digests.standing import Group
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.flow import FlowLayout
from inspector.desktop.widgets.icons import icon
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.strips import Strip
from inspector.desktop.widgets.words import grouped

_WORDS: Final = {
    Group.ALL: "All",
    Group.WRONG: "Wrong",
    Group.MATCH: "Match",
    Group.UNCHECKED: "Not checked",
}
_SEARCH_CHARACTERS: Final = 26


class FilterBar(Strip):
    """Search and chips at the left, what to verify at the right.

    Signals:
        filter_changed: text or chip changed.
        verify_selected_wanted: the selected models are to be verified.
        verify_listed_wanted: all models that are listed are to be verified.
    """

    filter_changed = Signal()
    verify_selected_wanted = Signal()
    verify_listed_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._search = _SearchField()
        self._search.setPlaceholderText(self.tr("Name, digest or path"))
        self._search.setAccessibleName(self.tr("Search models"))
        self._search.textChanged.connect(self.filter_changed)
        self._chips = {group: Chip(_WORDS[group]) for group in Group}
        self._buttons = QButtonGroup(self)
        flow = FlowLayout(gap=8)
        flow.addWidget(self._search)
        for chip in self._chips.values():
            self._buttons.addButton(chip)
            flow.addWidget(chip)
        self._chips[Group.ALL].setChecked(True)
        self._buttons.buttonClicked.connect(lambda _chip: self.filter_changed.emit())
        self._selected = QPushButton()
        self._selected.clicked.connect(self.verify_selected_wanted)
        self._listed = QPushButton()
        self._listed.clicked.connect(self.verify_listed_wanted)
        for button in (self._selected, self._listed):
            button.setAutoDefault(False)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 6, 12, 6)
        line.setSpacing(8)
        line.addLayout(flow, 1)
        line.addWidget(self._selected, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._listed, 0, Qt.AlignmentFlag.AlignTop)
        self.show_verifiable(selected=0, listed=0, of=0)
        self._fit()

    @property
    def text(self) -> str:
        """What is searched for."""
        return self._search.text()

    @property
    def group(self) -> Group:
        """The chip that is pressed."""
        return next(group for group, chip in self._chips.items() if chip.isChecked())

    def clear(self) -> None:
        """Let every model through again."""
        self._chips[Group.ALL].setChecked(True)
        self._search.clear()
        self.filter_changed.emit()

    def show_counts(self, counts: Mapping[Group, int]) -> None:
        """Show the count on each chip."""
        for group, chip in self._chips.items():
            chip.set_count(counts[group])

    def show_verifiable(self, *, selected: int, listed: int, of: int) -> None:
        """Say how many models can be verified: of the selected ones, of the listed ones; ``of`` are all there are."""
        self._selected.setText(
            self.tr("Verify {count} selected").format(count=grouped(selected)) if selected > 1 else self.tr("Verify")
        )
        self._selected.setEnabled(selected > 0)
        part = listed < of and not self._is_open()
        self._listed.setText(
            self.tr("Verify {count} listed").format(count=grouped(listed)) if part else self.tr("Verify all")
        )
        self._listed.setEnabled(listed > 0)

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit()

    def _is_open(self) -> bool:
        return self.group is Group.ALL and not self.text.strip()

    def _fit(self) -> None:
        self._search.setFixedWidth(_SEARCH_CHARACTERS * self.fontMetrics().averageCharWidth() + 40)


class _SearchField(QLineEdit):
    """A search field with its glass; Esc empties it."""

    def __init__(self) -> None:
        super().__init__()
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._draw_glass()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_glass()

    def _draw_glass(self) -> None:
        self._glass.setIcon(icon("find", tokens_of(self.palette()).text2))
