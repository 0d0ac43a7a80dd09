"""The rules asked about some tasks: their logs, stretch by stretch, then each task's row and what belongs to it."""

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from inspector.checks.findings import Finding
from inspector.checks.rule import Tally
from inspector.checks.rulebook import ALL_CAN_BE_READ, VALUES_ARE_SMALL, VALUES_HAVE_THEIR_TYPES, Rulebook
from inspector.checks.typing_rows import events_of, tasks_of, wrong_in_event, wrong_in_task
from inspector.checks.values import Ended, Event, Key, Owned, Response, Restarted, Task, stretch_of
from inspector.lmsp.statuses import FINAL
from inspector.reading.connection import Row
from inspector.reading.values import integer, text_or_none

_FINAL: Final = frozenset(status.value for status in FINAL)
_SEQ: Final = Event._fields.index("seq")


class Histories:
    """Some tasks, and their logs as they come; what is found on the way is kept, the events are not."""

    def __init__(self, book: Rulebook, rows: Sequence[Row]) -> None:
        """``rows`` are the tasks' own, in the order of Task."""
        self._book = book
        self._tallies = {integer(row[0]): Tally(text_or_none(row[1])) for row in rows}
        self._tasks: list[Task] = []
        self._firsts: dict[int, Event] = {}
        self._lasts: dict[int, Event] = {}
        self._finals: Counter[int] = Counter()
        self._doubtful: set[int] = set()
        """The tasks of whose log not everything was taken."""
        self._before: Event | None = None
        self._before_task: object = None
        self.events = 0
        """How many events there were."""
        for task, row in zip(tasks_of(rows), rows, strict=True):
            if task is not None:
                self._tasks.append(task)
                if task.is_large:
                    self._say_large(task.rowid, "Its request, snapshot or error message is")
            else:
                for sentence in wrong_in_task(row):
                    self._tallies[integer(row[0])].add(VALUES_HAVE_THEIR_TYPES, sentence)
        self._snapshots = {task.rowid: task.snapshot_seq for task in self._tasks if task.snapshot_seq is not None}

    def take(self, rows: Sequence[Row]) -> None:
        """Ask about the next events, in the order of Event: task by task, each by sequence number."""
        events = events_of(rows)
        if None in events:
            self.take_odd([row for row in rows if type(row[_SEQ]) is not int])
            rows = [row for row in rows if type(row[_SEQ]) is int]
            events = events_of(rows)
            self._say_odd([row for event, row in zip(events, rows, strict=True) if event is None])
        if not rows:
            return
        self.events += len(events)
        tasks = list(map(itemgetter(0), rows))
        goes_on = tasks[0] == self._before_task
        stretch = stretch_of(events, tasks, self._snapshots, before=self._before, goes_on=goes_on)
        self._before, self._before_task = events[-1], tasks[-1]
        for rule in self._book.log:
            for event, sentence in rule.check(stretch):
                self._tallies[event.task].add(rule, sentence)
        for event in stretch.firsts:
            self._firsts[event.task] = event
        self._lasts.update(zip(map(itemgetter(0), stretch.events), stretch.events, strict=True))
        for event in stretch.events:
            if event.status in _FINAL:
                self._finals[event.task] += 1
            if event.is_large:
                self._say_large(event.task, f"The data of its event {event.seq} is")

    def take_odd(self, rows: Sequence[Row]) -> None:
        """Take events that have no place in a log: their sequence number is no integer."""
        self._say_odd(rows)
        self.events += len(rows)

    def cannot_read(self, rowid: int, sentence: str, *, log: bool) -> None:
        """Take note of what could not be read of a task; where it is of its ``log``, that is not asked about whole."""
        self._tallies[rowid].add(ALL_CAN_BE_READ, sentence)
        if log:
            self._doubtful.add(rowid)

    def found_too_large(self, rowid: int) -> None:
        """Take note that a value of a task was larger than can be read."""
        self._say_large(rowid, "A value of it or of its events is")

    def end(self, responses: Sequence[Row], keys: Sequence[Row], restarted_at: int | None) -> list[Finding]:
        """Ask what remains, once all events were taken, and return all that was found.

        Rows of responses and keys begin with the rowid of their task; then come the fields of Response and of Key.
        """
        book = self._book
        responses_of: dict[int, list[Response]] = {}
        for row in responses:
            responses_of.setdefault(integer(row[0]), []).append(Response(*row[1:]))
        keys_of: dict[int, list[Key]] = {}
        for row in keys:
            keys_of.setdefault(integer(row[0]), []).append(Key(*row[1:]))
        for task in self._tasks:
            rowid = task.rowid
            tally = self._tallies[rowid]
            tally.ask(book.task, task)
            if rowid not in self._doubtful:
                first, last = self._firsts.get(rowid), self._lasts.get(rowid)
                tally.ask(book.ended, Ended(task, first, last, self._finals[rowid]))
            if rowid in responses_of or rowid in keys_of:
                tally.ask(book.owned, Owned(task, responses_of.get(rowid, ()), keys_of.get(rowid, ())))
            if restarted_at is not None:
                tally.ask(book.restarted, Restarted(task, restarted_at))
        return [finding for tally in self._tallies.values() for finding in tally.findings()]

    def _say_odd(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._doubtful.add(integer(row[0]))
            for sentence in wrong_in_event(row):
                self._tallies[integer(row[0])].add(VALUES_HAVE_THEIR_TYPES, sentence)

    def _say_large(self, rowid: int, what: str) -> None:
        self._tallies[rowid].add(VALUES_ARE_SMALL, f"{what} larger than 16 MiB.")
