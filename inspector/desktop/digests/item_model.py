"""The rows of the Models table, kept up to date in place."""

from collections.abc import Sequence
from datetime import tzinfo
from difflib import SequenceMatcher
from enum import IntEnum
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.digests.standing import Standing
from inspector.desktop.digests.words import (
    one_line,
    short_digest,
    size_words,
    standing_icon,
    standing_words,
)
from inspector.desktop.widgets.cells import DIM_LEAST, DIM_ROLE, ICON_ROLE, PROGRESS_ROLE
from inspector.desktop.widgets.words import NOTHING, byte_size, clock_time, grouped
from inspector.layout.files import FileState
from inspector.layout.visible import or_as_stored

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT: Final = QModelIndex()
_DISPLAY: Final = int(Qt.ItemDataRole.DisplayRole)
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)
_TOOL_TIP: Final = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT: Final = int(Qt.ItemDataRole.TextAlignmentRole)


class ModelColumn(IntEnum):
    """The columns of the table, from the left."""

    STATE = 0
    MODEL = 1
    SIZE = 2
    DIGEST = 3
    FORMAT = 4
    TASKS = 5
    UNFINISHED = 6
    CHECKED = 7
    PATH = 8


HEADINGS: Final = ("File state", "Model", "Size", "Digest", "Format", "Tasks", "Unfinished", "Checked", "Path")
_COLUMNS: Final = len(ModelColumn)
_NUMBERS: Final = (ModelColumn.SIZE, ModelColumn.TASKS, ModelColumn.UNFINISHED)


class ModelItemModel(QAbstractTableModel):
    """The models that pass the filter, in the order of the page. Rows are frozen values; there is never a reset."""

    def __init__(self, zone: tzinfo, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._rows: list[Standing] = []
        self._now_ms: int | None = None

    def show_standings(self, standings: Sequence[Standing], *, now_ms: int | None) -> None:
        """Show these models, times as of ``now_ms``; a signal for each row that goes, comes or reads otherwise."""
        self._now_ms = now_ms
        old, new = [row.model.id for row in self._rows], [row.model.id for row in standings]
        # Models are dozens, so that the standard library's general way costs nothing.
        edits = SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if old != new else ()
        for tag, first, end, come, come_end in reversed(edits):
            if tag in ("delete", "replace"):
                self.beginRemoveRows(_NO_PARENT, first, end - 1)
                del self._rows[first:end]
                self.endRemoveRows()
            if tag in ("insert", "replace"):
                self.beginInsertRows(_NO_PARENT, first, first + come_end - come - 1)
                self._rows[first:first] = standings[come:come_end]
                self.endInsertRows()
        for row, standing in enumerate(standings):
            if self._rows[row] != standing:
                before, self._rows[row] = self._rows[row], standing
                # Progress comes many times a second, and touches one cell.
                only_state = before.model == standing.model and before.check == standing.check
                last = ModelColumn.STATE if only_state else _COLUMNS - 1
                self.dataChanged.emit(self.index(row, 0), self.index(row, last))

    def standing_at(self, row: int) -> Standing | None:
        """Return what stands in a row, or None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, model_id: str) -> int | None:
        """Return the row of a model, or None where it is not shown."""
        return next((row for row, standing in enumerate(self._rows) if standing.model.id == model_id), None)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < _COLUMNS:
            return None
        if role == _DISPLAY:
            return HEADINGS[section]
        if role == _ALIGNMENT and section in _NUMBERS:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if not index.isValid():
            return None
        standing = self._rows[index.row()]
        column = index.column()
        if role == _DISPLAY:
            return self._text(standing, column)
        if role == _ACCESSIBLE:
            return f"{HEADINGS[column]}: {self._text(standing, column)}"
        if role == _TOOL_TIP:
            return self._tool_tip(standing, column)
        if role == DIM_ROLE:
            return DIM_LEAST if column == ModelColumn.PATH else column == ModelColumn.CHECKED
        if column != ModelColumn.STATE:
            return None
        if role == ICON_ROLE:
            return None if standing.progress is not None else standing_icon(standing)
        if role == PROGRESS_ROLE:
            return None if standing.progress is None else standing.progress.fraction
        return None

    def _text(self, standing: Standing, column: int) -> str:
        model, check = standing.model, standing.check
        match column:
            case ModelColumn.STATE:
                return standing_words(standing)
            case ModelColumn.MODEL:
                return one_line(model.name)
            case ModelColumn.SIZE:
                return or_as_stored(byte_size(model.size_bytes), model.as_stored("size_bytes"))
            case ModelColumn.DIGEST:
                return short_digest(model.digest)
            case ModelColumn.FORMAT:
                return one_line(model.format)
            case ModelColumn.TASKS:
                return grouped(model.tasks)
            case ModelColumn.UNFINISHED:
                return grouped(model.unfinished)
            case ModelColumn.CHECKED:
                if check is None or check.state is FileState.UNCHECKED:
                    return NOTHING
                return clock_time(check.checked_at_ms, self._now_ms, self._zone, digits=0)
            case _:
                return one_line(model.path)

    def _tool_tip(self, standing: Standing, column: int) -> str | None:
        model = standing.model
        match column:
            case ModelColumn.SIZE:
                return or_as_stored(size_words(model.size_bytes), model.as_stored("size_bytes"))
            case ModelColumn.MODEL | ModelColumn.PATH:
                return self._text(standing, column)
            case ModelColumn.DIGEST:
                return one_line(model.digest)
            case _:
                return None
