"""Choose the description of a layout, and open the file that is shown as what it describes."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.desktop.actions.file_choice import FileChoice
from inspector.desktop.session.background import read_from
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import Session
from inspector.desktop.session.trying import refusal_of
from inspector.layout.visible import visible


class OpenWithLayoutAction(FileChoice):
    """Lets the user choose a layout for the open file. One that does not fit is refused before anything is closed.

    Signals:
        chosen: carries the ``Target`` to open: the same file, with the layout.
        refused: carries one sentence on why it cannot be opened with the layout.
    """

    chosen = Signal(object)
    refused = Signal(str)

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._session = session

    def choose(self) -> None:
        """Show the dialog; it is not waited for."""
        dialog = self._dialog(self.tr("Open with a layout"), [self.tr("Layouts (*.toml)"), self.tr("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._show(dialog, self.take)

    def take(self, layout: Path) -> None:
        """Open the file that is shown with the layout in this file, or say why not."""
        self._session.spawn(self._try(layout))

    async def _try(self, layout: Path) -> None:
        how, target = self._session.how, self._session.target
        if how is None or target is None:
            return
        path, _ = read_from(how)
        sentence = await refusal_of(Target(Path(path), layout=layout))
        if self._session.target is not target:
            # Another file, or the same in another way, was opened meanwhile.
            return
        if sentence is None:
            self.chosen.emit(Target(Path(how.place), target.mode, layout))
        else:
            # A private copy has a name of its own, which nobody knows.
            own_name = Path(path).name
            shown = sentence.removeprefix(own_name)
            self.refused.emit(sentence if shown == sentence else visible(Path(how.path).name) + shown)
