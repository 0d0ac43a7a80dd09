"""The list of events: it follows the end of a log until one scrolls up, and keeps its place when older events join."""

from typing import Final

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from inspector.desktop.detail.item_model import EventColumn, EventFilterModel, EventItemModel
from inspector.desktop.detail.loaded_events import Place
from inspector.desktop.widgets.cells import (
    PAD,
    WARN_ROLE,
    EventTypeDelegate,
    Index,
    NumberDelegate,
    TextDelegate,
    asked,
)
from inspector.desktop.widgets.drawing import Face, ui_face
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.palette import Tokens
from inspector.desktop.widgets.row_cells import Cell, Ink
from inspector.desktop.widgets.table import DenseTable
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow

_WIDTHS: Final = {EventColumn.SEQ: 50, EventColumn.SINCE: 84, EventColumn.GAP: 74, EventColumn.TYPE: 212}
_LEAST_DATA: Final = 90
_NEAR_ROWS: Final = 3
"""So near to the beginning of what is loaded, older events are asked for."""


class _TypeDelegate(EventTypeDelegate):
    """An event's type; where events are missing, the triangle before the words that say so."""

    def paint_mark(self, painter: QPainter, room: QRect, index: Index, tokens: Tokens) -> QRect:
        return (TextDelegate if asked(index, WARN_ROLE) else EventTypeDelegate).paint_mark(
            self, painter, room, index, tokens
        )

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        (TextDelegate if cell.warn else EventTypeDelegate).paint_cell(self, painter, room, cell, ink)

    def mark_width(self, index: Index) -> int:
        return (TextDelegate if asked(index, WARN_ROLE) else EventTypeDelegate).mark_width(self, index)

    def face(self, index: Index) -> Face:
        return ui_face() if asked(index, WARN_ROLE) else super().face(index)


