"""The life of one task, and the events that it gives."""

import json
import random
from itertools import pairwise

import pytest

from inspector.demo.simulating.asks import Ask, Asked
from inspector.demo.simulating.life import LOADING, QUEUED, RUNNING, Life
from inspector.demo.simulating.pieces import DATA


def asked(policy: str = "fail", *, first_piece: int = 3, kind: str = "response", tool: bool = False) -> Asked:
    """Return what the tests' only client asks for."""
    model = "nomic-embed-text-v1.5" if kind == "embedding" else "phi-3.5-mini-q8"
    ask = Ask(kind, model, "{}", f"sha256:{'0' * 64}", first_piece, calls_tool=tool)
    return Asked(ask, "cli", policy, changes_mind=False, has_key=False)


def test_the_events_are_numbered_and_carry_the_status_and_attempt_of_their_moment() -> None:
    life = Life("t", asked(), 100)
    life.move(110, "response.in_progress", RUNNING)
    life.stream(3, 120, 10)
    life.fail(200, "no", "it did not work")
    assert [event[1:6] for event in life.events()] == [
        ("t", 1, "response.created", "queued", 1),
        ("t", 2, "response.in_progress", "running", 1),
        *(("t", seq, "response.output_text.delta", "running", 1) for seq in (3, 4, 5)),
        ("t", 6, "response.failed", "failed", 1),
    ]
    assert (life.seq, life.status, life.finished_at, life.updated_at) == (6, "failed", 200, 200)
    assert (life.error_code, life.error_message) == ("no", "it did not work")
    (*_, last) = life.events()
    assert json.loads(last[6]) == {"error": {"code": "no", "message": "it did not work"}}


@pytest.mark.parametrize("step_ms", [0.01, 1.0, 33.3, 2_500.0])
def test_pieces_come_unevenly_but_in_order_and_within_their_time(step_ms: float) -> None:
    life = Life("t", asked(), 1_000)
    life.stream(700, 1_000, step_ms)
    times = [event[0] for event in life.events()]
    assert times == sorted(times)
    assert times[-1] == life.updated_at <= 1_000 + 700 * step_ms
    if step_ms > 1_000:
        gaps = {later - earlier for earlier, later in pairwise(times)}
        assert len(gaps) > 100


def test_a_later_stream_goes_on_with_the_answer_where_the_one_before_ended() -> None:
    life = Life("t", asked(first_piece=len(DATA) - 1), 0)
    life.stream(2, 10, 5)
    life.move(30, "response.function_call.done", RUNNING)
    life.stream(1, 40, 5)
    deltas = [json.loads(event[6]) for event in life.events() if event[3] == "response.output_text.delta"]
    known = [json.loads(f"{start}0}}")["delta"] for start in DATA]
    assert [(delta["index"], delta["delta"]) for delta in deltas] == [(0, known[-1]), (1, known[0]), (2, known[1])]


def test_no_pieces_are_no_events() -> None:
    life = Life("t", asked(), 0)
    life.stream(0, 10, 5)
    life.stream(-1, 10, 5)
    assert [event[2] for event in life.events()] == [1]


def vars_of(life: Life, *names: str) -> list[object]:
    return [getattr(life, name) for name in names]


def test_recovery_says_what_becomes_of_it() -> None:
    retried = Life("t", asked("retry"), 0)
    retried.started_at = 5
    retried.move(5, "response.loading", LOADING)
    assert retried.recover(50) == QUEUED
    assert vars_of(retried, "attempt", "started_at", "updated_at", "pieces") == [2, None, 50, 0]
    failed = Life("t", asked("fail"), 0)
    assert failed.recover(50) == "failed"
    assert (failed.attempt, failed.error_code, failed.finished_at) == (1, "server_restarted", 50)
    waiting = Life("t", asked("retry"), 0)
    assert waiting.recover(50) == QUEUED
    assert (waiting.attempt, waiting.seq, waiting.updated_at) == (1, 1, 0)


def test_a_resumed_task_goes_on_from_its_snapshot() -> None:
    life = Life("t", asked("resume"), 0)
    life.move(5, "response.in_progress", RUNNING)
    life.stream(7, 10, 1)
    life.save(3)
    assert (life.snapshot_seq, life.saved_pieces) == (6, 4)
    assert life.recover(50) == RUNNING
    assert (life.attempt, life.pieces, life.written_pieces) == (2, 4, 7)
    (*_, last) = life.events()
    assert json.loads(last[6]) == {"reason": "server_restarted", "snapshot_seq": 6, "attempt": 2}


def test_the_same_life_gives_its_events_again() -> None:
    life = Life("t", asked(), 0)
    life.stream(50, 10, random.Random(1).random() * 100)
    assert list(life.events()) == list(life.events())
