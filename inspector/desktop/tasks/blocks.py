"""The rows of the Tasks table as blocks, of which a few are loaded. Pure: no Qt, no clock, nothing is asked for here.

Of the others it is known where they begin and about how long they are. Blocks lie one below the other without a gap: a
block reaches from its bound down to the bound of the next one. So whatever task there is belongs to exactly one block,
and a block that turns out longer or shorter than was thought changes in its place.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final, Protocol

from inspector.desktop.tasks.order import TOP, Order, below, count_above, end_of, order_of, runs
from inspector.layout.pages import TaskKey, TaskPage
from inspector.layout.rows import TaskRow

BLOCK_ROWS: Final = 160
"""The rows of a block. A page holds more, so that a block which has grown meanwhile is still read by one question."""

MOST_ROWS: Final = 200
"""A block that has grown beyond this is cut."""

MOST_LOADED: Final = 40
"""The most loaded blocks, beside those that must stay."""


class Watcher(Protocol):
    """Is told of changes while they happen, in the order of the rows as they are then."""

    def inserting(self, first: int, count: int) -> AbstractContextManager[None]:
        """Surround the arrival of ``count`` rows, the first of them in row ``first``."""
        ...

    def removing(self, first: int, count: int) -> AbstractContextManager[None]:
        """Surround the end of ``count`` rows from ``first`` on."""
        ...

    def changed(self, first: int, count: int) -> None:
        """Hear that ``count`` rows from ``first`` on show something else now."""
        ...


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows that are there and not loaded, by where they begin: at a task, or just after one."""

    start: TaskKey | None
    after: TaskKey | None


class Block:
    """Some rows that follow one another. ``tasks`` is None while they are not loaded."""

    __slots__ = ("bound", "count", "kept", "tasks")

    def __init__(self, bound: Order, count: int, tasks: list[TaskRow] | None = None) -> None:
        self.bound = bound
        self.count = count
        self.tasks = tasks
        self.kept: list[Any] | None = None if tasks is None else [None] * count
        """Beside each loaded row whatever its reader wants to keep as long as the row is loaded and the same."""

    @property
    def stretch(self) -> Stretch:
        """Where the block begins."""
        timed, created_at, task_id, at = self.bound
        key = TaskKey(created_at if timed else None, task_id)
        return Stretch(key, None) if at else Stretch(None, key)


