"""Accepting: a task is durable, with its first event, before anybody is told of it (section 11.2)."""

import sqlite3
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tests.support.store_factory import Rig, failing_at, put, statements_of, tapped
from tests.support.subject import store


def test_an_accepted_task_is_queued_with_its_first_event(rig: Rig) -> None:
    accepted = store.accept_task(
        rig.db, request={"prompt": "é"}, on_restart="resume", client_id="c", model_id="m", kind="batch", now_ms=7
    )
    task_id = accepted.task.id
    assert rig.task(task_id) == {
        "id": task_id,
        "client_id": "c",
        "model_id": "m",
        "kind": "batch",
        "status": "queued",
        "on_restart": "resume",
        "snapshot_seq": None,
        "last_seq": 1,
        "attempt": 1,
        "error_code": None,
        "created_at": 7,
        "started_at": None,
        "finished_at": None,
        "updated_at": 7,
        "error_message": None,
        "request": '{"prompt":"é"}',
        "snapshot": None,
    }
    assert rig.log(task_id) == [(1, "response.created", "queued", 1)]
    assert rig.data(task_id, 1) == "{}"


def test_the_row_that_is_given_back_is_the_row_that_is_stored(rig: Rig) -> None:
    accepted = store.accept_task(rig.db, request={}, on_restart="fail", now_ms=7)
    assert store.next_queued_task(rig.db) == accepted.task
    assert type(accepted.task.status) is str


def test_it_is_seen_by_others_when_it_returns(rig: Rig) -> None:
    other = sqlite3.connect(rig.path)
    accepted = store.accept_task(rig.db, request={}, on_restart="fail", now_ms=7)
    assert other.execute("SELECT id FROM tasks").fetchall() == [(accepted.task.id,)]
    assert other.execute("SELECT task_id, seq FROM task_events").fetchall() == [(accepted.task.id, 1)]


def test_ids_that_are_made_up_differ(rig: Rig) -> None:
    ids = {store.accept_task(rig.db, request={}, on_restart="fail", now_ms=7).task.id for _ in range(20)}
    assert len(ids) == 20


@pytest.mark.ours
def test_ids_that_are_made_up_sort_by_the_moment(rig: Rig) -> None:
    moments = (0, 1, 1_700_000_000_000, 2**48, 2**62)
    ids = [store.accept_task(rig.db, request={}, on_restart="retry", now_ms=at).task.id for at in moments]
    assert ids[:3] == sorted(ids[:3])
    assert {len(task_id) for task_id in ids} == {37}


@pytest.mark.parametrize(
    "wrong",
    [
        {"on_restart": "never"},
        {"on_restart": ""},
        {"on_restart": "RETRY"},
        {"task_id": ""},
        {"task_id": "t\udcff"},
        {"client_id": "\ud800"},
        {"request": ["a", "list"]},
        {"request": "{}"},
        {"request": None},
        {"request": {"n": float("nan")}},
        {"request": {"n": float("-inf")}},
        {"request": {"o": object()}},
        {"request": {"bytes": b"model"}},
        {"request": {("a", "b"): 1}},
    ],
    ids=str,
)
def test_what_cannot_be_stored_as_it_is_meant_is_refused(rig: Rig, wrong: dict[str, Any]) -> None:
    put(rig.db, "queued")
    with rig.unchanged(), pytest.raises(store.Refused):
        store.accept_task(rig.db, **{"request": {}, "on_restart": "retry", "now_ms": 7, **wrong})


def test_a_request_that_contains_itself_is_refused(rig: Rig) -> None:
    loop: dict[str, object] = {}
    loop["self"] = loop
    with rig.unchanged(), pytest.raises(store.Refused):
        store.accept_task(rig.db, request=loop, on_restart="retry", now_ms=7)


def test_a_request_that_nests_too_deep_is_refused(rig: Rig) -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"in": deep}
    try:
        with rig.unchanged(), pytest.raises(store.Refused):
            store.accept_task(rig.db, request=deep, on_restart="retry", now_ms=7)
    finally:
        # Layer by layer: to forget it at once would recurse as deep.
        while deep:
            deep = deep.pop("in")  # type: ignore[assignment]  # each layer is one
    assert store.next_queued_task(rig.db) is None


@pytest.mark.parametrize("request_", [MappingProxyType({"a": 1}), {"a": 1}], ids=["mapping", "dict"])
def test_any_mapping_is_a_request(rig: Rig, request_: Mapping[str, object]) -> None:
    task = store.accept_task(rig.db, request=request_, on_restart="retry", now_ms=7).task
    assert rig.task(task.id)["request"] == '{"a":1}'


def test_a_lone_surrogate_in_a_request_is_kept_as_json_spells_it(rig: Rig) -> None:
    task = store.accept_task(rig.db, request={"a": "\ud83d"}, on_restart="retry", now_ms=7).task
    assert rig.task(task.id)["request"] == '{"a":"\\ud83d"}'


@pytest.mark.parametrize("found", ["queued", "running", "completed"])
def test_an_id_that_is_taken_is_refused(rig: Rig, found: str) -> None:
    put(rig.db, found)
    with rig.unchanged(), pytest.raises(store.Refused) as refused:
        store.accept_task(rig.db, request={}, on_restart="retry", task_id="t", now_ms=7)
    assert (refused.value.task_id, refused.value.found, refused.value.wanted) == ("t", found, "queued")


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_fails_halfway_leaves_no_task(rig: Rig, moment: str) -> None:
    def accept() -> store.Accepted:
        return store.accept_task(rig.db, request={}, on_restart="retry", now_ms=7)

    steps = statements_of(rig.db, accept)
    for number in range(len(steps) - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            accept()


def test_the_oldest_queued_task_is_next(rig: Rig) -> None:
    assert store.next_queued_task(rig.db) is None
    put(rig.db, "running", task_id="held", at=1)
    put(rig.db, "completed", task_id="done", at=2)
    put(rig.db, "queued", task_id="b", at=50)
    put(rig.db, "queued", task_id="c", at=40)
    put(rig.db, "queued", task_id="a", at=50)
    order = []
    while (task := store.next_queued_task(rig.db)) is not None:
        order.append(task.id)
        store.start_task(rig.db, task.id, status="loading", attempt=task.attempt, now_ms=60)
    assert order == ["c", "a", "b"]


def test_to_ask_for_the_next_task_claims_nothing(rig: Rig) -> None:
    put(rig.db, "queued")
    with rig.unchanged():
        assert store.next_queued_task(rig.db) == store.next_queued_task(rig.db)


def test_a_task_without_a_policy_is_accepted_and_has_none(rig: Rig) -> None:
    task = store.accept_task(rig.db, request={}, on_restart=None, now_ms=1).task
    assert task.on_restart is None
    assert store.next_queued_task(rig.db) == task
