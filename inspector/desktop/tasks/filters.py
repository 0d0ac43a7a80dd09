"""The filters above the Tasks table: a search field, a choice of model, and a chip for each status with its count."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.flow import FlowLayout
from inspector.desktop.widgets.icons import icon
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.strips import Strip
from inspector.desktop.widgets.tips import tip
from inspector.desktop.widgets.tools import HeaderButton
from inspector.layout.pages import Counts, TaskFilter
from inspector.layout.visible import some_of, visible
from inspector.lmsp.statuses import UNFINISHED, Status

_MOST_NAMED: Final = 8
"""So many statuses of a filter are named."""

_LONGEST_NAME: Final = 40
TYPING_PAUSE_MS: Final = 150
"""How long typing must rest before the tasks are asked for."""


class TaskFilters(QWidget):
    """The filter bar and the row of chips.

    Signals:
        changed: carries the ``TaskFilter`` that is wanted now.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wanted = TaskFilter()
        # Each part is made where it stays: a style sheet is worked out anew for what moves to another parent.
        strip = Strip(self, height=40)
        self._search = QLineEdit(strip)
        self._search.setPlaceholderText(self.tr("Id, model, client or error"))
        self._search.setAccessibleName(self.tr("Filter tasks by text"))
        self._search.setClearButtonEnabled(True)
        self._search.setMinimumWidth(236)
        self._search_icon = QAction(self)
        self._search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_PAUSE_MS)
        self._typing.timeout.connect(self._take_text)
        self._search.textChanged.connect(lambda _text: self._typing.start())
        self._search.returnPressed.connect(self._take_text)

        self._model = HeaderButton(opens=True, parent=strip)
        self._model.setPopupMode(HeaderButton.ToolButtonPopupMode.InstantPopup)
        self._model.setAccessibleName(self.tr("Filter tasks by model"))
        self._model_menu = QMenu(self._model)
        self._model.setMenu(self._model_menu)
        self._status = HeaderButton(opens=True, parent=strip)
        self._status.setPopupMode(HeaderButton.ToolButtonPopupMode.InstantPopup)
        self._status.setAccessibleName(self.tr("Filter tasks by status"))
        self._status.hide()
        self._status_menu = QMenu(self._status)
        self._status_menu.aboutToShow.connect(self._fill_status_menu)
        self._status.setMenu(self._status_menu)
        self._models: Sequence[str] = ()
        self._show_model_choice()
        self._status.set_word(self.tr("Status: %s") % self.tr("any"))

        bar = QHBoxLayout(strip)
        bar.setContentsMargins(12, 0, 12, 0)
        bar.setSpacing(8)
        bar.addWidget(self._search)
        bar.addWidget(self._model)
        bar.addWidget(self._status)
        self._off = ElidedLabel(tone="text2", parent=strip)
        bar.addWidget(self._off, 1)

        self._chip_row = Strip(self, height=36, wraps=True, below=False)
        self._all = Chip(self.tr("All"), parent=self._chip_row)
        self._unfinished = Chip(self.tr("Unfinished"), parent=self._chip_row)
        self._chips = {status: Chip(status.value, status=status, parent=self._chip_row) for status in Status}
        self._other = Chip(self.tr("other"), status="unknown", parent=self._chip_row)
        self._other.setVisible(False)
        self._other_words: frozenset[str] = frozenset()
        self._counts_are_late = False
        chips = FlowLayout(self._chip_row, gap=4)
        chips.setContentsMargins(12, 6, 12, 6)
        for chip in (self._all, self._unfinished, *self._chips.values(), self._other):
            chip.setCheckable(True)
            chips.addWidget(chip)
        self._all.setChecked(True)
        self._all.clicked.connect(lambda: self._want_statuses(frozenset()))
        self._unfinished.clicked.connect(self._toggle_unfinished)
        for status, chip in self._chips.items():
            chip.clicked.connect(lambda _checked=False, status=status: self._toggle(frozenset({status.value})))
        self._other.clicked.connect(lambda: self._toggle(self._other_words))

        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(strip)
        whole.addWidget(self._chip_row)
        self._parts = strip, self._chip_row
        chips_of_all = (self._all, self._unfinished, *self._chips.values(), self._other)
        self._controls = (self._search, self._model, self._status, *chips_of_all)
        self.set_icons()

    @property
    def why_off(self) -> str:
        """Why no other filter can be wished for, in one sentence; empty where one can."""
        return self._off.text()

    @property
    def wanted(self) -> TaskFilter:
        """The filter as it stands."""
        return self._wanted

    @property
    def counts_are_late(self) -> bool:
        """Whether the counts on the chips are marked as old."""
        return self._counts_are_late

    def show_counts(self, counts: Counts | None, *, are_late: bool = False) -> None:
        """Show how many tasks each chip would let in; the counts are of all tasks that pass the other filters.

        None takes them away; ``are_late``: newer ones are on their way.
        """
        self._counts_are_late = are_late
        by_status = {} if counts is None else counts.by_status

        def show(chip: Chip, count: int) -> None:
            chip.set_count(None if counts is None else count, is_late=are_late)

        show(self._all, sum(by_status.values()))
        show(self._unfinished, sum(by_status.get(status, 0) for status in UNFINISHED))
        for status, chip in self._chips.items():
            show(chip, by_status.get(status, 0))
        if counts is not None:
            self._other_words = frozenset(by_status) - frozenset(Status)
            self._other.setVisible(bool(self._other_words))
        show(self._other, sum(by_status.get(word, 0) for word in self._other_words))

    def show_models(self, model_ids: Sequence[str]) -> None:
        """Offer these models to choose from."""
        if tuple(model_ids) != tuple(self._models):
            self._models = tuple(model_ids)
            self._show_model_choice()

    def want(self, wanted: TaskFilter, *, quietly: bool = False) -> None:
        """Set the whole filter, as another view wishes it; ``quietly``: it is the one whose tasks are listed.

        Nothing happens where the filters are off.
        """
        if self.why_off or (wanted == self._wanted and not quietly):
            return
        self._wanted = wanted
        self._search.blockSignals(True)
        self._search.setText(wanted.text)
        self._search.blockSignals(False)
        self._typing.stop()
        self._show_model_choice()
        self._show_statuses()
        if not quietly:
            self.changed.emit(wanted)

    def set_off(self, why: str) -> None:
        """Let the filter be as it is, and say why in one visible sentence; empty lets it be changed again."""
        self._off.setText(why)
        for part in self._parts:
            part.setToolTip(tip(why))
        for control in self._controls:
            control.setEnabled(not why)

    def set_folded(self, folded: bool) -> None:
        """Fold the chips into one button with a menu, where there is no room for them."""
        self._chip_row.setVisible(not folded)
        self._status.setVisible(folded)

    def focus_search(self) -> None:
        """Put the keyboard into the search field, its text selected."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def set_icons(self) -> None:
        """Draw the icons in the colours of the palette; called again when it changes."""
        colour = tokens_of(self.palette()).text2
        self._search_icon.setIcon(icon("find", colour))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._wanted.is_empty:
            self.want(TaskFilter())
        else:
            super().keyPressEvent(event)

    def _take_text(self) -> None:
        self._typing.stop()
        self._take(replace(self._wanted, text=self._search.text().strip()))

    def _toggle(self, wanted: frozenset[str]) -> None:
        held = self._wanted.statuses
        self._want_statuses(held - wanted if wanted <= held else held | wanted)

    def _toggle_unfinished(self) -> None:
        self._want_statuses(frozenset() if self._wanted.statuses == UNFINISHED else frozenset(UNFINISHED))

    def _want_statuses(self, statuses: frozenset[str]) -> None:
        self._take(replace(self._wanted, statuses=statuses))
        self._show_statuses()

    def _show_statuses(self) -> None:
        held = self._wanted.statuses
        unfinished = held == UNFINISHED
        self._all.setChecked(not held)
        self._unfinished.setChecked(unfinished)
        for status, chip in self._chips.items():
            chip.setChecked(not unfinished and status in held)
        self._other.setChecked(bool(self._other_words) and self._other_words <= held)
        words = self.tr("unfinished") if unfinished else _listed(held)
        self._status.set_word(self.tr("Status: %s") % (words or self.tr("any")))

    def _fill_status_menu(self) -> None:
        """Offer what the chips offer."""
        self._status_menu.clear()
        for chip in (self._all, self._unfinished, *self._chips.values(), self._other):
            if chip is self._other and not self._other_words:
                continue
            action = self._status_menu.addAction(chip.accessibleName().replace(", ", "    "))
            action.setCheckable(True)
            action.setChecked(chip.isChecked())
            action.triggered.connect(chip.click)

    def _show_model_choice(self) -> None:
        chosen = self._wanted.model_id
        self._model.set_word(self.tr("Model: %s") % (self.tr("any") if chosen is None else _shortened(chosen)))
        self._model_menu.clear()
        offered: list[str | None] = [None, *self._models]
        if chosen is not None and chosen not in self._models:
            offered.append(chosen)
        for model_id in offered:
            action = self._model_menu.addAction(
                self.tr("Any model") if model_id is None else _shortened(model_id).replace("&", "&&")
            )
            action.setCheckable(True)
            action.setChecked(model_id == chosen)
            action.triggered.connect(lambda _checked=False, model_id=model_id: self._want_model(model_id))

    def _want_model(self, model_id: str | None) -> None:
        self._take(replace(self._wanted, model_id=model_id))
        self._show_model_choice()

    def _take(self, wanted: TaskFilter) -> None:
        if wanted != self._wanted:
            self._wanted = wanted
            self.changed.emit(wanted)


def _listed(words: frozenset[str]) -> str:
    """Return some of the words of a filter, and how many more there are: a file may hold any number of statuses."""
    return some_of([_shortened(word) for word in sorted(words)[:_MOST_NAMED]], len(words))


def _shortened(name: str) -> str:
    # Cut first: to make a million characters visible takes half a second.
    shown = visible(name[: _LONGEST_NAME + 1])
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"
