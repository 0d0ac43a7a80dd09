"""The list of views at the left of the window."""

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from inspector.desktop.widgets.drawing import draw_left, draw_right, small_face, ui_face
from inspector.desktop.widgets.fonts import at_least
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.lines import frame, line_above
from inspector.desktop.widgets.palette import mixed, tokens_of
from inspector.desktop.widgets.table import ACCENT_BAR
from inspector.desktop.widgets.tips import show_tip
from inspector.desktop.widgets.words import grouped

COLLAPSED_WIDTH = 44
WIDTH = 176
_ENTRY, _ICON, _LEFT, _GAP, _RIGHT = 28, 16, 13, 9, 12
_BETWEEN_GROUPS = 14

_USER: Final = int(Qt.ItemDataRole.UserRole)
_KEY_ROLE: Final = _USER + 1
_ICON_ROLE: Final = _USER + 2
_COUNT_ROLE: Final = _USER + 3
_ENDS_GROUP_ROLE: Final = _USER + 4

Index = QModelIndex | QPersistentModelIndex


class NavigationList(QListView):
    """Entries of icon, word and count. Arrow keys move, letters jump, and the view follows at once.

    Signals:
        chosen: the user went to another entry; carries its key.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries = QStandardItemModel(self)
        self._is_collapsed = False
        self._follows = True
        self.setModel(self._entries)
        self.setItemDelegate(_EntryDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setViewportMargins(0, 6, 0, 6)
        self.setMouseTracking(True)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.setAccessibleName("Views")
        self._fit()

    @property
    def is_collapsed(self) -> bool:
        """Whether only icons are shown."""
        return self._is_collapsed

    def add_entry(self, key: str, icon: str, word: str, *, ends_group: bool = False) -> None:
        """Add an entry named ``key`` at the end; a line follows it if it ``ends_group``."""
        item = QStandardItem(word)
        item.setData(key, _KEY_ROLE)
        item.setData(icon, _ICON_ROLE)
        item.setData(ends_group, _ENDS_GROUP_ROLE)
        item.setEditable(False)
        self._entries.appendRow(item)
        self._fit()

    def set_count(self, key: str, count: int | None) -> None:
        """Show ``count`` at the right of entry ``key``; None for no count."""
        item = self._item(key)
        text = None if count is None else grouped(count)
        if item.data(_COUNT_ROLE) != text:
            item.setData(text, _COUNT_ROLE)
            item.setAccessibleText(item.text() if text is None else f"{item.text()}, {text}")

    def set_enabled(self, key: str, is_enabled: bool) -> None:
        """Grey an entry, which keeps its place, or make it usable again."""
        self._item(key).setEnabled(is_enabled)

    def current_key(self) -> str | None:
        """Return the key of the current entry."""
        index = self.currentIndex()
        return str(index.data(_KEY_ROLE)) if index.isValid() else None

    def set_current(self, key: str) -> None:
        """Go to entry ``key`` without announcing it."""
        self._follows = False
        self.setCurrentIndex(self._item(key).index())
        self._follows = True

    def set_collapsed(self, is_collapsed: bool) -> None:
        """Show icons only, with the words as tooltips, or all."""
        if is_collapsed != self._is_collapsed:
            self._is_collapsed = is_collapsed
            self._fit()
            self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and self._follows:
            self.chosen.emit(str(current.data(_KEY_ROLE)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit()
            self.scheduleDelayedItemsLayout()

    def _item(self, key: str) -> QStandardItem:
        for row in range(self._entries.rowCount()):
            item = self._entries.item(row)
            if item.data(_KEY_ROLE) == key:
                return item
        raise KeyError(key)

    def _fit(self) -> None:
        if self._is_collapsed:
            self.setFixedWidth(COLLAPSED_WIDTH)
            return
        bold, small = ui_face(bold=True).metrics, small_face().metrics
        words = (self._entries.item(row).text() for row in range(self._entries.rowCount()))
        widest = max((bold.horizontalAdvance(word) for word in words), default=0)
        room = _LEFT + _ICON + _GAP + widest + 10 + small.horizontalAdvance("99,999") + _RIGHT
        # A font of the usual size gets the usual width; only a larger one makes the list wider.
        self.setFixedWidth(WIDTH if ui_face().metrics.height() <= 18 else max(WIDTH, room))


class _EntryDelegate(QStyledItemDelegate):
    """Paints one entry."""

    def __init__(self, navigation: NavigationList) -> None:
        super().__init__(navigation)
        self._navigation = navigation

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = at_least(_ENTRY) + (_BETWEEN_GROUPS if index.data(_ENDS_GROUP_ROLE) else 0)
        return QSize(COLLAPSED_WIDTH, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = tokens_of(self._navigation.palette())
        state = option.state
        whole = option.rect
        entry = QRect(whole.left(), whole.top(), whole.width(), at_least(_ENTRY))
        painter.fillRect(whole, tokens.window)
        is_enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        if is_current:
            painter.fillRect(entry, tokens.select)
            painter.fillRect(QRect(entry.left(), entry.top(), ACCENT_BAR, entry.height()), tokens.accent)
        elif state & QStyle.StateFlag.State_MouseOver and is_enabled:
            painter.fillRect(entry, mixed(tokens.text, tokens.window, 0.05))
        ratio = painter.device().devicePixelRatio()
        ink = tokens.text2 if is_enabled else mixed(tokens.text3, tokens.window, 0.7)
        icon = icon_pixmap(index.data(_ICON_ROLE), ink, _ICON, ratio)
        collapsed = self._navigation.is_collapsed
        left = entry.left() + ((COLLAPSED_WIDTH - _ICON) // 2 if collapsed else _LEFT)
        painter.drawPixmap(left, entry.top() + (entry.height() - _ICON) // 2, icon)
        if not collapsed:
            self._paint_words(painter, entry, index, is_current, is_enabled)
        if index.data(_ENDS_GROUP_ROLE):
            middle = entry.bottom() + 1 + _BETWEEN_GROUPS // 2
            line_above(painter, QRectF(entry.left() + _RIGHT, middle, entry.width() - 2 * _RIGHT, 1), tokens.line)
        if state & QStyle.StateFlag.State_HasFocus:
            frame(painter, QRectF(entry), tokens.accent, 2)

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() is not QEvent.Type.ToolTip:
            return False
        word, count = index.data(), index.data(_COUNT_ROLE)
        text = f"{word} {count}" if count else str(word)
        show_tip(event.globalPos(), text if self._navigation.is_collapsed and index.isValid() else "", view)
        return True

    def _paint_words(self, painter: QPainter, entry: QRect, index: Index, is_current: bool, is_enabled: bool) -> None:
        tokens = tokens_of(self._navigation.palette())
        room = entry.adjusted(_LEFT + _ICON + _GAP, 0, -_RIGHT, 0)
        count = index.data(_COUNT_ROLE) if is_enabled else None
        taken = draw_right(painter, room, count, small_face(), tokens.text2) if count else 0
        color = tokens.text if is_enabled else tokens.text3
        word_room = room.adjusted(0, 0, -taken - _GAP if taken else 0, 0)
        draw_left(painter, word_room, str(index.data()), ui_face(bold=is_current), color)
