"""The Tasks table: its columns, what of it is on screen, and how that stays where it is."""

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QHeaderView, QWidget

from inspector.desktop.tasks.item_model import TaskItemModel
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.cells import FixedDelegate, NumberDelegate, StateDelegate, TextDelegate
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.table import DenseTable

_WIDTHS: Final = {
    TaskColumn.STATE: 108,
    TaskColumn.TASK: 142,
    TaskColumn.WAIT: 86,
    TaskColumn.RUN: 86,
    TaskColumn.EVENTS: 66,
    TaskColumn.LAST_EVENT: 114,
}


class TasksTable(DenseTable):
    """The table on the rows of a :class:`TaskItemModel`, which it paints row by row."""

    def __init__(self, rows: TaskItemModel, clock: FlashClock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = rows
        self.setModel(rows)
        self.set_row_cells(rows)
        self.setAccessibleName(self.tr("Tasks"))
        state, fixed = StateDelegate(clock, self), FixedDelegate(clock, self)
        number, text = NumberDelegate(clock, self), TextDelegate(clock, self)
        for column in TaskColumn:
            match column:
                case TaskColumn.STATE:
                    self.setItemDelegateForColumn(column, state)
                case TaskColumn.TASK:
                    self.setItemDelegateForColumn(column, fixed)
                case TaskColumn.MODEL:
                    self.setItemDelegateForColumn(column, text)
                case _:
                    self.setItemDelegateForColumn(column, number)
        self.set_widths([_WIDTHS.get(column, 0) for column in TaskColumn])
        header = self.horizontalHeader()
        header.setMinimumSectionSize(48)
        # What is left belongs to the model, the only text that can be long.
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TaskColumn.MODEL, QHeaderView.ResizeMode.Stretch)

    @property
    def is_at_top(self) -> bool:
        """Whether the first row is wholly on screen."""
        return self.verticalScrollBar().value() == 0

    def shown_rows(self) -> tuple[int, int]:
        """Return the first and last row on screen; the last is the smaller one where there is none."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return 0, -1
        return first, last if last >= 0 else self._tasks.rowCount() - 1

    def keep_place(self, change: Callable[[], None]) -> None:
        """Run ``change`` so that the first loaded row on screen stays where it is, whatever comes or goes above it.

        At the top it is the top that stays.
        """
        if self.is_at_top:
            change()
            return
        first, last = self.shown_rows()
        shown = (self._tasks.task_at(row) for row in range(first, last + 1))
        task_id = next((task.id for task in shown if task is not None), None)
        before = self._top_of(task_id)
        change()
        after = self._top_of(task_id)
        if before is not None and after is not None and after != before:
            # Now and not in the next turn of the event loop: the bar has to reach where the row is.
            self.doItemsLayout()
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + after - before)

    def _top_of(self, task_id: str | None) -> int | None:
        row = None if task_id is None else self._tasks.row_of(task_id)
        return None if row is None else self.rowViewportPosition(row)
