"""How the file is read, as a choice in a menu: by itself, or in one of the modes that are safe for it now."""

from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from inspector.layout.opened import Mode, Opened

_WORDS: Final = {Mode.LIVE: "Live", Mode.RESTING: "Resting", Mode.CRASHED: "Crashed", Mode.COPY: "From a private copy"}


class ModeActions(QObject):
    """One action for each mode, and one that leaves it to the reader. A mode that it would refuse is off.

    Signals:
        mode_wanted: carries the Mode in which the open file is to be read, or None for what fits it.
    """

    mode_wanted = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._group = QActionGroup(self)
        self._by_itself = self._action(self.tr("As fits"), None)
        self._modes = {mode: self._action(self.tr(word), mode) for mode, word in _WORDS.items()}
        self.show_opened(None, None)

    def fill(self, menu: QMenu) -> None:
        """Put the actions into ``menu``."""
        menu.addAction(self._by_itself)
        menu.addSeparator()
        menu.addActions(list(self._modes.values()))

    def show_opened(self, how: Opened | None, wish: Mode | None) -> None:
        """Say how the open file is read, and whether that was wished; None where no file is open."""
        self._by_itself.setEnabled(how is not None)
        self._by_itself.setText(self.tr("As fits") if how is None or wish else self.tr("As fits: %s") % how.mode)
        for mode, action in self._modes.items():
            action.setEnabled(how is not None and mode in how.modes)
        chosen = self._by_itself if how is None or wish is None else self._modes[how.mode]
        chosen.setChecked(True)

    def _action(self, word: str, mode: Mode | None) -> QAction:
        action = QAction(word, self)
        action.setCheckable(True)
        action.triggered.connect(lambda _checked=False: self.mode_wanted.emit(mode))
        self._group.addAction(action)
        return action
