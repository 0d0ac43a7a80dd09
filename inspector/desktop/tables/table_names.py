"""The tables of a file as rows: name, how many rows at most, and a mark on those that are not LMSP's."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.tables.words import rows_words
from inspector.desktop.widgets.cells import CELL_ROLES, DISPLAY_ROLE
from inspector.desktop.widgets.row_cells import Cell
from inspector.desktop.widgets.words import grouped
from inspector.layout.tables import StoredTable
from inspector.layout.visible import visible

Index = QModelIndex | QPersistentModelIndex

OTHER: Final = "other"
"""Stands behind the name of a table that is none of section 11.1."""

_ROOT: Final = QModelIndex()
_HEADINGS: Final = ("Table", "Rows")
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)


class TableNames(QAbstractTableModel):
    """The tables of section 11.1 first, then the others, each group by name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tables: tuple[StoredTable, ...] = ()
        self._cells: list[tuple[Cell, ...]] = []
        self._left_off = 0

    def table_at(self, row: int) -> StoredTable | None:
        """Return the table in a row, or None where there is no such row."""
        return self._tables[row] if 0 <= row < len(self._tables) else None

    def row_of(self, name: str) -> int | None:
        """Return the row of a table, or None where it is not there."""
        return next((row for row, table in enumerate(self._tables) if table.name == name), None)

    def show(self, tables: Sequence[StoredTable], left_off: int = 0) -> bool:
        """Have these tables, and say whether they are others than before: where not, only their counts are told.

        ``left_off`` is how many more there are, which the heading tells.
        """
        if left_off != self._left_off:
            self._left_off = left_off
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 0)
        in_order = tuple(sorted(tables, key=lambda table: (not table.is_ours, table.name)))
        if [table.name for table in in_order] == [table.name for table in self._tables]:
            if in_order != self._tables:
                self._tables = in_order
                self._cells = [_cells(table) for table in in_order]
                self.dataChanged.emit(self.index(0, 0), self.index(len(in_order) - 1, len(_HEADINGS) - 1))
            return False
        self.beginResetModel()
        self._tables = in_order
        self._cells = [_cells(table) for table in in_order]
        self.endResetModel()
        return True

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what a row shows."""
        return self._cells[row]

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._tables)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(_HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY_ROLE) -> object:
        if orientation == Qt.Orientation.Horizontal and role == DISPLAY_ROLE and 0 <= section < len(_HEADINGS):
            more = f" · {grouped(self._left_off)} more not listed" if self._left_off and section == 0 else ""
            return _HEADINGS[section] + more
        return None

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> object:
        if not index.isValid():
            return None
        read = CELL_ROLES.get(role)
        if read is not None:
            return read(self._cells[index.row()][index.column()])
        if role == _ACCESSIBLE:
            return f"{_HEADINGS[index.column()]}: {self._cells[index.row()][index.column()].text}"
        return None


def _cells(table: StoredTable) -> tuple[Cell, ...]:
    # The others are dimmed: what a person looks for first are those of the specification.
    name = visible(table.name[:200])
    return Cell(name if table.is_ours else f"{name} · {OTHER}", dim=0 if table.is_ours else 1), Cell(
        rows_words(table), dim=1
    )
