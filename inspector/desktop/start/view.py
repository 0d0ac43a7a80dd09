"""The empty window: one sentence, Open…, and the recent files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from inspector.desktop.widgets.fonts import hero_font, small_font
from inspector.desktop.widgets.icons import icon
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.tips import tip
from inspector.desktop.widgets.tools import HeaderButton, LinkButton
from inspector.layout.visible import visible

_ROW_HEIGHT = 28
_LIST_WIDTH = 620


@dataclass(frozen=True, slots=True)
class RecentFile:
    """A file that was open lately, and whether it is there now."""

    path: Path
    is_there: bool


class StartView(QWidget):
    """Shown while no file is open.

    Signals:
        open_requested: a file is to be chosen.
        copy_requested: a file is to be chosen and read from a private copy.
        recent_requested: carries the path of a recent file.
        recent_cleared: the list of recent files is to be forgotten.
    """

    open_requested = Signal()
    copy_requested = Signal()
    recent_requested = Signal(object)
    recent_cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = _label(self.tr("Open the database of a model service"))
        self._title.setFont(hero_font())
        self._promise = _label(self.tr("Live, resting or crashed: opening never changes the file."))
        self._promise.setProperty("tone", "text2")
        self._open = HeaderButton(self.tr("Open…"), "folder")
        self._open.set_default(True)
        self._open.setToolTip(tip("Ctrl+O"))
        self._open.clicked.connect(self.open_requested)
        self._copy = HeaderButton(self.tr("Open as a copy…"))
        self._copy.clicked.connect(self.copy_requested)
        self._drop = _label(self.tr("or drop a file on this window"))
        self._drop.setProperty("tone", "text2")

        self._recent_title = _label(self.tr("Recent"))
        bold = self._recent_title.font()
        bold.setWeight(bold.Weight.DemiBold)
        self._recent_title.setFont(bold)
        self._clear = LinkButton(self.tr("Clear"))
        self._clear.clicked.connect(self.recent_cleared)
        self._recent = QListWidget()
        self._recent.setAccessibleName(self.tr("Recent files"))
        self._recent.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._recent.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._recent.itemActivated.connect(self._on_activated)
        self._recent_files: Sequence[RecentFile] = ()

        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for widget in (self._open, self._copy, self._drop):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        recent_line = QHBoxLayout()
        recent_line.addWidget(self._recent_title)
        recent_line.addStretch(1)
        recent_line.addWidget(self._clear)
        inner = QWidget()
        inner.setMaximumWidth(_LIST_WIDTH)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._title)
        column.addWidget(self._promise)
        column.addSpacing(4)
        column.addLayout(buttons)
        column.addSpacing(28)
        column.addLayout(recent_line)
        column.addWidget(self._recent)
        column.addStretch(1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(28, 72, 28, 28)
        whole.addStretch(1)
        whole.addWidget(inner, 12)
        whole.addStretch(8)
        self.show_recent(())
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)

    def show_recent(self, files: Sequence[RecentFile]) -> None:
        """Show the files that were open lately, newest first; those that are not there now cannot be chosen."""
        self._recent_files = tuple(files)
        self._recent.clear()
        for file in files:
            folder = visible(str(file.path.parent))
            words = f"{visible(file.path.name)}    {folder}"
            item = QListWidgetItem(words if file.is_there else f"{words}    {self.tr('not there now')}")
            if not file.is_there:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self._recent.addItem(item)
        self._recent.setFixedHeight(_ROW_HEIGHT * len(files) + 4)
        for part in (self._recent, self._recent_title, self._clear):
            part.setVisible(bool(files))
        self._draw_icons()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            there = next((file for file in self._recent_files if file.is_there), None)
            if there is None:
                self.open_requested.emit()
            else:
                self.recent_requested.emit(there.path)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()

    def _on_activated(self, item: QListWidgetItem) -> None:
        self.recent_requested.emit(self._recent_files[self._recent.row(item)].path)

    def _draw_icons(self) -> None:
        tokens = tokens_of(self.palette())
        for row, file in enumerate(self._recent_files):
            self._recent.item(row).setIcon(icon("file", tokens.text2 if file.is_there else tokens.text3))
        self._drop.setFont(small_font())


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
