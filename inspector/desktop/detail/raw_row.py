"""The raw row: every column of the selected task with its stored value."""

from dataclasses import fields
from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.widgets.cells import DIM_LEAST, DIM_ROLE, NOTE_ROLE
from inspector.desktop.widgets.words import byte_size, counted
from inspector.layout.rows import StoredText, TaskDetail, TaskRow
from inspector.layout.visible import or_as_stored, visible

Index = QModelIndex | QPersistentModelIndex

_DISPLAY: Final = int(Qt.ItemDataRole.DisplayRole)
_ROOT: Final = QModelIndex()
_SHOWN: Final = 300

COLUMNS: Final = (*(field.name for field in fields(TaskRow)), "request", "snapshot", "error_message")
"""The columns of a task."""


class RawColumn(IntEnum):
    """The columns of the list."""

    NAME = 0
    VALUE = 1


class RawRowItemModel(QAbstractTableModel):
    """A column of the task in each row. The rows stay; what changes is a value."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._values: list[tuple[str | None, str]] = [(None, "")] * len(COLUMNS)

    def show(self, detail: TaskDetail | None, *, covered: bool) -> None:
        """Show the row of ``detail``; ``covered``: request and snapshot are only measured."""
        for row, name in enumerate(COLUMNS):
            value = _value(detail, name, covered=covered)
            if value != self._values[row]:
                self._values[row] = value
                at = self.index(row, RawColumn.VALUE)
                self.dataChanged.emit(at, at)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(RawColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:  # noqa: ANN401
        if role != _DISPLAY or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("Column"), self.tr("Stored value"))[section]

    def data(self, index: Index, role: int = _DISPLAY) -> Any:  # noqa: ANN401  # Qt's variant
        row = index.row()
        if not 0 <= row < len(COLUMNS):
            return None
        text, note = self._values[row]
        if index.column() == RawColumn.NAME:
            return COLUMNS[row] if role == _DISPLAY else None
        if role == _DISPLAY:
            return "none" if text is None else text
        if role == DIM_ROLE:
            return DIM_LEAST if text is None else 0
        return note if role == NOTE_ROLE else None


def _value(detail: TaskDetail | None, name: str, *, covered: bool) -> tuple[str | None, str]:
    if detail is None:
        return None, ""
    stored = detail.task.as_stored(name)
    if stored is not None:
        return or_as_stored("", stored), ""
    value = detail.task.told(name) if hasattr(detail.task, name) else getattr(detail, name)
    if value is None:
        return None, ""
    if not isinstance(value, StoredText):
        return visible(str(value)[:_SHOWN]), ""
    size = f"about {byte_size(value.length)}" if value.is_cut else counted(value.length, "character")
    if covered and name != "error_message":
        return "", size
    return visible(value.text[:_SHOWN]), size if value.length > _SHOWN else ""
