"""The rows of the Tasks table as blocks, against a plain list."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from inspector.desktop.tasks.blocks import BLOCK_ROWS, MOST_ROWS, Stretch, TaskBlocks
from inspector.desktop.tasks.order import end_of, order_of
from inspector.desktop.tasks.places import settle
from inspector.layout.pages import TaskKey, TaskPage
from inspector.layout.rows import TaskRow
from tests.desktop.tasks.rows import TaskList, row


class Mirror:
    """Follows the rows by what it is told alone, each with a mark that stays with it as Qt's own indexes do."""

    def __init__(self) -> None:
        self.marks: list[object] = []
        self.changes: list[tuple[int, int]] = []
        self.rows: TaskBlocks | None = None

    def _agree(self) -> None:
        assert self.rows is not None
        assert len(self.rows) == len(self.marks)

    @contextmanager
    def inserting(self, first: int, count: int) -> Iterator[None]:
        self._agree()
        assert count > 0
        assert 0 <= first <= len(self.marks)
        yield
        self.marks[first:first] = [object() for _ in range(count)]
        self._agree()

    @contextmanager
    def removing(self, first: int, count: int) -> Iterator[None]:
        self._agree()
        assert count > 0
        assert 0 <= first <= first + count <= len(self.marks)
        yield
        del self.marks[first : first + count]
        self._agree()

    def changed(self, first: int, count: int) -> None:
        assert 0 <= first < first + count <= len(self.marks)
        self.changes.append((first, count))


def rows_of(tasks: Sequence[TaskRow], *, most_loaded: int = 40) -> tuple[TaskBlocks, Mirror]:
    mirror = Mirror()
    blocks = TaskBlocks(mirror, most_loaded=most_loaded)
    blocks.reset(tasks)
    mirror.rows = blocks
    mirror.marks = [object() for _ in range(len(blocks))]
    return blocks, mirror


def whole(count: int, *, most_loaded: int = 40) -> tuple[TaskList, TaskBlocks, Mirror]:
    """Return a list of tasks, and its rows: the first page is loaded, of the rest the places are known."""
    there = TaskList(row(number) for number in range(count))
    blocks, mirror = rows_of(there.page().tasks, most_loaded=most_loaded)
    settle(blocks, there.places(BLOCK_ROWS))
    return there, blocks, mirror


def load(there: TaskList, blocks: TaskBlocks, first: int, last: int) -> None:
    """Load rows as the view does, until all of them are."""
    while missing := blocks.missing(first, last):
        page = there.page_at(missing[0])
        blocks.fill(missing[0], page)
        last = min(last, len(blocks) - 1)


def ids(blocks: TaskBlocks) -> list[str | None]:
    tasks = (blocks.task(at) for at in range(len(blocks)))
    return [None if task is None else task.id for task in tasks]


def test_a_jump_to_the_middle_loads_what_is_on_screen_and_a_block_at_most_beside_it() -> None:
    there, blocks, _ = whole(100_000)
    before = blocks.loaded

    load(there, blocks, 50_000, 50_034)

    assert [blocks.task(at) for at in range(50_000, 50_035)] == there.tasks[50_000:50_035]
    assert blocks.loaded - before <= 2


def test_the_whole_list_has_its_length_and_what_was_loaded_stays_where_it_was() -> None:
    there = TaskList(row(number) for number in range(5_000))
    blocks, mirror = rows_of(there.page().tasks)
    marks = list(mirror.marks)

    assert settle(blocks, there.places(BLOCK_ROWS)) == 0

    assert len(blocks) == 5_000
    assert mirror.marks[: len(marks)] == marks
    assert blocks.task(199) == there.tasks[199]
    assert blocks.task(200) is None


def test_tasks_that_came_while_the_places_were_read_are_told_and_move_nothing() -> None:
    there = TaskList(row(number) for number in range(3_000))
    blocks, _ = rows_of(there.page().tasks)
    for number in range(3_000, 3_007):
        there.add(row(number))

    assert settle(blocks, there.places(BLOCK_ROWS)) == 7

    assert len(blocks) == 3_000
    load(there, blocks, 0, 2_999)
    assert [blocks.task(at) for at in range(3_000)] == there.tasks[7:]


