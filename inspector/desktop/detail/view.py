"""The detail pane: one task's state, times, timeline, events and stored texts."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLayout, QStackedLayout, QVBoxLayout, QWidget

from inspector.desktop.detail.cancel_bar import CancelBar
from inspector.desktop.detail.cancel_words import CancelAnswer, Times
from inspector.desktop.detail.events_tab import EventsTab
from inspector.desktop.detail.parts import DetailParts, DetailTab
from inspector.desktop.detail.summary import Clock, Names, summary
from inspector.desktop.detail.title_row import TitleRow
from inspector.desktop.moment import Moment
from inspector.desktop.timeline.phases import same_log
from inspector.desktop.timeline.task_timeline import TaskTimelineView
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.key_values import KeyValues
from inspector.desktop.widgets.lines import HairLine
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.tabs import UnderlineTabs
from inspector.layout.pages import EventPage, TaskTimeline
from inspector.layout.rows import StoredText, TaskDetail, TaskRow
from inspector.lmsp.events import EventType, implied_status
from inspector.lmsp.statuses import FINAL

_NO_TASK: Final = "No task selected. Choose one in the list to see its life."
_MORE_ROWS: Final = 60
"""How much more than the least the events have before captions and values take room from them."""


class DetailPane(QWidget):
    """Shows the selected task. It is fed by plain values and asks for nothing itself; equal values change nothing.

    Signals:
        cancel_requested: the question before a cancel was answered yes; carries the task's id.
        events_wanted: events that are not loaded are wanted, an answer for :meth:`show_events`; carries the task's id,
            the number after which they begin and the number before which they end, each an int or None; both None: the
            last page.
        event_data_wanted: the whole data of an event is wanted, an answer for :meth:`show_event_data`; carries the
            task's id and the event's number.
        content_wanted: the reader wants to see prompts and outputs that :meth:`set_covered` hides.
    """

    cancel_requested = Signal(str)
    events_wanted = Signal(str, object, object)
    event_data_wanted = Signal(str, int)
    content_wanted = Signal()

    def __init__(self, zone: tzinfo, parent: QWidget | None = None, *, flash: FlashClock | None = None) -> None:
        """Make an empty pane that tells times of ``zone``; ``flash`` is the clock of changed cells, its own if None."""
        super().__init__(parent)
        self._detail: TaskDetail | None = None
        self._timeline: TaskTimeline | None = None
        self._clock = Clock(zone)
        self._names = Names()
        self._why_not: str | None = self.tr("No file is open.")
        self._asks_for: str | None = None
        self._asks_next = False
        self._goes_to: tuple[str, int] | None = None
        self._build(FlashClock(self) if flash is None else flash)
        self._connect()
        self._refresh()

    @property
    def task_id(self) -> str | None:
        """The task that is shown."""
        return None if self._detail is None else self._detail.task.id

    @property
    def task(self) -> TaskRow | None:
        """The row of the task that is shown."""
        return None if self._detail is None else self._detail.task

    @property
    def events(self) -> EventsTab:
        """The Events tab."""
        return self._events

    @property
    def timeline(self) -> TaskTimelineView:
        """The painted timeline."""
        return self._painted

    @property
    def parts(self) -> DetailParts:
        """What stands below the timeline."""
        return self._parts

    @property
    def tabs(self) -> UnderlineTabs:
        """The bar of tabs; see :class:`~inspector.desktop.detail.parts.DetailTab`."""
        return self._tabs

    @property
    def bar(self) -> CancelBar:
        """The bar of the question and the outcome."""
        return self._bar

    @property
    def title(self) -> TitleRow:
        """The title row with its one action."""
        return self._title

    def show_task(self, detail: TaskDetail | None) -> None:
        """Show a task, or that none is selected. Another task than before starts with no timeline and no events."""
        if detail is None:
            self._empty.set_sentence(self.tr(_NO_TASK))
        if detail == self._detail:
            return
        if detail is None or detail.task.id != self.task_id:
            self._timeline = None
            self._bar.forget()
            self._events.forget()
            if self._goes_to is not None and (detail is None or detail.task.id != self._goes_to[0]):
                self._goes_to = None
        self._detail = detail
        self._refresh()
        if detail is not None and (self._asks_next or self._asks_for == detail.task.id):
            self.ask_cancel(detail.task.id)

    def show_unread(self, sentence: str) -> None:
        """Show no task, and in one visible sentence why the selected one cannot be read."""
        self.show_task(None)
        self._empty.set_sentence(sentence)

    def show_row(self, task: TaskRow) -> None:
        """Show what a commit made of the task's row, before its texts are read again; that of another is dropped."""
        if self._detail is not None and task.id == self._detail.task.id:
            self.show_task(replace(self._detail, task=task))

    def show_timeline(self, timeline: TaskTimeline | None) -> None:
        """Show the log of the task without its data; one of another task is dropped."""
        is_others = timeline is not None and timeline.task_id != self.task_id
        if is_others or same_log(timeline, self._timeline):
            return
        self._timeline = timeline
        self._show_timeline()

    def show_events(self, page: EventPage, *, replace: bool) -> None:
        """Show a page of the task's log; one of another task is dropped.

        It joins what is loaded. Where it does not adjoin that, it takes its place if ``replace``, or if it holds what
        the pane asked for; otherwise it is news from elsewhere in the log and is left out.
        """
        if page.task_id == self.task_id:
            self._events.show_events(page, replace=replace)
            self._go_if_shown()
            if self._painted.seq is not None and self._events.seq is None:
                self._events.select_seq(self._painted.seq)

    def show_no_events_came(self, task_id: str, why: str) -> None:
        """Say in one visible sentence why no more events of a task can be read, unless another one is shown."""
        if task_id == self.task_id:
            self._events.show_none_came(why)

    def show_event_data(self, seq: int, data: StoredText) -> None:
        """Show the whole data of an event, if it is still the chosen one."""
        self._events.show_event_data(seq, data)

    def go_to_event(self, task_id: str, seq: int) -> None:
        """Choose an event of a task, as soon as that task and a page of its log are shown, unless another one is."""
        self._goes_to = task_id, seq
        if self._events.list.events.events:
            self._go_if_shown()

    def set_moment(self, moment: Moment) -> None:
        """Set the moment that durations run to, and that decides whether a time is told with its date."""
        if moment != self._clock.moment:
            self._clock = Clock(self._clock.zone, moment)
            self._painted.set_moment(moment)
            self._show_summary()

    def set_may_act(self, may_act: bool, why_not: str | None) -> None:
        """Say whether a task may be cancelled here, and if not, why."""
        self._why_not = None if may_act else (why_not or self.tr("Actions are off for this file."))
        self._show_title()

    def set_names(self, models: Mapping[str, str], clients: Mapping[str, str]) -> None:
        """Set the names of models and clients by their ids; what has none is shown by its id."""
        names = Names(dict(models), dict(clients))
        if names != self._names:
            self._names = names
            self._show_summary()

    def set_covered(self, covered: bool) -> None:
        """Hide what can hold prompts and outputs (requests, data of events, responses, snapshots), or show it."""
        self._parts.set_covered(covered)

    def ask_cancel(self, task_id: str | None = None) -> None:
        """Ask whether the task is to be cancelled: the one named, as soon as it is shown, else the one that is.

        Nothing is asked where it has ended or nothing may be written.
        """
        self._asks_for, self._asks_next = None, False
        if self._detail is None or (task_id is not None and task_id != self.task_id):
            self._asks_for, self._asks_next = task_id, task_id is None
        elif self._title.cancel_button.isEnabled():
            self.show_cancel_question(self._detail.task)

    def show_cancel_question(self, task: TaskRow) -> None:
        """Ask whether ``task`` is to be cancelled."""
        self._bar.ask(task, self._clock.moment.now_ms)

    def show_cancel_outcome(self, answer: CancelAnswer) -> None:
        """Tell how a cancel ended, in the place of the question; that of another task is dropped."""
        if answer.task_id == self.task_id:
            status = None if self._detail is None else self._detail.task.status
            self._bar.show_outcome(answer, self._times(), status)
            self._show_title()

    def minimumSizeHint(self) -> QSize:
        # Captions and values and the data of an event give way in a low pane; the timeline and a few events stay.
        title, painted = self._title.sizeHint().height(), self._painted.sizeHint().height()
        return QSize(320, title + painted + 1 + self._parts.least_height)

    def sizeHint(self) -> QSize:
        return QSize(556, 700)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._bar.isVisibleTo(self):
            self._bar.dismiss()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._fit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens_of(self.palette()).base)
        painter.end()

    def _build(self, flash: FlashClock) -> None:
        self._empty = EmptySentence(self.tr(_NO_TASK), parent=self)
        self._whole = QWidget(self)
        self._title = TitleRow(self)
        self._bar = CancelBar(self)
        self._summary = QWidget(self)
        self._values = KeyValues(self._summary, weights=(1.6, 1.05, 1.15))
        room = QVBoxLayout(self._summary)
        room.setContentsMargins(12, 0, 12, 6)
        room.addWidget(self._values)
        self._painted = TaskTimelineView(self)
        self._parts = DetailParts(flash, self)
        self._tabs, self._events = self._parts.tabs, self._parts.events
        self._column = column = QVBoxLayout(self._whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self._title, self._bar, self._summary, HairLine(parent=self), self._painted):
            column.addWidget(part)
        column.addWidget(self._parts, 1)
        column.addStretch(0)
        self._either = QStackedLayout(self)
        self._either.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._either.addWidget(self._empty)
        self._either.addWidget(self._whole)

    def _connect(self) -> None:
        self._title.cancel_clicked.connect(lambda: self.ask_cancel(self.task_id))
        self._bar.confirmed.connect(self._on_confirmed)
        self._bar.event_wanted.connect(self._go_to_event)
        self._bar.dismissed.connect(self._on_bar_dismissed)
        self._painted.seq_selected.connect(self._on_timeline_selected)
        self._events.seq_selected.connect(self._painted.select_seq)
        self._events.events_wanted.connect(self._on_events_wanted)
        self._events.event_data_wanted.connect(self._on_event_data_wanted)
        self._parts.content_wanted.connect(self.content_wanted)
        self._bar.installEventFilter(self)
        self.setFocusProxy(self._events.list)

    def _fit(self) -> None:
        """Leave out what a low pane has no room for: captions and values, then the timeline, under a question all."""
        bar = self._bar.heightForWidth(self.width()) if self._bar.isVisibleTo(self._whole) else 0
        room = self.height() - self._title.sizeHint().height() - bar - 1 - self._parts.least_height
        painted = self._painted.sizeHint().height()
        summary = self._values.heightForWidth(self.width() - 24) + 6
        self._parts.setVisible(room >= 0)
        self._painted.setVisible(room >= painted)
        self._summary.setVisible(room >= painted + summary + _MORE_ROWS)
        self._column.activate()

    def _refresh(self) -> None:
        self._either.setCurrentWidget(self._empty if self._detail is None else self._whole)
        self._parts.show_detail(self._detail)
        self._show_title()
        self._show_summary()
        self._show_timeline()
        if self._detail is not None:
            self._bar.update_task(self._detail.task, self._times())

    def _show_title(self) -> None:
        if self._detail is not None:
            why_not = self.tr("A cancel is on its way.") if self._bar.is_waiting else self._why_not
            self._title.show_task(self._detail.task, why_not=why_not)
            self._events.set_growing(self._detail.task.status not in FINAL)

    def _show_summary(self) -> None:
        if self._detail is not None:
            self._values.show_columns(summary(self._detail.task, self._clock, self._names))

    def _show_timeline(self) -> None:
        task = None if self._detail is None else self._detail.task
        self._painted.show_timeline(self._timeline, task, self._clock.moment)
        self._events.set_zero(self._painted.zero_ms)
        changes = None
        if self._timeline is not None:
            changes = sum(implied_status(tick.type) is not None for tick in self._timeline.ticks)
        self._parts.show_counts(None if self._timeline is None else self._timeline.events, changes)

    def _times(self) -> Times:
        """Return what row and log know of the times around a cancel."""
        if self._detail is None:
            return Times()
        task = self._detail.task
        ticks = () if self._timeline is None else self._timeline.ticks
        asked_ms = next((tick.created_at for tick in ticks if tick.type == EventType.CANCELLING), None)
        finished_ms = task.finished_at if task.status in FINAL else None
        return Times(
            finished=None if finished_ms is None else self._clock.time(finished_ms),
            cancelling_since=None if asked_ms is None else self._clock.time(asked_ms),
            took_ms=None if finished_ms is None or asked_ms is None else finished_ms - asked_ms,
        )

    def _go_if_shown(self) -> None:
        if self._goes_to is not None and self._goes_to[0] == self.task_id:
            seq, self._goes_to = self._goes_to[1], None
            self._go_to_event(seq)

    def _go_to_event(self, seq: int) -> None:
        self._tabs.setCurrentIndex(DetailTab.EVENTS)
        self._painted.select_seq(seq)
        self._events.select_seq(seq)

    def _on_timeline_selected(self, seq: int) -> None:
        self._tabs.setCurrentIndex(DetailTab.EVENTS)
        self._events.select_seq(seq)

    def _on_events_wanted(self, after_seq: int | None, before_seq: int | None) -> None:
        if self.task_id is not None:
            self.events_wanted.emit(self.task_id, after_seq, before_seq)

    def _on_event_data_wanted(self, seq: int) -> None:
        if self.task_id is not None:
            self.event_data_wanted.emit(self.task_id, seq)

    def _on_confirmed(self, task_id: str) -> None:
        self._show_title()
        self.cancel_requested.emit(task_id)

    def _on_bar_dismissed(self, had_keyboard: bool) -> None:
        self._show_title()
        if had_keyboard:
            (self._title.cancel_button if self._title.cancel_button.isEnabled() else self._events.list).setFocus()
