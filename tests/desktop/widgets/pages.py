"""A page on which a test shows one widget."""

from typing import TypeVar

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

W = TypeVar("W", bound=QWidget)


class Pages:
    """Shows widgets, each on a page of its own, and takes the pages away again."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self._pages: list[QWidget] = []

    def show(self, widget: W, width: int = 1_200, height: int = 700) -> W:
        """Show ``widget`` at the top of a page; a button below it has the focus, and the rest takes what is left."""
        page = QWidget()
        self._pages.append(page)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        rest = QWidget()
        other = QPushButton("other", rest)
        column.addWidget(widget)
        column.addWidget(rest, 1)
        page.setGeometry(0, 0, width, height)
        # Nothing is to be under the pointer that a test did not put there.
        QCursor.setPos(width - 2, height - 2)
        with self._qtbot.waitExposed(page):
            page.show()
        page.activateWindow()
        other.setFocus()
        return widget

    def close(self) -> None:
        """Take all pages away."""
        for page in self._pages:
            page.close()
            page.deleteLater()
        self._pages.clear()
