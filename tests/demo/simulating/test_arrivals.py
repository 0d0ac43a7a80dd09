"""When tasks come in, and when the service is down."""

import random
from collections import Counter
from datetime import UTC, datetime

import pytest

from inspector.demo.simulating.arrivals import END_MS, Calendar
from inspector.demo.simulating.sizes import Size

HOUR_MS = 3_600_000


def calendar(tasks: int, seed: int = 1) -> tuple[Calendar, Size]:
    size = Size(tasks, 10 * tasks)
    return Calendar(size, random.Random(seed)), size


@pytest.mark.parametrize("tasks", [1, 2, 7, 100, 3_001, 20_000])
def test_each_task_comes_in_once_in_order_within_the_span(tasks: int) -> None:
    made, _ = calendar(tasks)
    moments = list(made.arrivals(random.Random(2)))
    assert len(moments) == tasks
    assert moments == sorted(moments)
    assert made.start_ms <= moments[0]
    assert moments[-1] <= END_MS


def test_the_end_is_the_noon_that_is_told() -> None:
    assert datetime.fromtimestamp(END_MS / 1000, UTC) == datetime(2026, 12, 1, 12, tzinfo=UTC)


def test_noon_is_busier_than_night_and_a_weekday_than_a_weekend() -> None:
    made, _ = calendar(200_000)
    moments = [datetime.fromtimestamp(at / 1000, UTC) for at in made.arrivals(random.Random(2))]
    hours = Counter(moment.hour for moment in moments)
    assert min(hours[10], hours[14]) > 2 * max(hours[2], hours[3])
    days = Counter(moment.date() for moment in moments)
    whole = sorted(days)[1:-1]
    assert max(days[day] for day in whole if day.weekday() >= 5) < min(days[day] for day in whole if day.weekday() < 5)


def test_a_task_comes_in_at_about_the_moment_that_is_told_of_its_number() -> None:
    made, size = calendar(5_000)
    moments = list(made.arrivals(random.Random(2)))
    for number in range(0, size.tasks, 97):
        assert made.moment_of(number) - 1 <= moments[number] <= made.moment_of(number) + HOUR_MS / 4 + 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tasks", [200, 2_000, 50_000])
def test_outages_come_one_after_another_and_before_what_is_left_over(tasks: int, seed: int) -> None:
    made, size = calendar(tasks, seed)
    outages = made.outages(size, random.Random(seed), 0)
    assert outages
    edges = [edge for outage in outages for edge in (outage.crash_ms, outage.back_ms)]
    assert edges == sorted(set(edges))
    assert made.start_ms < edges[0]
    assert edges[-1] < list(made.arrivals(random.Random(seed)))[-size.left_over]


class Burst(random.Random):
    """Lets most of the tasks come in at once."""

    def __init__(self, seed: int, stretch: int) -> None:
        super().__init__(seed)
        self._swings = (50.0 if at == stretch else 1.0 for at in range(1_000))

    def lognormvariate(self, mu: float, sigma: float) -> float:  # noqa: ARG002  the library's own
        return next(self._swings)


@pytest.mark.parametrize("stretch", [5, 8, 19])
def test_outages_keep_apart_where_most_comes_in_at_once(stretch: int) -> None:
    size, numbers = Size(2_000, 20_000), set()
    for seed in range(60):
        made = Calendar(size, Burst(seed, stretch))
        outages = made.outages(size, random.Random(seed), 0)
        edges = [edge for outage in outages for edge in (outage.crash_ms, outage.back_ms)]
        assert edges == sorted(set(edges))
        assert not edges or edges[-1] < list(made.arrivals(random.Random(seed)))[-size.left_over]
        numbers.add(len(outages))
    assert len(numbers) > 1


def test_a_short_history_has_no_outage() -> None:
    made, size = calendar(199)
    assert made.outages(size, random.Random(1), 0) == []


@pytest.mark.parametrize("seed", range(20))
def test_no_outage_comes_while_the_long_log_is_written(seed: int) -> None:
    size = Size(100_000, 1_000_000)
    assert size.large is not None
    made = Calendar(size, random.Random(seed))
    spared_ms = 20 * HOUR_MS
    begins_ms = list(made.arrivals(random.Random(seed)))[size.large]
    outages = made.outages(size, random.Random(seed), spared_ms)
    assert len(outages) > 10
    for outage in outages:
        assert outage.back_ms <= begins_ms or outage.crash_ms >= begins_ms + spared_ms
