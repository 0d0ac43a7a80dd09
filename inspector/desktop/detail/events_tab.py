"""The Events tab: a filter line, the list of events, and the data of the one that is chosen."""

from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QMenu, QVBoxLayout, QWidget

from inspector.desktop.detail.event_filter import EventFilterLine
from inspector.desktop.detail.event_list import EventList
from inspector.desktop.detail.loaded_events import Place
from inspector.desktop.detail.stored_text import EventDataPanel
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.fonts import small_font
from inspector.desktop.widgets.lines import PaneSplitter
from inspector.desktop.widgets.tools import LinkButton
from inspector.desktop.widgets.words import grouped
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow, StoredText

_WIDE: Final = 900
"""From this width on the data of the chosen event stands beside the list."""
_LIST_BESIDE: Final = 60
_LIST_ABOVE: Final = 50
"""How much of a hundred the list has when the data has just come beside or below it."""
_LEAST_DATA: Final = 100
_AROUND: Final = 100
"""How many events before one that is jumped to are asked for as well."""
_BEFORE_ALL: Final = -(1 << 63)
"""No sequence number is lower, also in a log that was made to mislead."""
_ANSWERS: Final = {
    Place.BEFORE: {"before"},
    Place.AFTER: {"after"},
    Place.INSTEAD: {"before", "after", "end", "start"},
    Place.NOWHERE: set[str](),
}


