"""All rows of a database, table by table and page by page, through questions to a reader.

What is promised of a file that a service writes to meanwhile: no event above the newest one at the beginning, and no
task and no response that came later. The pages are read one after the other, so a task is as it was when its page was
read, which may be later than its last event here (``last_seq`` then says so), and what a cleanup deletes meanwhile may
be missing. A file that nobody writes to is of one moment.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from inspector.handover.cells import Whole
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow, StoredText, TaskDetail
from inspector.layout.whole import Part, PartEnds, WholePage
from inspector.lmsp.values import value
from inspector.reading.requests import (
    BEFORE_ALL,
    EventDataRequest,
    EventPageRequest,
    PartEndsRequest,
    Request,
    WholePageRequest,
)

_Answer = TypeVar("_Answer")

Ask = Callable[[Request], object]
"""Asks a reader, and returns its answer."""

_LONGEST: Final = (16 << 20) - 1
"""The most of one text in bytes, which is what the read side hands out."""


@value
class Rows:
    """Some rows of one table, and what of it cannot be read."""

    part: Part
    rows: tuple[Whole, ...]
    damage: str = ""


class Walk:
    """The way through all rows. Made at the moment that the rows are of."""

    def __init__(self, ask: Ask, *, with_secrets: bool) -> None:
        self._ask = ask
        self._with_secrets = with_secrets
        ends = _answered(ask, PartEndsRequest(), PartEnds)
        self._by_task = ends.by_task
        self._last: Mapping[Part, int | None] = {end.part: end.last for end in ends.ends}

    @property
    def parts(self) -> tuple[Part, ...]:
        """The tables that the file has, in the order in which they are gone through."""
        return tuple(part for part in Part if part in self._last)

    @property
    def as_of_event(self) -> int | None:
        """The newest event that can be in it, by its id; None where this layout numbers none, or none can be read."""
        return None if self._by_task else self._last.get(Part.EVENTS)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the layout does to an export of it, in sentences."""
        if not self._by_task:
            return ()
        return ("Its events are read task by task, since no number orders all of them: those of no task are left out.",)

    def __iter__(self) -> Iterator[Rows]:
        """Give all rows, a page at a time. Raises what ``ask`` does."""
        for part in self.parts:
            if part is Part.EVENTS and self._by_task:
                continue
            for page in self._pages(part):
                yield page
                if part is Part.TASKS and self._by_task:
                    for row in page.rows:
                        if isinstance(row, TaskDetail):
                            yield from self._events_of(row.task.id)

    def _pages(self, part: Part) -> Iterator[Rows]:
        after: int | None = None
        while True:
            request = WholePageRequest(part, after, self._last[part], texts=self._with_secrets)
            page = _answered(self._ask, request, WholePage)
            yield Rows(part, page.rows, page.damage)
            if page.after is None:
                return
            after = page.after

    def _events_of(self, task_id: str) -> Iterator[Rows]:
        after, more = BEFORE_ALL, True
        while more:
            page = _answered(self._ask, EventPageRequest(task_id, after_seq=after), EventPage)
            yield Rows(Part.EVENTS, tuple(map(self._whole, page.events)), page.damage)
            # What leads to the events rises; in a log that changes its kind meanwhile it may not.
            more = page.more_after and bool(page.events) and page.events[-1].seq > after
            after = page.events[-1].seq if page.events else after

    def _whole(self, event: EventRow) -> EventRow:
        if not (self._with_secrets and event.data.is_cut):
            return event
        found = self._ask(EventDataRequest(event.task_id, event.seq, limit=_LONGEST))
        if not isinstance(found, StoredText):
            return event
        return replace(event, data_text=found.text, data_length=found.length)


def _answered(ask: Ask, request: Request, kind: type[_Answer]) -> _Answer:
    found = ask(request)
    if not isinstance(found, kind):
        raise TypeError(f"{type(request).__name__} is not answered by a {kind.__name__}")
    return found
