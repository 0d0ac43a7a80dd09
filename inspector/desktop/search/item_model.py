"""The hits of a search as rows, newest first, as they are found."""

from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.search.words import HEADINGS, HitColumn, hit_cells
from inspector.desktop.widgets.cells import CELL_ROLES, DISPLAY_ROLE
from inspector.desktop.widgets.row_cells import Cell
from inspector.layout.pages import EventHit

Index = QModelIndex | QPersistentModelIndex

_ROOT: Final = QModelIndex()
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)
_COLUMNS: Final = len(HitColumn)


class HitItemModel(QAbstractTableModel):
    """Hits, to which more are only ever appended: what is on screen stays where it is."""

    def __init__(self, zone: tzinfo, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._hits: list[EventHit] = []
        self._kept: list[tuple[Cell, ...] | None] = []
        self._today_ms: int | None = None
        self._is_covered = False

    @property
    def is_covered(self) -> bool:
        """Whether what the events hold is covered."""
        return self._is_covered

    def hit_at(self, row: int) -> EventHit | None:
        """Return the hit in a row, or None where there is no such row."""
        return self._hits[row] if 0 <= row < len(self._hits) else None

    def clear(self) -> None:
        """Have no hits."""
        self.beginResetModel()
        self._hits.clear()
        self._kept.clear()
        self.endResetModel()

    @property
    def last_id(self) -> int | None:
        """The event of the last row, the oldest one, or None where there is no row."""
        return self._hits[-1].id if self._hits else None

    def append(self, hits: Sequence[EventHit]) -> None:
        """Add hits, newest first, each older than all there are."""
        if hits:
            self.beginInsertRows(_ROOT, len(self._hits), len(self._hits) + len(hits) - 1)
            self._hits += hits
            self._kept += [None] * len(hits)
            self.endInsertRows()

    def set_covered(self, covered: bool) -> None:
        """Cover what the events hold, which can be prompts and outputs, or uncover it."""
        if covered != self._is_covered:
            self._is_covered = covered
            self._tell_all_changed()

    def set_today(self, today_ms: int | None) -> None:
        """Set the moment that decides which times are told without their date."""
        is_same_day = self._day(today_ms) == self._day(self._today_ms)
        self._today_ms = today_ms
        if not is_same_day:
            self._tell_all_changed()

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what a row shows. It is worked out once."""
        kept = self._kept[row]
        if kept is None:
            kept = hit_cells(self._hits[row], self._today_ms, self._zone, is_covered=self._is_covered)
            self._kept[row] = kept
        return kept

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._hits)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY_ROLE) -> object:
        if orientation == Qt.Orientation.Horizontal and role == DISPLAY_ROLE and 0 <= section < _COLUMNS:
            return HEADINGS[section]
        return None

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> object:
        if not index.isValid():
            return None
        read = CELL_ROLES.get(role)
        if read is not None:
            return read(self.row_cells(index.row())[index.column()])
        if role == _ACCESSIBLE:
            return f"{HEADINGS[index.column()]}: {self.row_cells(index.row())[index.column()].text}"
        return None

    def _day(self, at_ms: int | None) -> date | None:
        return None if at_ms is None else datetime.fromtimestamp(at_ms // 1_000, tz=self._zone).date()

    def _tell_all_changed(self) -> None:
        self._kept = [None] * len(self._hits)
        if self._hits:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._hits) - 1, _COLUMNS - 1))
