"""Idempotency keys: one request, one task, one answer, however often it is sent and by how many at once."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from inspector.lmsp.digests import request_digest
from tests.support.store_factory import Rig, failing_at, one, statements_of, tapped
from tests.support.store_invariants import broken_invariants
from tests.support.store_race import race
from tests.support.subject import store

REQUEST = {"prompt": "hello", "limits": {"tokens": 7, "seconds": 2}}


def accept(rig: Rig, **changed: Any) -> store.Accepted:  # noqa: ANN401
    asked: dict[str, Any] = {
        "request": REQUEST,
        "on_restart": "retry",
        "client_id": "c",
        "idempotency_key": "k",
        "now_ms": 100,
    }
    return store.accept_task(rig.db, **(asked | changed))


def run(rig: Rig, task_id: str) -> None:
    store.start_task(rig.db, task_id, status="running", attempt=1, now_ms=200, warm=True)


def complete(rig: Rig, task_id: str) -> None:
    run(rig, task_id)
    store.complete_task(rig.db, task_id, {}, attempt=1, now_ms=300)


def cancel(rig: Rig, task_id: str) -> None:
    store.cancel_task(rig.db, task_id, now_ms=300)


def cancel_running(rig: Rig, task_id: str) -> None:
    run(rig, task_id)
    cancel(rig, task_id)


def fail(rig: Rig, task_id: str) -> None:
    store.fail_task(rig.db, task_id, code="c", message="m", attempt=1, now_ms=300)


def load(rig: Rig, task_id: str) -> None:
    store.start_task(rig.db, task_id, status="loading", attempt=1, now_ms=200)


def nothing(_: Rig, __: str) -> None:
    return


def recover(rig: Rig, task_id: str) -> None:
    run(rig, task_id)
    store.apply_recovery(rig.db, store.plan_recovery(rig.db), now_ms=300)


# Where the first task stands when its request comes again.
STANDS = [nothing, load, run, cancel_running, complete, fail, cancel, recover]


def test_the_key_is_stored_with_its_task(rig: Rig) -> None:
    accepted = accept(rig, keep_key_ms=50)
    assert not accepted.replayed
    assert one(rig.db, "SELECT * FROM idempotency_keys") == {
        "client_id": "c",
        "key": "k",
        "request_digest": request_digest(REQUEST),
        "task_id": accepted.task.id,
        "status_code": 202,
        "result": json.dumps(
            {"task_id": accepted.task.id, "status": "queued", "attempt": 1, "last_seq": 1}, separators=(",", ":")
        ),
        "created_at": 100,
        "expires_at": 150,
    }


def test_without_a_key_nothing_is_stored_and_each_request_is_a_task(rig: Rig) -> None:
    accepted = [accept(rig, idempotency_key=None) for _ in range(3)]
    assert len({one.task.id for one in accepted}) == 3
    assert not any(one.replayed for one in accepted)
    assert rig.rows()["idempotency_keys"] == []


@pytest.mark.ours
def test_without_a_key_accepting_runs_no_statement_more(rig: Rig) -> None:
    steps = statements_of(rig.db, lambda: accept(rig, idempotency_key=None))
    assert len(steps) == 5
    assert not any("idempotency_keys" in sql for sql in steps)
    assert len(statements_of(rig.db, lambda: accept(rig))) == 7


@pytest.mark.parametrize("move", STANDS)
def test_the_same_request_gets_the_first_answer_again(rig: Rig, move: Callable[[Rig, str], None]) -> None:
    first = accept(rig, model_id="m", kind="batch")
    move(rig, first.task.id)
    with rig.unchanged():
        again = accept(rig, model_id="m", kind="batch", now_ms=5000)
    assert again == store.Accepted(first.task, replayed=True)
    assert type(again.task.status) is str


@pytest.mark.parametrize(
    "request_",
    [
        dict(reversed(REQUEST.items())),
        {**REQUEST, "limits": {"seconds": 2, "tokens": 7}},
        MappingProxyType(REQUEST),
    ],
    ids=["its keys in another order", "those within in another order", "another mapping"],
)
def test_a_request_is_the_same_however_it_is_written(rig: Rig, request_: Any) -> None:  # noqa: ANN401
    first = accept(rig)
    assert accept(rig, request=request_) == store.Accepted(first.task, replayed=True)


def test_the_id_of_a_second_request_makes_it_no_other(rig: Rig) -> None:
    first = accept(rig, task_id="first")
    with rig.unchanged():
        assert accept(rig, task_id="second") == store.Accepted(first.task, replayed=True)
        assert accept(rig, task_id="first") == store.Accepted(first.task, replayed=True)


OTHERS = [
    ({"request": {**REQUEST, "prompt": "bye"}}, "another request"),
    ({"request": {}}, "another request"),
    ({"request": {**REQUEST, "limits": {"tokens": 7.0, "seconds": 2}}}, "another request"),
    ({"kind": "batch"}, "another kind"),
    ({"model_id": "m"}, "another model"),
    ({"on_restart": "resume"}, "another policy"),
    ({"on_restart": None}, "another policy"),
    ({"request": {}, "kind": "batch"}, "another request and another kind"),
]


@pytest.mark.parametrize("move", STANDS)
@pytest.mark.parametrize(("other", "what"), OTHERS, ids=[str(other) for other, _ in OTHERS])
def test_another_request_under_the_same_key_is_refused(
    rig: Rig, other: dict[str, Any], what: str, move: Callable[[Rig, str], None]
) -> None:
    first = accept(rig)
    move(rig, first.task.id)
    stands = rig.task(first.task.id)["status"]
    with rig.unchanged(), pytest.raises(store.Refused, match=f"for {what}\\.") as refused:
        accept(rig, now_ms=5000, **other)
    error = refused.value
    assert (error.task_id, error.found, error.wanted) == (first.task.id, stands, "queued")


def test_a_refusal_does_not_tell_the_key(rig: Rig) -> None:
    accept(rig, idempotency_key="canary")
    with pytest.raises(store.Refused) as refused:
        accept(rig, idempotency_key="canary", kind="batch")
    assert "canary" not in str(refused.value)


def test_a_key_belongs_to_its_client(rig: Rig) -> None:
    accepted = [accept(rig, client_id=client) for client in ("c", "d", None)]
    assert len({one.task.id for one in accepted}) == 3
    assert not any(one.replayed for one in accepted)
    again = [accept(rig, client_id=client) for client in ("c", "d", None)]
    assert again == [store.Accepted(one.task, replayed=True) for one in accepted]
    assert [row["client_id"] for row in keys(rig)] == ["", "c", "d"]


def keys(rig: Rig) -> list[dict[str, Any]]:
    cursor = rig.db.conn.execute("SELECT * FROM idempotency_keys ORDER BY client_id, key")
    return [dict(zip([column[0] for column in cursor.description], row, strict=True)) for row in cursor.fetchall()]


def test_two_keys_of_a_client_are_two_tasks(rig: Rig) -> None:
    assert accept(rig, idempotency_key="k").task.id != accept(rig, idempotency_key="K").task.id
    assert accept(rig, idempotency_key="k\0").replayed is False
    assert accept(rig, idempotency_key="k\0").replayed is True
    assert len(keys(rig)) == 3


@pytest.mark.parametrize(("now_ms", "expired"), [(99, False), (149, False), (150, True), (151, True), (10**15, True)])
def test_a_key_is_free_again_from_the_moment_it_expires(rig: Rig, now_ms: int, expired: bool) -> None:
    first = accept(rig, keep_key_ms=50)
    again = accept(rig, now_ms=now_ms)
    assert again.replayed is not expired
    assert (again.task.id == first.task.id) is not expired
    (row,) = keys(rig)
    assert row["task_id"] == again.task.id
    assert row["expires_at"] == (None if expired else 150)
    assert len(rig.rows()["tasks"]) == 1 + expired


def test_a_key_that_has_expired_takes_another_request(rig: Rig) -> None:
    first = accept(rig, keep_key_ms=50)
    second = accept(rig, request={}, kind="batch", keep_key_ms=50, now_ms=150)
    assert second.task.id != first.task.id
    assert accept(rig, request={}, kind="batch", now_ms=199) == store.Accepted(second.task, replayed=True)
    assert [(row["task_id"], row["created_at"], row["expires_at"]) for row in keys(rig)] == [(second.task.id, 150, 200)]


def test_a_replay_does_not_prolong_the_key(rig: Rig) -> None:
    accept(rig, keep_key_ms=50)
    with rig.unchanged():
        assert accept(rig, keep_key_ms=1000, now_ms=149).replayed


def test_without_a_time_the_key_is_kept_as_long_as_its_task(rig: Rig) -> None:
    first = accept(rig)
    complete(rig, first.task.id)
    assert accept(rig, now_ms=10**15) == store.Accepted(first.task, replayed=True)
    rig.db.conn.execute("DELETE FROM tasks")
    assert keys(rig) == []
    assert not accept(rig, now_ms=10**15).replayed


def test_a_key_whose_task_somebody_else_has_deleted_is_free(rig: Rig) -> None:
    first = accept(rig, keep_key_ms=10**9)
    complete(rig, first.task.id)
    # As a service does that does not switch its foreign keys on.
    rig.db.conn.execute("PRAGMA foreign_keys = OFF")
    rig.db.conn.execute("DELETE FROM tasks")
    rig.db.conn.execute("DELETE FROM task_events")
    rig.db.conn.execute("DELETE FROM responses")
    rig.db.conn.execute("PRAGMA foreign_keys = ON")
    assert len(keys(rig)) == 1
    again = accept(rig, request={})
    assert not again.replayed
    assert [row["task_id"] for row in keys(rig)] == [again.task.id]


@pytest.mark.parametrize(
    "wrong",
    [
        {"idempotency_key": ""},
        {"idempotency_key": "k\ud800"},
        {"keep_key_ms": 0},
        {"keep_key_ms": -1},
        {"keep_key_ms": 0, "idempotency_key": None},
        {"keep_key_ms": True},
        {"keep_key_ms": 0.5},
        {"keep_key_ms": float("nan")},
        {"keep_key_ms": float("inf")},
        {"keep_key_ms": "5"},
        {"client_id": ""},
        {"client_id": "", "idempotency_key": None},
        {"request": {"n": float("nan")}},
        {"request": {"n": {1: 1, "1": 1}}},
        {"request": ["a", "list"]},
        {"on_restart": "never"},
    ],
    ids=str,
)
def test_what_cannot_be_stored_as_it_is_meant_is_refused(rig: Rig, wrong: dict[str, Any]) -> None:
    with rig.unchanged(), pytest.raises(store.Refused):
        accept(rig, **wrong)


@pytest.mark.parametrize("when", ["a free key", "an expired key"])
def test_an_id_that_is_taken_is_refused_and_the_key_stays_as_it_was(rig: Rig, when: str) -> None:
    accept(rig, task_id="t", keep_key_ms=50, idempotency_key="k" if when == "an expired key" else "other")
    with rig.unchanged(), pytest.raises(store.Refused, match="task t already"):
        accept(rig, task_id="t", now_ms=500)


def test_a_time_beyond_64_bits_stores_nothing(rig: Rig) -> None:
    with rig.unchanged(), pytest.raises(store.Refused, match=r"keep_key_ms must be .* above 0"):
        accept(rig, keep_key_ms=2**63)


def test_a_key_that_is_kept_for_longer_than_64_bits_can_say_is_kept_for_as_long_as_they_can(rig: Rig) -> None:
    first = accept(rig, now_ms=100, keep_key_ms=2**63 - 1)
    assert accept(rig, now_ms=2**63 - 2, keep_key_ms=2**63 - 1).task.id == first.task.id


@pytest.mark.parametrize("result", ["{", "[]", "{}", '{"status": "queued"}', '{"status": 1, "attempt": 1}'])
def test_a_first_answer_that_somebody_else_has_changed_is_not_made_up(odd_rig: Rig, result: str) -> None:
    accept(odd_rig)
    odd_rig.db.conn.execute("UPDATE idempotency_keys SET result = ?", (result,))
    with odd_rig.unchanged(), pytest.raises(store.Unusable, match="first answer"):
        accept(odd_rig)


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("when", ["free", "expired", "replayed"])
def test_what_fails_halfway_leaves_neither_task_nor_key(rig: Rig, when: str, moment: str) -> None:
    kept_ms = 10 if when == "expired" else 10**9
    for key in ("probe", "k") if when != "free" else ():
        accept(rig, idempotency_key=key, keep_key_ms=kept_ms)
    steps = statements_of(rig.db, lambda: accept(rig, idempotency_key="probe", now_ms=500))
    assert len(steps) == {"free": 7, "expired": 8, "replayed": 3}[when]
    for number in range(len(steps) - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            accept(rig, now_ms=500)
    assert accept(rig, now_ms=500).replayed is (when == "replayed")


@pytest.mark.process
def test_of_many_that_send_one_request_at_once_each_is_told_of_the_same_task(tmp_path: Path) -> None:
    keys = [f"k{number}" for number in range(40)]
    path = tmp_path / "service.db"
    store.open_service_database(path).close()
    answers = race(path, [("accept once", keys), ("accept once", keys[::-1]), ("accept once", keys)])
    told = [
        dict(zip(order, answer, strict=True)) for order, answer in zip((keys, keys[::-1], keys), answers, strict=True)
    ]
    for key in keys:
        words = [answer[key].split() for answer in told]
        assert len({task_id for task_id, _ in words}) == 1
        assert sorted(how for _, how in words) == ["accepted", "replayed", "replayed"]
    check(path, len(keys))


@pytest.mark.process
def test_of_many_that_send_different_requests_under_one_key_one_wins(tmp_path: Path) -> None:
    keys = [f"k{number}" for number in range(40)]
    path = tmp_path / "service.db"
    store.open_service_database(path).close()
    answers = race(path, [(f"accept {word}", keys) for word in ("red", "green", "blue")])
    for told in zip(*answers, strict=True):
        assert sorted(words.split()[-1] for words in told) == ["accepted", "refused", "refused"]
        assert len({words.split()[0] for words in told}) == 1
    check(path, len(keys))


def check(path: Path, number: int) -> None:
    with closing(store.open_service_database(path)) as db:
        counts = "SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM idempotency_keys)"
        assert db.conn.execute(counts).fetchall() == [(number, number)]
        assert broken_invariants(db.conn) == []
