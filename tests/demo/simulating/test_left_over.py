"""The tasks that are unfinished at the end."""

import pytest

from inspector.demo.simulating.left_over import events_of, left_over, live_so_far
from inspector.demo.simulating.life import Life
from inspector.demo.simulating.sizes import LEAST_EVENTS, Size
from tests.demo.simulating.test_life import asked


@pytest.mark.parametrize("each", [4, 5, 10, 300])
@pytest.mark.parametrize("tasks", [10, 40, 100, 1_000])
def test_each_stands_where_it_is_to_stand_with_as_many_events_as_were_told(tasks: int, each: int) -> None:
    size = Size(tasks, each * tasks)
    for leftover in left_over(size):
        life = Life("t", asked(leftover.policy), 1_000)
        live_so_far(life, leftover, size, 20_000)
        assert (life.status, life.seq, life.is_finished) == (leftover.status, events_of(leftover, size), False)
        assert (life.started_at is None) is (life.status == "queued")
        assert (life.snapshot_seq is not None) is leftover.saved
        assert len(list(life.events())) == life.seq
        if life.snapshot_seq is not None:
            assert life.saved_pieces > 0
            assert [event[2] for event in life.events() if event[3].endswith("delta")].count(life.snapshot_seq) == 1
        times = [event[0] for event in life.events()]
        assert times == sorted(times)
        assert life.updated_at == times[-1]


@pytest.mark.parametrize("each", [4, 5, 10, 300])
def test_none_has_more_than_its_part(each: int) -> None:
    size = Size(100, each * 100)
    assert all(events_of(leftover, size) <= max(LEAST_EVENTS, each) for leftover in left_over(size))


def test_those_that_wait_came_last() -> None:
    statuses = [leftover.status for leftover in left_over(Size(100, 1_000))]
    assert statuses == ["running"] * 4 + ["cancelling"] + ["loading"] * 2 + ["queued"] * 3


def test_of_the_first_four_each_has_another_status() -> None:
    assert {leftover.status for leftover in left_over(Size(40, 400))} == {"running", "cancelling", "loading", "queued"}
