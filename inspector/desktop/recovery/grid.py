"""The table of section 11.3 on screen: twelve real cells, for the eye, the keyboard and those who hear it."""

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QFrame,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.desktop.recovery.grid_model import PLACE_ROLE, GridItemModel
from inspector.desktop.recovery.grid_painting import (
    Corner,
    FoundHeader,
    GridDelegate,
    PolicyHeader,
    cell_height,
    found_header_width,
    policy_header_height,
)
from inspector.desktop.recovery.grouping import FOUND, POLICIES, Place

_BY_KEYBOARD: Final = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_CHOOSE: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class RecoveryGrid(QTableView):
    """The table. A click, Enter or Space on a cell chooses it, and on the chosen one lifts the choice.

    Signals:
        chosen_changed: carries the ``Place`` whose tasks are wanted, or None for all.
    """

    chosen_changed = Signal(object)

    def __init__(self, model: GridItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = model
        self.setModel(model)
        self.setItemDelegate(GridDelegate(self))
        self.setHorizontalHeader(PolicyHeader(self))
        self.setVerticalHeader(FoundHeader(self))
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)  # the lines of cells and headers make it
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Table 11.3: state found at startup by policy"))
        self.setAccessibleDescription(self.tr("Enter lists only the tasks of a cell, Esc all again."))
        self._compact = False
        self.shows_cursor = False
        """Whether the cell where the keyboard is has a frame: once the keyboard was used here."""
        self._make_corner()
        self.clicked.connect(self._on_clicked)
        self._fit()

    def lift(self) -> None:
        """Lift the choice; nothing happens where none was made."""
        self._choose(None)

    def set_compact(self, compact: bool) -> None:
        """Take less height, or the plain one."""
        if compact != self._compact:
            self._compact = compact
            self._fit()

    def sizeHint(self) -> QSize:
        width = found_header_width() + len(POLICIES) * self.sizeHintForIndex(self._cells.index(0, 0)).width()
        return QSize(width, policy_header_height() + len(FOUND) * cell_height(compact=self._compact))

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        # Events are cut at their common beginning before the table asks for more room than a narrow window has.
        return QSize(hint.width() * 3 // 5, hint.height())

    def focusInEvent(self, event: QFocusEvent) -> None:
        # A view that is shown may get the focus by itself; a frame round a cell that nobody chose would only puzzle.
        self.shows_cursor = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.shows_cursor:
            self.shows_cursor = True
            self.viewport().update()
        if event.key() in _CHOOSE and self.currentIndex().isValid():
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange, QEvent.Type.StyleChange):
            self._fit()

    def _make_corner(self) -> None:
        """Say in the corner what the column of states is; Qt leaves a button there that selects all."""
        button: QAbstractButton = self.findChild(QAbstractButton)  # type: ignore[assignment]  # a table always has it
        button.setEnabled(False)
        layout = QVBoxLayout(button)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Corner(self.tr("Found at startup"), button))

    def _fit(self) -> None:
        self.verticalHeader().setDefaultSectionSize(cell_height(compact=self._compact))
        self.setFixedHeight(self.sizeHint().height())
        self.updateGeometry()

    def _on_clicked(self, index: QModelIndex) -> None:
        place: Place = index.data(PLACE_ROLE)
        self._choose(None if place == self._cells.chosen else place)

    def _choose(self, place: Place | None) -> None:
        if place != self._cells.chosen:
            self._cells.choose(place)
            self.chosen_changed.emit(place)
