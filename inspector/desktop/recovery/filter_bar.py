"""The line between the table and the list: chips that narrow the list, and what a chosen cell does to it."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from inspector.desktop.recovery.grouping import Kind, Place
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.flow import FlowLayout
from inspector.desktop.widgets.fonts import small_font
from inspector.desktop.widgets.lines import line_above, line_below
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.tools import LinkButton

_WORDS: Final = {
    Kind.ALL: "All",
    Kind.MOVES: "Moves",
    Kind.STAYS: "Stays",
    Kind.WARNINGS: "Warnings",
    Kind.LEFT_ALONE: "Left alone",
}
_NONE_OF_THE_SEVEN: Final = ""


class FilterBar(QWidget):
    """The chips, and at the right the cell that is chosen.

    Signals:
        kind_changed: another chip was pressed; carries its ``Kind``.
        all_wanted: the chosen cell is to be lifted.
    """

    kind_changed = Signal(object)
    all_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips = {kind: _make_chip(kind) for kind in Kind}
        self._group = QButtonGroup(self)
        flow = FlowLayout(gap=4)
        for chip in self._chips.values():
            self._group.addButton(chip)
            flow.addWidget(chip)
        self._group.buttonClicked.connect(self._on_clicked)
        self._chips[Kind.ALL].setChecked(True)
        self._chips[Kind.LEFT_ALONE].hide()
        self._hint = ElidedLabel(tone="text2", face=small_font)
        self._lift = LinkButton(self.tr("Show all"))
        self._lift.setToolTip("Esc")
        self._lift.clicked.connect(self.all_wanted)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 6, 12, 6)
        line.setSpacing(8)
        line.addLayout(flow, 1)
        line.addWidget(self._hint)
        line.addWidget(self._lift)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_place(None)

    def show_counts(self, counts: Mapping[Kind, int]) -> None:
        """Show the count on each chip. The one for tasks left alone is there only while there are such, or it is on."""
        for kind, chip in self._chips.items():
            chip.set_count(counts[kind])
        alone = self._chips[Kind.LEFT_ALONE]
        alone.setVisible(counts[Kind.LEFT_ALONE] > 0 or alone.isChecked())

    def set_kind(self, kind: Kind) -> None:
        """Press a chip without telling of it."""
        self._chips[kind].setChecked(True)

    def show_place(self, place: Place | None) -> None:
        """Say which cell's tasks are listed; None says how to choose one."""
        self._lift.setVisible(place is not None)
        if place is None:
            self._hint.setText(self.tr("Click a cell of the table to list only its tasks"))
        else:
            words = self.tr("Only found {found}, policy {policy}")
            self._hint.setText(words.format(found=place.found, policy=place.policy))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.window)
        line_above(painter, QRectF(self.rect()), tokens.line)
        line_below(painter, QRectF(self.rect()), tokens.line)
        painter.end()

    def _on_clicked(self, chip: Chip) -> None:
        self.kind_changed.emit(next(kind for kind, one in self._chips.items() if one is chip))


def _make_chip(kind: Kind) -> Chip:
    if kind is Kind.LEFT_ALONE:
        chip = Chip(_WORDS[kind], status=_NONE_OF_THE_SEVEN)
    else:
        chip = Chip(_WORDS[kind], warns=kind is Kind.WARNINGS)
    return chip
