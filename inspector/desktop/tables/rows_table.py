"""The table of stored rows: as wide as its first values, each column."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QWidget

from inspector.desktop.tables.item_model import RowItemModel
from inspector.desktop.tables.words import is_number_column
from inspector.desktop.widgets.cells import NumberDelegate, TextDelegate
from inspector.desktop.widgets.fonts import scaled
from inspector.desktop.widgets.table import DenseTable

_SAMPLE: Final = 60
_LEAST_CHARS, _MOST_CHARS = 6, 34


class RowsTable(DenseTable):
    """Rows as they are stored, a cell chosen at a time.

    Signals:
        copy_wanted: the value of the chosen cell is to be copied.
    """

    copy_wanted = Signal()

    def __init__(self, model: RowItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, dense=True)
        self._stored = model
        self.setModel(model)
        self.set_row_cells(model)
        self.setAccessibleName(self.tr("Rows"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        copy = QAction(self.tr("Copy the stored value"), self)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_wanted)
        self.addAction(copy)

    def fit_columns(self) -> None:
        """Give each column the width of its first values: no more is measured, however many rows there are."""
        last = len(self._stored.headings) - 1
        sample = [self._stored.row_cells(row) for row in range(min(_SAMPLE, self._stored.rowCount()))]
        for column, words in enumerate(self._stored.headings):
            # The last column takes all the room that is left: at its right edge a number would stand alone.
            is_number = column < last and is_number_column(self._stored.cells_of(column, _SAMPLE))
            delegate = NumberDelegate if is_number else TextDelegate
            self.setItemDelegateForColumn(column, delegate(parent=self))
            longest = max((len(cells[column].text) for cells in sample), default=0)
            chars = min(max(longest, len(words), _LEAST_CHARS), _MOST_CHARS)
            self.setColumnWidth(column, scaled(22 + 7 * chars))
