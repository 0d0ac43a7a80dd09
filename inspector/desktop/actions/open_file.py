"""Choose a file and open it."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.desktop.session.launch import Target
from inspector.layout.opened import Mode


class OpenFileAction(QObject):
    """Lets the user choose a file. No event loop is nested: the dialog is shown and answers by a signal.

    Signals:
        chosen: carries the ``Target`` to open.
    """

    chosen = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._folder = ""

    def choose(self, mode: Mode | None = None) -> None:
        """Show the dialog; ``mode`` is how the chosen file will be read, None for what fits it."""
        dialog = QFileDialog(self._window, self.tr("Open a database"), self._folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Databases (*.db *.sqlite *.sqlite3)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(lambda name: self._take(Path(name), mode))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take(self, path: Path, mode: Mode | None) -> None:
        self._folder = str(path.parent)
        self.chosen.emit(Target(path, mode))
