"""The list of what a restart would do, one row for each leftover task, kept up to date in place."""

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import repeat
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.desktop.recovery.row_edits import row_edits, runs
from inspector.desktop.recovery.words import (
    ARROW,
    after_note,
    attempt_words,
    one_line,
    policy_words,
    seq_words,
    warning_words,
)
from inspector.desktop.widgets.cells import DIM_ROLE, NOTE_ROLE, STATUS_ROLE, WARN_ROLE
from inspector.lmsp.recovery import RecoveryStep

Index = QModelIndex | QPersistentModelIndex
Key = tuple[str, int]
_NO_PARENT: Final = QModelIndex()
_DISPLAY: Final = int(Qt.ItemDataRole.DisplayRole)
_ACCESSIBLE: Final = int(Qt.ItemDataRole.AccessibleTextRole)
_TOOL_TIP: Final = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT: Final = int(Qt.ItemDataRole.TextAlignmentRole)


class StepColumn(IntEnum):
    """The columns of the list, from the left."""

    WARN = 0
    FOUND = 1
    TASK = 2
    POLICY = 3
    ARROW = 4
    AFTER = 5
    EVENT = 6
    ATTEMPT = 7
    WARNING = 8


HEADINGS: Final = ("", "Found", "Task", "Policy", "", "After", "Event that would be written", "Attempt", "Warning")
_COLUMNS: Final = len(StepColumn)
_TOLD: Final = ("Has a warning", "Found", "Task", "Policy", "Becomes", "After", "Event", "Attempt", "Warning")


class StepItemModel(QAbstractTableModel):
    """The steps that the list shows, in the order of the plan. Rows are frozen values.

    A plan that was made anew changes rows in their place: the model is never reset, so selection and scroll stay.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: list[RecoveryStep] = []
        self._keys: list[Key] = []
        self._row_of: dict[str, int] = {}

    def show_steps(self, steps: Sequence[RecoveryStep]) -> None:
        """Show these steps: rows that go and come one run at a time, and a signal for cells that read otherwise now."""
        keys = _keys(steps)
        edits = row_edits(self._keys, keys)
        for first, last in edits.removed:
            self.beginRemoveRows(_NO_PARENT, first, last)
            del self._steps[first : last + 1]
            del self._keys[first : last + 1]
            self._number_rows()
            self.endRemoveRows()
        for first, last in edits.inserted:
            self.beginInsertRows(_NO_PARENT, first, last)
            self._steps[first:first] = steps[first : last + 1]
            self._keys[first:first] = keys[first : last + 1]
            self._number_rows()
            self.endInsertRows()
        changed = [row for row, step in enumerate(steps) if self._steps[row] != step]
        before = {row: self._steps[row] for row in changed}
        self._steps[:] = steps
        for first, last in runs(changed):
            columns = {column for row in range(first, last + 1) for column in _differing(before[row], steps[row])}
            if columns:
                self.dataChanged.emit(self.index(first, min(columns)), self.index(last, max(columns)))

    def step_at(self, row: int) -> RecoveryStep | None:
        """Return the step in a row, or None where there is no such row."""
        return self._steps[row] if 0 <= row < len(self._steps) else None

    def row_of(self, task_id: str) -> int | None:
        """Return the row of a task, or None where the list does not show it."""
        return self._row_of.get(task_id)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._steps)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < _COLUMNS:
            return None
        if role == _DISPLAY:
            return HEADINGS[section]
        if role == _ACCESSIBLE:
            return _TOLD[section]
        if role == _ALIGNMENT and section == StepColumn.ATTEMPT:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if not index.isValid():
            return None
        step = self._steps[index.row()]
        column = index.column()
        if role == _DISPLAY:
            return _cells(step)[column][0]
        if role == NOTE_ROLE:
            return _cells(step)[column][1]
        if role == STATUS_ROLE:
            match column:
                case StepColumn.FOUND:
                    return step.found
                case StepColumn.AFTER:
                    return step.target
            return None
        if role == WARN_ROLE:
            return column == StepColumn.WARN and bool(step.warnings)
        if role == DIM_ROLE:
            return column in (StepColumn.ARROW, StepColumn.WARNING) or (
                column == StepColumn.EVENT and step.event is None
            )
        if role == _ACCESSIBLE:
            text, note = _cells(step)[column]
            return f"{_TOLD[column]}: {_told(step, column) or ' '.join(filter(None, (text, note)))}"
        if role == _TOOL_TIP and column == StepColumn.WARN:
            return warning_words(step) or None
        if role == _TOOL_TIP and column in (StepColumn.TASK, StepColumn.POLICY, StepColumn.WARNING, StepColumn.FOUND):
            return _cells(step)[column][0] or None
        return None

    def _number_rows(self) -> None:
        self._row_of = {task_id: row for row, (task_id, nth) in enumerate(self._keys) if nth == 0}


def _keys(steps: Sequence[RecoveryStep]) -> list[Key]:
    """Return a key for each row: its task, and how many of that name stand before it."""
    ids = [step.task_id for step in steps]
    if len(set(ids)) == len(ids):
        return list(zip(ids, repeat(0)))
    # A file that no layout holds can name two tasks alike.
    seen: dict[str, int] = {}
    keys = []
    for task_id in ids:
        nth = seen.get(task_id, 0)
        seen[task_id] = nth + 1
        keys.append((task_id, nth))
    return keys


@lru_cache(maxsize=4_096)
def _cells(step: RecoveryStep) -> tuple[tuple[str, str], ...]:
    """Return text and note of each cell of a row."""
    return (
        ("", ""),
        (one_line(step.found), ""),
        (one_line(step.task_id), ""),
        (policy_words(step), ""),
        (ARROW if step.effective is not None else "", ""),
        (one_line(step.target), after_note(step)),
        ("none" if step.event is None else str(step.event), seq_words(step)),
        (attempt_words(step), ""),
        (warning_words(step), ""),
    )


def _told(step: RecoveryStep, column: int) -> str:
    """Return what is heard of the cells that are only seen."""
    match column:
        case StepColumn.WARN:
            return "yes" if step.warnings else "no"
        case StepColumn.ARROW:
            return "moves" if step.event is not None else "stays"
    return ""


def _differing(old: RecoveryStep, new: RecoveryStep) -> list[int]:
    """Return the columns that read otherwise; the triangle has no text of its own."""
    columns = [column for column, (a, b) in enumerate(zip(_cells(old), _cells(new), strict=True)) if a != b]
    if bool(old.warnings) != bool(new.warnings):
        columns.append(StepColumn.WARN)
    return columns
