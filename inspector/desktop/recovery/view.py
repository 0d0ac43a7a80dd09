"""The Recovery view: the table of section 11.3, the tasks in it, and what a restart would do to the selected one."""

from collections.abc import Callable
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QHeaderView,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.desktop.recovery.filter_bar import FilterBar
from inspector.desktop.recovery.grid import RecoveryGrid
from inspector.desktop.recovery.grid_model import GridItemModel
from inspector.desktop.recovery.grouping import Kind, Narrowing, Place, kind_counts, narrowed, place_of, tallies
from inspector.desktop.recovery.item_model import StepColumn, StepItemModel
from inspector.desktop.recovery.step_detail import StepDetail
from inspector.desktop.recovery.summary import RestartSummary
from inspector.desktop.recovery.words import NOTHING_LEFT, nothing_words, preview_words, summary
from inspector.desktop.widgets.cells import (
    EventTypeDelegate,
    FixedDelegate,
    NumberDelegate,
    StateDelegate,
    TextDelegate,
)
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.fonts import PLAIN_PX, ui_font
from inspector.desktop.widgets.lines import PaneSplitter
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.table import DenseTable
from inspector.desktop.widgets.until_read import UntilRead
from inspector.desktop.widgets.words import clock_time
from inspector.lmsp.recovery import RecoveryPlan, RecoveryStep

_MARGIN: Final = 12
_GRID_AT_MOST: Final = 1.1
"""Of the width that the table asks for: wider cells would only part what belongs together."""
_LIST_HEIGHT: Final = 150
_DETAIL_HEIGHT: Final = 178

_NO_PLAN: Final = RecoveryPlan(())
_WIDTHS: Final = {
    StepColumn.WARN: 30,
    StepColumn.FOUND: 112,
    StepColumn.TASK: 146,
    StepColumn.POLICY: 76,
    StepColumn.ARROW: 28,
    StepColumn.AFTER: 216,
    StepColumn.EVENT: 232,
    StepColumn.ATTEMPT: 80,
    StepColumn.WARNING: 160,
}
_FIRST_TO_GO: Final = (StepColumn.WARNING, StepColumn.ATTEMPT, StepColumn.EVENT, StepColumn.POLICY)
"""Which columns a narrow view does without: the pane below says all of it about the selected task."""


