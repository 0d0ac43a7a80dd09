"""Events shared out so that they come out even."""

import random

import pytest

from inspector.demo.simulating.budget import Budget
from inspector.demo.simulating.sizes import LEAST_EVENTS


@pytest.mark.parametrize("events", [400, 450, 1_000, 25_000])
def test_whoever_keeps_within_the_most_never_leaves_a_task_too_few(events: int) -> None:
    rng = random.Random(events)
    budget = Budget(100, events)
    for left in range(99, -1, -1):
        assert budget.is_last is (left == 0)
        spent = budget.most if budget.is_last else rng.randint(LEAST_EVENTS, budget.most)
        assert spent >= LEAST_EVENTS
        assert LEAST_EVENTS <= budget.fair <= budget.most
        assert budget.pieces >= 1
        budget.spend(spent, spent - 3, budget.pieces)
        events -= spent
    assert events == 0


def test_what_does_not_come_is_made_up_for_by_the_tasks_after_it() -> None:
    rng = random.Random(1)
    tasks = 20_000
    budget = Budget(tasks, 30 * tasks)
    left, late = 30 * tasks, []
    for number in range(tasks - 1):
        wanted = budget.pieces
        # Half of what is asked for comes, and more beside it than anybody has told.
        pieces = round(wanted * 0.5 * 2 * rng.random())
        budget.spend(9 + pieces, pieces, wanted)
        left -= 9 + pieces
        if number > tasks * 0.9:
            late.append(wanted)
    assert 40 < sum(late) / len(late) < 44
    assert 0 < left < 1_000
    assert left == budget.most


def test_of_few_events_more_tasks_must_be_plain() -> None:
    assert Budget(100, 400).plain_share == 1
    assert 0.3 < Budget(100, 440).plain_share < 0.7
    assert Budget(100, 500).plain_share == 0
