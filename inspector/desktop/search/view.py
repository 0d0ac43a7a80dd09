"""The Search view: a text, how far the search for it is, and the events that hold it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.search.item_model import HitItemModel
from inspector.desktop.search.painting import ExcerptDelegate
from inspector.desktop.search.result_strip import ResultStrip
from inspector.desktop.search.search_bar import SearchBar
from inspector.desktop.search.standing import Standing, State, sentence
from inspector.desktop.search.words import HitColumn
from inspector.desktop.widgets.cells import EventTypeDelegate, FixedDelegate, NumberDelegate, TextDelegate
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.fonts import scaled
from inspector.desktop.widgets.pause import Pause
from inspector.desktop.widgets.table import DenseTable
from inspector.layout.pages import EventHit, EventHits, Progress

_WIDTHS: Final = {HitColumn.TIME: 164, HitColumn.TASK: 150, HitColumn.SEQ: 66, HitColumn.TYPE: 222}
_LEAST_FOR_TYPE: Final = 900
"""A narrower view does without the type: what the event holds needs the room, and the type stands beside the event."""

SHOWS_EVERY_MS: Final = 60
"""However fast hits come, they are shown no more often: between two times the window has its turn."""


class SearchView(QWidget):
    """The hits of one search, newest first. It is fed by values and asks for nothing itself.

    Signals:
        search_requested: a text is to be searched for, instead of any other; carries it.
        more_requested: the search is to go on where it has found enough; carries the number of the event to go on
            before.
        stop_requested: the search is to stop.
        hit_chosen: a hit was clicked, or Return was pressed on it; carries the id of its task and its sequence number.
        uncover_wanted: what the events hold is to be shown.
    """

    search_requested = Signal(str)
    more_requested = Signal(object)
    stop_requested = Signal()
    hit_chosen = Signal(str, object)
    uncover_wanted = Signal()

    def __init__(self, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._standing = Standing()
        self._waiting: list[EventHit] = []
        self._goes_on_before: int | None = None
        self._is_paused = False
        self._bar = SearchBar(self)
        self._strip = ResultStrip(self)
        self._model = HitItemModel(zone, self)
        self._table = self._make_table()
        self._empty = EmptySentence()
        self._list = QStackedWidget(self)
        self._list.addWidget(self._table)
        self._list.addWidget(self._empty)
        self._rest = Pause(self)
        self._arrange()
        self._connect()
        self._refresh()

    @property
    def bar(self) -> SearchBar:
        """The line with the field."""
        return self._bar

    @property
    def strip(self) -> ResultStrip:
        """The line that says how the search stands."""
        return self._strip

    @property
    def table(self) -> DenseTable:
        """The table of hits."""
        return self._table

    @property
    def hits(self) -> HitItemModel:
        """The rows of the table."""
        return self._model

    @property
    def standing(self) -> Standing:
        """How the search stands."""
        return self._standing

    def show_begun(self, text: str) -> None:
        """Show that ``text`` is searched for now, and no hit of an earlier search."""
        self._waiting.clear()
        self._goes_on_before = None
        self._model.clear()
        self._stand(Standing(State.SEARCHING, text))

    def show_going_on(self) -> None:
        """Show that the search goes on behind the hits that are there."""
        self._stand(replace(self._standing, state=State.SEARCHING))

    def show_progress(self, progress: Progress) -> None:
        """Show how far the search is, and what it found since the last time."""
        self._gather(progress.hits)
        self._standing = self._standing.come_to(progress)
        if not self._rest.is_on:
            self._show_waiting()
            self._rest.begin(SHOWS_EVERY_MS)

    def show_answer(self, answer: EventHits) -> None:
        """Show all that was found, and that the search is over, or has found enough."""
        self._gather(answer.hits)
        self._model.set_today(answer.read_at_ms)
        self._goes_on_before = answer.searched_to
        full = answer.searched_to is not None
        state = State.FULL if full else State.ENDED
        read_at_ms = self._standing.read_at_ms or answer.read_at_ms
        self._stand(replace(self._standing, state=state, read_at_ms=read_at_ms))

    def show_stopped(self, state: State) -> None:
        """Show that the search was stopped; ``state`` says by what."""
        if self._standing.state is State.SEARCHING:
            self._stand(replace(self._standing, state=state))

    def show_lost(self) -> None:
        """Show that the file cannot be read any more: what was found stays."""
        self._stand(replace(self._standing, state=State.LOST))

    def show_failed(self, why: str) -> None:
        """Show in one sentence why the search could not be made."""
        self._stand(replace(self._standing, state=State.FAILED, why=why))

    def set_covered(self, covered: bool) -> None:
        """Cover what the events hold, which can be prompts and outputs, or show it."""
        self._model.set_covered(covered)
        self._refresh()

    def set_paused(self, paused: bool) -> None:
        """Say whether nothing is read by itself now."""
        self._is_paused = paused
        self._refresh()

    def set_today(self, today_ms: int | None) -> None:
        """Set the moment that decides which times are told without their date."""
        self._model.set_today(today_ms)

    def clear(self) -> None:
        """Forget the text and its hits: another file is read from now on."""
        self._bar.field.clear()
        self._waiting.clear()
        self._model.clear()
        self._stand(Standing())

    def focus_search(self) -> None:
        """Put the keyboard into the field, its text selected."""
        self._bar.focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        field = self._bar.field
        if event.key() == Qt.Key.Key_Escape and self._standing.state is State.SEARCHING:
            self.stop_requested.emit()
        elif event.key() == Qt.Key.Key_Escape and field.hasFocus() and field.text():
            field.clear()
        elif event.key() == Qt.Key.Key_Down and field.hasFocus() and self._model.rowCount():
            self._table.setFocus(Qt.FocusReason.ShortcutFocusReason)
            if not self._table.currentIndex().isValid():
                self._make_current(0)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._table.setColumnHidden(HitColumn.TYPE, self.width() < scaled(_LEAST_FOR_TYPE))

    def _arrange(self) -> None:
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._bar)
        whole.addWidget(self._strip)
        whole.addWidget(self._list, 1)
        self.setFocusProxy(self._bar)

    def _connect(self) -> None:
        self._rest.over.connect(self._on_rested)
        self._bar.wanted.connect(self._on_wanted)
        self._strip.stop_requested.connect(self.stop_requested)
        self._strip.more_requested.connect(lambda: self.more_requested.emit(self._goes_on_before))
        self._strip.uncover_requested.connect(self.uncover_wanted)
        self._table.clicked.connect(self._choose)
        self._table.activated.connect(self._choose)
        self._add_action(self.tr("Show in its task"), lambda: self._choose(self._table.currentIndex()))
        self._add_action(self.tr("Copy task id"), self._copy_task_id).setShortcut(QKeySequence.StandardKey.Copy)

    def _make_table(self) -> DenseTable:
        table = DenseTable(self, dense=True)
        table.setModel(self._model)
        table.set_row_cells(self._model)
        table.setAccessibleName(self.tr("Events that were found"))
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        delegates = {
            HitColumn.TIME: TextDelegate(parent=table),
            HitColumn.TASK: FixedDelegate(parent=table),
            HitColumn.SEQ: NumberDelegate(parent=table),
            HitColumn.TYPE: EventTypeDelegate(parent=table),
            HitColumn.DATA: ExcerptDelegate(parent=table),
        }
        for column, delegate in delegates.items():
            table.setItemDelegateForColumn(column, delegate)
        table.set_widths(list(_WIDTHS.values()))
        table.horizontalHeader().setSectionsMovable(False)
        return table

    def _add_action(self, text: str, act: Callable[[], None]) -> QAction:
        """Put an action into the table's menu, and its shortcut on the table."""
        action = QAction(text, self._table)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: act())
        self._table.addAction(action)
        return action

    def _stand(self, standing: Standing) -> None:
        self._rest.end()
        self._standing = standing
        self._show_waiting()

    def _gather(self, hits: Sequence[EventHit]) -> None:
        """Let those of ``hits`` wait that are older than all there are: the others were told before."""
        last_id = self._waiting[-1].id if self._waiting else self._model.last_id
        self._waiting += [hit for hit in hits if last_id is None or hit.id < last_id]

    def _show_waiting(self) -> None:
        """Show what came since the last time."""
        if self._waiting:
            self._model.append(self._waiting)
            self._waiting.clear()
            # At once: put off, it comes after a paint, and asks for another one.
            self._table.doItemsLayout()
        self._standing = replace(self._standing, hits=self._model.rowCount())
        self._refresh()

    def _on_rested(self) -> None:
        self._show_waiting()
        if self._standing.state is State.SEARCHING:
            self._rest.begin(SHOWS_EVERY_MS)

    def _refresh(self) -> None:
        nothing = self._model.rowCount() == 0
        had_keyboard = self._strip.has_keyboard
        self._strip.show_standing(self._standing, self._zone, is_covered=self._model.is_covered)
        self._list.setCurrentWidget(self._empty if nothing else self._table)
        if nothing:
            self._empty.set_sentence(sentence(self._standing, is_paused=self._is_paused))
        if had_keyboard and not self._strip.has_keyboard:
            # The button that was pressed has gone; Qt would go on to whatever comes next.
            (self._bar.field if nothing else self._table).setFocus()

    def _make_current(self, row: int) -> None:
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self._table.selectionModel().setCurrentIndex(self._model.index(row, HitColumn.DATA), flags)

    def _on_wanted(self) -> None:
        if self._bar.text:
            self.search_requested.emit(self._bar.text)

    def _choose(self, index: QModelIndex) -> None:
        hit = self._model.hit_at(index.row()) if index.isValid() else None
        if hit is not None:
            self.hit_chosen.emit(hit.task_id, hit.seq)

    def _copy_task_id(self) -> None:
        hit = self._model.hit_at(self._table.currentIndex().row())
        if hit is not None:
            QGuiApplication.clipboard().setText(hit.task_id)
