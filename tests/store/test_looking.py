"""Looking: what a service reads to answer its clients, as it stands, and without a lock."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from inspector.layout.rows import EventRow
from tests.support.store_factory import Rig, put, statements_of
from tests.support.subject import store

LOOKS: dict[str, Callable[[Rig, str], Any]] = {
    "find_task": lambda rig, task_id: store.find_task(rig.db, task_id),
    "task_request": lambda rig, task_id: store.task_request(rig.db, task_id),
    "task_events": lambda rig, task_id: store.task_events(rig.db, task_id),
    "stored_response": lambda rig, task_id: store.stored_response(rig.db, task_id, now_ms=500),
}

STATUSES = ("queued", "loading", "running", "cancelling", "completed", "failed", "cancelled")


def delta(text: str) -> tuple[str, dict[str, str]]:
    return ("response.output_text.delta", {"delta": text})


@pytest.mark.parametrize("status", STATUSES)
def test_a_task_is_found_as_it_stands(rig: Rig, status: str) -> None:
    put(rig.db, "queued", task_id="other")
    put(rig.db, status, attempt=3, snapshot={"n": 1} if status == "running" else None)
    task = store.find_task(rig.db, "t")
    assert task is not None
    stored = rig.task("t")
    for large in ("request", "snapshot", "error_message"):
        del stored[large]
    assert {name: getattr(task, name) for name in stored} == stored
    assert (task.id, task.status, task.attempt) == ("t", status, 3)


def test_a_task_that_is_not_there_is_none(rig: Rig) -> None:
    put(rig.db, "queued")
    assert store.find_task(rig.db, "nobody") is None
    assert store.find_task(rig.db, "T") is None
    assert store.find_task(rig.db, "") is None


def test_an_id_that_is_no_text_is_that_of_no_task(rig: Rig) -> None:
    put(rig.db, "completed")
    assert store.find_task(rig.db, "t\udc80") is None
    assert store.task_events(rig.db, "t\udc80") == ()
    assert store.stored_response(rig.db, "t\udc80", now_ms=500) is None
    with pytest.raises(store.Refused):
        store.task_request(rig.db, "t\udc80")


def test_the_task_that_was_accepted_is_the_task_that_is_found(rig: Rig) -> None:
    accepted = store.accept_task(rig.db, request={}, on_restart=None, client_id="c", model_id="m", now_ms=7)
    assert store.find_task(rig.db, accepted.task.id) == accepted.task == store.next_queued_task(rig.db)


@pytest.mark.parametrize("status", STATUSES)
def test_the_request_is_given_back_as_it_came(rig: Rig, status: str) -> None:
    put(rig.db, status)
    assert store.task_request(rig.db, "t") == {"prompt": "hello"}
    request: dict[str, Any] = {"prompt": "é\ud83d", "n": [1.5, None, True, 2**70, {}]}
    store.accept_task(rig.db, request=request, on_restart="fail", task_id="u", now_ms=7)
    assert store.task_request(rig.db, "u") == request


def test_the_request_of_no_task_is_refused(rig: Rig) -> None:
    put(rig.db, "queued")
    with pytest.raises(store.Refused, match="nobody") as refused:
        store.task_request(rig.db, "nobody")
    assert (refused.value.task_id, refused.value.found) == ("nobody", None)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_a_request_that_cannot_be_read_is_unusable(odd_rig: Rig, text: str) -> None:
    put(odd_rig.db, "queued")
    odd_rig.db.conn.execute("UPDATE tasks SET request = ?", (text,))
    with pytest.raises(store.Unusable, match="request of task t"):
        store.task_request(odd_rig.db, "t")


def test_the_events_are_given_in_order_with_their_data(rig: Rig) -> None:
    put(rig.db, "running", at=100)
    put(rig.db, "running", task_id="other", at=100)
    store.append_events(rig.db, "t", [delta("a"), delta("é")], attempt=1, now_ms=200)
    ids = [row[0] for row in rig.db.conn.execute("SELECT id FROM task_events WHERE task_id = 't' ORDER BY seq")]
    with rig.unchanged():
        events = store.task_events(rig.db, "t")
    assert [(event.id, event.task_id) for event in events] == [(event_id, "t") for event_id in ids]
    assert [(event.seq, event.type, event.status, event.attempt) for event in events] == rig.log("t")
    assert [event.created_at for event in events] == [100, 101, 102, 200, 200]
    assert events[-1] == EventRow(ids[-1], "t", 5, "response.output_text.delta", "running", 1, 200, '{"delta":"é"}', 13)
    assert [json.loads(event.data.text) for event in events[-2:]] == [{"delta": "a"}, {"delta": "é"}]


def test_data_of_any_size_is_given_whole(rig: Rig) -> None:
    put(rig.db, "running")
    store.append_events(rig.db, "t", [delta("x" * 3_000_000)], attempt=1, now_ms=200)
    (event,) = store.task_events(rig.db, "t", after_seq=3)
    assert not event.data.is_cut
    assert len(event.data.text) == 3_000_000 + len('{"delta":""}')


@pytest.mark.parametrize(
    ("after_seq", "limit", "seqs"),
    [
        (0, 1000, [1, 2, 3, 4, 5, 6]),
        (-7, 1000, [1, 2, 3, 4, 5, 6]),
        (0, 2, [1, 2]),
        (2, 2, [3, 4]),
        (4, 2, [5, 6]),
        (5, 2, [6]),
        (6, 2, []),
        (99, 1, []),
    ],
)
def test_a_stream_goes_on_where_it_was_lost(rig: Rig, after_seq: int, limit: int, seqs: list[int]) -> None:
    put(rig.db, "running")
    store.append_events(rig.db, "t", [delta("a")] * 3, attempt=1, now_ms=200)
    assert [event.seq for event in store.task_events(rig.db, "t", after_seq=after_seq, limit=limit)] == seqs


def test_at_most_a_thousand_events_come_at_once_unless_said(rig: Rig) -> None:
    put(rig.db, "running")
    store.append_events(rig.db, "t", [delta("a")] * 1100, attempt=1, now_ms=200)
    seen: list[int] = []
    sizes: list[int] = []
    while events := store.task_events(rig.db, "t", after_seq=seen[-1] if seen else 0):
        sizes.append(len(events))
        seen += [event.seq for event in events]
    assert sizes == [1000, 103]
    assert seen == list(range(1, 1104))


def test_the_events_of_no_task_are_none(rig: Rig) -> None:
    put(rig.db, "queued")
    assert store.task_events(rig.db, "nobody") == ()


@pytest.mark.parametrize("limit", [0, -1])
def test_to_ask_for_no_event_is_refused(rig: Rig, limit: int) -> None:
    put(rig.db, "queued")
    with pytest.raises(store.Refused):
        store.task_events(rig.db, "t", limit=limit)


@pytest.mark.parametrize("look", LOOKS)
def test_to_look_waits_for_no_writer_and_holds_none_up(rig: Rig, look: str) -> None:
    put(rig.db, "completed")
    before = LOOKS[look](rig, "t")
    other = store.open_service_database(rig.path, wait_ms=0)
    other.conn.execute("BEGIN IMMEDIATE")
    other.conn.execute("UPDATE tasks SET kind = 'other', request = '{}'")
    assert LOOKS[look](rig, "t") == before
    other.conn.execute("COMMIT")
    assert not rig.db.conn.in_transaction
    if look in ("find_task", "task_request"):
        assert LOOKS[look](rig, "t") != before
    other.close()


@pytest.mark.ours
@pytest.mark.parametrize("look", LOOKS)
def test_to_look_is_one_statement_that_walks_over_no_table(rig: Rig, look: str) -> None:
    put(rig.db, "completed")
    (sql,) = statements_of(rig.db, lambda: LOOKS[look](rig, "t"))
    parameters = [1] * sql.count("?")
    ways = [row[3] for row in rig.db.conn.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()]
    assert len(ways) == 1
    assert ways[0].startswith("SEARCH")


@pytest.mark.parametrize("look", ["find_task", "task_request", "task_events", "stored_response"])
def test_text_that_is_no_utf8_is_unusable(odd_rig: Rig, look: str) -> None:
    put(odd_rig.db, "running")
    odd_rig.db.conn.execute("UPDATE tasks SET kind = CAST(x'ff' AS TEXT), request = CAST(x'ff' AS TEXT)")
    odd_rig.db.conn.execute("""
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        VALUES ('t', 4, 'odd', 'running', 1, 1, CAST(x'ff' AS TEXT))""")
    odd_rig.db.conn.execute("""
        INSERT INTO responses (id, task_id, status, body, created_at)
        VALUES ('r', 't', 'completed', CAST(x'ff' AS TEXT), 1)""")
    with pytest.raises(store.Unusable, match="UTF-8"):
        LOOKS[look](odd_rig, "t")
