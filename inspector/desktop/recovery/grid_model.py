"""The table of section 11.3 as an item model: how many leftover tasks stand in each of its twelve cells."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.recovery.grouping import FOUND, POLICIES, Place, Tally
from inspector.desktop.recovery.words import cell_words
from inspector.desktop.widgets.words import counted, grouped

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT: Final = QModelIndex()
_DISPLAY: Final = int(Qt.ItemDataRole.DisplayRole)
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)

_ROLE: Final = int(Qt.ItemDataRole.UserRole)
PLACE_ROLE: Final = _ROLE + 130
"""The ``Place`` of a cell."""
TALLY_ROLE: Final = _ROLE + 131
"""The ``Tally`` of a cell."""
MARKED_ROLE: Final = _ROLE + 132
"""Whether the selected task stands in this cell."""
CHOSEN_ROLE: Final = _ROLE + 133
"""Whether the list shows only this cell's tasks."""
TOTAL_ROLE: Final = _ROLE + 134
"""Of a row's header: how many tasks were found in that state, in words."""
STATUS_HEADER_ROLE: Final = _ROLE + 135
"""Of a row's header: the state."""
NOTE_HEADER_ROLE: Final = _ROLE + 136
"""Of a column's header: what else counts under this policy."""

_NOTES: Final = ("or missing, or unknown", "", "")


class GridItemModel(QAbstractTableModel):
    """Four states found at startup by three policies. It always has twelve cells, so it is never reset."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tallies: dict[Place, Tally] = {place_at(row, column): Tally() for row, column in _CELLS}
        self._marked: Place | None = None
        self._chosen: Place | None = None

    def show_tallies(self, tallies: Mapping[Place, Tally]) -> None:
        """Show these numbers; a signal for each cell and each total that changed."""
        totals = [self._total(row) for row in range(len(FOUND))]
        for place, tally in tallies.items():
            if self._tallies[place] != tally:
                self._tallies[place] = tally
                self._tell(place)
        for row, total in enumerate(totals):
            if self._total(row) != total:
                self.headerDataChanged.emit(Qt.Orientation.Vertical, row, row)

    def mark(self, place: Place | None) -> None:
        """Frame the cell of the selected task, or none."""
        if place != self._marked:
            before, self._marked = self._marked, place
            self._tell(before, place)

    @property
    def chosen(self) -> Place | None:
        """The cell whose tasks the list shows, or None where it shows all."""
        return self._chosen

    def choose(self, place: Place | None) -> None:
        """Show a cell as the one whose tasks are listed, or none."""
        if place != self._chosen:
            before, self._chosen = self._chosen, place
            self._tell(before, place)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(FOUND)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(POLICIES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation == Qt.Orientation.Horizontal:
            return self._policy_header(section, role) if 0 <= section < len(POLICIES) else None
        return self._found_header(section, role) if 0 <= section < len(FOUND) else None

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if not index.isValid():
            return None
        place = place_at(index.row(), index.column())
        if role == _DISPLAY:
            return grouped(self._tallies[place].tasks)
        if role == _ACCESSIBLE:
            listed = "; the list shows only these" if place == self._chosen else ""
            return cell_words(place, self._tallies[place]) + listed
        if role == PLACE_ROLE:
            return place
        if role == TALLY_ROLE:
            return self._tallies[place]
        if role == MARKED_ROLE:
            return place == self._marked
        if role == CHOSEN_ROLE:
            return place == self._chosen
        return None

    def _policy_header(self, section: int, role: int) -> object:
        if role == _DISPLAY:
            return str(POLICIES[section])
        if role == NOTE_HEADER_ROLE:
            return _NOTES[section]
        if role == _ACCESSIBLE:
            return " ".join(filter(None, (f"on_restart {POLICIES[section]}", _NOTES[section])))
        return None

    def _found_header(self, section: int, role: int) -> object:
        if role in (_DISPLAY, STATUS_HEADER_ROLE):
            return str(FOUND[section])
        if role == TOTAL_ROLE:
            return grouped(self._total(section))
        if role == _ACCESSIBLE:
            return f"Found {FOUND[section]}: {counted(self._total(section), 'task')}"
        return None

    def _total(self, row: int) -> int:
        return sum(self._tallies[Place(FOUND[row], policy)].tasks for policy in POLICIES)

    def _tell(self, *places: Place | None) -> None:
        for place in places:
            if place is not None:
                index = self.index(FOUND.index(place.found), POLICIES.index(place.policy))
                self.dataChanged.emit(index, index)


def place_at(row: int, column: int) -> Place:
    """Return the cell in this row and column."""
    return Place(FOUND[row], POLICIES[column])


_CELLS: Final = tuple((row, column) for row in range(len(FOUND)) for column in range(len(POLICIES)))
