"""The tabs of the detail pane and what they show: events, request, response, snapshot, error, the raw row."""

from enum import IntEnum
from typing import Final, NamedTuple

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.detail.events_tab import EventsTab
from inspector.desktop.detail.raw_row import RawColumn, RawRowItemModel
from inspector.desktop.detail.stored_text import StoredTextPanel
from inspector.desktop.widgets.cells import FixedDelegate, TextDelegate
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.room import Room
from inspector.desktop.widgets.table import DenseTable
from inspector.desktop.widgets.tabs import UnderlineTabs
from inspector.desktop.widgets.words import grouped
from inspector.layout.rows import StoredText, TaskDetail
from inspector.layout.visible import visible
from inspector.lmsp.statuses import FINAL

_LONGEST = 200


class DetailTab(IntEnum):
    """The tabs of the pane."""

    EVENTS = 0
    REQUEST = 1
    RESPONSE = 2
    SNAPSHOT = 3
    ERROR = 4
    RAW_ROW = 5


_COVERED: Final = (DetailTab.REQUEST, DetailTab.RESPONSE, DetailTab.SNAPSHOT)
"""The tabs whose texts can hold prompts and outputs."""


class _Text(NamedTuple):
    """What a tab of a stored text shows."""

    caption: str
    stored: StoredText | None
    absent: str


