"""Choose a file and open it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from inspector.desktop.actions.file_choice import FileChoice
from inspector.desktop.session.launch import Target
from inspector.layout.opened import Mode


class OpenFileAction(FileChoice):
    """Lets the user choose a file.

    Signals:
        chosen: carries the ``Target`` to open.
    """

    chosen = Signal(object)

    def choose(self, mode: Mode | None = None) -> None:
        """Show the dialog; ``mode`` is how the chosen file will be read, None for what fits it."""
        filters = [
            self.tr("Databases and archives (*.db *.sqlite *.sqlite3 *.zip *.tar *.tgz *.txz *.tbz2 *.gz *.bz2 *.xz)"),
            self.tr("All files (*)"),
        ]
        dialog = self._dialog(self.tr("Open a database"), filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._show(dialog, lambda path: self.chosen.emit(Target(path, mode)))
