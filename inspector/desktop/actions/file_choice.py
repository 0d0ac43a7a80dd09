"""A dialog for one file. No event loop is nested: it is shown, and answers by a signal."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget


class FileChoice(QObject):
    """What an action that lets the user choose a file has: each dialog begins in the folder of the last choice."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._folder = ""

    def _dialog(self, title: str, filters: list[str]) -> QFileDialog:
        dialog = QFileDialog(self._window, title, self._folder)
        dialog.setNameFilters(filters)
        return dialog

    def _show(self, dialog: QFileDialog, take: Callable[[Path], None]) -> None:
        """Show ``dialog``, which is not waited for; ``take`` is given the file that is chosen, if one is."""
        dialog.fileSelected.connect(lambda name: self._on_chosen(Path(name), take))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_chosen(self, path: Path, take: Callable[[Path], None]) -> None:
        self._folder = str(path.parent)
        take(path)