class EventList(DenseTable):
    """The loaded events that pass the filter, oldest first.

    End goes to the last event and follows the log from there; Home goes to the first one. Scrolling up lets go.

    Signals:
        follow_changed: the list holds on to its end, or let go of it; carries which.
        event_chosen: the reader moved to another event; carries its ``EventRow``. Not emitted for :meth:`go_to`.
        before_wanted: the reader is near the first event that is loaded, and there are older ones.
        after_wanted: the reader is at the last event that is loaded, and there are newer ones.
        end_wanted: the reader wants to be at the end of the log, which is not loaded.
        start_wanted: the reader wants to be at the first event of the log, which is not loaded.
    """

    follow_changed = Signal(bool)
    event_chosen = Signal(object)
    before_wanted = Signal()
    after_wanted = Signal()
    end_wanted = Signal()
    start_wanted = Signal()

    def __init__(self, flash: FlashClock, parent: QWidget | None = None) -> None:
        super().__init__(parent, dense=True)
        self._events = EventItemModel(flash.now_ms, self)
        self._shown = EventFilterModel(self._events, self)
        self._following = True
        self._moving = False
        self.setModel(self._shown)
        self.set_row_cells(self._shown)
        self.setAccessibleName(self.tr("Events"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        number, dim = NumberDelegate(flash, self), NumberDelegate(flash, self, tone="text2")
        self.setItemDelegateForColumn(EventColumn.SEQ, number)
        self.setItemDelegateForColumn(EventColumn.SINCE, dim)
        self.setItemDelegateForColumn(EventColumn.GAP, dim)
        self.setItemDelegateForColumn(EventColumn.TYPE, _TypeDelegate(flash, self))
        self.setItemDelegateForColumn(EventColumn.DATA, TextDelegate(flash, self, tone="text2"))
        header = self.horizontalHeader()
        for column, width in _WIDTHS.items():
            header.resizeSection(column, width)
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(EventColumn.DATA, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._hold_on)

    @property
    def events(self) -> EventItemModel:
        """The events that are loaded."""
        return self._events

    @property
    def shown(self) -> EventFilterModel:
        """Those of them that pass the filter."""
        return self._shown

    @property
    def is_following(self) -> bool:
        """Whether the list stays at its end as events arrive."""
        return self._following

    def follow(self, following: bool) -> None:
        """Hold on to the end of the log and go there, or let go of it."""
        if following != self._following:
            self._following = following
            self.follow_changed.emit(following)
        if following:
            if self._events.more_after:
                self.end_wanted.emit()
            self._hold_on()

    def forget(self) -> None:
        """Show nothing, for another task, and follow its log."""
        self._moving = True
        self._events.forget()
        self._moving = False
        self.follow(True)

    def show_page(self, page: EventPage, *, wanted: bool) -> Place:
        """Let a page join, and say where it did; what is on screen stays where it is, unless the list follows."""
        first = QPersistentModelIndex(self.indexAt(QPoint(0, 0)))
        before = self.visualRect(first).top()
        self._moving = True
        place = self._events.show_page(page, wanted=wanted)
        if self._following:
            self.scrollToBottom()
        elif place is not Place.NOWHERE:
            # Now and not in the next turn of the event loop, when it would look like the reader's scrolling.
            self.doItemsLayout()
        if place in (Place.BEFORE, Place.AFTER) and first.isValid() and not self._following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(first).top() - before)
        self._moving = False
        return place

    def set_filter(self, text: str, *, changes_only: bool) -> None:
        """Show only what has ``text`` in its type or data, and if so chosen only changes of status."""
        self._moving = True
        self._shown.set_filter(text, changes_only=changes_only)
        self._moving = False
        self._hold_on()

    def go_to(self, event: EventRow, *, scroll: bool = True) -> None:
        """Make ``event`` the current one, without telling of it; ``scroll``: and bring it into view.

        Where the filter holds it back no event is current.
        """
        row = self._events.row_of(event.seq)
        index = QModelIndex() if row is None else self._shown.mapFromSource(self._events.index(row, 0))
        selection = self.selectionModel()
        if index.isValid() and self.currentIndex().row() == index.row() and selection.isSelected(index):
            return
        auto_scroll = self.hasAutoScroll()
        self.setAutoScroll(False)
        self._moving = True
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        selection.setCurrentIndex(index, flags)
        self._moving = False
        self.setAutoScroll(auto_scroll)
        if scroll and index.isValid():
            self.scrollTo(index)

    def first_shown(self) -> EventRow | None:
        """Return the first event that passes the filter, or None where there is none or it is missing."""
        row = self._shown.mapToSource(self._shown.index(0, 0)).row()
        entry = self._events.entry(row)
        return entry if isinstance(entry, EventRow) else None

    def make_room_for(self, last_seq: int | None) -> None:
        """Make the first column as wide as the number ``last_seq`` needs it."""
        digits = max(3, len(str(last_seq or 0)))
        width = ui_face().metrics.horizontalAdvance("0") * digits + 2 * PAD + 4
        if width > self.columnWidth(EventColumn.SEQ):
            self.setColumnWidth(EventColumn.SEQ, width)
            self._fit_columns()

    def minimumSizeHint(self) -> QSize:
        rows = self.verticalHeader().defaultSectionSize() * 3
        return QSize(160, self.horizontalHeader().sizeHint().height() + rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Qt makes the first row the current one when the keyboard comes in. Here it is the last one on screen, where
        # the reader looks, and it counts as chosen only when the keyboard moves it.
        has_current = self.currentIndex().isValid()
        self._moving = True
        super().focusInEvent(event)
        if not has_current and event.reason() != Qt.FocusReason.MouseFocusReason:
            row = self.rowAt(self.viewport().height() - 1)
            last = self._shown.index(row if row >= 0 else self._shown.rowCount() - 1, 0)
            self.setAutoScroll(False)
            self.selectionModel().setCurrentIndex(last, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.setAutoScroll(True)
        self._moving = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        end = event.matches(QKeySequence.StandardKey.MoveToEndOfLine)
        if end or event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self.follow(True)
            self._make_current(self._shown.rowCount() - 1)
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfLine) or event.matches(
            QKeySequence.StandardKey.MoveToStartOfDocument
        ):
            if self._events.more_before:
                self.follow(False)
                self.start_wanted.emit()
            else:
                self._make_current(0)
        else:
            super().keyPressEvent(event)

    def _fit_columns(self) -> None:
        """Give a narrow list up the gap, then part of the type, before its data has no room."""
        width = self.viewport().width()
        fixed = self.columnWidth(EventColumn.SEQ) + _WIDTHS[EventColumn.SINCE]
        hides_gap = width < fixed + _WIDTHS[EventColumn.GAP] + _WIDTHS[EventColumn.TYPE] + _LEAST_DATA
        self.setColumnHidden(EventColumn.GAP, hides_gap)
        room = width - fixed - (0 if hides_gap else _WIDTHS[EventColumn.GAP]) - _LEAST_DATA
        self.setColumnWidth(EventColumn.TYPE, min(_WIDTHS[EventColumn.TYPE], max(90, room)))

    def _make_current(self, row: int) -> None:
        if row >= 0:
            self.setCurrentIndex(self._shown.index(row, 0))

    def _hold_on(self) -> None:
        # An empty list is not laid out: it waits for the events of another task.
        if self._following and self._shown.rowCount():
            self.scrollToBottom()

    def _on_selected(self) -> None:
        # The selection and not the current row: that one moves with the keyboard's coming in, which chooses nothing.
        for index in self.selectionModel().selectedRows():
            entry = self._events.entry(self._shown.mapToSource(index).row())
            if not self._moving and isinstance(entry, EventRow):
                self.event_chosen.emit(entry)

    def _on_scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if self._moving:
            return
        if value < bar.maximum() and self._following:
            self._following = False
            self.follow_changed.emit(False)
        if value >= bar.maximum() > 0 and self._events.more_after:
            self.after_wanted.emit()
        near = self.verticalHeader().defaultSectionSize() * _NEAR_ROWS
        if value <= near and not self._following and self._events.more_before:
            self.before_wanted.emit()
