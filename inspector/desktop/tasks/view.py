"""The Tasks view: the filters, the table, and what is said above and in place of its rows."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.desktop.moment import Moment
from inspector.desktop.tasks.blocks import Stretch
from inspector.desktop.tasks.filters import TaskFilters
from inspector.desktop.tasks.item_model import ROW_ROLE, TaskItemModel
from inspector.desktop.tasks.mark import TaskMark
from inspector.desktop.tasks.menu import TaskMenu
from inspector.desktop.tasks.table import TasksTable
from inspector.desktop.tasks.words import NOT_FILTERED, nothing_words
from inspector.desktop.widgets.busy_line import BusyLine
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.lines import PaneSplitter
from inspector.desktop.widgets.pause import Pause
from inspector.desktop.widgets.tools import PillButton
from inspector.desktop.widgets.words import grouped, spoken
from inspector.layout.pages import Counts, TaskFilter, TaskPage, TaskPlaces
from inspector.layout.rows import TaskRow

_SHARES: Final = (732, 532)
"""The widths of table and pane in a window of the usual size."""
_SHARES_BELOW: Final = (45, 55)
"""The heights of the two, one below the other."""

REST_MS: Final = 50
"""How long scrolling must rest before what is on screen is asked for."""
LATE_MS: Final = 2_000
"""How long newer counts may be on their way before the ones on the chips are marked as old."""
OTHERS_LATE_MS: Final = 300
"""How long the counts of an earlier filter may stand on the chips."""


class TasksView(QWidget):
    """The list of tasks, newest first. It is fed by values and asks for nothing itself.

    Signals:
        filter_changed: carries the ``TaskFilter`` that is wanted now.
        older_wanted: the end of the rows was reached; carries the last row's ``TaskKey``.
        rows_wanted: rows on screen and near it are not loaded; carries a tuple of ``Stretch``, those on screen first.
        shown_changed: other rows are on screen; carries their task ids.
        task_selected: the reader moved to another row; carries the task's id, or None.
        cancel_requested: carries the id of the task that is to be cancelled.
        opened_in_detail: Enter or a double click on a row: the detail pane is wanted; carries the task's id.
    """

    filter_changed = Signal(object)
    older_wanted = Signal(object)
    rows_wanted = Signal(object)
    shown_changed = Signal(object)
    task_selected = Signal(object)
    cancel_requested = Signal(str)
    opened_in_detail = Signal(str)

    def __init__(self, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filters = TaskFilters(self)
        self._busy = BusyLine(self)
        self._model = TaskItemModel(zone, self)
        self._clock = FlashClock(self)
        self._table = TasksTable(self._model, self._clock, self)
        self._mark = TaskMark(self._table, self._model)
        self._left_out: TaskRow | None = None
        self._unread: str | None = None
        self._empty = EmptySentence(parent=self)
        self._empty.hide()
        self._pill = PillButton(self._table.viewport())
        self._may_act = False
        self._counts: Counts | None = None
        self._moment = Moment()
        self._scrolling, self._counting = Pause(self), Pause(self)

        listed = QWidget(self)
        column = QVBoxLayout(listed)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._busy)
        column.addWidget(self._table, 1)
        column.addWidget(self._empty, 1)
        self._split = PaneSplitter(Qt.Orientation.Horizontal, self)
        self._split.addWidget(listed)
        self._split.setChildrenCollapsible(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._filters)
        whole.addWidget(self._split, 1)
        self.setTabOrder(self._filters, self._table)

        self._scrolling.over.connect(self._on_scrolling_rested)
        self._counting.over.connect(lambda: self._filters.show_counts(self._counts, are_late=True))
        self._filters.changed.connect(self._on_filter_changed)
        self._model.more_wanted.connect(self._on_more_wanted)
        self._model.new_count_changed.connect(self._on_new_count)
        self._table.selectionModel().currentRowChanged.connect(self._on_current_row)
        self._table.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._table.activated.connect(self._on_activated)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.customContextMenuRequested.connect(self._show_menu)
        self._pill.clicked.connect(self.show_new)
        self._empty.link_clicked.connect(lambda: self._filters.want(TaskFilter()))

    @property
    def wanted(self) -> TaskFilter:
        """The filter as it stands."""
        return self._filters.wanted

    @property
    def table(self) -> TasksTable:
        """The table, for the main window's keyboard order and for pictures."""
        return self._table

    @property
    def rows(self) -> TaskItemModel:
        """The rows of the table."""
        return self._model

    def place_pane(self, pane: QWidget) -> None:
        """Put the pane of the selected task beside the table, or under it where the view is narrow."""
        self._split.addWidget(pane)
        self._split.setSizes(list(_SHARES))
        self._split.setStretchFactor(0, 1)

    def set_narrow(self, *, narrow: bool, very_narrow: bool) -> None:
        """Put the pane under the table where it is ``narrow``; fold the chips into a menu where it is very narrow."""
        orientation = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if orientation != self._split.orientation():
            self._split.setOrientation(orientation)
            # In proportion: the splitter shares out what there is.
            self._split.setSizes(list(_SHARES_BELOW if narrow else _SHARES))
        self._filters.set_folded(very_narrow)

    @property
    def why_not_filtered(self) -> str:
        """Why the filters are off, in one sentence; empty where they are on."""
        return self._filters.why_off

    def want(self, wanted: TaskFilter) -> None:
        """Set the whole filter, as another view wishes it; nothing happens where the filters are off."""
        self._filters.want(wanted)

    def focus_search(self) -> None:
        """Put the keyboard into the search field."""
        self._filters.focus_search()

    def clear(self) -> None:
        """Show no task and nothing in place of them: another file is read from now on. The filter stays."""
        self._filters.set_off("")
        self._model.set_over(False)
        self.show_unread("")

    def show_unread(self, sentence: str) -> None:
        """Show no task, and in one visible sentence why none is read."""
        self.show_page(TaskPage((), False, 0), selected=None, unread=sentence)

    def show_lost(self, listed: TaskFilter) -> None:
        """Keep the rows that were read, which are those of the filter ``listed``: no other one can be followed."""
        self._busy.set_busy(False)
        self._filters.want(listed, quietly=True)
        self._filters.set_off(self.tr(NOT_FILTERED))
        self._model.set_over(True)
        self.show_counts(self._counts)

    def show_page(self, page: TaskPage, *, selected: str | None, unread: str | None = None) -> None:
        """Show the newest tasks of another filter or file, and find the selected task among them.

        ``unread`` is what is said in place of them where none could be read.
        """
        self._unread = unread
        self._busy.set_busy(False)
        self._model.show_page(page)
        self._table.scrollToTop()
        self._mark.set(selected, go_there=False)
        self._show_emptiness()
        self._tell_shown()

    def refresh_page(self, page: TaskPage) -> None:
        """Bring the rows in line with the newest page, read again; nothing moves but at the top of the list."""
        current = self._current_task()
        self._table.keep_place(lambda: self._model.refresh_page(page, keep=current.id if current else None))
        self._take_new_at_top()
        self._show_emptiness()
        self._tell_shown()

    def append_page(self, page: TaskPage) -> None:
        """Add older tasks at the end."""
        self._model.append_page(page)
        self._show_emptiness()
        self._tell_shown()

    def show_places(self, places: TaskPlaces) -> None:
        """Have a row for every task, so that the scroll bar reaches all of them; what is on screen stays there."""
        self._table.keep_place(lambda: self._model.show_places(places))
        self._show_emptiness()
        self._tell_shown()

    def show_rows(self, found: Sequence[tuple[Stretch, TaskPage]]) -> None:
        """Show rows that were wanted, each stretch with the page that begins there."""

        def fill() -> None:
            for stretch, page in found:
                self._model.fill(stretch, page)

        self._table.keep_place(fill)
        self._tell_shown()

    def show_changes(self, tasks: tuple[TaskRow, ...], gone: tuple[str, ...]) -> None:
        """Show what a commit changed: rows in their place, new ones announced, deleted ones taken away."""
        self._model.update_rows(tasks, changed_at_ms=self._clock.now_ms())
        wanted = self.wanted
        self._model.add_new(task for task in tasks if wanted.passes(task))
        current = self._current_task()
        leavers = self._model.leavers(wanted, tasks, current.id if current else None)
        if gone or leavers:
            self._table.keep_place(lambda: self._model.remove_rows([*gone, *leavers]))
        self._take_new_at_top()
        self._show_emptiness()
        self._tell_shown()

    def show_counts(self, counts: Counts | None) -> None:
        """Show the counts on the chips, or that there are none."""
        self._counting.end()
        self._counts = counts
        self._filters.show_counts(counts)
        self._show_emptiness()

    def expect_counts(self, *, of_another_filter: bool = False) -> None:
        """Hear that newer counts are on their way: if they take long, what is shown is marked as old.

        Counts ``of_another_filter`` than the one that is wanted now go instead: they are wrong.
        """
        if of_another_filter:
            self._counts = None
            self._counting.begin(OTHERS_LATE_MS)
        elif not self._counting.is_on:
            self._counting.begin(LATE_MS)

    def show_models(self, model_ids: tuple[str, ...]) -> None:
        """Offer these models in the filter."""
        self._filters.show_models(model_ids)

    def show_busy(self) -> None:
        """Say that rows are on their way."""
        self._busy.set_busy(True)

    def show_idle(self) -> None:
        """Say that no rows are on their way, also where they could not be had."""
        self._busy.set_busy(False)

    def set_moment(self, moment: Moment) -> None:
        """Set the moment that ages and durations are told of."""
        first, last = self._table.shown_rows()
        self._moment = moment
        self._model.set_moment(moment, first, last)

    def set_may_act(self, may_act: bool) -> None:
        """Say whether tasks may be cancelled here."""
        self._may_act = may_act

    def mark_selected(self, task_id: str | None) -> None:
        """Make a task's row the current one and bring it on screen; one that is not loaded is marked when it is."""
        self._mark.set(task_id, go_there=True)

    def seek(self, task: TaskRow) -> None:
        """Load the row of a task, wherever in the list it is, and go there; told where the filter keeps it out."""
        if self.wanted.passes(task):
            self._mark.seek(task)
            self._tell_shown()
        else:
            self._mark.set(task.id, go_there=False)
            self._left_out = task

    def show_new(self) -> None:
        """Put the new tasks on top and go there."""
        self._model.take_new()
        self._table.scrollToTop()
        self._tell_shown()

    def shown_sentence(self) -> str:
        """Return which rows are on screen, and how old the counts are if newer ones take long, for the status bar."""
        first, last = self._table.shown_rows()
        if last < first:
            return ""
        shown = self.tr("Rows %s–%s shown") % (grouped(first + 1), grouped(last + 1))
        if self._model.is_over and not self._model.is_all_read:
            shown += self.tr(", not all were read")
        if self._is_left_out():
            shown += self.tr(", the selected task is kept out by the filter")
        if self._counts is None or not self._filters.counts_are_late or self._moment.now_ms is None:
            return shown
        return shown + self.tr(", counted %s ago") % spoken(max(0, self._moment.now_ms - self._counts.read_at_ms))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_shown()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._filters.set_icons()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Home and self._model.new_count:
            self.show_new()
        else:
            super().keyPressEvent(event)

    def _current_task(self) -> TaskRow | None:
        return self._model.task_at(self._table.currentIndex().row())

    def _is_left_out(self) -> bool:
        """Say whether the selected task is known to be one that the filter keeps out."""
        task = self._left_out
        return task is not None and task.id == self._mark.task_id and not self.wanted.passes(task)

    def _on_filter_changed(self, wanted: TaskFilter) -> None:
        self._busy.set_busy(True)
        self._mark.give_up()
        self.filter_changed.emit(wanted)

    def _on_more_wanted(self) -> None:
        oldest = self._model.oldest()
        if oldest is not None:
            self.older_wanted.emit(oldest)

    def _on_current_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._mark.moved_to(current.row())
        task = self._model.task_at(current.row())
        self.task_selected.emit(task.id if task else None)

    def _on_activated(self, index: QModelIndex) -> None:
        task = self._model.task_at(index.row())
        if task is not None:
            self.opened_in_detail.emit(task.id)

    def _on_scrolled(self, _value: int) -> None:
        # Not at once: Qt also scrolls in the middle of a change of the rows.
        self._scrolling.begin(REST_MS)

    def _on_scrolling_rested(self) -> None:
        self._take_new_at_top()
        self._tell_shown()

    def _on_new_count(self, count: int) -> None:
        # At the top they are let in at once; a pill that comes and goes would only flicker.
        self._pill.set_count(0 if self._table.is_at_top else count, sorted_in=self._model.new_are_above)

    def _take_new_at_top(self) -> None:
        """Let new rows in where the reader looks at the newest; elsewhere they wait behind the pill."""
        if self._model.new_count and self._table.is_at_top:
            self._model.take_new()
            self._table.scrollToTop()

    def _tell_shown(self) -> None:
        """Tell which tasks are on screen, and ask for those on it and a screen around it that are not loaded."""
        self._scrolling.end()
        moved_to = self._mark.follow()
        if moved_to is not None:
            self.task_selected.emit(moved_to)
        first, last = self._table.shown_rows()
        tasks = (self._model.task_at(row) for row in range(first, last + 1))
        self.shown_changed.emit(tuple(task.id for task in tasks if task is not None))
        self._model.unload(first, last, self._table.currentIndex().row())
        screen = last - first + 1
        missing = (
            *self._mark.missing(),
            *self._model.missing(first, last),
            *self._model.missing(first - screen, last + screen),
        )
        if missing:
            self.rows_wanted.emit(tuple(dict.fromkeys(missing)))

    def _show_emptiness(self) -> None:
        nothing = self._model.rowCount() == 0 and self._unread != ""
        self._empty.setVisible(nothing)
        self._table.setVisible(not nothing)
        if nothing:
            looks_on, wanted = self._model.is_looking_on, self.wanted
            why_none = nothing_words(wanted, self._counts, is_looking_on=looks_on)
            words = why_none if self._unread is None else self._unread
            can_clear = not (looks_on or wanted.is_empty or self.why_not_filtered)
            self._empty.set_sentence(words, self.tr("Clear the filters") if can_clear else None)

    def _show_menu(self, at: QPoint) -> None:
        index = self._table.indexAt(at)
        task: TaskRow | None = index.data(ROW_ROLE) if index.isValid() else None
        if task is not None:
            menu = TaskMenu(task, self, may_act=self._may_act)
            menu.cancel_requested.connect(self.cancel_requested)
            menu.popup(self._table.viewport().mapToGlobal(at))
