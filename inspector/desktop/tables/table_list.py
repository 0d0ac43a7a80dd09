"""The list of the tables of a file: as wide as the view has room for, the names giving way to the counts."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from inspector.desktop.tables.table_names import TableNames
from inspector.desktop.widgets.cells import NumberDelegate
from inspector.desktop.widgets.fonts import scaled
from inspector.desktop.widgets.table import DenseTable

_WIDTH: Final = 280
_NARROW_WIDTH: Final = 210
_NARROW: Final = 900
_COUNT_WIDTH: Final = 90


class TablesList(DenseTable):
    """The names of the tables and how many rows each has at most."""

    def __init__(self, names: TableNames, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(names)
        self.set_row_cells(names)
        self.setAccessibleName(self.tr("Tables of the file"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegateForColumn(1, NumberDelegate(parent=self))
        header = self.horizontalHeader()
        header.setSectionsMovable(False)
        # A scroll bar takes room where there are many tables: that of the names, which may be cut.
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)

    def fit_beside(self, width: int) -> None:
        """Take what a view of this width can spare."""
        self.setFixedWidth(scaled(_NARROW_WIDTH if width < scaled(_NARROW) else _WIDTH))
        self.setColumnWidth(1, scaled(_COUNT_WIDTH))
