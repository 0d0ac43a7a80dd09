"""Choose a new file for the description of the layout that is shown, to be corrected and opened with."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.desktop.actions.file_choice import FileChoice
from inspector.desktop.session.describing import layout_saved
from inspector.desktop.session.session import Session

_SUFFIX = ".toml"


class SaveLayoutAction(FileChoice):
    """Lets the user choose a name; what lies under it already is never written over.

    Signals:
        saved: carries the path of the file that was written.
        refused: carries one sentence on why nothing was written.
    """

    saved = Signal(str)
    refused = Signal(str)

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._session = session

    def choose(self) -> None:
        """Show the dialog; it is not waited for."""
        dialog = self._dialog(self.tr("Save the layout"), [self.tr("Layouts (*.toml)")])
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        # Nothing is written over, so there is nothing to confirm.
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        self._show(dialog, self._take)

    def _take(self, path: Path) -> None:
        # Never a name that SQLite gives a meaning to, as that of a -wal beside a database.
        named = path if path.suffix == _SUFFIX else path.with_name(path.name + _SUFFIX)
        self._session.spawn(self._save(named))

    async def _save(self, path: Path) -> None:
        sentence = await layout_saved(self._session, path)
        if sentence is None:
            self.saved.emit(str(path))
        else:
            self.refused.emit(sentence)