class EventsTab(QWidget):
    """The loaded events of one task. It is told which events there are and asks for those it lacks.

    Signals:
        events_wanted: events that are not loaded are wanted; carries the number after which and the number before which
            they begin and end, each an int or None; both None: the last ones.
        event_data_wanted: the whole data of an event is wanted, of which only a part is here; carries its number.
        seq_selected: the reader chose an event in the list; carries its number.
        uncover_wanted: the reader wants to see what is covered.
    """

    events_wanted = Signal(object, object)
    event_data_wanted = Signal(int)
    seq_selected = Signal(int)
    uncover_wanted = Signal()

    def __init__(self, flash: FlashClock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._totals: tuple[int | None, int | None] = (None, None)
        self._selected: int | None = None
        self._jump_to: int | None = None
        self._asked: set[str] = set()
        self._why_none_came = ""
        self._list = EventList(flash, self)
        self._data = EventDataPanel(self)
        self._copy = QAction(self.tr("Copy data"), self)
        self._build()
        self._connect()
        self._tell_counts()

    @property
    def list(self) -> EventList:
        """The list of events."""
        return self._list

    @property
    def filter_line(self) -> EventFilterLine:
        """What of the log is shown."""
        return self._line

    @property
    def data_panel(self) -> EventDataPanel:
        """What shows the data of the chosen event."""
        return self._data

    @property
    def seq(self) -> int | None:
        """The event that is chosen."""
        return self._selected

    def forget(self) -> None:
        """Show no events, for another task. The filter stays."""
        self._selected = self._jump_to = None
        self._totals = (None, None)
        self._asked.clear()
        self._why_none_came = ""
        self._list.forget()
        self._data.show_event(None)
        self._tell_counts()

    def set_zero(self, zero_ms: int | None) -> None:
        """Set when the task was created: what "since start" counts from."""
        self._list.events.set_zero(zero_ms)

    def set_growing(self, growing: bool) -> None:
        """Say whether events may still come: only then there is something to follow."""
        self._line.follow_chip.setVisible(growing)

    def set_covered(self, covered: bool) -> None:
        """Cover the data of all events, or uncover it."""
        if covered != self._list.events.is_covered:
            self._list.events.set_covered(covered)
            self._data.set_covered(covered)
            self._list.shown.invalidate()

    def set_totals(self, events: int | None, changes: int | None, last_seq: int | None) -> None:
        """Set how many events, and changes of status, the whole log has, and its last number; None if not known."""
        self._list.make_room_for(last_seq)
        if (events, changes) != self._totals:
            self._totals = (events, changes)
            self._tell_counts()

    def show_events(self, page: EventPage, *, replace: bool) -> None:
        """Let a page join what is loaded. ``replace``: where it lies apart from that, it takes its place."""
        self._why_none_came = ""
        jump, holds_jump = self._jump_to, False
        if jump is not None and page.events:
            holds_jump = page.events[0].seq <= jump <= page.events[-1].seq
        is_end = "end" in self._asked and bool(page.events) and not page.more_after
        is_start = "start" in self._asked and bool(page.events) and not page.more_before
        place = self._list.show_page(page, wanted=replace or holds_jump or is_end or is_start)
        # News may come before the answer to what was asked, and answer nothing of it.
        self._asked -= _ANSWERS[place]
        if is_end:
            self._asked.discard("end")
        if is_start:
            self._asked.discard("start")
        if is_start:
            self._go_to_start()
        elif holds_jump and jump is not None:
            self._jump_to = None
            self._show(jump, scroll=True)
        elif self._selected is not None and place is Place.INSTEAD:
            self._show(self._selected, scroll=False)
        self._tell_counts()

    def show_none_came(self, why: str) -> None:
        """Say in one visible sentence why the events that were wanted cannot be read; what is loaded stays."""
        self._asked.clear()
        self._jump_to = None
        self._why_none_came = why
        self._tell_counts()

    def show_event_data(self, seq: int, data: StoredText) -> None:
        """Show the whole data of an event, if it is still the chosen one."""
        if seq == self._selected:
            self._data.show_whole(seq, data)

    def select_seq(self, seq: int) -> None:
        """Choose an event as the timeline's cursor does; one that is not loaded is asked for with those around it."""
        self._selected = seq
        if self._list.events.event_row(seq) is not None:
            self._jump_to = None
            self._show(seq, scroll=True)
            return
        self._data.show_event(None)
        self._list.follow(False)
        if self._jump_to is None or abs(seq - self._jump_to) > _AROUND // 2:
            self.events_wanted.emit(max(0, seq - _AROUND), None)
        self._jump_to = seq

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._list.minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self._line.text_field.setFocus()
            self._line.text_field.selectAll()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._line = EventFilterLine(self)
        self._note = ElidedLabel(tone="text2", face=small_font, parent=self)
        self._earlier = LinkButton(self.tr("Load earlier"), self)
        self._notes = QWidget(self)
        notes = QHBoxLayout(self._notes)
        notes.setContentsMargins(12, 0, 12, 2)
        notes.addWidget(self._note)
        notes.addWidget(self._earlier)
        notes.addStretch(1)
        self._list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._split = PaneSplitter(Qt.Orientation.Vertical, self)
        self._split.addWidget(self._list)
        self._split.addWidget(self._data)
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 1)
        self._whole = whole = QVBoxLayout(self)
        whole.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._line)
        whole.addWidget(self._notes)
        whole.addWidget(self._split, 1)

    def _connect(self) -> None:
        self._line.changed.connect(self._filter)
        self._line.follow_clicked.connect(self._list.follow)
        self._list.follow_changed.connect(self._line.follow_chip.setChecked)
        self._list.event_chosen.connect(self._on_event_chosen)
        self._list.before_wanted.connect(self._want_before)
        self._list.after_wanted.connect(self._want_after)
        self._list.end_wanted.connect(self._want_end)
        self._list.start_wanted.connect(self._want_start)
        self._earlier.clicked.connect(self._want_before)
        self._list.customContextMenuRequested.connect(self._show_menu)
        self._data.whole_wanted.connect(self.event_data_wanted)
        self._data.uncover_wanted.connect(self.uncover_wanted)
        self._copy.triggered.connect(self._data.copy)

    def _fit(self) -> None:
        """Leave out what a low pane has no room for: first the data, which may stand beside, then the filter line."""
        beside = self.width() >= _WIDE
        orientation = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        turns = orientation != self._split.orientation()
        self._split.setOrientation(orientation)
        line, least = self._line.heightForWidth(self.width()), self._list.minimumSizeHint().height()
        self._line.setVisible(self.height() >= line + least or self._list.shown.is_on)
        self._data.setVisible(beside or self.height() >= line + least + _LEAST_DATA)
        # At once: Qt would lay the parts out anew only after they were painted in their old places.
        self._whole.activate()
        self._split.refresh()
        if turns:
            list_share = _LIST_BESIDE if beside else _LIST_ABOVE
            self._split.setSizes([100 * list_share, 100 * (100 - list_share)])

    def _filter(self, text: str, changes_only: bool) -> None:
        self._list.set_filter(text, changes_only=changes_only)
        if self._selected is not None:
            self._show(self._selected, scroll=not self._list.is_following)
        self._tell_counts()

    def _tell_counts(self) -> None:
        events = self._list.events
        loaded, changes = events.events, events.changes
        total, total_changes = self._totals
        self._line.show_counts(
            loaded if total is None else max(total, loaded),
            changes if total_changes is None else max(total_changes, changes),
        )
        is_partial = self._list.shown.is_on and (events.more_before or events.more_after)
        if self._why_none_came:
            self._note.setText(self._why_none_came)
        elif is_partial:
            of_all = "" if total is None else self.tr(", {total} in all").format(total=grouped(total))
            words = self.tr("{shown} of the {loaded} events loaded here{of_all}")
            shown = grouped(self._list.shown.rowCount())
            self._note.setText(words.format(shown=shown, loaded=grouped(loaded), of_all=of_all))
        self._earlier.setVisible(events.more_before)
        self._notes.setVisible(is_partial or bool(self._why_none_came))

    def _show(self, seq: int, *, scroll: bool) -> None:
        event = self._list.events.event_row(seq)
        if event is not None:
            self._data.show_event(event)
            self._list.go_to(event, scroll=scroll)

    def _on_event_chosen(self, event: EventRow) -> None:
        self._selected = event.seq
        self._jump_to = None
        self._data.show_event(event)
        self.seq_selected.emit(event.seq)

    def _want_before(self) -> None:
        if "before" not in self._asked:
            self._asked.add("before")
            self.events_wanted.emit(None, self._list.events.first_seq)

    def _want_after(self) -> None:
        if "after" not in self._asked:
            self._asked.add("after")
            self.events_wanted.emit(self._list.events.last_seq, None)

    def _want_end(self) -> None:
        self._asked.add("end")
        self.events_wanted.emit(None, None)

    def _want_start(self) -> None:
        self._asked.add("start")
        self._jump_to = None
        self.events_wanted.emit(_BEFORE_ALL, None)

    def _go_to_start(self) -> None:
        first = self._list.first_shown()
        if first is not None:
            self._selected = first.seq
            self._show(first.seq, scroll=True)
            self.seq_selected.emit(first.seq)

    def _show_menu(self, at: QPoint) -> None:
        if not self._list.indexAt(at).isValid():
            return
        menu = QMenu(self)
        menu.addAction(self._copy)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._list.viewport().mapToGlobal(at))
