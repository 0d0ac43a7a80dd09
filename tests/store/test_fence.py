"""The claim and the attempt: one task has one worker, and one that has lost it writes nothing more.

No look at an end state sees these faults: a task that two workers had looks like any other (faults: without the fence
every invariant still holds). So each is brought about on purpose, both ways round, on one connection and on two, also
in the moment between a worker's call and its lock.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

import pytest
from sqlite_utils import Database

from tests.support.store_factory import Rig, put, tapped
from tests.support.subject import store


@dataclass(frozen=True)
class Two:
    """Two workers, each with the connection that it has: the same one, or one of its own."""

    rig: Rig
    one: Database
    other: Database


@pytest.fixture(params=["one connection", "two connections"])
def two(request: pytest.FixtureRequest, rig: Rig) -> Iterator[Two]:
    """Give two workers in one process."""
    with ExitStack() as stack:
        other = rig.db
        if request.param == "two connections":
            other = stack.enter_context(closing(store.open_service_database(rig.path, wait_ms=2000)))
        yield Two(rig, rig.db, other)


CLAIMS: dict[str, dict[str, Any]] = {"loading": {"status": "loading"}, "warm": {"status": "running", "warm": True}}


def claim(db: Database, how: str, *, attempt: int = 1, now_ms: int = 200) -> store.Written:
    return store.start_task(db, "t", attempt=attempt, now_ms=now_ms, **CLAIMS[how])


def at_first(call: Callable[[], object]) -> Callable[[str], None]:
    """Return a listener that calls it once, before the first statement: a worker that has begun, without its lock."""
    waiting = [call]

    def listen(_: str) -> None:
        if waiting:
            waiting.pop()()

    return listen


@pytest.mark.parametrize("order", ["in order", "reversed"])
@pytest.mark.parametrize("second", CLAIMS)
@pytest.mark.parametrize("first", CLAIMS)
def test_of_two_workers_that_saw_one_task_only_the_first_to_claim_gets_it(
    two: Two, first: str, second: str, order: str
) -> None:
    put(two.rig.db, "queued")
    # Both have looked before either claims.
    assert store.next_queued_task(two.one) == store.next_queued_task(two.other)
    winner, loser = (two.one, two.other) if order == "in order" else (two.other, two.one)
    held = claim(winner, first).status
    with two.rig.unchanged(), pytest.raises(store.Refused) as refused:
        claim(loser, second, now_ms=201)
    assert refused.value.found == held
    assert [entry[2] for entry in two.rig.log("t")] == ["queued", held]
    assert store.next_queued_task(loser) is None


@pytest.mark.ours
@pytest.mark.parametrize("second", CLAIMS)
@pytest.mark.parametrize("first", CLAIMS)
def test_a_claim_that_comes_before_the_lock_of_another_wins(rig: Rig, first: str, second: str) -> None:
    put(rig.db, "queued")
    with (
        closing(store.open_service_database(rig.path, wait_ms=0)) as other,
        tapped(rig.db, before=at_first(lambda: claim(other, first))),
        pytest.raises(store.Refused),
    ):
        claim(rig.db, second, now_ms=201)
    assert [entry[2] for entry in rig.log("t")] == ["queued", claim_status(first)]


@pytest.mark.ours
@pytest.mark.parametrize("second", CLAIMS)
@pytest.mark.parametrize("first", CLAIMS)
def test_a_claim_that_comes_within_the_lock_of_another_loses(rig: Rig, first: str, second: str) -> None:
    put(rig.db, "queued")
    refused: list[str] = []
    with closing(store.open_service_database(rig.path, wait_ms=0)) as other:

        def interfere(sql: str) -> None:
            if sql != "BEGIN IMMEDIATE":
                with pytest.raises(store.Busy):
                    claim(other, second, now_ms=201)
                refused.append(sql)

        with tapped(rig.db, before=interfere):
            claim(rig.db, first)
        with pytest.raises(store.Refused):
            claim(other, second, now_ms=202)
    assert refused[-1] == "COMMIT"
    assert [entry[2] for entry in rig.log("t")] == ["queued", claim_status(first)]


def claim_status(how: str) -> str:
    return str(CLAIMS[how]["status"])


@pytest.mark.parametrize("how", CLAIMS)
def test_a_task_that_went_back_to_the_queue_is_claimed_under_its_new_attempt_only(two: Two, how: str) -> None:
    put(two.rig.db, "running", on_restart="retry")
    restart(two.one)
    with two.rig.unchanged(), pytest.raises(store.Refused):
        claim(two.other, how, attempt=1, now_ms=600)
    assert claim(two.other, how, attempt=2, now_ms=600).attempt == 2


def restart(db: Database) -> None:
    store.apply_recovery(db, store.plan_recovery(db), now_ms=500)


WRITES: dict[str, Callable[[Database, int], store.Written]] = {
    "append": lambda db, n: store.append_events(db, "t", [("response.note", {"of": n})], attempt=n, now_ms=600),
    "append nothing": lambda db, n: store.append_events(db, "t", [], attempt=n, now_ms=600),
    "snapshot": lambda db, n: store.save_snapshot(db, "t", {"of": n}, attempt=n, now_ms=600),
    "complete": lambda db, n: store.complete_task(db, "t", {"of": n}, attempt=n, now_ms=600),
    "fail": lambda db, n: store.fail_task(db, "t", code="c", message=f"of {n}", attempt=n, now_ms=600),
}


def hand_over(db: Database, policy: str) -> None:
    """Restart the service, and give the task to a new worker, which then runs it."""
    restart(db)
    if policy == "retry":
        claim(db, "warm", attempt=2, now_ms=550)


@pytest.mark.parametrize("policy", ["retry", "resume"])
@pytest.mark.parametrize("name", WRITES)
def test_the_old_worker_is_refused_and_the_new_one_is_not(two: Two, name: str, policy: str) -> None:
    put(two.rig.db, "running", on_restart=policy)
    hand_over(two.other, policy)
    with two.rig.unchanged(), pytest.raises(store.Refused, match="attempt 1 does not hold it") as refused:
        WRITES[name](two.one, 1)
    assert refused.value.found == "running"
    assert WRITES[name](two.other, 2).attempt == 2


@pytest.mark.parametrize("policy", ["retry", "resume"])
@pytest.mark.parametrize("name", WRITES)
def test_the_old_worker_is_refused_also_after_the_new_one_has_written(two: Two, name: str, policy: str) -> None:
    put(two.rig.db, "running", on_restart=policy)
    hand_over(two.other, policy)
    WRITES[name](two.other, 2)
    with two.rig.unchanged(), pytest.raises(store.Refused):
        WRITES[name](two.one, 1)


@pytest.mark.parametrize("policy", ["retry", "resume"])
@pytest.mark.parametrize("name", WRITES)
def test_what_the_old_worker_wrote_before_the_restart_stands(two: Two, name: str, policy: str) -> None:
    put(two.rig.db, "running", on_restart=policy)
    WRITES[name](two.one, 1)
    before = two.rig.log("t")
    restart(two.other)
    if name in ("complete", "fail"):
        with two.rig.unchanged(), pytest.raises(store.Refused):
            WRITES[name](two.other, 2)
        assert two.rig.log("t") == before
        return
    event = "response.queued" if policy == "retry" else "response.resumed"
    assert [entry[1] for entry in two.rig.log("t")[len(before) :]] == [event]


@pytest.mark.ours
@pytest.mark.parametrize("policy", ["retry", "resume"])
@pytest.mark.parametrize("name", WRITES)
def test_a_restart_between_the_old_worker_s_call_and_its_lock_counts(rig: Rig, name: str, policy: str) -> None:
    put(rig.db, "running", on_restart=policy)
    with (
        closing(store.open_service_database(rig.path, wait_ms=0)) as other,
        tapped(rig.db, before=at_first(lambda: hand_over(other, policy))),
        pytest.raises(store.Refused, match="attempt 1 does not hold it"),
    ):
        WRITES[name](rig.db, 1)
    assert rig.task("t")["attempt"] == 2
    assert rig.log("t")[-1][3] == 2


@pytest.mark.parametrize("old", ["loading", "running"])
def test_the_old_worker_does_not_take_its_task_further(two: Two, old: str) -> None:
    put(two.rig.db, old, on_restart="retry")
    restart(two.other)
    for status in ("queued", "loading"):
        for how in ("loading", "running"):
            with two.rig.unchanged(), pytest.raises(store.Refused, match="attempt 1 does not hold it"):
                store.start_task(two.one, "t", status=how, attempt=1, now_ms=600)
        assert two.rig.task("t")["status"] == status
        if status == "queued":
            claim(two.other, "loading", attempt=2, now_ms=550)


def test_the_old_worker_does_not_stop_a_task_that_the_new_one_was_asked_to_stop(two: Two) -> None:
    put(two.rig.db, "running", on_restart="retry")
    hand_over(two.other, "retry")
    store.cancel_task(two.other, "t", now_ms=580)
    for write in (WRITES["fail"], lambda db, n: store.finish_cancel(db, "t", attempt=n, now_ms=600)):
        with two.rig.unchanged(), pytest.raises(store.Refused, match="attempt 1 does not hold it"):
            write(two.one, 1)
    assert store.finish_cancel(two.other, "t", attempt=2, now_ms=600).status == "cancelled"