def test_a_block_from_which_tasks_were_deleted_shrinks_and_one_that_has_more_grows_in_their_place() -> None:
    there, blocks, mirror = whole(2_000)
    last = mirror.marks[-1]
    there.drop([task.id for task in there.tasks[700:730]])
    for number in range(10):
        there.add(replace(row(1_000), id=f"task_1000_{number}"))

    load(there, blocks, 600, 1_199)

    assert len(blocks) == 1_980
    assert mirror.marks[-1] is last
    assert [blocks.task(at) for at in range(600, 1_100)] == there.tasks[600:1_100]


def test_a_block_that_outgrew_a_page_is_read_in_two() -> None:
    there, blocks, _ = whole(1_000)
    for number in range(300):
        there.add(replace(row(500), id=f"task_0500_{number:03}"))

    load(there, blocks, 0, len(blocks) - 1)
    load(there, blocks, 0, len(blocks) - 1)

    assert [blocks.task(at) for at in range(len(blocks))] == there.tasks
    assert max(block.count for block in blocks.blocks) <= MOST_ROWS


def test_at_most_so_many_blocks_stay_loaded_and_those_on_screen_the_selected_one_and_the_first_always_do() -> None:
    there, blocks, _ = whole(100_000, most_loaded=6)
    load(there, blocks, 70_000, 70_000)
    for at in range(10_000, 60_000, 1_000):
        load(there, blocks, at, at + 34)
        blocks.unload(at, at + 34, 70_000)
        assert blocks.loaded <= 6 + 4

    assert blocks.task(70_000) == there.tasks[70_000]
    assert blocks.task(0) == there.tasks[0]
    assert blocks.task(59_034) == there.tasks[59_034]
    assert blocks.task(10_000) is None
    assert blocks.row_of(there.tasks[10_000].id) is None, "what is let go is not kept by its id either"


def test_a_page_for_rows_that_are_no_longer_wanted_changes_nothing() -> None:
    there, blocks, mirror = whole(2_000)
    (stretch,) = blocks.missing(1_000, 1_000)
    load(there, blocks, 1_000, 1_000)
    marks, shown = list(mirror.marks), ids(blocks)

    page = there.page_at(stretch)
    blocks.fill(stretch, page)
    blocks.fill(Stretch(TaskKey(5, "nowhere"), None), page)

    assert (mirror.marks, ids(blocks)) == (marks, shown)


def test_what_is_kept_beside_a_row_goes_when_the_row_changes_or_goes() -> None:
    blocks, _ = rows_of([row(3), row(2), row(1)])
    for at in range(3):
        block, offset = blocks.at(at)
        assert block.kept is not None
        block.kept[offset] = f"kept {at}"

    blocks.replace(row(2, "running"))
    blocks.insert([row(4)])
    blocks.remove(["task_0003"])

    kept = [block.kept[offset] for at in range(3) for block, offset in [blocks.at(at)] if block.kept is not None]
    assert kept == [None, None, "kept 2"]


def test_rows_on_top_with_some_below_them_that_were_never_read() -> None:
    there = TaskList(row(number) for number in range(1_000))
    blocks, mirror = rows_of(there.page().tasks)
    settle(blocks, there.places(BLOCK_ROWS))
    first = mirror.marks[0]
    for number in range(1_000, 1_500):
        there.add(row(number))

    blocks.insert_above(there.page().tasks, 1)

    assert mirror.marks[201] is first
    assert blocks.task(200) is None
    assert settle(blocks, there.places(BLOCK_ROWS)) == 0
    assert len(blocks) == 1_500
    load(there, blocks, 0, 1_499)
    assert [blocks.task(at) for at in range(1_500)] == there.tasks


