"""What the menus of the window offer. Made after the first paint: their names stand in the bar before."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from inspector.desktop.layout_actions import LayoutActions
from inspector.desktop.main_window import DESTINATIONS, MainWindow
from inspector.desktop.mode_actions import ModeActions
from inspector.desktop.widgets.theme import Theme


class WindowActions(QObject):
    """The actions of the menus, with their words and keys; what each does is for whoever connects it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.open = self._action("Open…", QKeySequence.StandardKey.Open)
        self.open_copy = self._action("Open as a copy…")
        self.close_file = self._action("Close file", "Ctrl+W")
        self.quit = self._action("Quit", "Ctrl+Q")
        self.find = self._action("Filter tasks", QKeySequence.StandardKey.Find)
        self.search = self._action("Search events…", "Ctrl+Shift+F")
        self.pause = self._action("Pause", "Ctrl+P")
        self.content = self._action("Show content")
        self.allow = self._action("Allow actions on this file")
        self.cancel = self._action("Cancel task…", "Ctrl+Del")
        self.copy_id = self._action("Copy task id", "Ctrl+Shift+C")
        self.about = self._action("About LMSP Inspector")
        self.modes = ModeActions(self)
        self.layouts = LayoutActions(self)
        self.content.setCheckable(True)
        self.allow.setCheckable(True)
        self.allow.setEnabled(False)

    def _action(self, word: str, shortcut: QKeySequence | QKeySequence.StandardKey | str | None = None) -> QAction:
        made = QAction(self.tr(word), self)
        if shortcut is not None:
            made.setShortcut(QKeySequence(shortcut))
        return made

    def fill(self, window: MainWindow, theme: Theme) -> None:
        """Put the actions into the menus of ``window``, with a choice of themes that stands at ``theme``."""
        window.file_menu.addActions([self.open, self.open_copy])
        self.modes.fill(window.file_menu.addMenu(self.tr("How it is read")))
        self.layouts.fill(window.file_menu.addMenu(self.tr("Which layout it has")))
        window.file_menu.addSeparator()
        window.file_menu.addActions([self.close_file, self.quit])
        view = window.view_menu
        for number, destination in enumerate(DESTINATIONS, start=1):
            action = QAction(destination.word, self)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.triggered.connect(lambda _checked=False, name=destination.name: window.go(name))
            view.addAction(action)
        view.addSeparator()
        view.addActions([self.find, self.search, self.pause, self.content])
        view.addSeparator()
        themes = view.addMenu(self.tr("Theme"))
        group = QActionGroup(self)
        for choice in Theme:
            action = themes.addAction(choice.value.capitalize())
            action.setCheckable(True)
            action.setChecked(choice is theme)
            action.triggered.connect(lambda _checked=False, choice=choice: window.theme_requested.emit(choice.value))
            group.addAction(action)
        window.task_menu.addActions([self.cancel, self.copy_id])
        window.task_menu.addSeparator()
        window.task_menu.addAction(self.allow)
        window.help_menu.addActions([self.about])
