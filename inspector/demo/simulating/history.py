"""A whole history, as rows, in the order in which a service would have written them; nothing of it is held for long."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from inspector.demo.chance import chance
from inspector.demo.simulating import rows
from inspector.demo.simulating.arrivals import Calendar
from inspector.demo.simulating.asks import Asking
from inspector.demo.simulating.budget import Budget
from inspector.demo.simulating.course import QUICKEST_STEP_MS, course_of
from inspector.demo.simulating.feed import Feed
from inspector.demo.simulating.left_over import events_of, left_over, live_so_far
from inspector.demo.simulating.life import Life
from inspector.demo.simulating.living import Work, live_plainly, live_through
from inspector.demo.simulating.sizes import LARGE_EVENTS, Size
from inspector.demo.simulating.workers import Lives
from inspector.store.bulk_loading import Rows

_PLAIN_EVENTS: Final = 3
"""What a plain life has beside its text."""
_LEFT_OVER_EVERY_MS: Final = 3_000
_TASKS_AT_ONCE: Final = 500
_EVENTS_AT_ONCE: Final = 10_000
_END: Final = float("inf")


class History:
    """The history of this size that belongs to a seed."""

    def __init__(self, size: Size, seed: int) -> None:
        self._size = size
        self._seed = seed
        self._rng = chance(seed, "history", size.tasks, size.events)
        self._calendar = Calendar(size, self._rng)
        outages = self._calendar.outages(size, self._rng, LARGE_EVENTS * QUICKEST_STEP_MS)
        self._services = Lives(self._calendar.start_ms, outages, size.workers)
        self._asking = Asking(size.tasks)
        self._left_over = left_over(size)
        spent = sum(events_of(leftover, size) for leftover in self._left_over)
        finished = size.tasks - len(self._left_over)
        if size.large is not None:
            finished, spent = finished - 1, spent + LARGE_EVENTS
        self._budget = Budget(finished, size.events - spent)
        self._feed = Feed()
        self._seen: dict[str, int] = {}
        self._latest_ms = 0

    def rows(self, progress: Callable[[int], object]) -> Iterator[Rows]:
        """Give all rows; ``progress`` is told how many events there are so far."""
        rng = self._rng
        arrivals = self._calendar.arrivals(chance(self._seed, "arrivals"))
        finished = self._size.tasks - len(self._left_over)
        written = 0
        number = 0
        while number < self._size.tasks:
            lives = []
            until = finished if number < finished else self._size.tasks
            for sent_ms in islice(arrivals, min(_TASKS_AT_ONCE, until - number)):
                life = self._lived(number, sent_ms)
                lives.append(life)
                self._feed.add(life)
                number += 1
            yield rows.task_rows(lives)
            yield rows.response_rows(lives)
            yield rows.key_rows(lives, rng)
            # Whatever comes in later has no event before this.
            before_ms = lives[-1].created_at if number < self._size.tasks else _END
            while events := self._feed.take(before_ms, _EVENTS_AT_ONCE):
                yield rows.event_rows(events)
                written += len(events)
                progress(written)
        start_ms = self._calendar.start_ms
        yield rows.model_rows(rng, start_ms)
        yield rows.client_rows(self._asking, self._seen, rng, start_ms)
        yield rows.config_rows(self._size, self._seed, self._services, rng)

    def _lived(self, number: int, sent_ms: int) -> Life:
        at = self._services.upto(sent_ms)
        waiting = number - (self._size.tasks - len(self._left_over))
        if waiting >= 0:
            # Those before them are done by the end, and these are not.
            at = max(at, self._latest_ms - (len(self._left_over) - waiting) * _LEFT_OVER_EVERY_MS)
        task_id = f"task_{at:012x}{self._rng.getrandbits(40):010x}"
        if waiting >= 0:
            life = self._unfinished(task_id, at, waiting)
        elif number == self._size.large:
            life, work = self._plain(task_id, at, LARGE_EVENTS)
            work.note()
        else:
            life = self._finished(task_id, at)
        self._latest_ms = max(self._latest_ms, life.updated_at)
        if life.asked.client_id is not None:
            self._seen[life.asked.client_id] = at
        return life

    def _finished(self, task_id: str, at: int) -> Life:
        budget = self._budget
        wanted, most = budget.pieces, budget.most
        if budget.is_last or self._rng.random() < budget.plain_share:
            life, work = self._plain(task_id, at, most if budget.is_last else _PLAIN_EVENTS + 1)
        else:
            life = Life(task_id, self._asking.draw(self._rng), at)
            work = live_through(life, course_of(life.asked, wanted, self._rng), self._services.of_now)
            if life.seq > most:
                life, work = self._plain(task_id, at, min(most, budget.fair))
        work.note()
        budget.spend(life.seq, life.written_pieces, wanted)
        return life

    def _plain(self, task_id: str, at: int, events: int) -> tuple[Life, Work]:
        life = Life(task_id, self._asking.draw(self._rng, streams=True), at)
        return life, live_plainly(life, events - _PLAIN_EVENTS, self._services.of_now)

    def _unfinished(self, task_id: str, at: int, waiting: int) -> Life:
        leftover = self._left_over[waiting]
        asked = self._asking.draw(self._rng, streams=True).with_policy(leftover.policy)
        life = Life(task_id, asked, at)
        live_so_far(life, leftover, self._size, self._latest_ms)
        return life