def loaded_blocks(bound: Order, tasks: Sequence[TaskRow]) -> list[Block]:
    """Return loaded blocks of these tasks, newest first, the first of them from ``bound`` on."""
    pieces = -(-len(tasks) // BLOCK_ROWS)
    size = -(-len(tasks) // max(1, pieces))
    made = [list(tasks[at : at + size]) for at in range(0, len(tasks), size or 1)]
    return [Block(order_of(some[0]) if at else bound, len(some), some) for at, some in enumerate(made)]


class TaskBlocks:
    """All rows of the table, newest first."""

    def __init__(self, watcher: Watcher, *, most_loaded: int = MOST_LOADED) -> None:
        """Tell ``watcher`` of every change but :meth:`reset`; keep about ``most_loaded`` blocks."""
        self._watcher = watcher
        self._most_loaded = most_loaded
        self._blocks: list[Block] = []
        self._loaded: dict[Block, None] = {}
        self._of: dict[str, Block] = {}
        self._firsts: list[int] | None = None
        self._hot: tuple[int, int, Block | None] = (0, 0, None)

    def __len__(self) -> int:
        return self._rows_before()[-1]

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks from the top."""
        return self._blocks

    @property
    def loaded(self) -> int:
        """How many blocks are loaded."""
        return len(self._loaded)

    def at(self, row: int) -> tuple[Block, int]:
        """Return the block of a row, and which row of the block it is. IndexError where there is no such row."""
        first, end, block = self._hot
        if block is None or not first <= row < end:
            firsts = self._rows_before()
            if not 0 <= row < firsts[-1]:
                raise IndexError(row)
            at = bisect_right(firsts, row) - 1
            block, first = self._blocks[at], firsts[at]
            self._hot = first, firsts[at + 1], block
        return block, row - first

    def task(self, row: int) -> TaskRow | None:
        """Return the task in a row, or None where it is not loaded or there is no such row."""
        if not 0 <= row < len(self):
            return None
        block, offset = self.at(row)
        return None if block.tasks is None else block.tasks[offset]

    def holds(self, task_id: str) -> bool:
        """Say whether a task is among the loaded rows."""
        return task_id in self._of

    def row_of(self, task_id: str) -> int | None:
        """Return the row of a task, or None where it is not among the loaded rows."""
        block = self._of.get(task_id)
        if block is None or block.tasks is None:
            return None
        offset = next(at for at, task in enumerate(block.tasks) if task.id == task_id)
        return self._rows_before()[self._index(block.bound)] + offset

    def missing_for(self, task: TaskRow) -> Stretch | None:
        """Return what is not loaded where ``task`` belongs; None: if it is not among the rows, it is none of them."""
        block = self._blocks[self._index(order_of(task))] if self._blocks else None
        return None if block is None or block.tasks is not None else block.stretch

    def top(self) -> Order | None:
        """Return the place of the first loaded task of the first block, or None where there is none."""
        tasks = self._blocks[0].tasks if self._blocks else None
        return order_of(tasks[0]) if tasks else None

    def missing(self, first: int, last: int) -> tuple[Stretch, ...]:
        """Return what of the rows ``first`` to ``last`` is not loaded, from the top."""
        firsts = self._rows_before()
        at = max(0, bisect_right(firsts, max(0, first)) - 1)
        found = []
        while at < len(self._blocks) and firsts[at] <= last:
            if self._blocks[at].tasks is None:
                found.append(self._blocks[at].stretch)
            at += 1
        return tuple(found)

    def loaded_rows(self) -> list[int]:
        """Return the numbers of the rows that are loaded, rising."""
        firsts = self._rows_before()
        spans = (range(firsts[at], firsts[at + 1]) for at, block in enumerate(self._blocks) if block.tasks is not None)
        return [row for span in spans for row in span]

    def reset(self, tasks: Sequence[TaskRow]) -> None:
        """Have these tasks instead of all there were."""
        self._loaded.clear()
        self._of.clear()
        self._blocks = []
        self._put(0, 0, loaded_blocks(TOP, tasks))

    def append(self, tasks: Sequence[TaskRow]) -> None:
        """Add older tasks at the end."""
        fresh = [task for task in tasks if task.id not in self._of]
        if fresh:
            with self._watcher.inserting(len(self), len(fresh)):
                end = len(self._blocks)
                self._put(end, end, loaded_blocks(order_of(fresh[0]) if end else TOP, fresh))

    def replace(self, task: TaskRow) -> tuple[int, TaskRow] | None:
        """Put a task in place of the same one as it was; return its row and what it was.

        None where it is not loaded or has not changed.
        """
        block = self._of.get(task.id)
        if block is None or block.tasks is None or block.kept is None:
            return None
        offset = next(at for at, old in enumerate(block.tasks) if old.id == task.id)
        old = block.tasks[offset]
        if old == task:
            return None
        block.tasks[offset] = task
        block.kept[offset] = None
        return self._rows_before()[self._index(block.bound)] + offset, old

    def insert(self, tasks: Iterable[TaskRow]) -> None:
        """Put tasks where they belong, each run of neighbours at once.

        Those that belong among rows that are not loaded are left out: they are there.
        """
        waiting = sorted((task for task in tasks if task.id not in self._of), key=order_of)
        while waiting:
            at = self._index(order_of(waiting[-1])) if self._blocks else -1
            if at >= 0 and self._blocks[at].tasks is None:
                waiting.pop()
                continue
            held = self._blocks[at].tasks or [] if at >= 0 else []
            offset = count_above(held, order_of(waiting[-1]))
            floor: Order | None = None
            if offset < len(held):
                floor = order_of(held[offset])
            elif 0 <= at < len(self._blocks) - 1:
                floor = self._blocks[at + 1].bound
            run = [waiting.pop()]
            while waiting and (floor is None or order_of(waiting[-1]) > floor):
                run.append(waiting.pop())
            self._insert_run(max(0, at), offset, run)

    def insert_above(self, tasks: Sequence[TaskRow], unloaded: int) -> None:
        """Put tasks, newest first, above all others, and under them ``unloaded`` rows that are not loaded."""
        top = self.top()
        fresh = [task for task in tasks if task.id not in self._of]
        if not fresh or top is None:
            self.insert(fresh)
            return
        with self._watcher.inserting(0, len(fresh) + unloaded):
            self._blocks[0].bound = top
            self._put(0, 0, [*loaded_blocks(TOP, fresh), Block(below(fresh[-1]), unloaded)])

    def remove(self, task_ids: Iterable[str]) -> None:
        """Take tasks away, each run of neighbours at once."""
        rows = sorted(row for task_id in task_ids if (row := self.row_of(task_id)) is not None)
        for first, last in reversed(list(runs(rows))):
            with self._watcher.removing(first, last - first + 1):
                self._cut(first, last - first + 1)

    def fill(self, stretch: Stretch, page: TaskPage) -> None:
        """Load the block that begins with ``stretch`` with what a page from there on has.

        It takes as many rows as there are. What does not fit a page becomes a block of its own. Nothing happens where
        there is no such block any more.
        """
        at = self._unloaded_at(stretch)
        if at is None:
            return
        block, first = self._blocks[at], self._rows_before()[at]
        until = self._blocks[at + 1].bound if at + 1 < len(self._blocks) else None
        held = [task for task in page.tasks if until is None or order_of(task) > until]
        fresh = [task for task in held if task.id not in self._of]
        made = loaded_blocks(block.bound, fresh)
        last = end_of(page)
        end = below(last) if page.more and last is not None else None
        if end is not None and len(held) == len(page.tasks) and (until is None or end > until):
            made.append(Block(end, max(1, block.count - len(held))))
        grown = sum(each.count for each in made) - block.count
        # Its length first: rows that come or go leave the others as they are.
        if grown > 0:
            with self._watcher.inserting(first + block.count, grown):
                self._resize(block, grown)
        elif grown < 0:
            with self._watcher.removing(first + block.count + grown, -grown):
                self._resize(block, grown)
        self._put(at, at + 1, made)
        if fresh:
            self._watcher.changed(first, len(fresh))

    def replace_unloaded(self, at: int, end: int, blocks: Sequence[Block]) -> None:
        """Have ``blocks``, none of them loaded, instead of those from ``at`` to before ``end``, of which none is."""
        firsts = self._rows_before()
        grown = sum(block.count for block in blocks) - (firsts[end] - firsts[at])
        if grown > 0:
            with self._watcher.inserting(firsts[end], grown):
                self._put(at, end, blocks)
        elif grown < 0:
            with self._watcher.removing(firsts[end] + grown, -grown):
                self._put(at, end, blocks)
        else:
            self._put(at, end, blocks)

    def unload(self, first: int, last: int, current: int | None = None) -> None:
        """Let go of the blocks that were on screen longest ago, where too many are loaded.

        Those of the rows ``first`` to ``last``, which are on screen now, that of the row ``current``, and the first
        one stay.
        """
        if not self._blocks:
            return
        keep = {self._blocks[0]: None}
        row = max(0, first)
        while row <= min(last, len(self) - 1):
            block, offset = self.at(row)
            keep[block] = None
            row += block.count - offset
        for block in keep:
            if block.tasks is not None:
                self._loaded[block] = self._loaded.pop(block)
        if current is not None and 0 <= current < len(self):
            keep[self.at(current)[0]] = None
        spare = len(self._loaded) - self._most_loaded
        for block in [block for block in self._loaded if block not in keep][: max(0, spare)]:
            self._forget(block)
            block.tasks = block.kept = None

    def first_row(self, at: int) -> int:
        """Return the first row of block number ``at``."""
        return self._rows_before()[at]

    def _rows_before(self) -> list[int]:
        if self._firsts is None:
            self._firsts = list(accumulate(map(attrgetter("count"), self._blocks), initial=0))
        return self._firsts

    def _index(self, place: Order) -> int:
        """Return which block a place belongs to."""
        low, high = 0, len(self._blocks)
        while high - low > 1:
            middle = (low + high) // 2
            if self._blocks[middle].bound >= place:
                low = middle
            else:
                high = middle
        return low

    def _unloaded_at(self, stretch: Stretch) -> int | None:
        key = stretch.start or stretch.after
        if key is None or not self._blocks:
            return None
        bound = order_of(key) if stretch.start else below(key)
        at = self._index(bound)
        return at if self._blocks[at].bound == bound and self._blocks[at].tasks is None else None

    def _insert_run(self, at: int, offset: int, run: list[TaskRow]) -> None:
        if not self._blocks:
            with self._watcher.inserting(0, len(run)):
                self._put(0, 0, loaded_blocks(TOP, run))
            return
        block = self._blocks[at]
        if block.tasks is None or block.kept is None:
            raise ValueError("rows are put into loaded blocks only")
        with self._watcher.inserting(self._rows_before()[at] + offset, len(run)):
            block.tasks[offset:offset] = run
            block.kept[offset:offset] = [None] * len(run)
            block.count += len(run)
            self._of.update((task.id, block) for task in run)
            self._moved()
            if block.count > MOST_ROWS:
                self._split(at)

    def _split(self, at: int) -> None:
        """Cut a block that has grown: whole blocks at its end, since it goes on growing at its beginning."""
        block = self._blocks[at]
        tasks = block.tasks or []
        rest = (len(tasks) - 1) % BLOCK_ROWS + 1
        cut = [tasks[start : start + BLOCK_ROWS] for start in range(rest, len(tasks), BLOCK_ROWS)]
        made = [Block(block.bound, rest, tasks[:rest])]
        made += [Block(order_of(some[0]), len(some), some) for some in cut]
        self._put(at, at + 1, made)

    def _cut(self, first: int, count: int) -> None:
        while count:
            block, offset = self.at(first)
            if block.tasks is None or block.kept is None:
                raise ValueError("only loaded rows are taken away")
            taken = min(count, block.count - offset)
            for task in block.tasks[offset : offset + taken]:
                del self._of[task.id]
            del block.tasks[offset : offset + taken]
            del block.kept[offset : offset + taken]
            block.count -= taken
            count -= taken
            self._moved()
            if not block.count and block is not self._blocks[0]:
                self._loaded.pop(block)
                self._blocks.remove(block)
                self._moved()

    def _put(self, at: int, end: int, blocks: Sequence[Block]) -> None:
        for block in self._blocks[at:end]:
            self._forget(block)
        self._blocks[at:end] = blocks
        for block in blocks:
            if block.tasks is not None:
                self._loaded[block] = None
                self._of.update((task.id, block) for task in block.tasks)
        self._moved()

    def _forget(self, block: Block) -> None:
        if block.tasks is not None:
            del self._loaded[block]
            for task in block.tasks:
                del self._of[task.id]

    def _resize(self, block: Block, grown: int) -> None:
        block.count += grown
        self._moved()

    def _moved(self) -> None:
        self._firsts = None
        self._hot = (0, 0, None)
