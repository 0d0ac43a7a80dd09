"""The place of a view that is not there yet."""

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget


class Room(QWidget):
    """An empty ground, until a view is put in; then it is as large, as low and as narrow as that may be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def put(self, view: QWidget) -> None:
        """Put the view in. It covers the whole room, at once where that is on screen."""
        self._column.addWidget(view)
        view.show()
        self._column.activate()
