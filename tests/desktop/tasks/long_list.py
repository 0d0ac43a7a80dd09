"""The Tasks view on a list much longer than what is loaded of it, in the hands of a test."""

from collections.abc import Sequence
from datetime import UTC

from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from inspector.desktop.tasks.blocks import BLOCK_ROWS, Stretch
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.tasks.words import TaskColumn
from inspector.layout.rows import TaskRow
from tests.desktop.tasks.rows import TaskList, row

ROWS = 12_000


class LongList:
    """A view on a list, which answers when it is told to."""

    def __init__(self, qtbot: QtBot, rows: int = ROWS, *, knows_places: bool = True) -> None:
        self.there = TaskList(row(number) for number in range(rows))
        self.view = TasksView(UTC)
        qtbot.addWidget(self.view)
        self.view.resize(760, 500)
        with qtbot.waitExposed(self.view):
            self.view.show()
        self.wanted: list[tuple[Stretch, ...]] = []
        self.view.rows_wanted.connect(self.wanted.append)
        self.view.show_page(self.there.page(), selected=self.there.tasks[3].id)
        if knows_places:
            self.view.show_places(self.there.places(BLOCK_ROWS))
        self.view.table.doItemsLayout()
        self.qtbot = qtbot

    @property
    def bar_at(self) -> int:
        return self.view.table.verticalScrollBar().value()

    def on_screen(self) -> Sequence[TaskRow | None]:
        first, last = self.view.table.shown_rows()
        return [self.view.rows.task_at(at) for at in range(first, last + 1)]

    def scroll_to(self, at: int) -> None:
        self.view.table.verticalScrollBar().setValue(at * self.view.table.rowHeight(0))

    def answer(self) -> None:
        """Answer what is wanted, until nothing is."""
        while self.wanted:
            stretches = self.wanted.pop()
            self.wanted.clear()
            self.view.show_rows([(each, self.there.page_at(each)) for each in stretches])

    def jump(self, at: int) -> None:
        """Scroll somewhere, and wait until what is there is on screen."""
        self.scroll_to(at)
        if self.view.rows.missing(*self.view.table.shown_rows()):
            self.qtbot.waitUntil(lambda: bool(self.wanted))
            self.answer()

    def rest(self) -> None:
        """Let scrolling rest, and answer what is wanted then."""
        with self.qtbot.waitSignal(self.view.shown_changed):
            pass
        self.answer()

    def place(self) -> tuple[str, int]:
        """Return the first task on screen, and where it stands there."""
        index = self.view.table.indexAt(QPoint(0, 0))
        return str(index.siblingAtColumn(TaskColumn.TASK).data()), self.view.table.visualRect(index).top()
