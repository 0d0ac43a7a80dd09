"""Responses: stored with the completion in one transaction, and there until they expire."""

import json
from typing import Any

import pytest

from inspector.layout.rows import ResponseRow, StoredText
from tests.support.store_factory import Rig, failing_at, one, put, statements_of, tapped
from tests.support.subject import store


def complete(rig: Rig, task_id: str = "t", *, now_ms: int = 200, **changed: Any) -> store.Written:  # noqa: ANN401
    return store.complete_task(rig.db, task_id, {"text": "é"}, attempt=1, now_ms=now_ms, **changed)


def test_the_response_is_given_back_as_it_was_stored(rig: Rig) -> None:
    store.accept_task(rig.db, request={}, on_restart="fail", task_id="t", client_id="c", model_id="m", now_ms=100)
    store.start_task(rig.db, "t", status="running", attempt=1, now_ms=101, warm=True)
    complete(rig, keep_response_ms=1000)
    with rig.unchanged():
        response = store.stored_response(rig.db, "t", now_ms=300)
    assert response == ResponseRow(
        id="resp_t",
        task_id="t",
        client_id="c",
        model_id="m",
        status="completed",
        body=StoredText('{"text":"é"}', 12),
        created_at=200,
        expires_at=1200,
    )
    assert not response.body.is_cut
    assert json.loads(response.body.text) == {"text": "é"}


@pytest.mark.parametrize("status", ["queued", "loading", "running", "cancelling", "failed", "cancelled"])
def test_only_a_completed_task_has_a_response(rig: Rig, status: str) -> None:
    put(rig.db, "completed", task_id="other")
    put(rig.db, status)
    assert store.stored_response(rig.db, "t", now_ms=1000) is None
    assert store.stored_response(rig.db, "nobody", now_ms=1000) is None
    assert store.stored_response(rig.db, "other", now_ms=1000) is not None


def test_without_a_time_it_is_there_as_long_as_its_task(rig: Rig) -> None:
    put(rig.db, "running")
    complete(rig)
    response = store.stored_response(rig.db, "t", now_ms=10**15)
    assert response is not None
    assert response.expires_at is None
    rig.db.conn.execute("DELETE FROM tasks")
    assert store.stored_response(rig.db, "t", now_ms=300) is None


@pytest.mark.parametrize(("now_ms", "there"), [(0, True), (200, True), (249, True), (250, False), (10**15, False)])
def test_it_is_gone_from_the_moment_at_which_it_expires(rig: Rig, now_ms: int, there: bool) -> None:
    put(rig.db, "running")
    complete(rig, keep_response_ms=50)
    with rig.unchanged():
        response = store.stored_response(rig.db, "t", now_ms=now_ms)
    assert (response is not None) is there
    # Cleanup has not come by.
    assert one(rig.db, "SELECT id, expires_at FROM responses") == {"id": "resp_t", "expires_at": 250}


def test_its_time_begins_with_the_completion_also_where_the_clock_has_stepped_back(rig: Rig) -> None:
    put(rig.db, "running", at=1_000_000)
    complete(rig, now_ms=7, keep_response_ms=50)
    response = store.stored_response(rig.db, "t", now_ms=1_000_000)
    assert response is not None
    assert (response.created_at, response.expires_at) == (1_000_002, 1_000_052)


@pytest.mark.parametrize("keep_ms", [0, -1, -(10**15), True, 0.5, float("nan"), "5"])
@pytest.mark.parametrize("status", ["running", "cancelling", "completed"])
def test_a_time_that_is_not_above_0_is_refused(rig: Rig, status: str, keep_ms: int) -> None:
    put(rig.db, status)
    with rig.unchanged(), pytest.raises(store.Refused, match=r"keep_response_ms must be .* above 0"):
        complete(rig, keep_response_ms=keep_ms)


def test_a_time_beyond_64_bits_completes_nothing(rig: Rig) -> None:
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused, match="keep_response_ms"):
        complete(rig, keep_response_ms=2**63)


def test_a_response_that_is_kept_for_longer_than_64_bits_can_say_is_kept_for_as_long_as_they_can(rig: Rig) -> None:
    put(rig.db, "running")
    complete(rig, keep_response_ms=2**63 - 1)
    assert store.stored_response(rig.db, "t", now_ms=2**63 - 2) is not None


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_fails_halfway_leaves_neither_completion_nor_response(rig: Rig, moment: str) -> None:
    put(rig.db, "running", task_id="probe")
    steps = statements_of(rig.db, lambda: complete(rig, "probe", keep_response_ms=50))
    put(rig.db, "running")
    for number in range(len(steps) - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            complete(rig, keep_response_ms=50)
        assert store.stored_response(rig.db, "t", now_ms=201) is None
    complete(rig, keep_response_ms=50)
    assert store.stored_response(rig.db, "t", now_ms=201) is not None


@pytest.mark.ours
def test_what_has_expired_is_found_by_an_index(rig: Rig) -> None:
    ways = rig.db.conn.execute("EXPLAIN QUERY PLAN SELECT id FROM responses WHERE expires_at <= 250").fetchall()
    assert [way[3] for way in ways] == ["SEARCH responses USING INDEX responses_by_expiry (expires_at<?)"]
