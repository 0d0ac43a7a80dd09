"""Starting: the claim of a worker, and that one task has one worker."""

from contextlib import closing
from typing import Any

import pytest

from tests.support.store_factory import Rig, failing_at, put, statements_of, tapped
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
    with rig.unchanged(), pytest.raises(store.Refused, match=f"status must be loading or running, not '{status}'"):
        store.start_task(rig.db, "t", status=status, attempt=1, now_ms=200)


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("warm", [False, True])
def test_a_claim_of_the_next_task_that_fails_halfway_claims_nothing(rig: Rig, warm: bool, moment: str) -> None:
    put(rig.db, "queued", task_id="probe", at=50)
    steps = statements_of(rig.db, lambda: store.claim_next_task(rig.db, now_ms=200, warm=warm))
    assert len(steps) == 6
    put(rig.db, "queued")
    for number in range(len(steps) - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            store.claim_next_task(rig.db, now_ms=200, warm=warm)
    claimed = store.claim_next_task(rig.db, now_ms=200, warm=warm)
    assert claimed is not None
    assert claimed.id == "t"


def test_of_two_connections_each_claims_a_task_of_its_own(rig: Rig) -> None:
    for number in range(4):
        put(rig.db, "queued", task_id=f"t{number}", at=100 + number)
    with closing(store.open_service_database(rig.path)) as other:
        claimed = [store.claim_next_task(db, now_ms=200) for db in (rig.db, other, other, rig.db, other)]
        assert [task and task.id for task in claimed] == ["t0", "t1", "t2", "t3", None]
        assert store.next_queued_task(rig.db) is None


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


@pytest.mark.parametrize(("warm", "status"), [(False, "loading"), (True, "running")])
def test_the_task_that_was_queued_longest_is_claimed_and_told_as_it_is_then(rig: Rig, warm: bool, status: str) -> None:
    for task_id, at in (("young", 300), ("b", 100), ("a", 100), ("middle", 200)):
        put(rig.db, "queued", task_id=task_id, at=at)
    for task_id in ("a", "b", "middle", "young"):
        claimed = store.claim_next_task(rig.db, now_ms=400, warm=warm)
        assert claimed == store.find_task(rig.db, task_id)
        assert claimed is not None
        assert (claimed.status, claimed.started_at, claimed.updated_at, claimed.last_seq) == (status, 400, 400, 2)
        assert [row[2] for row in rig.log(task_id)] == ["queued", status]
    with rig.unchanged():
        assert store.claim_next_task(rig.db, now_ms=400, warm=warm) is None


def test_a_claim_is_no_earlier_than_its_task(rig: Rig) -> None:
    put(rig.db, "queued", at=500)
    claimed = store.claim_next_task(rig.db, now_ms=100)
    assert claimed is not None
    assert (claimed.started_at, claimed.updated_at) == (500, 500)


@pytest.mark.ours
def test_a_task_that_another_claims_before_the_lock_is_left_to_it(rig: Rig) -> None:
    put(rig.db, "queued", task_id="first", at=100)
    put(rig.db, "queued", task_id="second", at=200)
    others: list[Any] = []

    def overtake(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE" and not others:
            with closing(store.open_service_database(rig.path)) as other:
                others.append(store.claim_next_task(other, now_ms=300))

    with tapped(rig.db, before=overtake):
        claimed = store.claim_next_task(rig.db, now_ms=301)
    assert claimed is not None
    assert (others[0].id, claimed.id) == ("first", "second")


def test_the_second_of_two_claims_is_told_that_there_was_a_first(rig: Rig) -> None:
    put(rig.db, "loading")
    with rig.unchanged(), pytest.raises(store.Refused, match="cannot become loading: it is that already"):
        store.start_task(rig.db, "t", status="loading", attempt=1, now_ms=200)


def test_a_refused_move_tells_which_there_are(rig: Rig) -> None:
    put(rig.db, "queued")
    with rig.unchanged(), pytest.raises(store.Refused, match="becomes loading or running or failed or cancelled"):
        store.complete_task(rig.db, "t", {}, attempt=1, now_ms=200)
