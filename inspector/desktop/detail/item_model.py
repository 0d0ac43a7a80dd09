"""The events of one task as rows, and the rows that a filter lets through."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt

from inspector.desktop.detail.loaded_events import Entry, LoadedEvents, Missing, Place
from inspector.desktop.widgets.cells import CELL_ROLES
from inspector.desktop.widgets.row_cells import Cell
from inspector.desktop.widgets.words import NOTHING, counted, offset
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.events import implied_status

Index = QModelIndex | QPersistentModelIndex

_DISPLAY: Final = int(Qt.ItemDataRole.DisplayRole)
_ROOT: Final = QModelIndex()
_PREVIEW: Final = 300
"""How much of an event's data a cell holds: what does not fit on a line is read below the list."""


class EventColumn(IntEnum):
    """The columns of the list of events."""

    SEQ = 0
    SINCE = 1
    GAP = 2
    TYPE = 3
    DATA = 4


_SEQ, _SINCE, _GAP, _TYPE, _DATA = (int(column) for column in EventColumn)


def is_change(event: EventRow) -> bool:
    """Say whether an event is one that changes a task's status, by its type."""
    return implied_status(event.type) is not None


def preview(text: str) -> str:
    """Return one line of an event's data: without the braces around it, and with nothing in it that acts."""
    inner = " ".join(text[:_PREVIEW].split())
    if inner.startswith("{"):
        inner = inner[1:].strip()
        if len(text) <= _PREVIEW:
            inner = inner.removesuffix("}").strip()
    return visible(inner)