class RecoveryView(QWidget):
    """What a service would do with the leftover tasks when it starts on this file. Nothing is written from here.

    It is fed by values and asks for nothing. A plan that is shown again changes in place: selection, chosen cell and
    scroll stay, and a task that is no longer left over keeps its last preview for as long as it is selected.

    Signals:
        task_requested: the reader wants the task itself; carries its id.
    """

    task_requested = Signal(str)

    def __init__(self, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._plan: RecoveryPlan | None = None
        self._narrowing = Narrowing()
        self._selected: str | None = None
        self._refreshing = False
        self._scale = 0.0
        self._width_when_wide = 0
        self._bar = MessageBar()
        self._grid_model = GridItemModel(self)
        self._grid = RecoveryGrid(self._grid_model)
        self._summary = RestartSummary()
        self._filters = FilterBar()
        self._model = StepItemModel(self)
        self._table = self._make_table()
        self._empty = EmptySentence()
        self._list = QStackedWidget()
        self._list.addWidget(self._table)
        self._list.addWidget(self._empty)
        self._detail = StepDetail()
        self._arrange()
        self._connect()
        self.clear()

    @property
    def selected(self) -> str | None:
        """The id of the selected task."""
        return self._selected

    def show_plan(self, plan: RecoveryPlan, read_at_ms: int) -> None:
        """Show this plan, made from what was read at ``read_at_ms``, in the place of the one before."""
        self._plan = plan
        self._say(preview_words(plan, clock_time(read_at_ms, read_at_ms, self._zone)))
        self._refresh()
        self._content.show_content()
        if self._selected is None and self._model.rowCount():
            self._make_current(0)

    def show_unread(self, sentence: str) -> None:
        """Show no plan, and in one visible sentence why none can be made."""
        self.clear()
        self._content.show_unread(sentence)

    def clear(self) -> None:
        """Forget plan, selection and what the list was narrowed to: another file is read from now on."""
        self._content.show_unread("")
        self._plan = None
        self._selected = None
        self._filters.set_kind(Kind.ALL)
        self._narrowing = Narrowing(place=self._narrowing.place)
        self._grid.lift()
        self._say("")
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._narrowing.place is not None:
            self._grid.lift()
        else:
            super().keyPressEvent(event)

    def _arrange(self) -> None:
        self._upper = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._upper.setContentsMargins(_MARGIN, 14, _MARGIN, 14)
        self._upper.setSpacing(20)
        self._upper.addWidget(self._grid, 3, Qt.AlignmentFlag.AlignTop)
        self._upper.addWidget(self._summary, 2)
        self._splitter = PaneSplitter(Qt.Orientation.Vertical)
        self._list.setMinimumHeight(_LIST_HEIGHT)
        self._detail.setMinimumHeight(_DETAIL_HEIGHT)
        self._splitter.addWidget(self._list)
        self._splitter.addWidget(self._detail)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 0)
        page = QWidget()
        page.setBackgroundRole(QPalette.ColorRole.Base)
        page.setAutoFillBackground(True)
        below = QVBoxLayout(page)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addLayout(self._upper)
        below.addWidget(self._filters)
        below.addWidget(self._splitter, 1)
        # Where the window is too low for all of it, the page scrolls; the list and the detail keep a useful height.
        self._page = QScrollArea()
        self._page.setFrameShape(QFrame.Shape.NoFrame)
        self._page.setWidgetResizable(True)
        self._page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page.setWidget(page)
        self._content = UntilRead(self._bar, self._page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._content)
        self.setFocusProxy(self._table)

    def _connect(self) -> None:
        self._grid.chosen_changed.connect(self._on_chosen)
        self._filters.kind_changed.connect(self._on_kind)
        self._filters.all_wanted.connect(self._grid.lift)
        self._empty.link_clicked.connect(self._on_all_wanted)
        self._table.selectionModel().currentRowChanged.connect(self._on_current_row)
        self._table.activated.connect(lambda _index: self._request_current())
        self._add_action(self.tr("Show task"), self._request_current)
        self._add_action(self.tr("Copy task id"), self._copy_current).setShortcut(QKeySequence.StandardKey.Copy)
        self._detail.task_requested.connect(self.task_requested)

    def _make_table(self) -> DenseTable:
        table = DenseTable()
        table.setModel(self._model)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setAccessibleName(self.tr("Leftover tasks"))
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        state, text = StateDelegate(parent=table), TextDelegate(parent=table)
        delegates = {
            StepColumn.FOUND: state,
            StepColumn.TASK: FixedDelegate(parent=table),
            StepColumn.AFTER: state,
            StepColumn.EVENT: EventTypeDelegate(parent=table),
            StepColumn.ATTEMPT: NumberDelegate(parent=table),
        }
        header = table.horizontalHeader()
        header.setSectionsMovable(False)
        for column in StepColumn:
            table.setItemDelegateForColumn(column, delegates.get(column, text))
        for column in (StepColumn.WARN, StepColumn.ARROW):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        return table

    def _fit(self) -> None:
        """Fit everything to the width and the font there are."""
        self._fit_upper()
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Leave columns to the pane below where the view is narrow; the task then takes what room there is."""
        scale = ui_font().pixelSize() / PLAIN_PX
        widths = {column: round(width * scale) for column, width in _WIDTHS.items()}
        header = self._table.horizontalHeader()
        if scale != self._scale:
            self._scale = scale
            for column, width in widths.items():
                header.resizeSection(column, width)
        for column in _FIRST_TO_GO:
            goes = sum(widths.values()) > self.width()
            header.setSectionHidden(column, goes)
            if goes:
                del widths[column]
        narrow = header.isSectionHidden(StepColumn.WARNING)
        if narrow == (header.sectionResizeMode(StepColumn.TASK) is QHeaderView.ResizeMode.Stretch):
            return
        header.setStretchLastSection(not narrow)
        if narrow:
            self._width_when_wide = header.sectionSize(StepColumn.TASK)
            header.setSectionResizeMode(StepColumn.TASK, QHeaderView.ResizeMode.Stretch)
        else:
            header.setSectionResizeMode(StepColumn.TASK, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(StepColumn.TASK, self._width_when_wide)

    def _fit_upper(self) -> None:
        """Put the summary beside the table where both fit, otherwise below it, and the table then takes less height."""
        wanted = self._grid.sizeHint().width()
        inner = self.width() - 2 * _MARGIN
        fits = wanted + self._upper.spacing() + self._summary.one_column_width() <= inner
        direction = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if direction != self._upper.direction():
            self._upper.setDirection(direction)
        self._grid.set_compact(not fits)
        self._grid.setMinimumWidth(wanted if fits else 0)
        self._grid.setMaximumWidth(int(wanted * _GRID_AT_MOST) if fits else self.maximumWidth())
        if fits:
            self._summary.fit_beside()
        else:
            self._summary.fit_below(inner)

    def _say(self, consequence: str) -> None:
        fact = self.tr("Preview. Nothing is written.")
        self._bar.set_message(MessageKind.INFO, fact, consequence, closable=False)

    def _refresh(self) -> None:
        """Bring everything in line with the plan."""
        plan = self._plan or _NO_PLAN
        self._grid_model.show_tallies(tallies(plan))
        self._summary.show_lines(summary(plan))
        self._fit_upper()
        self._refresh_list()
        self._show_selected()

    def _refresh_list(self) -> None:
        """Bring the rows in line with plan and narrowing; what is on screen and selected stays where it is."""
        plan = self._plan or _NO_PLAN
        steps = narrowed(plan, self._narrowing)
        self._filters.show_counts(kind_counts(plan, self._narrowing.place))
        self._refreshing = True
        if all(step.task_id != self._selected for step in steps):
            # Before its row goes: Qt would make the next one current, and another task would be selected unasked.
            self._table.selectionModel().clear()
        self._keeping_place(steps)
        row = None if self._selected is None else self._model.row_of(self._selected)
        if row is not None and row != self._table.currentIndex().row():
            self._make_current(row)
        self._refreshing = False
        self._show_emptiness()

    def _keeping_place(self, steps: tuple[RecoveryStep, ...]) -> None:
        """Show these steps so that the first row on screen that is still there stays where it is."""
        bar = self._table.verticalScrollBar()
        first = self._table.rowAt(0)
        if bar.value() == 0 or first < 0:
            self._model.show_steps(steps)
            return
        on_screen = [
            (step.task_id, self._table.rowViewportPosition(row))
            for row in range(
                first, self._table.rowAt(self._table.viewport().height() - 1) + 1 or self._model.rowCount()
            )
            if (step := self._model.step_at(row)) is not None
        ]
        self._model.show_steps(steps)
        for task_id, before in on_screen:
            row = self._model.row_of(task_id)
            if row is not None:
                bar.setValue(bar.value() + self._table.rowViewportPosition(row) - before)
                return

    def _show_selected(self) -> None:
        """Show the selected task below, and frame its cell above."""
        step = self._find(self._selected)
        self._grid_model.mark(None if step is None else place_of(step))
        if step is not None:
            self._detail.show_step(step)
        elif self._selected is None:
            self._detail.show_nothing(can_select=self._model.rowCount() > 0)
        elif self._detail.step is not None:
            self._detail.show_step(self._detail.step, is_left_over=False)

    def _find(self, task_id: str | None) -> RecoveryStep | None:
        steps = (self._plan or _NO_PLAN).steps
        return next((step for step in steps if step.task_id == task_id), None)

    def _show_emptiness(self) -> None:
        nothing = self._model.rowCount() == 0
        self._list.setCurrentWidget(self._empty if nothing else self._table)
        if nothing:
            if self._plan is None:
                self._empty.set_sentence("")
            elif self._plan.steps:
                of = kind_counts(self._plan, self._narrowing.place)[self._narrowing.kind]
                words = nothing_words(self._narrowing, len(self._plan.steps), of)
                self._empty.set_sentence(words, self.tr("Show all leftover tasks"))
            else:
                self._empty.set_sentence(self.tr(NOTHING_LEFT))

    def _narrow(self, to: Narrowing) -> None:
        self._narrowing = to
        self._filters.show_place(to.place)
        self._refresh_list()

    def _on_chosen(self, place: Place | None) -> None:
        self._narrow(Narrowing(self._narrowing.kind, place))

    def _on_kind(self, kind: Kind) -> None:
        self._narrow(Narrowing(kind, self._narrowing.place))

    def _on_all_wanted(self) -> None:
        self._filters.set_kind(Kind.ALL)
        self._narrow(Narrowing(Kind.ALL, self._narrowing.place))
        self._grid.lift()

    def _make_current(self, row: int) -> None:
        """Select a row, whatever keys are held down now: the table itself would take Shift for a wish to extend."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self._table.selectionModel().setCurrentIndex(self._model.index(row, StepColumn.TASK), flags)

    def _on_current_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if self._refreshing:
            return
        step = self._model.step_at(current.row())
        if step is not None:
            self._selected = step.task_id
            self._show_selected()

    def _add_action(self, text: str, act: Callable[[], None]) -> QAction:
        """Put an action into the list's menu, and its shortcut on the list."""
        action = QAction(text, self._table)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: act())
        self._table.addAction(action)
        return action

    def _request_current(self) -> None:
        step = self._model.step_at(self._table.currentIndex().row())
        if step is not None:
            self.task_requested.emit(step.task_id)

    def _copy_current(self) -> None:
        step = self._model.step_at(self._table.currentIndex().row())
        if step is not None:
            QGuiApplication.clipboard().setText(step.task_id)
