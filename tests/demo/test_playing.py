import os
from collections.abc import Iterator

import pytest

from inspector.demo.playing import LiveClock, Loop, PastClock, Play


def note(notes: list[tuple[str, float]], loop: Loop, name: str, *waits_ms: float) -> Play:
    for wait_ms in waits_ms:
        notes.append((name, loop.clock.now_ms()))
        yield wait_ms
    notes.append((name, loop.clock.now_ms()))


@pytest.fixture
def leash() -> Iterator[list[int]]:
    ends = list(os.pipe())
    yield ends
    for end in ends:
        os.close(end)


def test_plays_go_on_when_their_time_has_come() -> None:
    loop = Loop(PastClock(1000))
    notes: list[tuple[str, float]] = []
    loop.start(note(notes, loop, "a", 30, 30))
    loop.start(note(notes, loop, "b", 20), after_ms=15)

    assert loop.run()

    assert notes == [("a", 1000), ("b", 1015), ("a", 1030), ("b", 1035), ("a", 1060)]


def test_plays_of_one_time_go_on_in_the_order_in_which_they_asked() -> None:
    loop = Loop(PastClock(0))
    notes: list[tuple[str, float]] = []
    for name in "abc":
        loop.start(note(notes, loop, name, 0))

    loop.run()

    assert [name for name, _ in notes] == ["a", "b", "c", "a", "b", "c"]


def test_a_run_stops_before_what_is_due_later_and_can_go_on() -> None:
    loop = Loop(PastClock(0))
    notes: list[tuple[str, float]] = []
    loop.start(note(notes, loop, "a", 10, 10))

    assert loop.run(until_ms=10)
    assert [at for _, at in notes] == [0, 10]
    assert loop.run()
    assert [at for _, at in notes] == [0, 10, 20]


def test_a_faster_clock_shortens_every_wait() -> None:
    class Fast(PastClock):
        pace = 4.0

    loop = Loop(Fast(0))
    notes: list[tuple[str, float]] = []
    loop.start(note(notes, loop, "a", 40), after_ms=100)

    loop.run()

    assert [at for _, at in notes] == [25, 35]


def test_a_clock_that_ends_ends_the_run_before_the_next_play() -> None:
    class Ending(PastClock):
        def wait(self, ms: float) -> bool:
            super().wait(ms)
            return self.now_ms() < 15

    loop = Loop(Ending(0))
    notes: list[tuple[str, float]] = []
    loop.start(note(notes, loop, "a", 10, 10, 10))

    assert not loop.run()
    assert [at for _, at in notes] == [0, 10]


def test_real_time_passes_while_the_leash_is_held_and_what_is_typed_ends_nothing(leash: list[int]) -> None:
    clock = LiveClock(1.0, leash[0])
    os.write(leash[1], b"hello\n")
    before_ms = clock.now_ms()

    assert clock.wait(20)
    assert clock.wait(0)
    assert clock.wait(-5)
    assert clock.now_ms() - before_ms >= 20


@pytest.mark.timeout(10)
def test_a_closed_leash_ends_a_wait_at_once_and_for_good(leash: list[int]) -> None:
    clock = LiveClock(1.0, leash[0])
    os.close(leash.pop())

    assert not clock.wait(3_600_000)
    assert not clock.wait(0)
