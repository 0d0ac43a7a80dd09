"""Progress: many events in one transaction, numbered without a gap."""

import json
from typing import Any

import pytest

from inspector.lmsp.events import EventType
from tests.support.store_factory import Rig, put, statements_of
from tests.support.subject import store

DELTA = "response.output_text.delta"


@pytest.mark.ours
def test_many_events_are_one_transaction_and_one_move(rig: Rig) -> None:
    put(rig.db, "running")
    events = [(DELTA, {"n": n}) for n in range(50)]
    steps = statements_of(rig.db, lambda: store.append_events(rig.db, "t", events, attempt=1, now_ms=200))
    assert [step.split()[0] for step in steps] == ["BEGIN", "SELECT", "INSERT", "UPDATE", "COMMIT"]
    assert [seq for seq, *_ in rig.log("t")] == list(range(1, 54))
    assert [json.loads(rig.data("t", seq)) for seq in range(4, 54)] == [data for _, data in events]


def test_events_may_come_from_a_generator(rig: Rig) -> None:
    put(rig.db, "running")
    written = store.append_events(rig.db, "t", ((DELTA, n) for n in range(3)), attempt=1, now_ms=200)
    assert written.seqs == (4, 5, 6)


@pytest.mark.parametrize("event_type", EventType)
def test_a_change_of_status_is_no_progress(rig: Rig, event_type: str) -> None:
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused) as refused:
        store.append_events(rig.db, "t", [(DELTA, {}), (event_type, {})], attempt=1, now_ms=200)
    assert refused.value.task_id == "t"


@pytest.mark.parametrize("data", [float("nan"), float("inf"), object(), b"bytes", {"a": {1, 2}}], ids=repr)
def test_data_that_is_not_json_is_refused_with_all_its_batch(rig: Rig, data: Any) -> None:  # noqa: ANN401
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused, match="JSON"):
        store.append_events(rig.db, "t", [(DELTA, {}), (DELTA, data)], attempt=1, now_ms=200)


@pytest.mark.parametrize(
    "data", [None, True, 0, 1.5, "text", [1, "é"], {"a": {"b": []}}, 2**70, "nul \0 in it"], ids=repr
)
def test_any_json_is_data(rig: Rig, data: Any) -> None:  # noqa: ANN401
    put(rig.db, "running")
    (seq,) = store.append_events(rig.db, "t", [(DELTA, data)], attempt=1, now_ms=200).seqs
    assert json.loads(rig.data("t", seq)) == data


def test_a_type_that_is_no_text_is_refused(rig: Rig) -> None:
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused):
        store.append_events(rig.db, "t", [(DELTA, {}), ("progress\udc80", {})], attempt=1, now_ms=200)


def test_nothing_to_append_writes_nothing_and_tells_the_status(rig: Rig) -> None:
    put(rig.db, "running")
    store.cancel_task(rig.db, "t", now_ms=200)
    with rig.unchanged():
        written = store.append_events(rig.db, "t", [], attempt=1, now_ms=201)
    assert (written.seqs, written.status) == ((), "cancelling")


def test_a_worker_sees_that_its_task_is_being_cancelled(rig: Rig) -> None:
    put(rig.db, "running")
    assert store.append_events(rig.db, "t", [(DELTA, {})], attempt=1, now_ms=200).status == "running"
    store.cancel_task(rig.db, "t", now_ms=201)
    assert store.append_events(rig.db, "t", [(DELTA, {})], attempt=1, now_ms=202).status == "cancelling"
    assert [status for _, _, status, _ in rig.log("t")][-3:] == ["running", "cancelling", "cancelling"]
    store.finish_cancel(rig.db, "t", attempt=1, now_ms=203)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.append_events(rig.db, "t", [(DELTA, {})], attempt=1, now_ms=204)


def test_an_event_that_nobody_counted_stops_neither_its_task_nor_another(rig: Rig) -> None:
    put(rig.db, "running")
    put(rig.db, "running", task_id="other")
    conn = rig.db.conn
    conn.execute("BEGIN")
    conn.execute("""
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        VALUES ('t', 4, 'response.output_text.delta', 'running', 1, 200, '{}')""")
    conn.execute("COMMIT")
    assert store.append_events(rig.db, "t", [(DELTA, {}), (DELTA, {})], attempt=1, now_ms=201).seqs == (5, 6)
    assert store.append_events(rig.db, "other", [(DELTA, {})], attempt=1, now_ms=201).seqs == (4,)
    assert rig.task("t")["last_seq"] == 6
    assert store.append_events(rig.db, "t", [(DELTA, {})], attempt=1, now_ms=203).seqs == (7,)