class DetailParts(QWidget):
    """Tabs over pages. A tab with nothing to show is off; where the tabs do not all fit it is left out.

    Signals:
        content_wanted: the reader wants to see what :meth:`set_covered` hides.
        beginning_copied: only the beginning of a stored text was copied; carries a sentence that says so.
    """

    content_wanted = Signal()
    beginning_copied = Signal(str)

    def __init__(self, flash: FlashClock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail: TaskDetail | None = None
        self._is_covered = False
        self._tabs = UnderlineTabs(self)
        self._tabs.setAccessibleName(self.tr("Parts of the task"))
        for word in ("Events", "Request", "Response", "Snapshot", "Error", "Raw row"):
            self._tabs.add_tab(self.tr(word))
        self._events = EventsTab(flash, self)
        self._texts: dict[DetailTab, _Text] = {}
        self._panels: dict[DetailTab, StoredTextPanel] = {}
        self._raw = RawRowItemModel(self)
        self._raw_table: DenseTable | None = None
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._events)
        self._rooms: dict[DetailTab, Room] = {
            tab: Room(self._pages) for tab in DetailTab if tab is not DetailTab.EVENTS
        }
        for room in self._rooms.values():
            self._pages.addWidget(room)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tabs)
        column.addWidget(self._pages, 1)
        self._fit_to_font()
        self._tabs.currentChanged.connect(self._show_tab)
        self._events.uncover_wanted.connect(self.content_wanted)
        self._events.data_panel.beginning_copied.connect(self.beginning_copied)

    @property
    def tabs(self) -> UnderlineTabs:
        """The bar of tabs."""
        return self._tabs

    @property
    def events(self) -> EventsTab:
        """The Events tab."""
        return self._events

    @property
    def least_height(self) -> int:
        """The tabs, and a few rows below them."""
        return self._tabs.sizeHint().height() + self._events.minimumSizeHint().height()

    def panel(self, tab: DetailTab) -> StoredTextPanel:
        """Return what shows the stored text of ``tab``, made when it is first wanted; KeyError for another tab."""
        text = self._texts[tab]
        panel = self._panels.get(tab)
        if panel is None:
            panel = self._panels[tab] = StoredTextPanel(is_json=tab is not DetailTab.ERROR)
            panel.set_covered(self._is_covered and tab in _COVERED)
            panel.uncover_wanted.connect(self.content_wanted)
            panel.beginning_copied.connect(self.beginning_copied)
            self._rooms[tab].put(panel)
        panel.show_stored(text.caption, text.stored, absent=text.absent)
        return panel

    @property
    def raw_row(self) -> RawRowItemModel:
        """The rows of the Raw row tab."""
        return self._raw

    def show_detail(self, detail: TaskDetail | None) -> None:
        """Show the stored texts and the raw row of a task; the tab that is shown stays if it has something to show."""
        self._detail = detail
        self._raw.show(detail, covered=self._is_covered)
        if detail is None:
            return
        task = detail.task
        snapshot = self.tr("Snapshot")
        if task.snapshot_seq is not None:
            snapshot = self.tr("Snapshot at event {seq}").format(seq=grouped(task.snapshot_seq))
        self._show_text(DetailTab.REQUEST, self.tr("Request"), detail.request)
        self._show_text(DetailTab.RESPONSE, self.tr("Response"), detail.response)
        self._show_text(DetailTab.SNAPSHOT, snapshot, detail.snapshot)
        shown = detail.snapshot is not None and not self._is_covered
        self._tabs.set_remark(DetailTab.SNAPSHOT, task.snapshot_seq if shown else None)
        code = None if task.error_code is None else visible(task.error_code[:_LONGEST])
        error = _Text(code or self.tr("Error"), detail.error_message, self.tr("No message is stored."))
        self._texts[DetailTab.ERROR] = error
        self._turn(DetailTab.ERROR, on=code is not None or detail.error_message is not None)
        self._show_tab(self._tabs.currentIndex())
        self._fit_tabs()

    def set_covered(self, covered: bool) -> None:
        """Hide requests, the data of events, responses and snapshots, which can hold prompts, or show them."""
        if covered != self._is_covered:
            self._is_covered = covered
            self._events.set_covered(covered)
            for tab, panel in self._panels.items():
                panel.set_covered(covered and tab in _COVERED)
            self.show_detail(self._detail)

    def show_counts(self, events: int | None, changes: int | None) -> None:
        """Show how many events, and changes of status, the whole log has, as far as that is known."""
        task = None if self._detail is None else self._detail.task
        is_told = task is not None and task.told("last_seq") is not None
        # Where no number of the last event is told it is how many were counted, or 0 for nobody knows.
        last_seq = None if task is None else task.last_seq if is_told else task.last_seq or None
        self._events.set_totals(last_seq if events is None else events, changes, last_seq)
        remark: int | str | None = last_seq if events is None else events
        if task is not None and events is not None and task.status in FINAL and events < task.last_seq:
            remark = self.tr("{here} of {all}").format(here=grouped(events), all=grouped(task.last_seq))
        self._tabs.set_remark(DetailTab.EVENTS, remark)
        self._fit_tabs()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_tabs()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_to_font()

    def _fit_to_font(self) -> None:
        # Of all pages the events decide how low the stack may be: they leave out what has no room, texts scroll.
        self._pages.setMinimumSize(1, self._events.minimumSizeHint().height())

    def _show_text(self, tab: DetailTab, word: str, stored: StoredText | None) -> None:
        self._texts[tab] = _Text(word, stored, self.tr("Nothing is stored."))
        self._turn(tab, on=stored is not None)

    def _show_tab(self, index: int) -> None:
        """Bring a tab on screen, with what there is for it now: a text is laid out for those who look at it."""
        tab = DetailTab(index)
        if tab in self._texts:
            self.panel(tab)
        elif tab is DetailTab.RAW_ROW and self._raw_table is None:
            self._raw_table = self._make_raw_table()
            self._rooms[tab].put(self._raw_table)
        self._pages.setCurrentIndex(index)

    def _turn(self, tab: DetailTab, *, on: bool) -> None:
        # Before it is off: Qt would go on to the next tab that is on.
        if not on and self._tabs.currentIndex() == tab:
            self._tabs.setCurrentIndex(DetailTab.EVENTS)
        self._tabs.setTabEnabled(tab, on)

    def _fit_tabs(self) -> None:
        """Leave out the tabs that are off where they do not all fit."""
        tabs = self._tabs
        wanted = sum(tabs.tabSizeHint(index).width() for index in range(tabs.count()))
        for index in range(tabs.count()):
            tabs.setTabVisible(index, tabs.isTabEnabled(index) or wanted <= self.width())

    def _make_raw_table(self) -> DenseTable:
        table = DenseTable(self, dense=True)
        table.setModel(self._raw)
        table.setAccessibleName(self.tr("Raw row"))
        table.setItemDelegateForColumn(RawColumn.NAME, TextDelegate(parent=table, tone="text2"))
        table.setItemDelegateForColumn(RawColumn.VALUE, FixedDelegate(parent=table))
        header = table.horizontalHeader()
        header.resizeSection(RawColumn.NAME, 130)
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(RawColumn.VALUE, QHeaderView.ResizeMode.Stretch)
        return table
