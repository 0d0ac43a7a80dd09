"""The main window: the frame that holds header, navigation, views and status bar. No rule and no query is here."""

from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.header import FileHeader
from inspector.desktop.views import Views
from inspector.desktop.widgets.first_paint import FirstPaint
from inspector.desktop.widgets.fonts import small_font
from inspector.desktop.widgets.lines import HairLine
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.navigation import Destination, NavigationList
from inspector.desktop.widgets.room import Room

if TYPE_CHECKING:
    from inspector.desktop.widgets.message_bar import MessageBar

SIZE: Final = (1440, 900)
SMALLEST: Final = (800, 560)
NARROW: Final = 1240
"""Below this width the detail pane goes under the table."""
VERY_NARROW: Final = 1000
"""Below this width the navigation shows icons only, and the header drops its sentence."""


DESTINATIONS: Final = (
    Destination("tasks", "Tasks", "tasks"),
    Destination("models", "Models", "models"),
    Destination("search", "Search", "find"),
    Destination("recovery", "Recovery", "recovery", separated=True),
    Destination("tables", "Tables", "tables"),
)


class MainWindow(QMainWindow):
    """The frame. It shows one of its views, and tells wishes that concern the whole window.

    Signals:
        closed: the window was closed.
        view_changed: carries the name of the view that is on screen now: one of DESTINATIONS, or start.
        file_dropped: carries the path of a file that was dropped on the window.
        seen_changed: carries whether the window can be seen at all.
        theme_requested: carries the wanted theme.
        about_to_show_view_menu: what the View menu says of the file should be brought up to date.
    """

    closed = Signal()
    view_changed = Signal(str)
    file_dropped = Signal(object)
    seen_changed = Signal(bool)
    theme_requested = Signal(str)
    about_to_show_view_menu = Signal()

    def __init__(self, views: Views, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.views = views
        self.first_paint = FirstPaint(self)
        # Each part is made where it stays: a style sheet is worked out anew for all that moves to another parent.
        whole = QWidget(self)
        self.setCentralWidget(whole)
        self.header = FileHeader(zone, whole)
        self.navigation = NavigationList(DESTINATIONS, whole)
        right = QWidget(whole)
        self._stack = QStackedWidget(right)
        self._pages: dict[str, QWidget] = {"tasks": views.tasks}
        self._stack.addWidget(views.tasks)
        for name, view in views.late_pages.items():
            room = self._pages[name] = Room(self._stack)
            view.then(room.put)
            self._stack.addWidget(room)
        pane = Room(views.tasks)
        views.late_detail.then(pane.put)
        views.tasks.place_pane(pane)
        self._view = "start"
        self._bars = QVBoxLayout()
        self._bars.setSpacing(0)
        self._messages: dict[str, MessageBar] = {}
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._drawer_place = QVBoxLayout()
        column.addLayout(self._bars)
        column.addLayout(self._drawer_place)
        column.addWidget(self._stack, 1)
        frame = QVBoxLayout(whole)
        frame.setContentsMargins(0, 0, 0, 0)
        frame.setSpacing(0)
        frame.addWidget(self.header)
        frame.addWidget(HairLine(Qt.Orientation.Horizontal, whole))
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        frame.addLayout(middle, 1)
        middle.addWidget(self.navigation)
        middle.addWidget(HairLine(Qt.Orientation.Vertical, whole))
        middle.addWidget(right, 1)
        # Empty, so that the bar has its height from the start.
        bar = self.menuBar()
        self.file_menu, self.view_menu = bar.addMenu(self.tr("&File")), bar.addMenu(self.tr("&View"))
        self.task_menu, self.help_menu = bar.addMenu(self.tr("&Task")), bar.addMenu(self.tr("&Help"))
        self.view_menu.aboutToShow.connect(self.about_to_show_view_menu)
        self._left, self._right = self._make_status_bar()
        self.navigation.destination_chosen.connect(self.show_view)
        self.setAcceptDrops(True)
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)
        self._stack.setCurrentWidget(self._pages[self._view])
        self.set_file_open(False)

    @property
    def view(self) -> str:
        """The name of the view that is on screen."""
        return self._view

    def show_view(self, name: str) -> None:
        """Put a view on screen; it is built if it never was."""
        self._view = name
        if self.isVisible():
            self.views.build(name)
        self._stack.setCurrentWidget(self._pages[name])
        self.navigation.set_current(name if name != "start" else None)
        self.view_changed.emit(name)

    def expect_file(self) -> None:
        """Make way for a file that is being opened: its tasks come where nothing is."""
        if self._view == "start":
            self.show_view("tasks")

    def set_file_open(self, is_open: bool) -> None:
        """Grey the navigation while no file is open; it keeps its place."""
        self.navigation.setEnabled(is_open)

    def show_message(
        self,
        key: str,
        kind: MessageKind,
        fact: str,
        consequence: str = "",
        *,
        verbs: tuple[str, ...] = (),
        closable: bool = True,
    ) -> "MessageBar":
        """Show a message under the header, instead of an earlier one of the same ``key``, and return its bar."""
        from inspector.desktop.widgets.message_bar import MessageBar  # noqa: PLC0415  most windows never show one

        self.hide_message(key)
        bar = MessageBar(kind, fact, consequence, verbs=verbs, closable=closable, parent=self)
        bar.closed.connect(lambda: self.hide_message(key))
        self._messages[key] = bar
        self._bars.addWidget(bar)
        return bar

    def place_drawer(self, drawer: QWidget) -> None:
        """Put the drawer between the bars and the view."""
        self._drawer_place.addWidget(drawer)

    def hide_message(self, key: str) -> None:
        """Take the message of this ``key`` away, where there is one."""
        bar = self._messages.pop(key, None)
        if bar is not None:
            self._bars.removeWidget(bar)
            bar.hide()
            bar.deleteLater()

    def show_status(self, left: str, right: str) -> None:
        """Show these words in the status bar."""
        if left != self._left.text():
            self._left.setText(left)
        if right != self._right.text():
            self._right.setText(right)

    def show_notice(self, text: str, for_ms: int) -> None:
        """Show a passing word in the status bar."""
        self.statusBar().showMessage(text, for_ms)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.closed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        self.views.build(self._view)
        super().showEvent(event)
        self.seen_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.seen_changed.emit(False)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.seen_changed.emit(not self.isMinimized())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        self.views.tasks.set_narrow(narrow=width < NARROW, very_narrow=width < VERY_NARROW)
        self.navigation.set_icons_only(width < VERY_NARROW)
        self.header.set_sentence_shown(width >= VERY_NARROW)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(event.mimeData().urls()) == 1 and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.file_dropped.emit(Path(event.mimeData().urls()[0].toLocalFile()))

    def go(self, name: str) -> None:
        """Put a view on screen as the reader wishes it: while a file is open."""
        if self.navigation.isEnabled():
            self.show_view(name)

    def _make_status_bar(self) -> tuple[QLabel, QLabel]:
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        bar.setFont(small_font())
        left, right = QLabel(bar), QLabel(bar)
        for label in (left, right):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(small_font())
            label.setProperty("tone", "text2")
        left.setContentsMargins(8, 0, 0, 0)
        right.setContentsMargins(0, 0, 10, 0)
        bar.addWidget(left, 1)
        bar.addPermanentWidget(right)
        return left, right
