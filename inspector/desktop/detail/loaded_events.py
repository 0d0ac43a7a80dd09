"""Which part of a task's log is loaded, and how a page joins it. Pure: no Qt.

Loaded is one unbroken stretch of the log. What a page adds stands at one of its ends or takes its place; sequence
numbers that the log itself lacks stand in it as one row. However far one reads, no more than :data:`MOST_LOADED` stay:
what is farthest from the page that came last is let go of, and asked for again when one comes back to it.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from inspector.layout.pages import PAGE_ROWS, EventPage
from inspector.layout.rows import EventRow
from inspector.lmsp.values import value

MOST_LOADED: Final = 20 * PAGE_ROWS
"""The most rows that are kept of one log."""


@value
class Missing:
    """Sequence numbers that the log should have and has not: deleted, or on a page that cannot be read."""

    first_seq: int
    last_seq: int

    @property
    def events(self) -> int:
        """How many are missing."""
        return self.last_seq - self.first_seq + 1


Entry = EventRow | Missing


class Place(Enum):
    """Where a page goes."""

    BEFORE = auto()
    AFTER = auto()
    INSTEAD = auto()
    """It does not adjoin what is loaded and was asked for: it takes its place."""
    NOWHERE = auto()
    """It brings nothing new, or is far from what is loaded and was not asked for."""


class LoadedEvents:
    """The unbroken stretch of one task's log that is loaded. A page is placed first, then taken."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.more_before = False
        self.more_after = False
        self._newest = 0

    @property
    def first_seq(self) -> int | None:
        """The first event that is loaded."""
        return next((entry.seq for entry in self.entries if isinstance(entry, EventRow)), None)

    @property
    def last_seq(self) -> int | None:
        """The last event that is loaded."""
        return next((entry.seq for entry in reversed(self.entries) if isinstance(entry, EventRow)), None)

    def place_of(self, page: EventPage, *, wanted: bool) -> Place:
        """Say where ``page`` goes. ``wanted``: it was asked for as it is, wherever it lies.

        A page after what is loaded adjoins it although numbers lack between the two, unless more was known to follow
        and the page begins beyond all that was seen: then it is news from the end, while the reader is in the middle.
        """
        first, last = self.first_seq, self.last_seq
        if first is None or last is None:
            return Place.INSTEAD if page.events or not self.entries else Place.NOWHERE
        if not page.events:
            return Place.NOWHERE
        page_first, page_last = page.events[0].seq, page.events[-1].seq
        if page_last < first:
            adjoins = page_last == first - 1 or not wanted
            return Place.BEFORE if adjoins else Place.INSTEAD
        if page_first <= last + 1:
            if page_first < first and page_last > last:
                return Place.INSTEAD
            return Place.AFTER if page_last > last else Place.BEFORE if page_first < first else Place.NOWHERE
        if wanted:
            return Place.INSTEAD
        return Place.NOWHERE if self.more_after and page_first > self._newest else Place.AFTER

    def entries_before(self, page: EventPage) -> list[Entry]:
        """Return what stands before all that is loaded once ``page`` is taken there."""
        first = self.first_seq or 1
        new = _with_missing([event for event in page.events if event.seq < first], up_to=first)
        return _leading(new, page)

    def entries_after(self, page: EventPage) -> list[Entry]:
        """Return what stands after all that is loaded once ``page`` is taken there."""
        last = self.last_seq or 0
        return _with_missing([event for event in page.events if event.seq > last], after=last)

    def entries_instead(self, page: EventPage) -> list[Entry]:
        """Return what is loaded once ``page`` has taken its place."""
        return _leading(_with_missing(page.events), page)

    def take(self, page: EventPage, place: Place) -> None:
        """Remember what ``page`` said of the log beyond it. The entries are the caller's to change."""
        if page.events:
            self._newest = max(self._newest, page.events[-1].seq)
        match place:
            case Place.BEFORE:
                self.more_before = page.more_before
            case Place.AFTER:
                self.more_after = page.more_after
            case Place.INSTEAD:
                self.more_before, self.more_after = page.more_before, page.more_after
            case Place.NOWHERE:
                pass

    def beyond(self, place: Place) -> range:
        """Return the rows that are too many, once a page was taken at ``place``: those at the other end."""
        surplus = len(self.entries) - MOST_LOADED
        if surplus <= 0 or place not in (Place.BEFORE, Place.AFTER):
            return range(0)
        return range(surplus) if place is Place.AFTER else range(MOST_LOADED, len(self.entries))

    def let_go(self, rows: range) -> None:
        """Forget these rows at one end; the log goes on there."""
        if rows.start == 0:
            self.more_before = True
        else:
            self.more_after = True
        del self.entries[rows.start : rows.stop]

    def forget(self) -> None:
        """Be empty again, for another task."""
        self.entries = []
        self.more_before = self.more_after = False
        self._newest = 0


def _with_missing(events: Sequence[EventRow], *, after: int | None = None, up_to: int | None = None) -> list[Entry]:
    entries: list[Entry] = []
    before = after
    for event in events:
        if before is not None and event.seq > before + 1:
            entries.append(Missing(before + 1, event.seq - 1))
        entries.append(event)
        before = event.seq
    if up_to is not None and before is not None and before < up_to - 1:
        entries.append(Missing(before + 1, up_to - 1))
    return entries


def _leading(entries: list[Entry], page: EventPage) -> list[Entry]:
    """Put the numbers that lack at the very beginning of the log before it."""
    if page.more_before or not page.events or page.events[0].seq <= 1:
        return entries
    return [Missing(1, page.events[0].seq - 1), *entries]
