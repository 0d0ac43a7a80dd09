"""The logs of many tasks, merged by time."""

from inspector.demo.simulating.feed import Feed
from inspector.demo.simulating.life import Life
from tests.demo.simulating.test_life import asked


def life(task_id: str, at: int, pieces: int, step_ms: float) -> Life:
    made = Life(task_id, asked(), at)
    made.stream(pieces, at, step_ms)
    return made


def test_events_come_by_time_and_none_is_lost_or_doubled() -> None:
    feed = Feed()
    lives = [life(f"t{number}", 10 * number, 50 - number, 7.0 + number) for number in range(20)]
    for each in lives:
        feed.add(each)
    taken = []
    while events := feed.take(float("inf"), 33):
        assert len(events) <= 33
        taken += events
    assert taken == sorted(event for each in lives for event in each.events())


def test_what_is_not_before_the_moment_stays() -> None:
    feed = Feed()
    feed.add(life("a", 0, 5, 10))
    assert feed.take(0, 100) == []
    early = feed.take(20, 100)
    assert all(event[0] < 20 for event in early)
    assert feed.take(20, 100) == []
    feed.add(life("b", 21, 5, 10))
    rest = feed.take(float("inf"), 100)
    assert [event[0] for event in rest] == sorted(event[0] for event in rest)
    assert len(early) + len(rest) == 12
    assert {event[1] for event in rest} == {"a", "b"}