def test_a_task_that_came_in_just_below_what_is_loaded_is_found_there() -> None:
    there = TaskList(row(number) for number in range(1_000))
    blocks, _ = rows_of(there.tasks[:BLOCK_ROWS])
    settle(blocks, there.places(BLOCK_ROWS))
    last = there.tasks[BLOCK_ROWS - 1]
    there.add(replace(last, id=last.id[:-1]))

    load(there, blocks, 0, 999)

    assert blocks.task(BLOCK_ROWS) == there.tasks[BLOCK_ROWS]


@pytest.mark.parametrize("untold", [0, 40, 119])
def test_no_task_is_lost_below_loaded_rows_whose_place_in_the_list_is_a_guess(untold: int) -> None:
    there, blocks, _ = whole(520)
    load(there, blocks, 320, 479)
    gone = [task.id for task in (*there.tasks[320:340], *there.tasks[380:480])]
    there.drop(gone)
    blocks.remove(gone)
    there.drop([task.id for task in there.tasks[200 : 200 + untold]])

    settle(blocks, there.places(BLOCK_ROWS))

    while blocks.missing(0, len(blocks) - 1):
        load(there, blocks, 0, len(blocks) - 1)
    assert [blocks.task(at) for at in range(len(blocks))] == there.tasks


@pytest.mark.parametrize("shown", [BLOCK_ROWS, 400])
def test_the_rest_of_the_list_is_found_when_all_rows_of_the_first_block_are_deleted(shown: int) -> None:
    there = TaskList(row(number) for number in range(900))
    blocks, _ = rows_of(there.tasks[:shown])
    gone = [task.id for task in there.tasks[:BLOCK_ROWS]]
    there.drop(gone)
    blocks.remove(gone)

    assert settle(blocks, there.places(BLOCK_ROWS)) == 0

    assert len(blocks) == 740
    load(there, blocks, 0, 739)
    assert [blocks.task(at) for at in range(740)] == there.tasks


def test_the_rows_go_when_the_whole_list_is_deleted() -> None:
    there, blocks, _ = whole(500)
    gone = [task.id for task in there.tasks[:200]]
    there.drop(task.id for task in list(there.tasks))
    blocks.remove(gone)

    assert settle(blocks, there.places(BLOCK_ROWS)) == 0

    assert len(blocks) == 0


def test_tasks_without_a_time_stand_last() -> None:
    there = TaskList(
        [*(row(number) for number in range(300)), *(row(number, created_at=None) for number in (900, 800))]
    )
    blocks, _ = rows_of(there.page().tasks)
    settle(blocks, there.places(BLOCK_ROWS))
    load(there, blocks, 0, 301)
    assert ids(blocks)[-2:] == ["task_0900", "task_0800"]


def test_there_is_no_row_beyond_the_last() -> None:
    blocks, _ = rows_of([row(1)])
    assert blocks.task(1) is None
    assert blocks.task(-1) is None
    with pytest.raises(IndexError):
        blocks.at(1)
    assert rows_of([])[0].missing(0, 30) == ()


