"""The rules asked about tasks: their rows, their logs stretch by stretch, and what belongs to them."""

from collections.abc import Sequence

from inspector.checks.findings import Finding
from inspector.checks.rule import Tally
from inspector.checks.rulebook import ALL_CAN_BE_READ, VALUES_ARE_SMALL, VALUES_HAVE_THEIR_TYPES, Rulebook
from inspector.checks.typing_rows import task_of, wrong_in_event, wrong_in_task
from inspector.checks.values import Ended, Event, Key, Owned, Response, Restarted, stretch_of
from inspector.lmsp.statuses import FINAL
from inspector.reading.connection import Row
from inspector.reading.values import text_or_none

_FINAL = frozenset(status.value for status in FINAL)


class LogWalk:
    """One task and its log, which comes in stretches; what is found on the way is kept, the events are not."""

    def __init__(self, book: Rulebook, row: Row) -> None:
        self._book = book
        self._task = task_of(row)
        self._tally = Tally(text_or_none(row[1]))
        for sentence in () if self._task is not None else wrong_in_task(row):
            self._tally.add(VALUES_HAVE_THEIR_TYPES, sentence)
        if self._task is not None and self._task.is_large:
            self._tally.add(VALUES_ARE_SMALL, "Its request, snapshot or error message is larger than 16 MiB.")
        self._first: Event | None = None
        self._last: Event | None = None
        self._finals = 0
        self._is_whole = True
        self.events = 0
        """How many events there were."""

    def take(self, events: Sequence[Event | None], rows: Sequence[Row]) -> None:
        """Ask about the next events of the log; None stands for a row in which a value is of a wrong type."""
        if not events:
            return
        if None in events:
            self._is_whole = False
            for event, row in zip(events, rows, strict=True):
                for sentence in wrong_in_event(row) if event is None else ():
                    self._tally.add(VALUES_HAVE_THEIR_TYPES, sentence)
        stretch = stretch_of(self._task, events, self._last, is_first=self.events == 0)
        self._tally.ask(self._book.log, stretch)
        self.events += len(events)
        self._first = self._first or stretch.first
        self._last = events[-1]
        for event in stretch.events:
            if event.status in _FINAL:
                self._finals += 1
            if event.is_large:
                self._tally.add(VALUES_ARE_SMALL, f"The data of its event {event.seq} is larger than 16 MiB.")

    def cannot_read(self, sentence: str, *, log: bool) -> None:
        """Take note of what could not be read; where it is of the ``log``, nothing is asked of that as a whole."""
        self._tally.add(ALL_CAN_BE_READ, sentence)
        self._is_whole = self._is_whole and not log

    def found_too_large(self) -> None:
        """Take note that a value was larger than can be read."""
        self._tally.add(VALUES_ARE_SMALL, "A value of it or of its events is larger than 16 MiB.")

    def end(self, responses: Sequence[Response], keys: Sequence[Key], restarted_at: int | None) -> list[Finding]:
        """Ask what remains, once the whole log was taken, and return all that was found."""
        task = self._task
        if task is not None:
            book, tally = self._book, self._tally
            tally.ask(book.task, task)
            if self._is_whole:
                tally.ask(book.ended, Ended(task, self._first, self._last, self.events, self._finals))
            if responses or keys:
                tally.ask(book.owned, Owned(task, responses, keys))
            if restarted_at is not None:
                tally.ask(book.restarted, Restarted(task, restarted_at))
        return self._tally.findings()
