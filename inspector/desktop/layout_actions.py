"""What layout the file is read as, as a choice in a menu: by itself, or by a description in a file."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from inspector.desktop.widgets.tips import tip
from inspector.layout.opened import Opened
from inspector.layout.visible import visible


class LayoutActions(QObject):
    """The layout is found by itself, or is the one of a file, which stands in the menu by its name.

    Signals:
        by_itself_wanted: the layout that was chosen is to be left.
        choice_wanted: a layout is to be chosen for the open file.
        saving_wanted: the layout that the file is read as is to be written into a file.
        chosen_wanted: the file that was chosen is to be read again: it may have been corrected.
    """

    by_itself_wanted = Signal()
    choice_wanted = Signal()
    chosen_wanted = Signal()
    saving_wanted = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._group = QActionGroup(self)
        self._by_itself = self._checkable(self.tr("Found by itself"))
        self._by_itself.triggered.connect(self.by_itself_wanted)
        self._chosen = self._checkable("")
        self._chosen.triggered.connect(self.chosen_wanted)
        self._choose = QAction(self.tr("Open with a layout…"), self)
        self._choose.triggered.connect(self.choice_wanted)
        self._save = QAction(self.tr("Save layout…"), self)
        self._save.triggered.connect(self.saving_wanted)
        self.show_opened(None, None)

    def fill(self, menu: QMenu) -> None:
        """Put the actions into ``menu``, which shows why one is off."""
        menu.setToolTipsVisible(True)
        menu.addActions([self._by_itself, self._chosen])
        menu.addSeparator()
        menu.addActions([self._choose, self._save])

    def show_opened(self, how: Opened | None, layout: Path | None) -> None:
        """Say by which file's description the open file is read, None for none; ``how`` None where none is open."""
        why_not = "" if how is not None else self.tr("No database is open.")
        for action in (self._by_itself, self._choose):
            _set_off(action, why_not)
        nothing = why_not or self.tr("It is not read by a description: there is nothing to save.")
        _set_off(self._save, "" if how is not None and how.layout_name is not None else nothing)
        self._chosen.setVisible(how is not None and layout is not None)
        # An ampersand in a menu underlines what follows it.
        self._chosen.setText("" if layout is None else visible(layout.name).replace("&", "&&"))
        (self._chosen if self._chosen.isVisible() else self._by_itself).setChecked(True)

    def _checkable(self, word: str) -> QAction:
        action = QAction(word, self)
        action.setCheckable(True)
        self._group.addAction(action)
        return action


def _set_off(action: QAction, why_not: str) -> None:
    """Turn the action off, with the reason, or on where that is empty."""
    action.setEnabled(not why_not)
    action.setToolTip(tip(why_not) if why_not else "")