class Life(RuleBasedStateMachine):
    """A list that is written to while its rows are looked at."""

    @initialize(count=st.integers(0, 900))
    def begin(self, count: int) -> None:
        self.there = TaskList(row(number * 10) for number in range(count))
        self.newest = count * 10
        self.blocks, self.mirror = rows_of(self.there.page().tasks, most_loaded=3)
        self.end: TaskKey | None = None
        self._take(self.there.page())
        self.marks: dict[str, object] = {}

    @rule(count=st.integers(1, 250))
    def new_on_top(self, count: int) -> None:
        fresh = [row(self.newest + 10 * at) for at in range(count)]
        self.newest += 10 * count
        for task in fresh:
            self.there.add(task)
        self.blocks.insert(fresh)

    @precondition(lambda self: self.there.tasks)
    @rule(at=st.floats(0, 1), count=st.integers(1, 30), data=st.data())
    def new_in_between(self, at: float, count: int, data: st.DataObject) -> None:
        near = self.there.tasks[int(at * (len(self.there.tasks) - 1))]
        suffix = data.draw(st.integers(0, 10**6))
        fresh = [replace(near, id=f"{near.id}_{suffix}_{number:03}") for number in range(count)]
        known = {task.id for task in self.there.tasks}
        fresh = [task for task in fresh if task.id not in known]
        for task in fresh:
            self.there.add(task)
        for task in fresh:
            is_below = not self.is_whole and self.end is not None and order_of(task) < order_of(self.end)
            if not is_below and self.blocks.missing_for(task) is None:
                self.blocks.insert([task])

    @precondition(lambda self: self.there.tasks)
    @rule(at=st.floats(0, 1), count=st.integers(1, 250), data=st.data())
    def deleted(self, at: float, count: int, data: st.DataObject) -> None:
        first = int(at * (len(self.there.tasks) - 1))
        gone = [task.id for task in self.there.tasks[first : first + count]]
        if data.draw(st.booleans()):
            gone = gone[::2]
        self.there.drop(gone)
        self.blocks.remove(gone)

    @precondition(lambda self: self.there.tasks)
    @rule(at=st.floats(0, 1))
    def updated(self, at: float) -> None:
        number = int(at * (len(self.there.tasks) - 1))
        task = replace(self.there.tasks[number], last_seq=self.there.tasks[number].last_seq + 1)
        self.there.tasks[number] = task
        expected = self.blocks.row_of(task.id)
        replaced = self.blocks.replace(task)
        assert (None if replaced is None else replaced[0]) == expected

    @precondition(lambda self: not self.is_whole)
    @rule()
    def older_page(self) -> None:
        page = self.there.page(after=self.end)
        self.blocks.append(page.tasks)
        self._take(page)

    def _take(self, page: TaskPage) -> None:
        self.is_whole = not page.more
        self.end = end_of(page) or self.end

    @rule()
    def places(self) -> None:
        above = settle(self.blocks, self.there.places(BLOCK_ROWS))
        assert above == 0 or self.blocks.top() is None, "all that is above is among the rows"
        self.is_whole = self.is_whole or bool(self.blocks.blocks)

    @precondition(lambda self: len(self.blocks) > 0)
    @rule(at=st.floats(0, 1), current=st.floats(0, 1))
    def jump(self, at: float, current: float) -> None:
        first = int(at * (len(self.blocks) - 1))
        load(self.there, self.blocks, first, min(first + 34, len(self.blocks) - 1))
        self.blocks.unload(first, first + 34, int(current * (len(self.blocks) - 1)))

    @invariant()
    def rows_are_in_order_each_once(self) -> None:
        blocks = self.blocks.blocks
        assert all(upper.bound > lower.bound for upper, lower in pairwise(blocks))
        assert all(block.tasks is None or len(block.tasks) == block.count for block in blocks)
        assert self.blocks.loaded == sum(block.tasks is not None for block in blocks)
        assert sum(block.count for block in blocks) == len(self.blocks) == len(self.mirror.marks)
        tasks = [task for block in blocks for task in block.tasks or ()]
        assert all(order_of(upper) > order_of(lower) for upper, lower in pairwise(tasks))
        assert {task.id for task in tasks} <= {task.id for task in self.there.tasks}

    @invariant()
    def a_row_that_stays_loaded_keeps_its_mark(self) -> None:
        marks = {}
        for at, task_id in enumerate(ids(self.blocks)):
            if task_id is not None:
                assert self.blocks.row_of(task_id) == at
                marks[task_id] = self.mirror.marks[at]
        assert all(marks[task_id] is self.marks[task_id] for task_id in marks.keys() & self.marks.keys())
        self.marks = marks

    def teardown(self) -> None:
        """Whatever happened: who goes through all rows finds every task that there is, once."""
        if not hasattr(self, "blocks"):
            return
        while self.blocks.missing(0, len(self.blocks) - 1) or not self.is_whole:
            load(self.there, self.blocks, 0, len(self.blocks) - 1)
            if not self.is_whole:
                self.older_page()
        assert [self.blocks.task(at) for at in range(len(self.blocks))] == self.there.tasks


# Cutting an example down takes longer than the test may, and what is then told is that time.
Life.TestCase.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, phases=set(Phase) - {Phase.shrink, Phase.explain}
)
test_whatever_happens_the_rows_are_those_of_the_list = Life.TestCase
