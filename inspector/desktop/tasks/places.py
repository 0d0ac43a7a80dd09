"""Fits the rows of the Tasks table to where the pages of the whole list begin. Pure, as the blocks are."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.desktop.tasks.blocks import Block, TaskBlocks
from inspector.desktop.tasks.order import TOP, Order, below, order_of
from inspector.layout.pages import TaskPlaces
from inspector.layout.rows import TaskRow


class _Run(NamedTuple):
    """Loaded blocks that follow one another."""

    at: int
    end: int
    tasks: list[TaskRow]


def settle(blocks: TaskBlocks, places: TaskPlaces) -> int:
    """Have a block for each stretch of the list that is not loaded; return how many tasks stand above the first row.

    Rows that are loaded stay as they are: what lies between two of them grows or shrinks at its end.
    """
    starts = _Starts(places)
    if not blocks.blocks:
        # Nothing was found yet by whoever looks along the list: what there is is further down.
        blocks.replace_unloaded(0, 0, starts.between(starts.first, None, 0, places.total))
        return 0
    found = list(_loaded_runs(blocks.blocks))
    above, _ = starts.position(found[0].tasks, 0) if blocks.top() is not None else (0, True)
    end, until, until_position, until_is_sure = len(blocks.blocks), None, places.total, True
    for run in reversed(found):
        if run.tasks:
            position, is_sure = starts.position(run.tasks, blocks.first_row(run.at) + above)
            behind, after = position + len(run.tasks), below(run.tasks[-1])
        else:
            # Only the first block stays when its last task is deleted: below it comes all that the list has above
            # the next loaded rows.
            position, is_sure, behind, after = 0, True, 0, starts.first
        wanted = until_position - behind
        if run.end < end and not (is_sure and until_is_sure):
            # There were rows, and nothing says for sure that there are none now: who comes by finds out.
            wanted = max(1, wanted)
        blocks.replace_unloaded(run.end, end, starts.between(after, until, behind, wanted))
        end, until, until_position, until_is_sure = run.at, blocks.blocks[run.at].bound, position, is_sure
    return max(0, above)


class _Starts:
    def __init__(self, places: TaskPlaces) -> None:
        self._every = places.every
        self._total = places.total
        self._orders = [order_of(key) for key in places.starts]
        self._orders.reverse()  # rising, for bisect

    @property
    def first(self) -> Order:
        """The place of the first task of the list, or its top where there is none."""
        return self._orders[-1] if self._orders else TOP

    def position(self, tasks: Sequence[TaskRow], guess: int) -> tuple[int, bool]:
        """Return which row of the list the first of ``tasks`` is, and whether that is sure.

        It is where a start is among them; elsewhere it is near ``guess``. It is below 0 where all of them are newer
        than the list.
        """
        known, every = len(self._orders), self._every
        above = self._above(order_of(tasks[0]))
        if above < known and (start := self._orders[known - 1 - above]) >= order_of(tasks[-1]):
            return above * every - sum(1 for task in tasks if order_of(task) > start), True
        if not above:
            return -len(tasks), True
        most = (self._total if above == known else above * every) - len(tasks)
        return max((above - 1) * every + 1, min(guess, most)), False

    def between(self, after: Order, until: Order | None, behind: int, wanted: int) -> list[Block]:
        """Return blocks for about ``wanted`` rows from ``after``, which is row ``behind`` of the list, to ``until``."""
        known, every = len(self._orders), self._every
        first, last = self._above(after), known if until is None else self._above(until)
        inside = [self._orders[known - 1 - number] for number in range(first, last)]
        wanted = max(wanted, len(inside))
        if not inside:
            return [Block(after, wanted)] if wanted else []
        head = max(0, min(first * every - behind, wanted - len(inside)))
        rest = max(1, wanted - head - every * (len(inside) - 1))
        counts = [*[every] * (len(inside) - 1), rest]
        bounds = inside
        if head:
            bounds, counts = [after, *inside], [head, *counts]
        else:
            # From where the loaded rows end: a task that has come in between belongs to somewhere too.
            bounds = [after, *inside[1:]]
        return [Block(bound, count) for bound, count in zip(bounds, counts, strict=True)]

    def _above(self, place: Order) -> int:
        """Return how many starts stand above ``place``."""
        return len(self._orders) - bisect_right(self._orders, place)


def _loaded_runs(blocks: Sequence[Block]) -> Iterator[_Run]:
    at = 0
    while at < len(blocks):
        end, tasks = at, []
        while end < len(blocks) and (held := blocks[end].tasks) is not None:
            tasks += held
            end += 1
        if end > at:
            yield _Run(at, end, tasks)
        at = max(end, at + 1)
