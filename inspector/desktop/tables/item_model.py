"""Rows as they are stored, for a table on screen: more come behind them, and stretches are read anew."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.tables.words import shown_cell
from inspector.desktop.widgets.cells import CELL_ROLES, DISPLAY_ROLE
from inspector.desktop.widgets.row_cells import Cell
from inspector.layout.tables import StoredCell, StoredRow

Index = QModelIndex | QPersistentModelIndex

_ROOT: Final = QModelIndex()
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)


class RowItemModel(QAbstractTableModel):
    """The rows that were read of one table, or that one statement gave."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings: tuple[str, ...] = ()
        self._rows: list[StoredRow] = []
        self._kept: list[tuple[Cell, ...] | None] = []
        self._is_covered = False

    @property
    def is_covered(self) -> bool:
        """Whether what can be content is covered."""
        return self._is_covered

    @property
    def headings(self) -> tuple[str, ...]:
        """The words over the columns."""
        return self._headings

    def row_at(self, row: int) -> StoredRow | None:
        """Return the row at a place, or None where there is none."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def cells_of(self, column: int, most: int) -> list[StoredCell]:
        """Return the first values of a column."""
        return [row.cells[column] for row in self._rows[:most]]

    def show(self, headings: Sequence[str], rows: Sequence[StoredRow]) -> None:
        """Have these rows under these headings and no others."""
        self.beginResetModel()
        self._headings = tuple(headings)
        self._rows = list(rows)
        self._kept = [None] * len(rows)
        self.endResetModel()

    def append(self, rows: Sequence[StoredRow]) -> None:
        """Add rows behind those that are there."""
        self._splice(len(self._rows), 0, rows)

    def renew(self, at: int, rows: Sequence[StoredRow], *, to_the_end: bool) -> None:
        """Put ``rows`` where they were read anew from: in place of all behind ``at``, or as far as they reach."""
        end = len(self._rows)
        if not to_the_end and rows:
            last = rows[-1].key
            keys = (place for place in range(at, len(self._rows)) if self._rows[place].key == last)
            end = next(keys, min(end, at + len(rows)) - 1) + 1
        self._splice(at, end - at, rows)

    def set_covered(self, covered: bool) -> None:
        """Cover what can hold prompts and outputs, or uncover it."""
        if covered != self._is_covered:
            self._is_covered = covered
            self._kept = [None] * len(self._rows)
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._headings) - 1))

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what a row shows. It is worked out once."""
        kept = self._kept[row]
        if kept is None:
            kept = tuple(shown_cell(cell, is_covered=self._is_covered) for cell in self._rows[row].cells)
            self._kept[row] = kept
        return kept

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY_ROLE) -> object:
        if orientation == Qt.Orientation.Horizontal and role == DISPLAY_ROLE and 0 <= section < len(self._headings):
            return self._headings[section]
        return None

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> object:
        if not index.isValid():
            return None
        read = CELL_ROLES.get(role)
        if read is not None:
            return read(self.row_cells(index.row())[index.column()])
        if role == _ACCESSIBLE:
            return f"{self._headings[index.column()]}: {self.row_cells(index.row())[index.column()].text}"
        return None

    def _splice(self, at: int, old: int, rows: Sequence[StoredRow]) -> None:
        """Put ``rows`` in place of ``old`` rows: those that stay are told as changed, so that nothing scrolls."""
        common = min(old, len(rows))
        changed = [place for place in range(common) if self._rows[at + place] != rows[place]]
        for place in changed:
            self._rows[at + place] = rows[place]
            self._kept[at + place] = None
        if changed:
            last = len(self._headings) - 1
            self.dataChanged.emit(self.index(at + changed[0], 0), self.index(at + changed[-1], last))
        if len(rows) > common:
            self.beginInsertRows(_ROOT, at + common, at + len(rows) - 1)
            self._rows[at + common : at + common] = rows[common:]
            self._kept[at + common : at + common] = [None] * (len(rows) - common)
            self.endInsertRows()
        elif old > common:
            self.beginRemoveRows(_ROOT, at + common, at + old - 1)
            del self._rows[at + common : at + old]
            del self._kept[at + common : at + old]
            self.endRemoveRows()
