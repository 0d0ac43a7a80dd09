"""How much one batch may do: learned from those before it."""

import pytest

from inspector.store.pacing import Pace

pytestmark = pytest.mark.ours


def test_at_the_first_half_of_the_time_is_left_to_the_commit() -> None:
    pace = Pace(20.0)
    assert pace.budget_ms == 10.0
    assert pace.cost_ms(500) == 5.0


def test_a_disk_that_has_become_slow_is_believed_at_once_and_one_that_is_fast_again_little_by_little() -> None:
    pace = Pace(20.0)
    pace.learn(1000, 10.0, 14.0)
    assert pace.budget_ms == 6.0
    pace.learn(1000, 10.0, 2.0)
    assert pace.budget_ms == 12.0
    pace.learn(1000, 10.0, 0.0)
    assert pace.budget_ms == 16.0


def test_a_quarter_of_the_time_is_left_to_the_work_however_long_a_commit_takes() -> None:
    pace = Pace(20.0)
    pace.learn(1000, 10.0, 500.0)
    assert pace.budget_ms == 5.0


def test_each_batch_counts_half_as_much_as_the_one_after_it() -> None:
    pace = Pace(20.0)
    pace.learn(1000, 30.0, 1.0)
    assert pace.cost_ms(1000) == 20.0
    pace.learn(3000, 20.0, 1.0)
    assert pace.cost_ms(2000) == 20.0
    pace.learn(0, 0.0, 1.0)
    assert pace.cost_ms(2000) == 20.0