class EventItemModel(QAbstractTableModel):
    """One unbroken stretch of a task's log, oldest first. Pages join it at its ends; a refresh never resets it."""

    def __init__(self, now_ms: Callable[[], int], parent: QObject | None = None) -> None:
        """Make an empty one. ``now_ms`` is the flash clock's, for the rows that arrive while one looks."""
        super().__init__(parent)
        self._flash_now_ms = now_ms
        self._loaded = LoadedEvents()
        self._zero_ms: int | None = None
        self._covered = False
        self._arrived: dict[int, int] = {}
        self._cells: dict[int, Sequence[Cell]] = {}

    @property
    def more_before(self) -> bool:
        """Whether the log has events before those that are loaded."""
        return self._loaded.more_before

    @property
    def more_after(self) -> bool:
        """Whether the log is known to have events after those that are loaded."""
        return self._loaded.more_after

    @property
    def first_seq(self) -> int | None:
        """The first event that is loaded."""
        return self._loaded.first_seq

    @property
    def last_seq(self) -> int | None:
        """The last event that is loaded."""
        return self._loaded.last_seq

    @property
    def events(self) -> int:
        """How many events are loaded."""
        return sum(isinstance(entry, EventRow) for entry in self._loaded.entries)

    @property
    def changes(self) -> int:
        """How many of them change the status."""
        return sum(isinstance(entry, EventRow) and is_change(entry) for entry in self._loaded.entries)

    @property
    def is_covered(self) -> bool:
        """Whether the data is covered."""
        return self._covered

    def entry(self, row: int) -> Entry | None:
        """Return what a row shows, or None where there is no such row."""
        entries = self._loaded.entries
        return entries[row] if 0 <= row < len(entries) else None

    def row_of(self, seq: int) -> int | None:
        """Return the row of event ``seq``, or None where it is not loaded."""
        entries = self._loaded.entries
        low, high = 0, len(entries)
        while low < high:
            middle = (low + high) // 2
            if _last_seq(entries[middle]) < seq:
                low = middle + 1
            else:
                high = middle
        found = self.entry(low)
        return low if isinstance(found, EventRow) and found.seq == seq else None

    def event_row(self, seq: int) -> EventRow | None:
        """Return event ``seq``, or None where it is not loaded."""
        row = self.row_of(seq)
        entry = None if row is None else self.entry(row)
        return entry if isinstance(entry, EventRow) else None

    def forget(self) -> None:
        """Be empty, for another task."""
        self.beginResetModel()
        self._loaded.forget()
        self._arrived.clear()
        self._cells.clear()
        self._zero_ms = None
        self.endResetModel()

    def set_zero(self, zero_ms: int | None) -> None:
        """Set the moment that "since start" counts from."""
        if zero_ms != self._zero_ms:
            self._zero_ms = zero_ms
            self._cells.clear()
            self._tell_changed(_SINCE)

    def set_covered(self, covered: bool) -> None:
        """Cover the data, which can hold prompts and outputs, or uncover it."""
        if covered != self._covered:
            self._covered = covered
            self._cells.clear()
            self._tell_changed(_DATA)

    def show_page(self, page: EventPage, *, wanted: bool = False) -> Place:
        """Let a page join, and say where it did. ``wanted``: it was asked for as it is, also where it lies apart."""
        place = self._loaded.place_of(page, wanted=wanted)
        entries = self._loaded.entries
        match place:
            case Place.AFTER:
                new = self._loaded.entries_after(page)
                self._mark_arrived(new)
                self._insert(len(entries), new)
            case Place.BEFORE:
                new = self._loaded.entries_before(page)
                self._insert(0, new)
                # What was the first row has one before it now, and so a gap.
                if new and len(new) < len(entries):
                    gap = self.index(len(new), _GAP)
                    self.dataChanged.emit(gap, gap, [_DISPLAY])
            case Place.INSTEAD:
                self._remove_all()
                self._arrived.clear()
                self._insert(0, self._loaded.entries_instead(page))
            case Place.NOWHERE:
                pass
        self._loaded.take(page, place)
        beyond = self._loaded.beyond(place)
        if beyond:
            self.beginRemoveRows(_ROOT, beyond.start, beyond.stop - 1)
            self._loaded.let_go(beyond)
            self._cells.clear()
            self.endRemoveRows()
        return place

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._loaded.entries)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(EventColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:  # noqa: ANN401
        if role != _DISPLAY or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("Seq"), self.tr("Since start"), self.tr("Gap"), self.tr("Type"), self.tr("Data"))[section]

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what a row shows. It is worked out once, until something of it may have changed."""
        kept = self._cells.get(row)
        if kept is None:
            entry = self._loaded.entries[row]
            kept = self._missing_cells(entry) if isinstance(entry, Missing) else self._event_cells(entry, row)
            self._cells[row] = kept
        return kept

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        read = CELL_ROLES.get(role)
        if read is None or not 0 <= index.row() < len(self._loaded.entries):
            return None
        return read(self.row_cells(index.row())[index.column()])

    def _event_cells(self, event: EventRow, row: int) -> Sequence[Cell]:
        at_ms, zero_ms, before = event.created_at, self._zero_ms, self.entry(row - 1)
        since = "" if at_ms is None or zero_ms is None else offset(at_ms - zero_ms)
        since = or_as_stored(since, event.as_stored("created_at"))
        gap = ""
        if at_ms is not None and isinstance(before, EventRow) and before.created_at is not None:
            gap = offset(at_ms - before.created_at)
        data = self.tr("hidden") if self._covered else preview(event.data.text)
        status, arrived = event.status if is_change(event) else None, self._arrived.get(event.seq)
        return (
            Cell(number_words(event.told("seq"), str, NOTHING), flash_at_ms=arrived),
            Cell(since, dim=1, flash_at_ms=arrived),
            Cell(gap, dim=1, flash_at_ms=arrived),
            Cell(_type_words(event), status, flash_at_ms=arrived),
            Cell(data, dim=1, flash_at_ms=arrived),
        )

    def _missing_cells(self, missing: Missing) -> Sequence[Cell]:
        first, last, nothing = missing.first_seq, missing.last_seq, Cell("")
        words = self.tr("{events} missing").format(events=counted(missing.events, "event"))
        numbers = str(first) if first == last else f"{first}–{last}"
        return Cell(numbers), nothing, nothing, Cell(words, warn=1), nothing

    def _insert(self, at: int, new: list[Entry]) -> None:
        if new:
            self.beginInsertRows(_ROOT, at, at + len(new) - 1)
            self._loaded.entries[at:at] = new
            self._cells.clear()
            self.endInsertRows()

    def _remove_all(self) -> None:
        if self._loaded.entries:
            self.beginRemoveRows(_ROOT, 0, len(self._loaded.entries) - 1)
            self._loaded.entries.clear()
            self._cells.clear()
            self.endRemoveRows()

    def _mark_arrived(self, new: list[Entry]) -> None:
        now_ms = self._flash_now_ms()
        self._arrived = {entry.seq: now_ms for entry in new if isinstance(entry, EventRow)} | {
            seq: at_ms for seq, at_ms in self._arrived.items() if now_ms - at_ms < _WARM_MS
        }

    def _tell_changed(self, column: int) -> None:
        rows = len(self._loaded.entries)
        if rows:
            self.dataChanged.emit(self.index(0, column), self.index(rows - 1, column), [_DISPLAY])


_WARM_MS: Final = 3_000
"""Longer than any row flashes: what arrived before that is forgotten."""


def _type_words(event: EventRow) -> str:
    return NOTHING if event.told("type") is None else visible(event.type[:_PREVIEW])


def _last_seq(entry: Entry) -> int:
    return entry.last_seq if isinstance(entry, Missing) else entry.seq


class EventFilterModel(QSortFilterProxyModel):
    """The loaded events that a text and the choice of status changes let through."""

    def __init__(self, events: EventItemModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._events = events
        self._text = ""
        self._changes_only = False
        self.setSourceModel(events)

    @property
    def is_on(self) -> bool:
        """Whether anything is held back."""
        return bool(self._text) or self._changes_only

    def set_filter(self, text: str, *, changes_only: bool) -> None:
        """Let through what has ``text`` in its type or data, in any case, and if so chosen only changes of status."""
        wanted = text.casefold()
        if (wanted, changes_only) == (self._text, self._changes_only):
            return
        self._text, self._changes_only = wanted, changes_only
        self.invalidate()

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what a row shows."""
        return self._events.row_cells(self.mapToSource(self.index(row, 0)).row() if self.is_on else row)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        if not self.is_on:
            return True
        entry = self._events.entry(source_row)
        if not isinstance(entry, EventRow) or (self._changes_only and not is_change(entry)):
            return False
        if self._text in entry.type.casefold():
            return True
        # What is covered is not found either: a filter would tell it letter by letter.
        return not self._events.is_covered and self._text in entry.data.text.casefold()
