"""The rules beside what no rule of the store leads to: one such task stops neither itself nor those behind it."""

from collections.abc import Callable

import pytest

from tests.store.test_rules import EVENTS, RULES, TAKEN
from tests.store.test_stray_events import stray_event
from tests.support.store_factory import Rig, put
from tests.support.subject import store

DELTA = "response.output_text.delta"


def lose_the_last_event(rig: Rig, task_id: str) -> None:
    """Take the last event out of the log, as no trigger of the layout allows."""
    conn = rig.db.conn
    ((trigger,),) = conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'task_events_outlive_no_task'").fetchall()
    conn.execute("DROP TRIGGER task_events_outlive_no_task")
    conn.execute(
        "DELETE FROM task_events WHERE task_id = :id AND seq = (SELECT last_seq FROM tasks WHERE id = :id)",
        {"id": task_id},
    )
    conn.execute(trigger)


@pytest.mark.parametrize("strays", [1, 3])
@pytest.mark.parametrize(("name", "found", "after"), TAKEN)
def test_a_task_with_events_that_moved_nothing_goes_on_after_them(
    odd_rig: Rig, name: str, found: str, after: str, strays: int
) -> None:
    task_id = put(odd_rig.db, found)
    ((end,),) = odd_rig.db.conn.execute("SELECT last_seq FROM tasks").fetchall()
    for number in range(strays):
        odd_rig.db.conn.execute(
            """
            INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
            VALUES (?, ?, ?, ?, 1, 1, '{}')""",
            (task_id, end + 1 + number, DELTA, found),
        )
    written = RULES[name](odd_rig.db, task_id, 1)
    types = EVENTS.get(name, [f"response.{after}"])
    assert written.seqs == tuple(range(end + strays + 1, end + strays + 1 + len(types)))
    assert odd_rig.task(task_id)["status"] == after
    assert odd_rig.task(task_id)["last_seq"] == (written.seqs[-1] if types else end)
    assert [(seq, kind) for seq, kind, *_ in odd_rig.log(task_id)[end + strays :]] == list(
        zip(written.seqs, types, strict=True)
    )


@pytest.mark.parametrize("name", ["load", "fail"])
def test_a_task_whose_log_has_ended_without_it_is_refused_as_it_stands(odd_rig: Rig, name: str) -> None:
    put(odd_rig.db, "queued")
    stray_event(odd_rig, "t", "response.failed", "failed")
    with odd_rig.unchanged(), pytest.raises(store.Unusable, match="own rules"):
        RULES[name](odd_rig.db, "t", 1)


@pytest.mark.parametrize("name", ["load", "fail", "run warm"])
def test_a_task_whose_last_event_is_lost_is_refused_as_it_stands(odd_rig: Rig, name: str) -> None:
    put(odd_rig.db, "queued")
    lose_the_last_event(odd_rig, "t")
    with odd_rig.unchanged(), pytest.raises(store.Unusable, match="own rules"):
        RULES[name](odd_rig.db, "t", 1)


def test_an_event_that_cannot_be_is_no_reason_to_try_another_number(odd_rig: Rig) -> None:
    put(odd_rig.db, "running")
    odd_rig.db.conn.execute("""
        CREATE TEMP TRIGGER never BEFORE INSERT ON main.task_events BEGIN SELECT RAISE(ABORT, 'never'); END""")
    with odd_rig.unchanged(), pytest.raises(store.Unusable, match="own rules"):
        store.append_events(odd_rig.db, "t", [(DELTA, {})], attempt=1, now_ms=1000)


def end_it(rig: Rig) -> None:
    stray_event(rig, "old", "response.failed", "failed")


def cancel_it(rig: Rig) -> None:
    stray_event(rig, "old", "response.cancelling", "cancelling")


def lose_its_last_event(rig: Rig) -> None:
    lose_the_last_event(rig, "old")


def lose_all_but_its_first_event(rig: Rig) -> None:
    stray_event(rig, "old", DELTA, "queued")
    rig.db.conn.execute("UPDATE tasks SET last_seq = 2 WHERE id = 'old'")
    lose_the_last_event(rig, "old")


@pytest.mark.parametrize("break_it", [end_it, cancel_it, lose_its_last_event, lose_all_but_its_first_event])
@pytest.mark.parametrize("warm", [False, True])
def test_a_task_that_its_log_does_not_let_start_stops_none_behind_it(
    odd_rig: Rig, break_it: Callable[[Rig], None], warm: bool
) -> None:
    put(odd_rig.db, "queued", task_id="old", at=50)
    put(odd_rig.db, "queued", task_id="t")
    break_it(odd_rig)
    before = odd_rig.task("old")
    following = store.next_queued_task(odd_rig.db)
    claimed = store.claim_next_task(odd_rig.db, now_ms=200, warm=warm)
    assert following is not None
    assert claimed is not None
    assert (following.id, claimed.id, claimed.last_seq) == ("t", "t", 2)
    with odd_rig.unchanged():
        assert store.next_queued_task(odd_rig.db) is None
        assert store.claim_next_task(odd_rig.db, now_ms=200, warm=warm) is None
    assert odd_rig.task("old") == before


@pytest.mark.parametrize(("event_type", "status"), [(DELTA, "queued"), ("response.loading", "loading")])
def test_a_task_with_an_event_that_moved_nothing_is_claimed_in_its_turn(
    odd_rig: Rig, event_type: str, status: str
) -> None:
    put(odd_rig.db, "queued", task_id="old", at=50)
    put(odd_rig.db, "queued", task_id="t")
    stray_event(odd_rig, "old", event_type, status)
    following = store.next_queued_task(odd_rig.db)
    claimed = store.claim_next_task(odd_rig.db, now_ms=200)
    assert following is not None
    assert claimed is not None
    assert (following.id, claimed.id, claimed.last_seq, claimed.status) == ("old", "old", 3, "loading")
    assert odd_rig.log("old")[-1] == (3, "response.loading", "loading", 1)
    assert odd_rig.task("old")["last_seq"] == 3
