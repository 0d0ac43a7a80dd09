"""The service between its restarts: who is free, what is in memory, and which life a moment belongs to."""

import math

from inspector.demo.simulating.arrivals import Outage
from inspector.demo.simulating.workers import Lives, ServiceLife


def test_the_next_task_gets_the_worker_who_is_free_first() -> None:
    service = ServiceLife(100, None, workers=2)
    free = []
    for until_ms in (500, 300, 700, 900):
        free.append(service.free_ms)
        service.work(until_ms, "m")
    assert free == [100, 100, 300, 500]
    assert service.crash_ms == math.inf


def test_a_worker_who_was_late_is_not_free_earlier() -> None:
    service = ServiceLife(100, None, workers=1)
    service.work(50, "m")
    assert service.free_ms == 100


def test_the_model_that_was_used_longest_ago_is_put_out() -> None:
    service = ServiceLife(0, None, workers=1)
    assert not service.is_warm("a")
    for model in ("a", "b", "c", "d", "e", "a", "f"):
        service.work(0, model)
    assert [model for model in "abcdef" if not service.is_warm(model)] == ["b"]
    for _ in range(9):
        service.work(0, "f")
    assert [model for model in "abcdef" if not service.is_warm(model)] == ["b"]


def test_a_task_comes_in_when_the_service_is_there() -> None:
    lives = Lives(0, [Outage(100, 150), Outage(400, 900)], workers=1)
    assert [life.start_ms for life in lives.all] == [0, 150, 900]
    moments = [
        (sent_ms, lives.upto(sent_ms), len(lives.of_now)) for sent_ms in (10, 99, 100, 120, 155, 380, 500, 2_000)
    ]
    assert moments == [
        (10, 10, 3),
        (99, 99, 3),
        (100, 150, 2),
        (120, 170, 2),
        (155, 170, 2),
        (380, 380, 2),
        (500, 900, 1),
        (2_000, 2_000, 1),
    ]


def test_a_life_without_a_task_is_passed_over() -> None:
    lives = Lives(0, [Outage(100, 150), Outage(400, 900)], workers=1)
    assert lives.upto(1_000) == 1_000
    assert [life.start_ms for life in lives.of_now] == [900]
