"""What follows from the size of a history."""

import pytest

from inspector.demo.simulating.sizes import LARGE_EVENTS, Size

DAY_MS = 86_400_000


@pytest.mark.parametrize(("tasks", "left"), [(1, 0), (9, 0), (10, 1), (55, 5), (100, 10), (1_000_000, 10)])
def test_a_history_leaves_a_few_tasks_unfinished_where_it_has_enough(tasks: int, left: int) -> None:
    assert Size(tasks, 10 * tasks).left_over == left


@pytest.mark.parametrize(
    ("tasks", "events", "has_one"),
    [
        (1_000_000, 10_000_000, True),
        (100_000, 1_000_000, True),
        (99_999, 999_990, False),
        (9, 1_000_000, False),
        (180_000, 1_000_000, True),
        (180_001, 1_000_000, False),
    ],
)
def test_one_log_is_long_where_the_others_do_not_go_short_of_it(tasks: int, events: int, has_one: bool) -> None:
    large = Size(tasks, events).large
    assert (large is not None) is has_one
    if large is not None:
        assert 0 < large < tasks - Size(tasks, events).left_over - 1
        assert events - LARGE_EVENTS >= 5 * tasks


@pytest.mark.parametrize(("tasks", "each"), [(100, 10), (1_000_000, 10), (100_000_000, 10), (1_000, 4), (1_000, 5_000)])
def test_the_workers_keep_up_with_what_comes_in(tasks: int, each: int) -> None:
    size = Size(tasks, each * tasks)
    assert size.workers >= 6
    pieces = max(1, each - 4)
    busy = (2_000 + min(pieces * 2_800, 240_000)) / (size.workers * size.gap_ms)
    assert 0.05 < busy < 0.6
    assert tasks * size.gap_ms <= 120 * DAY_MS * 1.001
