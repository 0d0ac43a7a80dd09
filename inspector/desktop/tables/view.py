"""The Tables view: the tables of the file, the rows of one, the value of a cell, and one statement in SQL."""

from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.tables.item_model import RowItemModel
from inspector.desktop.tables.row_strip import RowStrip
from inspector.desktop.tables.rows_table import RowsTable
from inspector.desktop.tables.statement_box import StatementBox
from inspector.desktop.tables.table_list import TablesList
from inspector.desktop.tables.table_names import TableNames
from inspector.desktop.tables.value_pane import ValuePane
from inspector.desktop.tables.words import (
    EARLIER_RESULT,
    NO_TABLE,
    RESULT,
    answer_words,
    damage_words,
    heading,
    page_words,
    running_words,
)
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.lines import HairLine, PaneSplitter
from inspector.desktop.widgets.table import DenseTable
from inspector.layout.tables import RowKey, RowPage, StatementAnswer, StoredCell, StoredRow, StoredTable, TableList
from inspector.layout.visible import visible

MOST_ROWS: Final = 10_000
"""So many rows of a table are kept at once; those behind them take their place."""

_READS_AHEAD: Final = 100


class TablesView(QWidget):
    """Any table as it is stored. It is fed by values and asks for nothing itself.

    Signals:
        page_wanted: rows of a table are wanted anew; carries its name, the key to begin at (None for the first), and
            whether with the row at it.
        more_wanted: the rows behind a key are wanted too; carries the table's name and the key.
        value_wanted: a whole value is wanted; carries the table's name, the row's key and the column.
        run_requested: a statement is to be run; carries it.
        stop_requested: what runs is to be stopped.
        uncover_wanted: what can hold prompts and outputs is to be shown.
    """

    page_wanted = Signal(str, object, bool)
    more_wanted = Signal(str, object)
    value_wanted = Signal(str, object, str)
    run_requested = Signal(str)
    stop_requested = Signal()
    uncover_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: StoredTable | None = None
        self._page: RowPage | None = None
        self._is_first = True
        self._is_asked = False
        self._unread = self._why_lost = ""
        self._result_words = ""
        self._is_earlier = False
        self._names = TableNames(self)
        self._list = TablesList(self._names, self)
        self._box = StatementBox(self)
        self._strip = RowStrip(self)
        self._model = RowItemModel(self)
        self._table = RowsTable(self._model, self)
        self._empty = EmptySentence(NO_TABLE)
        self._pages = QStackedWidget(self)
        self._pane = ValuePane(self)
        self._arrange()
        self._connect()
        self._refresh()

    @property
    def names(self) -> DenseTable:
        """The list of tables."""
        return self._list

    @property
    def box(self) -> StatementBox:
        """Where a statement is typed."""
        return self._box

    @property
    def strip(self) -> RowStrip:
        """The line that says what the rows are."""
        return self._strip

    @property
    def table(self) -> DenseTable:
        """The table of the rows."""
        return self._table

    @property
    def rows(self) -> RowItemModel:
        """The rows of the table."""
        return self._model

    @property
    def pane(self) -> ValuePane:
        """The value of the chosen cell."""
        return self._pane

    @property
    def shown(self) -> str | None:
        """The name of the table whose rows are shown, or None."""
        return None if self._shown is None else self._shown.name

    def choose(self, name: str) -> None:
        """Show the rows of a table as if it had been clicked."""
        row = self._names.row_of(name)
        if row is not None:
            self._list.mark_row(row)
            self._choose(self._names.index(row, 0))

    def show_tables(self, found: TableList) -> None:
        """Show which tables there are."""
        if self._unread:
            self._unread = ""
            self._refresh()
        if self._names.show(found.tables, found.left_off):
            self._list.mark_row(None if self._shown is None else self._names.row_of(self._shown.name))

    def show_page(self, page: RowPage, *, is_first: bool) -> None:
        """Show these rows of a table instead of what is shown; ``is_first``: there are none before them."""
        self._shown, self._page, self._is_first, self._is_asked = page.table, page, is_first, False
        self._model.show([heading(column) for column in page.table.columns], page.rows)
        self._table.fit_columns()
        self._table.scrollToTop()
        self._pane.show_cell("", None)
        self._refresh()

    def append_page(self, page: RowPage) -> None:
        """Show rows behind those that are there."""
        self._shown, self._page, self._is_asked = page.table, page, False
        self._model.append(page.rows)
        self._refresh()

    def pass_over(self) -> None:
        """Take note that rows came too late, and may be asked for again."""
        self._is_asked = False
        self._ask_for_more()

    def place(self) -> tuple[int, RowKey] | None:
        """Return the first row on screen and its key, or None where no rows of a table are shown."""
        if self._shown is None:
            return None
        row = max(0, self._table.rowAt(0))
        found = self._model.row_at(row)
        return None if found is None else (row, found.key)

    def renew(self, at: int, page: RowPage) -> None:
        """Show rows as they are now from a place on; what is on screen stays where it is."""
        if self._shown is None or [heading(each) for each in page.table.columns] != [*self._model.headings]:
            self.show_page(page, is_first=at == 0 and self._is_first)
            return
        self._model.renew(at, page.rows, to_the_end=not page.more)
        last = self._model.row_at(self._model.rowCount() - 1)
        if not page.more or (last is not None and last.key == page.rows[-1].key):
            self._page = page
        self._shown = page.table
        self._refresh()

    def show_unread(self, sentence: str) -> None:
        """Say in one visible sentence why it is not known which tables there are."""
        self._unread = sentence
        self._refresh()

    def show_lost(self, sentence: str) -> None:
        """Keep what is shown from now on: who chooses another table is told ``sentence``, which is visible."""
        self._why_lost = sentence

    def show_failed(self, sentence: str) -> None:
        """Say in one visible sentence why the rows cannot be read."""
        self._is_asked = False
        self._strip.show_words(self._name(), sentence, is_first=self._is_first, warns=True)
        if not self._model.rowCount():
            self._empty.set_sentence(sentence)

    def show_value(self, key: RowKey, column: str, cell: StoredCell) -> None:
        """Show a whole value, if its cell is still the chosen one."""
        row, name, _ = self._chosen()
        if row is not None and (row.key, name) == (key, column):
            self._pane.show_cell(column, cell)

    def show_running(self, most_s: float) -> None:
        """Say that a statement runs, for ``most_s`` seconds at most; rows of another one are marked as such."""
        self._box.set_running(True)
        self._box.show_words(running_words(most_s))
        self._is_earlier = True
        if self._shown is None:
            self._refresh()

    def show_answer(self, answer: StatementAnswer) -> None:
        """Show the rows that a statement gave."""
        self._box.set_running(False)
        self._result_words, self._is_earlier = answer_words(answer), False
        self._box.show_words(self._result_words)
        self._shown = self._page = None
        self._list.mark_row(None)
        rows = [StoredRow((at,), cells) for at, cells in enumerate(answer.rows)]
        self._model.show([visible(name[:200]) for name in answer.columns], rows)
        self._table.fit_columns()
        self._table.scrollToTop()
        self._pane.show_cell("", None)
        self._refresh()

    def show_refused(self, sentence: str) -> None:
        """Say in one visible sentence why the statement gave nothing."""
        self._box.set_running(False)
        self._box.show_words(sentence, warns=True)

    def set_covered(self, covered: bool) -> None:
        """Cover what can hold prompts and outputs, or show it."""
        self._model.set_covered(covered)
        self._pane.set_covered(covered)

    def clear(self) -> None:
        """Forget the tables and rows: another file is read from now on."""
        self._shown = self._page = None
        self._unread = self._why_lost = ""
        self._is_first, self._is_asked = True, False
        self._names.show(())
        self._model.show((), ())
        self._pane.show_cell("", None)
        self._box.clear()
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._list.fit_beside(self.width())

    def _arrange(self) -> None:
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._pages.addWidget(self._table)
        self._pages.addWidget(self._empty)
        parts = PaneSplitter(Qt.Orientation.Vertical, self)
        parts.addWidget(self._pages)
        parts.addWidget(self._pane)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self._box)
        right.addWidget(self._strip)
        right.addWidget(parts, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._list)
        whole.addWidget(HairLine(Qt.Orientation.Vertical, self))
        whole.addLayout(right, 1)
        self.setFocusProxy(self._list)

    def _connect(self) -> None:
        self._list.clicked.connect(self._choose)
        self._list.activated.connect(self._choose)
        self._table.selectionModel().currentChanged.connect(self._on_current)
        self._table.copy_wanted.connect(self._pane.copy)
        self._table.verticalScrollBar().valueChanged.connect(lambda _value: self._ask_for_more())
        self._strip.first_wanted.connect(lambda: self._want(None))
        self._strip.on_wanted.connect(self._on_on_wanted)
        self._box.run_requested.connect(self.run_requested)
        self._box.stop_requested.connect(self.stop_requested)
        self._pane.uncover_wanted.connect(self.uncover_wanted)

    def _choose(self, index: QModelIndex) -> None:
        table = self._names.table_at(index.row())
        if table is None or (self._shown is not None and table.name == self._shown.name and self._model.rowCount()):
            return
        if self._why_lost:
            self._list.mark_row(None if self._shown is None else self._names.row_of(self._shown.name))
            self.show_failed(self._why_lost)
            return
        self._shown, self._page, self._is_first = table, None, True
        self._model.show((), ())
        self._pane.show_cell("", None)
        self._refresh()
        if table.why_not is None:
            self._want(None)

    def _want(self, key: RowKey | None, *, inclusive: bool = False) -> None:
        if self._shown is not None:
            self._is_asked = True
            self.page_wanted.emit(self._shown.name, key, inclusive)

    def _on_on_wanted(self) -> None:
        page = self._page
        if page is not None and page.resumes_at is not None:
            self._want(page.resumes_at, inclusive=True)
        elif last := self._model.row_at(self._model.rowCount() - 1):
            self._want(last.key)

    def _ask_for_more(self) -> None:
        """Ask for the rows behind, shortly before the last one is on screen."""
        count = self._model.rowCount()
        last = self._model.row_at(count - 1)
        if self._is_asked or self._page is None or not self._page.more or last is None or count >= MOST_ROWS:
            return
        bottom = self._table.rowAt(self._table.viewport().height() - 1)
        if bottom < 0 or bottom >= count - _READS_AHEAD:
            self._is_asked = True
            self.more_wanted.emit(self._page.table.name, last.key)

    def _chosen(self) -> tuple[StoredRow | None, str, str | None]:
        """Return the row of the chosen cell, its column, and why that is not read."""
        index = self._table.currentIndex()
        row = self._model.row_at(index.row()) if index.isValid() else None
        if row is None:
            return None, "", None
        if self._shown is None:
            return row, self._model.headings[index.column()], None
        column = self._shown.columns[index.column()]
        return row, column.name, column.why_not

    def _on_current(self, current: QModelIndex) -> None:
        row, column, why_not = self._chosen()
        if row is None:
            self._pane.show_cell("", None)
            return
        cell = row.cells[current.column()]
        self._pane.show_cell(column, cell, why_not)
        if cell.is_cut and self._shown is not None:
            self.value_wanted.emit(self._shown.name, row.key, column)

    def _name(self) -> str:
        if self._shown is None:
            return self.tr(EARLIER_RESULT if self._is_earlier else RESULT)
        return visible(self._shown.name[:200])

    def _refresh(self) -> None:
        rows, table, page = self._model.rowCount(), self._shown, self._page
        self._pages.setCurrentWidget(self._table if rows else self._empty)
        if table is None:
            nothing = not self._model.headings
            self._strip.setVisible(not nothing)
            self._strip.show_words(self._name(), self._result_words)
            no_table = self._unread or self.tr(NO_TABLE)
            self._empty.set_sentence(no_table if nothing else self.tr("The statement gave no rows."))
            return
        self._strip.setVisible(True)
        if page is None:
            self._strip.show_words(self._name(), "")
            self._empty.set_sentence(table.why_not or self.tr("Reading…"))
            return
        words = page_words(table, rows, more=page.more, is_first=self._is_first)
        if not table.is_ours:
            words = self.tr("not one of LMSP's, ") + words
        damage = damage_words(page)
        go_on = ""
        if page.resumes_at is not None:
            go_on = self.tr("Go on behind the damage")
        elif page.more and rows >= MOST_ROWS:
            go_on = self.tr("Show the rows behind")
        self._strip.show_words(
            self._name(),
            f"{words}. {damage}" if damage else words,
            go_on=go_on,
            is_first=self._is_first,
            warns=bool(damage),
        )
        self._empty.set_sentence(damage or self.tr("The table has no rows."))
