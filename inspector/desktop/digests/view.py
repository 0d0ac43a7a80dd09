"""The Models view: every registered model, the state of its file, and the verification of digests."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.digests.filter_bar import FilterBar
from inspector.desktop.digests.item_model import ModelColumn, ModelItemModel
from inspector.desktop.digests.model_detail import ModelDetail
from inspector.desktop.digests.progress_strip import ProgressStrip
from inspector.desktop.digests.standing import Progress, Standing, group_counts, is_in, is_named
from inspector.desktop.digests.words import NO_MODELS
from inspector.desktop.widgets.cells import FixedDelegate, NumberDelegate, TextDelegate
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.fonts import PLAIN_PX, ui_font
from inspector.desktop.widgets.lines import PaneSplitter
from inspector.desktop.widgets.table import DenseTable
from inspector.desktop.widgets.until_read import UntilRead
from inspector.layout.files import FileCheck
from inspector.layout.pages import ModelPage
from inspector.layout.rows import ModelRow

_LIST_HEIGHT: Final = 130
_DETAIL_HEIGHT: Final = 150
_WIDTHS: Final = {
    ModelColumn.STATE: 152,
    ModelColumn.MODEL: 194,
    ModelColumn.SIZE: 78,
    ModelColumn.DIGEST: 140,
    ModelColumn.FORMAT: 84,
    ModelColumn.TASKS: 78,
    ModelColumn.UNFINISHED: 92,
    ModelColumn.CHECKED: 132,
    ModelColumn.PATH: 130,
}
_FIRST_TO_GO: Final = (ModelColumn.PATH, ModelColumn.FORMAT, ModelColumn.CHECKED, ModelColumn.DIGEST)
"""Which columns a narrow view does without: each stands in the pane below as well, or is told by the name."""


class ModelsView(QWidget):
    """The models of a service against their files. It is fed by values and reads no file itself.

    Models and checks that are shown again change in place: selection and scroll stay.

    Signals:
        verify_requested: files are to be hashed, in this order; carries the ids of their models as a tuple.
        stop_requested: hashing is to stop.
        model_tasks_requested: the tasks that use a model are wanted; carries its id.
    """

    verify_requested = Signal(object)
    stop_requested = Signal()
    model_tasks_requested = Signal(str)

    def __init__(self, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[ModelRow, ...] = ()
        self._checks: Mapping[str, FileCheck] = {}
        self._now_ms: int | None = None
        self._asked: list[str] = []
        self._hashed: tuple[str, Progress] | None = None
        self._selected: str | None = None
        self._refreshing = False
        self._scale = 0.0
        self._width_when_wide = 0
        self._filters = FilterBar()
        self._progress = ProgressStrip()
        self._progress.hide()
        self._model = ModelItemModel(zone, self)
        self._table = self._make_table()
        self._empty = EmptySentence()
        self._list = QStackedWidget()
        self._list.addWidget(self._table)
        self._list.addWidget(self._empty)
        self._detail = ModelDetail(zone)
        self._arrange()
        self._connect()

    @property
    def selected(self) -> str | None:
        """The id of the selected model."""
        return self._selected

    def show_models(self, page: ModelPage) -> None:
        """Show these models; times are told as of the moment in which they were read."""
        self._models = page.models
        self._now_ms = page.read_at_ms
        self._refresh()
        self._content.show_content()

    def show_file_states(self, checks: Mapping[str, FileCheck]) -> None:
        """Show these checks, all that are known, by model id; a model without one is not checked."""
        if self._hashed is not None and checks.get(self._hashed[0]) != self._checks.get(self._hashed[0]):
            self._asked = [model_id for model_id in self._asked if self._hashed[0] != model_id]
            self._hashed = None
        self._checks = checks
        self._refresh()

    def show_progress(self, model_id: str, done_bytes: int, total_bytes: int, bytes_per_s: float, waiting: int) -> None:
        """Show how far the file of one model has been hashed, and how many files wait behind it."""
        progress = Progress(done_bytes, total_bytes)
        self._hashed = (model_id, progress)
        if model_id in self._asked:
            self._asked = self._asked[self._asked.index(model_id) + 1 :]
        name = next((model.name for model in self._models if model.id == model_id), model_id)
        self._progress.show_progress(name, progress, bytes_per_s, waiting)
        self._progress.show()
        self._refresh()

    def verifying_ended(self) -> None:
        """Show that nothing is being hashed any more."""
        self._hashed = None
        self._asked = []
        self._progress.hide()
        self._progress.start()
        self._refresh()

    def verify_all(self) -> None:
        """Ask for every model to be verified, whatever is listed: what a menu's action does."""
        self._ask(tuple(one.model.id for one in self._standings() if one.progress is None and not one.waits))

    def show_unread(self, sentence: str) -> None:
        """Show no models, and in one visible sentence why they are not read."""
        self.clear()
        self._content.show_unread(sentence)

    def clear(self) -> None:
        """Forget models, checks and selection: another file is read from now on."""
        self._content.show_unread("")
        self._models = ()
        self._checks = {}
        self._now_ms = None
        self._selected = None
        self._filters.clear()
        self.verifying_ended()

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self._filters.focus_search()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Leave columns to the pane below where the view is narrow; the name then takes what room there is."""
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
        narrow = header.isSectionHidden(ModelColumn.PATH)
        if narrow == (header.sectionResizeMode(ModelColumn.MODEL) is QHeaderView.ResizeMode.Stretch):
            return
        header.setStretchLastSection(not narrow)
        if narrow:
            self._width_when_wide = header.sectionSize(ModelColumn.MODEL)
            header.setSectionResizeMode(ModelColumn.MODEL, QHeaderView.ResizeMode.Stretch)
        else:
            header.setSectionResizeMode(ModelColumn.MODEL, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(ModelColumn.MODEL, self._width_when_wide)

    def _arrange(self) -> None:
        self._list.setMinimumHeight(_LIST_HEIGHT)
        self._detail.setMinimumHeight(_DETAIL_HEIGHT)
        self._splitter = PaneSplitter(Qt.Orientation.Vertical)
        self._splitter.addWidget(self._list)
        self._splitter.addWidget(self._detail)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._content = UntilRead(self._filters, self._progress, self._splitter)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._content)
        self.setFocusProxy(self._table)

    def _connect(self) -> None:
        self._filters.filter_changed.connect(self._refresh)
        self._filters.verify_selected_wanted.connect(self._on_verify_selected)
        self._filters.verify_listed_wanted.connect(self._on_verify_listed)
        self._progress.stop_requested.connect(self.stop_requested)
        self._empty.link_clicked.connect(self._filters.clear)
        self._table.selectionModel().currentRowChanged.connect(self._on_current_row)
        self._table.selectionModel().selectionChanged.connect(self._on_selection)
        self._add_action(self.tr("Verify"), self._on_verify_selected)
        self._add_action(self.tr("Show its tasks"), self._request_tasks)
        self._add_action(self.tr("Copy digest"), self._copy_digest).setShortcut(QKeySequence.StandardKey.Copy)
        self._detail.verify_requested.connect(lambda model_id: self._ask((model_id,)))
        self._detail.tasks_requested.connect(self.model_tasks_requested)

    def _make_table(self) -> DenseTable:
        table = DenseTable()
        table.setModel(self._model)
        table.setAccessibleName(self.tr("Models"))
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        number, text = NumberDelegate(parent=table), TextDelegate(parent=table)
        delegates = {
            ModelColumn.SIZE: number,
            ModelColumn.DIGEST: FixedDelegate(parent=table),
            ModelColumn.TASKS: number,
            ModelColumn.UNFINISHED: number,
            ModelColumn.PATH: TextDelegate(parent=table, middle=True),
        }
        header = table.horizontalHeader()
        header.setSectionsMovable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in ModelColumn:
            table.setItemDelegateForColumn(column, delegates.get(column, text))
        return table

    def _standings(self) -> list[Standing]:
        """Return every model with its newest check and what is going on with its file."""
        asked = set(self._asked)
        hashed_id, progress = self._hashed or (None, None)
        return [
            Standing(
                model=model,
                check=self._checks.get(model.id),
                progress=progress if model.id == hashed_id else None,
                waits=model.id in asked and model.id != hashed_id,
            )
            for model in self._models
        ]

    def _refresh(self) -> None:
        """Bring rows, chips and detail in line with what is known; what is selected stays selected."""
        standings = self._standings()
        named = [standing for standing in standings if is_named(self._filters.text, standing.model)]
        listed = [standing for standing in named if is_in(self._filters.group, standing)]
        self._filters.show_counts(group_counts(named))
        self._refreshing = True
        if all(standing.model.id != self._selected for standing in listed):
            # Before its row goes: Qt would make the next one current, and another model would be selected unasked.
            self._table.selectionModel().clear()
        self._model.show_standings(listed, now_ms=self._now_ms)
        row = None if self._selected is None else self._model.row_of(self._selected)
        if row is not None and row != self._table.currentIndex().row():
            self._make_current(row)
        self._refreshing = False
        if self._selected is None and listed:
            self._make_current(0)
        self._show_emptiness(standings, listed)
        self._show_selected()
        self._show_verifiable()

    def _show_emptiness(self, standings: Sequence[Standing], listed: Sequence[Standing]) -> None:
        self._list.setCurrentWidget(self._table if listed else self._empty)
        if not listed and standings:
            self._empty.set_sentence(self.tr("No model matches."), self.tr("Clear the filters"))
        elif not listed:
            self._empty.set_sentence(self.tr(NO_MODELS))

    def _show_selected(self) -> None:
        standing = next((one for one in self._standings() if one.model.id == self._selected), None)
        self._detail.setVisible(standing is not None)
        self._detail.show_standing(standing, now_ms=self._now_ms)

    def _show_verifiable(self) -> None:
        self._filters.show_verifiable(
            selected=len(self._not_asked(self._selected_rows())),
            listed=len(self._not_asked(range(self._model.rowCount()))),
            of=len(self._models),
        )

    def _selected_rows(self) -> list[int]:
        return sorted(index.row() for index in self._table.selectionModel().selectedRows())

    def _not_asked(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the models in these rows that are neither hashed now nor waiting to be."""
        standings = (self._model.standing_at(row) for row in rows)
        return tuple(one.model.id for one in standings if one is not None and one.progress is None and not one.waits)

    def _ask(self, model_ids: tuple[str, ...]) -> None:
        if model_ids:
            self._asked += [model_id for model_id in model_ids if model_id not in self._asked]
            self._refresh()
            self.verify_requested.emit(model_ids)

    def _on_verify_selected(self) -> None:
        self._ask(self._not_asked(self._selected_rows()))

    def _on_verify_listed(self) -> None:
        self._ask(self._not_asked(range(self._model.rowCount())))

    def _add_action(self, text: str, act: Callable[[], None]) -> QAction:
        """Put an action into the table's menu, and its shortcut on the table."""
        action = QAction(text, self._table)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: act())
        self._table.addAction(action)
        return action

    def _request_tasks(self) -> None:
        standing = self._model.standing_at(self._table.currentIndex().row())
        if standing is not None:
            self.model_tasks_requested.emit(standing.model.id)

    def _copy_digest(self) -> None:
        standing = self._model.standing_at(self._table.currentIndex().row())
        if standing is not None:
            QGuiApplication.clipboard().setText(standing.model.digest)

    def _make_current(self, row: int) -> None:
        """Select a row, whatever keys are held down now: the table itself would take Shift for a wish to extend."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self._table.selectionModel().setCurrentIndex(self._model.index(row, ModelColumn.MODEL), flags)

    def _on_current_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        standing = self._model.standing_at(current.row())
        if not self._refreshing and standing is not None:
            self._selected = standing.model.id
            self._show_selected()

    def _on_selection(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        if not self._refreshing:
            self._show_verifiable()
