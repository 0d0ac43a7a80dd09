"""One task's log, read in stretches: nothing twice, and no more kept than a timeline can show."""

from inspector.desktop.wiring.growing_log import LOG_TICKS, GrowingLog
from inspector.layout.pages import LogStretch, Tick
from inspector.lmsp.events import EventType
from inspector.reading.requests import BEFORE_ALL


def stretch(first: int, last: int, *, kind: str = "response.output_text.delta", more: bool = False) -> LogStretch:
    ticks = tuple(Tick(seq, kind, "running", 1_000 + seq) for seq in range(first, last + 1))
    return LogStretch("a", ticks, len(ticks), last, "running", more)


def seqs(log: GrowingLog) -> list[int]:
    return [tick.seq for tick in log.timeline.ticks]


def test_it_is_asked_for_from_its_beginning_and_then_after_what_is_known() -> None:
    log = GrowingLog("a", 5)
    assert log.next_request.after_seq == BEFORE_ALL
    assert log.take(stretch(1, 5))
    assert (log.next_request.after_seq, log.next_request.status) == (5, "running")


def test_stretches_join() -> None:
    log = GrowingLog("a", 5)
    log.take(stretch(1, 5, more=True))
    log.take(stretch(6, 7))
    assert seqs(log) == [1, 2, 3, 4, 5, 6, 7]
    assert log.timeline.events == 7


def test_what_is_known_or_of_another_task_adds_nothing() -> None:
    log = GrowingLog("a", 5)
    log.take(stretch(1, 5))
    assert not log.take(stretch(1, 5))
    assert not log.take(LogStretch("a", (), 0, 5, "running", more=False))
    assert not log.take(LogStretch("b", (Tick(6, "x", "running", 1),), 1, 6, "running", more=False))
    assert seqs(log) == [1, 2, 3, 4, 5]


def test_a_long_log_is_asked_for_thinned() -> None:
    assert GrowingLog("a", LOG_TICKS).next_request.every == 1
    assert GrowingLog("a", 10 * LOG_TICKS).next_request.every == 10


def test_a_log_that_grows_for_ever_keeps_a_bounded_number_of_ticks_its_ends_and_its_changes() -> None:
    log = GrowingLog("a", 1)
    log.take(LogStretch("a", (Tick(1, EventType.CREATED, "queued", 1),), 1, 1, "queued", more=True))
    log.take(LogStretch("a", (Tick(2, EventType.IN_PROGRESS, "running", 2),), 1, 2, "running", more=True))
    for first in range(3, 20 * LOG_TICKS, 1_000):
        log.take(stretch(first, first + 999))
        assert len(log.timeline.ticks) <= 2 * LOG_TICKS
    found = seqs(log)
    assert found[:2] == [1, 2]
    assert found[-1] == first + 999
    assert found == sorted(set(found))
    assert log.timeline.events == first + 999
    assert log.next_request.every > 1


def test_a_log_that_claims_a_change_with_every_event_is_bounded_too() -> None:
    log = GrowingLog("a", 1)
    for first in range(1, 10 * LOG_TICKS, 1_000):
        log.take(stretch(first, first + 999, kind=EventType.IN_PROGRESS))
        assert len(log.timeline.ticks) <= 2 * LOG_TICKS
    assert seqs(log)[-1] == first + 999
