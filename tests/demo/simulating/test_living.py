"""A task's life with the workers and the restarts that it meets: whatever comes when, every rule holds."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import command_line
from inspector.demo.simulating import rows
from inspector.demo.simulating.arrivals import Outage
from inspector.demo.simulating.course import Course, Ending, Failure, course_of
from inspector.demo.simulating.feed import Feed
from inspector.demo.simulating.life import Life
from inspector.demo.simulating.living import live_plainly, live_through
from inspector.demo.simulating.workers import Lives, ServiceLife
from inspector.lmsp.recovery import Policy
from inspector.store.bulk_loading import load_history
from tests.demo.simulating.test_life import asked

BACK_MS = 60_000
PLAIN = Course(
    pieces=6,
    stops_at=6,
    load_ms=1_000,
    think_ms=300,
    step_ms=500.0,
    stall_ms=0,
    stop_ms=400,
    patience_ms=700,
    ending=Ending.COMPLETED,
)
COURSES = {
    "completed": PLAIN,
    "stalled": replace(PLAIN, stall_ms=2_000),
    "cancelled": replace(PLAIN, stops_at=3, ending=Ending.CANCELLED),
    "cancelled at once": replace(PLAIN, stops_at=0, ending=Ending.CANCELLED),
    "withdrawn": replace(PLAIN, ending=Ending.WITHDRAWN),
    "failed": replace(PLAIN, stops_at=3, ending=Ending.FAILED, failure=Failure("no", "No.", after_ms=900)),
    "not loaded": replace(PLAIN, stops_at=0, ending=Ending.FAILED, failure=Failure("no", "No.", loading=True)),
}


def types(life: Life) -> list[str]:
    return [event[3].removeprefix("response.").removeprefix("output_text.") for event in life.events()]


def one_service(workers: int = 1) -> list[ServiceLife]:
    return Lives(0, [], workers).all


def lived(course: Course, policy: str = "retry", *, crash_ms: int | None = None, free_ms: int = 0) -> Life:
    outages = [] if crash_ms is None else [Outage(crash_ms, BACK_MS)]
    services = Lives(0, outages, workers=1).all
    services[0].work(free_ms, "other")
    life = Life("t", asked(policy), 10)
    live_through(life, course, services).note()
    return life


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("completed", ["created", "loading", "in_progress", *["delta"] * 6, "completed"]),
        ("stalled", ["created", "loading", "in_progress", *["delta"] * 6, "completed"]),
        ("cancelled", ["created", "loading", "in_progress", *["delta"] * 3, "cancelling", "delta", "cancelled"]),
        ("cancelled at once", ["created", "loading", "in_progress", "cancelling", "cancelled"]),
        ("withdrawn", ["created", "loading", "in_progress", *["delta"] * 6, "completed"]),
        ("failed", ["created", "loading", "in_progress", *["delta"] * 3, "failed"]),
        ("not loaded", ["created", "loading", "failed"]),
    ],
)
def test_a_task_takes_its_course(name: str, wanted: list[str]) -> None:
    assert types(lived(COURSES[name])) == wanted


def test_who_waits_too_long_withdraws() -> None:
    life = lived(COURSES["withdrawn"], free_ms=5_000)
    assert types(life) == ["created", "cancelled"]
    assert (life.started_at, life.finished_at) == (None, 710)


def test_a_stall_is_a_gap_in_the_middle() -> None:
    times = [event[0] for event in lived(COURSES["stalled"]).events() if event[3].endswith("delta")]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert [gap > 1_500 for gap in gaps] == [False, False, True, False, False]


def test_a_warm_model_is_not_loaded_and_a_failure_to_load_it_does_not_come() -> None:
    (service,) = one_service()
    service.work(0, "phi-3.5-mini-q8")
    life = Life("t", asked(), 10)
    live_through(life, COURSES["not loaded"], [service])
    assert types(life) == ["created", "in_progress", *["delta"] * 6, "completed"]


def test_an_embedding_and_a_tool_call_have_their_events() -> None:
    embedding = Life("t", asked(kind="embedding"), 10)
    live_through(embedding, PLAIN, one_service())
    assert types(embedding) == ["created", "loading", "in_progress", "output_embedding.done", "completed"]
    calling = Life("t", asked(tool=True), 10)
    live_through(calling, PLAIN, one_service())
    assert types(calling)[3:5] == ["function_call.done", "delta"]


def test_a_task_waits_for_a_worker_and_the_next_one_for_it() -> None:
    (service,) = one_service()
    service.work(5_000, "other")
    first, second = Life("a", asked(), 10), Life("b", asked(), 20)
    for life in (first, second):
        live_through(life, PLAIN, [service]).note()
    assert (first.started_at, second.started_at) == (5_000, first.finished_at)


def test_a_try_takes_nothing_of_the_service() -> None:
    services = Lives(0, [Outage(2_000, BACK_MS)], workers=1).all
    live_through(Life("t", asked("retry"), 10), PLAIN, services)
    assert [(service.free_ms, service.recovered) for service in services] == [(0, {}), (BACK_MS, {})]


@pytest.mark.parametrize(
    ("policy", "crash_ms", "wanted"),
    [
        ("fail", 800, ["created", "loading", "failed"]),
        ("retry", 800, ["created", "loading", "queued", "loading", "in_progress", *["delta"] * 6, "completed"]),
        ("resume", 800, ["created", "loading", "queued", "loading", "in_progress", *["delta"] * 6, "completed"]),
        ("fail", 2_900, ["created", "loading", "in_progress", *["delta"] * 3, "failed"]),
        (
            "retry",
            2_900,
            [
                *("created", "loading", "in_progress", *["delta"] * 3),
                *("queued", "loading", "in_progress", *["delta"] * 6, "completed"),
            ],
        ),
        (
            "resume",
            3_900,
            ["created", "loading", "in_progress", *["delta"] * 5, "resumed", *["delta"] * 2, "completed"],
        ),
    ],
)
def test_a_restart_does_what_the_policy_says(policy: str, crash_ms: int, wanted: list[str]) -> None:
    life = lived(PLAIN, policy, crash_ms=crash_ms)
    assert types(life) == wanted
    assert [event[0] for event in life.events() if crash_ms <= event[0] < BACK_MS] == []


@pytest.mark.parametrize(("policy", "wanted"), [("fail", ["created", "failed"]), ("retry", ["created", "loading"])])
def test_who_is_queued_at_a_restart_fails_or_waits_on(policy: str, wanted: list[str]) -> None:
    assert types(lived(PLAIN, policy, crash_ms=800, free_ms=900))[:2] == wanted


def test_a_snapshot_stays_until_there_is_more_to_save() -> None:
    outages = [Outage(3_900, BACK_MS), Outage(BACK_MS + 900, 2 * BACK_MS)]
    life = Life("t", asked("resume"), 10)
    live_through(life, PLAIN, Lives(0, outages, workers=1).all[:2])
    assert types(life) == [
        *("created", "loading", "in_progress", *["delta"] * 5, "resumed"),
        *("delta", "resumed"),
    ]
    assert (life.snapshot_seq, life.saved_pieces, life.attempt) == (7, 4, 3)


def test_a_worker_who_dies_with_a_task_takes_no_other() -> None:
    services = Lives(0, [Outage(2_900, BACK_MS)], workers=1).all
    first, second = Life("a", asked("fail"), 10), Life("b", asked("retry"), 20)
    for life in (first, second):
        live_through(life, PLAIN, services).note()
    assert (types(first)[-1], first.finished_at) == ("failed", BACK_MS)
    assert (second.attempt, types(second)[:2]) == (1, ["created", "loading"])


def test_each_restart_counts_what_it_recovered() -> None:
    services = Lives(0, [Outage(2_900, BACK_MS)], workers=9).all
    for number, policy in enumerate(["fail", "fail", "retry", "resume"]):
        live_through(Life(f"t{number}", asked(policy), 10), PLAIN, services).note()
    assert [service.recovered for service in services] == [{"failed": 2, "queued": 1, "running": 1}, {}]


@pytest.mark.parametrize("pieces", [1, 7, 40_000])
@pytest.mark.parametrize("crash_ms", [None, 11, 12, 500, 20_000])
def test_a_plain_life_has_as_many_events_as_asked_for_before_any_crash(pieces: int, crash_ms: int | None) -> None:
    services = Lives(0, [] if crash_ms is None else [Outage(crash_ms, BACK_MS)], workers=1).all
    services[0].work(300, "other")
    life = Life("t", asked(), 10)
    live_plainly(life, pieces, services).note()
    assert life.seq == pieces + 3 == len(list(life.events()))
    times = [event[0] for event in life.events()]
    assert times == sorted(times)
    if crash_ms is not None:
        assert times[-1] < crash_ms
    assert services[0].is_warm("phi-3.5-mini-q8")


def test_whenever_the_service_dies_no_rule_is_broken(tmp_path: Path) -> None:
    feed = Feed()
    lives: list[Life] = []
    for course, policy in ((course, policy) for course in COURSES.values() for policy in Policy):
        for crash_ms in range(11, 8_000, 130):
            services = Lives(0, [Outage(crash_ms, crash_ms + 300), Outage(crash_ms + 1_900, 90_000)], workers=1).all
            services[0].work(500, "other")
            kind, tool = ("embedding", False) if crash_ms % 7 == 0 else ("response", crash_ms % 3 == 0)
            life = Life(f"t{len(lives)}", asked(policy.value, kind=kind, tool=tool), 10)
            live_through(life, course, services)
            assert life.is_finished
            for event in life.events():
                assert not any(service.crash_ms <= event[0] < service.back_ms for service in services)
            lives.append(life)
            feed.add(life)
    assert {life.attempt for life in lives} == {1, 2, 3}
    assert sum(life.snapshot_seq is not None for life in lives) > 50
    events = feed.take(float("inf"), 1_000_000)
    path = tmp_path / "lmsp.db"
    load_history(path, [rows.task_rows(lives), rows.event_rows(events), rows.response_rows(lives)])
    result = CliRunner().invoke(command_line, ["check", str(path)])
    assert (result.exit_code, result.stdout.splitlines()[-1].split(":")[0]) == (0, "No findings")


def test_courses_differ_and_say_as_much_as_wanted_in_the_mean() -> None:
    rng = random.Random(1)
    courses = [course_of(asked(), 20.0, rng) for _ in range(4_000)]
    assert {course.ending for course in courses} == {Ending.COMPLETED, Ending.FAILED, Ending.WITHDRAWN}
    assert 19 < sum(course.pieces for course in courses) / len(courses) < 21
    assert all(course.stops_at == course.pieces for course in courses if course.ending is Ending.COMPLETED)
    assert all(0 <= course.stops_at <= course.pieces for course in courses)
    assert len({course.failure.code for course in courses if course.failure is not None}) >= 5
    minded = replace(asked(), changes_mind=True)
    assert {course_of(minded, 20.0, rng).ending for _ in range(200)} == {Ending.CANCELLED, Ending.FAILED}
