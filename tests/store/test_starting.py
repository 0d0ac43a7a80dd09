"""Starting: the claim of a worker, and that one task has one worker."""

from typing import Any

import pytest

from tests.support.store_factory import Rig, put
from tests.support.subject import store


def test_started_at_is_the_moment_of_the_claim(rig: Rig) -> None:
    put(rig.db, "queued", at=100)
    store.start_task(rig.db, "t", status="loading", attempt=1, now_ms=200)
    assert rig.task("t")["started_at"] == 200
    store.start_task(rig.db, "t", status="running", attempt=1, now_ms=300)
    task = rig.task("t")
    assert (task["started_at"], task["updated_at"]) == (200, 300)


def test_a_warm_task_is_claimed_as_running(rig: Rig) -> None:
    put(rig.db, "queued", at=100)
    store.start_task(rig.db, "t", status="running", attempt=1, now_ms=200, warm=True)
    assert rig.task("t")["started_at"] == 200
    assert rig.log("t") == [(1, "response.created", "queued", 1), (2, "response.in_progress", "running", 1)]


@pytest.mark.parametrize(
    ("first", "second"),
    [("loading", "loading"), ("loading", "warm"), ("warm", "loading"), ("warm", "warm")],
)
def test_of_two_workers_that_claim_a_task_one_is_refused(rig: Rig, first: str, second: str) -> None:
    put(rig.db, "queued")
    claims: dict[str, Any] = {"loading": {"status": "loading"}, "warm": {"status": "running", "warm": True}}
    store.start_task(rig.db, "t", attempt=1, now_ms=200, **claims[first])
    with rig.unchanged(), pytest.raises(store.Refused):
        store.start_task(rig.db, "t", attempt=1, now_ms=201, **claims[second])


@pytest.mark.parametrize("status", ["queued", "cancelling", "completed", "failed", "cancelled", "", "Running"])
def test_a_worker_starts_a_task_as_loading_or_running_only(rig: Rig, status: Any) -> None:  # noqa: ANN401
    put(rig.db, "queued")
    with rig.unchanged(), pytest.raises(store.Refused) as refused:
        store.start_task(rig.db, "t", status=status, attempt=1, now_ms=200)
    assert (refused.value.task_id, refused.value.wanted) == ("t", status)


def test_a_worker_that_outlived_a_restart_finishes_nothing(rig: Rig) -> None:
    # faults: without the fence every end-state still looks right, so it has this test of its own.
    put(rig.db, "running", on_restart="retry")
    store.apply_recovery(rig.db, store.plan_recovery(rig.db), now_ms=200)
    store.start_task(rig.db, "t", status="loading", attempt=2, now_ms=201)
    store.start_task(rig.db, "t", status="running", attempt=2, now_ms=202)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "t", {"from": "the old worker"}, attempt=1, now_ms=203)
    store.complete_task(rig.db, "t", {"from": "the new worker"}, attempt=2, now_ms=204)
    assert rig.db.conn.execute("SELECT body FROM responses").fetchall() == [('{"from":"the new worker"}',)]


def test_a_worker_that_outlived_a_resume_finishes_nothing(rig: Rig) -> None:
    put(rig.db, "running", on_restart="resume", snapshot={"n": 1})
    store.apply_recovery(rig.db, store.plan_recovery(rig.db), now_ms=200)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "t", {}, attempt=1, now_ms=203)
    assert store.complete_task(rig.db, "t", {}, attempt=2, now_ms=204).status == "completed"
