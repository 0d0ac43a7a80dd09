"""The list of views at the left of the window."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from inspector.desktop.widgets.drawing import draw_left, draw_right, small_face, ui_face
from inspector.desktop.widgets.fonts import at_least
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.lines import frame, line_above
from inspector.desktop.widgets.palette import mixed, tokens_of
from inspector.desktop.widgets.style_states import style_states
from inspector.desktop.widgets.table import ACCENT_BAR
from inspector.desktop.widgets.tips import show_tip, tip
from inspector.desktop.widgets.viewport import own_viewport
from inspector.desktop.widgets.words import grouped
from inspector.lmsp.values import value

ICONS_WIDTH = 44
WIDTH = 176
_ENTRY, _ICON, _LEFT, _GAP, _RIGHT = 28, 16, 13, 9, 12
_BETWEEN_GROUPS = 14

_USER: Final = int(Qt.ItemDataRole.UserRole)
_NAME_ROLE: Final = _USER + 1
_ICON_ROLE: Final = _USER + 2
_COUNT_ROLE: Final = _USER + 3
_SEPARATED_ROLE: Final = _USER + 4

Index = QModelIndex | QPersistentModelIndex


@value
class Destination:
    """One entry: what it is called in signals, the word on it, its icon. ``separated``: a line stands above it."""

    name: str
    word: str
    icon: str
    separated: bool = False


class NavigationList(QListView):
    """Entries of icon, word and count. Arrow keys move, letters jump, and the view follows at once.

    Signals:
        destination_chosen: the user went to another entry; carries its name.
    """

    destination_chosen = Signal(str)

    def __init__(self, destinations: Sequence[Destination], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        own_viewport(self, QPalette.ColorRole.Window)
        self._entries = QStandardItemModel(self)
        self._icons_only = False
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
        self.setAccessibleName(self.tr("Views"))
        for destination in destinations:
            item = QStandardItem(destination.word)
            item.setData(destination.name, _NAME_ROLE)
            item.setData(destination.icon, _ICON_ROLE)
            item.setData(destination.separated, _SEPARATED_ROLE)
            item.setEditable(False)
            self._entries.appendRow(item)
        self._fit()

    @property
    def icons_only(self) -> bool:
        """Whether only icons are shown."""
        return self._icons_only

    def set_count(self, name: str, count: int | None) -> None:
        """Show ``count`` at the right of entry ``name``; None for no count."""
        item = self._item(name)
        text = None if count is None else grouped(count)
        if item.data(_COUNT_ROLE) != text:
            item.setData(text, _COUNT_ROLE)
            item.setAccessibleText(item.text() if text is None else f"{item.text()}, {text}")

    def set_off(self, name: str, reason: str | None) -> None:
        """Let entry ``name`` not be gone to, and tell the reason in its tooltip; None lets it again."""
        item = self._item(name)
        item.setEnabled(reason is None)
        item.setToolTip("" if reason is None else tip(reason))

    def current_name(self) -> str | None:
        """Return the name of the current entry."""
        index = self.currentIndex()
        return str(index.data(_NAME_ROLE)) if index.isValid() else None

    def set_current(self, name: str | None) -> None:
        """Go to entry ``name``, or to none, without announcing it."""
        self._follows = False
        if name is None:
            self.clearSelection()
        self.setCurrentIndex(QModelIndex() if name is None else self._item(name).index())
        self._follows = True

    def set_icons_only(self, icons_only: bool) -> None:
        """Show icons only, with the words as tooltips, or all."""
        if icons_only != self._icons_only:
            self._icons_only = icons_only
            self._fit()
            self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and self._follows:
            self.destination_chosen.emit(str(current.data(_NAME_ROLE)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()
            self.scheduleDelayedItemsLayout()

    def _item(self, name: str) -> QStandardItem:
        for row in range(self._entries.rowCount()):
            item = self._entries.item(row)
            if item.data(_NAME_ROLE) == name:
                return item
        raise KeyError(name)

    def _fit(self) -> None:
        if self._icons_only:
            self.setFixedWidth(ICONS_WIDTH)
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
        height = at_least(_ENTRY) + (_BETWEEN_GROUPS if index.data(_SEPARATED_ROLE) else 0)
        return QSize(ICONS_WIDTH, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        navigation = self._navigation
        tokens = tokens_of(navigation.palette())
        whole = option.rect
        entry = QRect(whole.left(), whole.bottom() + 1 - at_least(_ENTRY), whole.width(), at_least(_ENTRY))
        painter.fillRect(whole, tokens.window)
        if index.data(_SEPARATED_ROLE):
            middle = QRectF(whole.left() + _RIGHT, whole.top() + _BETWEEN_GROUPS // 2, whole.width() - 2 * _RIGHT, 1)
            line_above(painter, middle, tokens.line)
        is_enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled) and self._navigation.isEnabled()
        is_current = navigation.selectionModel().isSelected(index)
        if is_current:
            painter.fillRect(entry, tokens.select)
            painter.fillRect(QRect(entry.left(), entry.top(), ACCENT_BAR, entry.height()), tokens.accent)
        elif is_enabled and navigation.viewport().underMouse() and option.state & style_states().hover:
            painter.fillRect(entry, mixed(tokens.text, tokens.window, 0.05))
        ratio = painter.device().devicePixelRatio()
        ink = tokens.text2 if is_enabled else mixed(tokens.text3, tokens.window, 0.7)
        icon = icon_pixmap(index.data(_ICON_ROLE), ink, _ICON, ratio)
        icons_only = self._navigation.icons_only
        left = entry.left() + ((ICONS_WIDTH - _ICON) // 2 if icons_only else _LEFT)
        painter.drawPixmap(left, entry.top() + (entry.height() - _ICON) // 2, icon)
        if not icons_only:
            self._paint_words(painter, entry, index, is_current, is_enabled)
        if navigation.hasFocus() and index == navigation.currentIndex():
            frame(painter, QRectF(entry), tokens.accent, 2)

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() is not QEvent.Type.ToolTip:
            return False
        word, count = index.data(), index.data(_COUNT_ROLE)
        text = f"{word} {count}" if count else str(word)
        show_tip(event.globalPos(), text if self._navigation.icons_only and index.isValid() else "", view)
        return True

    def _paint_words(self, painter: QPainter, entry: QRect, index: Index, is_current: bool, is_enabled: bool) -> None:
        tokens = tokens_of(self._navigation.palette())
        room = entry.adjusted(_LEFT + _ICON + _GAP, 0, -_RIGHT, 0)
        count = index.data(_COUNT_ROLE) if is_enabled else None
        taken = draw_right(painter, room, count, small_face(), tokens.text2) if count else 0
        color = tokens.text if is_enabled else tokens.text3
        word_room = room.adjusted(0, 0, -taken - _GAP if taken else 0, 0)
        draw_left(painter, word_room, str(index.data()), ui_face(bold=is_current), color)
