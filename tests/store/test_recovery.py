"""Recovery at startup (section 11.3): what the preview says is what recovery does, whatever happens in between."""

import json
from collections.abc import Callable

import pytest
from sqlite_utils import Database

from inspector.lmsp.recovery import RecoveryPlan, RecoveryStep
from inspector.store import recovery
from tests.support.store_factory import Rig, put, statements_of, tapped
from tests.support.store_leftovers import leave_behind, leave_many, paused
from tests.support.subject import store

TABLE = [
    # found, policy, the status afterwards, its event, how much the attempt rises
    ("queued", "fail", "failed", "response.failed", 0),
    ("queued", "retry", "queued", None, 0),
    ("queued", "resume", "queued", None, 0),
    ("loading", "fail", "failed", "response.failed", 0),
    ("loading", "retry", "queued", "response.queued", 1),
    ("loading", "resume", "queued", "response.queued", 1),
    ("running", "fail", "failed", "response.failed", 0),
    ("running", "retry", "queued", "response.queued", 1),
    ("running", "resume", "running", "response.resumed", 1),
    ("cancelling", "fail", "cancelled", "response.cancelled", 0),
    ("cancelling", "retry", "cancelled", "response.cancelled", 0),
    ("cancelling", "resume", "cancelled", "response.cancelled", 0),
]


def recover(db: Database, now_ms: int = 5000) -> store.RecoveryResult:
    return store.apply_recovery(db, store.plan_recovery(db), now_ms=now_ms)


def starts(db: Database) -> list[dict[str, object]]:
    value = store.config_value(db, "service.starts")
    assert isinstance(value, list)
    return value


@pytest.mark.parametrize("snapshot", [None, {"n": 1}], ids=["bare", "snapshot"])
@pytest.mark.parametrize(("found", "policy", "target", "event", "rise"), TABLE)
def test_a_leftover_goes_where_the_table_says(
    rig: Rig, found: str, policy: str, target: str, event: str | None, rise: int, snapshot: dict[str, object] | None
) -> None:
    put(rig.db, found, on_restart=policy, attempt=4, snapshot=snapshot)
    before, log = rig.task("t"), rig.log("t")

    result = recover(rig.db)

    task = rig.task("t")
    moved = event is not None
    assert rig.log("t") == log + [(len(log) + 1, event, target, 4 + rise)] * moved
    assert (task["status"], task["attempt"], task["last_seq"]) == (target, 4 + rise, len(log) + moved)
    assert task["error_code"] == ("server_restarted" if target == "failed" else None)
    assert (task["error_message"] is not None) == (target == "failed")
    assert task["finished_at"] == (5000 if target in ("failed", "cancelled") else None)
    assert task["updated_at"] == (5000 if moved else before["updated_at"])
    assert task["started_at"] == (None if target == "queued" else before["started_at"])
    assert (task["snapshot"], task["snapshot_seq"]) == (before["snapshot"], before["snapshot_seq"])
    if event == "response.resumed":
        assert result.resumed == (store.Resumed("t", 5, snapshot, before["snapshot_seq"]),)
    else:
        assert result.resumed == ()


def test_the_preview_is_what_is_done(rig: Rig) -> None:
    ids = leave_behind(rig.db)
    with rig.unchanged():
        plan = store.plan_recovery(rig.db)
    assert [step.task_id for step in plan.steps] == ids
    before = {step.task_id: rig.log(step.task_id) for step in plan.steps}

    result = store.apply_recovery(rig.db, plan, now_ms=5000)

    assert result.applied == plan
    for step in plan.steps:
        task = rig.task(step.task_id)
        assert (task["status"], task["last_seq"], task["attempt"]) == (step.target, step.next_seq, step.next_attempt)
        assert task["error_code"] == step.error_code
        new = rig.log(step.task_id)[len(before[step.task_id]) :]
        if step.event is None:
            assert new == []
        else:
            assert new == [(step.next_seq, step.event, step.target, step.next_attempt)]
            assert json.loads(rig.data(step.task_id, step.next_seq)) == step.event_data()


def test_what_has_finished_is_not_touched(rig: Rig) -> None:
    leave_behind(rig.db)
    done = ["done-completed", "done-failed", "done-cancelled"]
    before = [(rig.task(task_id), rig.log(task_id)) for task_id in done]
    recover(rig.db)
    assert [(rig.task(task_id), rig.log(task_id)) for task_id in done] == before


def test_after_recovery_nothing_is_loading_or_cancelling(rig: Rig) -> None:
    leave_behind(rig.db)
    recover(rig.db)
    left = rig.db.conn.execute("SELECT DISTINCT status, on_restart FROM tasks WHERE finished_at IS NULL").fetchall()
    assert set(left) == {("queued", "retry"), ("queued", "resume"), ("running", "resume"), ("paused", "retry")}


def test_a_second_recovery_changes_nothing_but_the_resumed_ones(rig: Rig) -> None:
    leave_behind(rig.db)
    first = recover(rig.db)
    logs = {step.task_id: (rig.task(step.task_id), rig.log(step.task_id)) for step in first.applied.steps}
    second = recover(rig.db, now_ms=6000)
    resumed = {task.task_id: task.attempt for task in first.resumed}
    assert {task.task_id: task.attempt for task in second.resumed} == {i: n + 1 for i, n in resumed.items()}
    for task_id, (task, log) in logs.items():
        if task_id in resumed:
            assert rig.log(task_id) == [*log, (len(log) + 1, "response.resumed", "running", resumed[task_id] + 1)]
        else:
            assert (rig.task(task_id), rig.log(task_id)) == (task, log)


def test_the_snapshots_are_handed_to_the_service(rig: Rig) -> None:
    leave_behind(rig.db)
    resumed = {task.task_id: (task.snapshot, task.snapshot_seq) for task in recover(rig.db).resumed}
    assert resumed == {"running-resume-snapshot": ({"of": "running"}, 3), "running-resume-bare": (None, None)}


def test_time_does_not_go_back(rig: Rig) -> None:
    put(rig.db, "running", at=1_000_000)
    put(rig.db, "cancelling", task_id="u", at=1_000_000)
    recover(rig.db, now_ms=7)
    assert rig.task("t")["updated_at"] == 1_000_002
    assert rig.task("u")["finished_at"] == 1_000_004


def test_a_start_is_noted_also_where_there_was_nothing_to_do(rig: Rig) -> None:
    assert recover(rig.db, now_ms=10) == store.RecoveryResult(RecoveryPlan(()), ())
    put(rig.db, "running")
    put(rig.db, "cancelling", task_id="u")
    recover(rig.db, now_ms=20)
    assert starts(rig.db) == [{"at": 10, "counts": {}}, {"at": 20, "counts": {"queued": 1, "cancelled": 1}}]


def test_the_last_hundred_starts_are_kept(rig: Rig) -> None:
    for now_ms in range(105):
        recover(rig.db, now_ms=now_ms)
    assert [start["at"] for start in starts(rig.db)] == list(range(5, 105))


@pytest.mark.parametrize("text", ["{", "7", "null", '"text"', "{}"])
def test_what_somebody_else_has_put_in_its_place_does_not_stop_a_start(odd_rig: Rig, text: str) -> None:
    odd_rig.db.conn.execute(
        "INSERT INTO service_config (key, value, updated_at) VALUES ('service.starts', ?, 1)", (text,)
    )
    recover(odd_rig.db, now_ms=10)
    assert starts(odd_rig.db) == [{"at": 10, "counts": {}}]


@pytest.mark.ours
def test_a_preview_does_not_walk_over_what_has_finished(rig: Rig) -> None:
    (sql,) = statements_of(rig.db, lambda: store.plan_recovery(rig.db))
    ways = [row[3] for row in rig.db.conn.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()]
    assert any("tasks_by_status" in way for way in ways)
    assert not any(way.startswith("SCAN") for way in ways)


@pytest.mark.ours
def test_many_leftovers_are_moved_in_batches(rig: Rig) -> None:
    leave_many(rig.db, 1100)
    batches: list[int] = []

    def count(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE":
            batches.append(0)
        batches[-1] += sql.lstrip().startswith("INSERT INTO task_events")

    plan = store.plan_recovery(rig.db)
    with tapped(rig.db, before=count):
        result = store.apply_recovery(rig.db, plan, now_ms=5000)
    assert batches == [500, 500, 100]
    assert result.applied == plan
    assert rig.db.conn.execute("SELECT status, attempt, count(*) FROM tasks GROUP BY 1, 2").fetchall() == [
        ("queued", 2, 1100)
    ]
    assert starts(rig.db) == [{"at": 5000, "counts": {"queued": 1100}}]


@pytest.mark.ours
def test_others_may_write_between_two_batches(rig: Rig) -> None:
    leave_many(rig.db, 1100)
    accepted: list[store.Accepted] = []

    def accept(sql: str) -> None:
        if sql == "COMMIT" and not accepted:
            other = store.open_service_database(rig.path, wait_ms=0)
            accepted.append(store.accept_task(other, request={}, on_restart="retry", task_id="new", now_ms=4000))
            other.close()

    with tapped(rig.db, after=accept):
        result = recover(rig.db)
    assert len(accepted) == 1
    assert len(result.applied.steps) == 1101
    assert rig.log("new") == [(1, "response.created", "queued", 1)]


def cancel(db: Database) -> None:
    store.cancel_task(db, "t", now_ms=400)


def complete(db: Database) -> None:
    store.complete_task(db, "t", {}, attempt=1, now_ms=400)


def progress(db: Database) -> None:
    store.append_events(db, "t", [("response.output_text.delta", {})], attempt=1, now_ms=400)


def snapshot(db: Database) -> None:
    store.append_events(db, "t", [("response.output_text.delta", {})], attempt=1, now_ms=400)
    store.save_snapshot(db, "t", {"n": 2}, attempt=1, now_ms=400)


def recovered_by_another(db: Database) -> None:
    recover(db, now_ms=400)


def delete(db: Database) -> None:
    complete(db)
    db.conn.execute("DELETE FROM tasks WHERE id = 't'")


def other_policy(db: Database) -> None:
    db.conn.execute("UPDATE tasks SET on_restart = 'fail' WHERE id = 't'")


@pytest.mark.parametrize(
    ("moves", "policy", "target", "event"),
    [
        (cancel, "retry", "cancelled", "response.cancelled"),
        (complete, "retry", None, None),
        (progress, "retry", "queued", "response.queued"),
        (snapshot, "resume", "running", "response.resumed"),
        (recovered_by_another, "retry", "queued", None),
        (recovered_by_another, "resume", "running", "response.resumed"),
        (delete, "retry", None, None),
        (other_policy, "retry", "failed", "response.failed"),
    ],
)
@pytest.mark.parametrize("others", [0, 9])
def test_a_task_that_moved_after_the_preview_is_planned_again(
    rig: Rig,
    monkeypatch: pytest.MonkeyPatch,
    moves: Callable[[Database], None],
    policy: str,
    target: str | None,
    event: str | None,
    others: int,
) -> None:
    monkeypatch.setattr(recovery, "BATCH_TASKS", 4)
    put(rig.db, "running", on_restart=policy, snapshot={"n": 1})
    for number in range(others):
        put(rig.db, "running", task_id=f"other{number}")
    plan = store.plan_recovery(rig.db)
    moves(rig.db)
    result = store.apply_recovery(rig.db, plan, now_ms=5000)
    steps = [step for step in result.applied.steps if step.task_id == "t"]
    assert [(step.target, step.event) for step in steps] == ([] if target is None else [(target, event)])
    assert len(result.applied.steps) == others + len(steps)
    for step in steps:
        assert rig.task("t")["status"] == step.target
        assert rig.task("t")["last_seq"] == step.next_seq
    if event == "response.resumed":
        (resumed,) = result.resumed
        assert resumed.snapshot_seq == rig.task("t")["snapshot_seq"]
        assert resumed.snapshot == ({"n": 2} if moves is snapshot else {"n": 1})
        assert resumed.attempt == rig.task("t")["attempt"]


def test_a_task_that_appeared_after_the_preview_is_handled(rig: Rig) -> None:
    plan = store.plan_recovery(rig.db)
    put(rig.db, "loading")
    result = store.apply_recovery(rig.db, plan, now_ms=5000)
    assert [(step.task_id, step.target) for step in result.applied.steps] == [("t", "queued")]


@pytest.mark.ours
def test_a_task_that_is_claimed_again_while_recovery_goes_on_is_left_to_its_worker(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "BATCH_TASKS", 1)
    put(rig.db, "running", at=10)
    put(rig.db, "running", task_id="u", on_restart="resume", at=20)
    put(rig.db, "running", task_id="v", at=30)
    claimed: list[str] = []

    def claim(sql: str) -> None:
        if sql == "COMMIT" and not claimed:
            other = store.open_service_database(rig.path)
            claimed.append(store.start_task(other, "t", status="loading", attempt=2, now_ms=4000).status)
            other.close()

    with tapped(rig.db, after=claim):
        result = recover(rig.db)
    assert claimed == ["loading"]
    assert [step.task_id for step in result.applied.steps] == ["t", "u", "v"]
    assert (rig.task("t")["status"], rig.task("t")["attempt"]) == ("loading", 2)
    assert [task.task_id for task in result.resumed] == ["u"]


def test_a_plan_that_names_a_task_twice_handles_it_once(rig: Rig) -> None:
    put(rig.db, "running", on_restart="resume")
    put(rig.db, "queued", task_id="u", at=200)
    plan = store.plan_recovery(rig.db)
    result = store.apply_recovery(rig.db, RecoveryPlan(plan.steps * 2), now_ms=5000)
    assert result.applied == plan
    assert rig.task("t")["attempt"] == 2


def test_a_plan_of_another_database_does_no_harm(rig: Rig) -> None:
    put(rig.db, "running")
    plan = store.plan_recovery(rig.db)
    (step,) = plan.steps
    strange = RecoveryStep(
        task_id="nobody",
        found=step.found,
        policy=step.policy,
        effective=step.effective,
        target=step.target,
        event=step.event,
        error_code=None,
        attempt=1,
        next_attempt=2,
        last_seq=3,
        log_seq=3,
        snapshot_seq=None,
        warnings=(),
    )
    assert store.apply_recovery(rig.db, RecoveryPlan((strange,)), now_ms=5000).applied == plan


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_a_snapshot_that_cannot_be_read_stops_no_recovery(odd_rig: Rig, text: str) -> None:
    put(odd_rig.db, "running", on_restart="resume", snapshot={"n": 1})
    put(odd_rig.db, "running", task_id="u", on_restart="retry", at=50)
    odd_rig.db.conn.execute("UPDATE tasks SET snapshot = ? WHERE id = 't'", (text,))
    plan = store.plan_recovery(odd_rig.db)
    result = store.apply_recovery(odd_rig.db, plan, now_ms=5000)
    assert result.applied == plan
    assert plan.counts() == {"queued": 1, "running": 1}
    (resumed,) = result.resumed
    assert (resumed.task_id, resumed.snapshot) == ("t", None)


def test_a_status_that_is_none_of_the_seven_is_left_alone_and_told(rig: Rig) -> None:
    paused(rig.db)
    before = rig.task("paused")
    result = recover(rig.db)
    (step,) = result.applied.steps
    assert (step.task_id, step.target, step.event) == ("paused", "paused", None)
    assert [str(warning) for warning in step.warnings] == ["unknown_status"]
    assert rig.task("paused") == before


@pytest.mark.parametrize("status", ["", "Running", "cancelled ", "canceling", "done", "failed?", "zzz"])
def test_a_status_of_any_other_spelling_is_told(odd_rig: Rig, status: str) -> None:
    odd_rig.db.conn.execute("PRAGMA ignore_check_constraints = ON")
    odd_rig.db.conn.execute(
        """
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)
        VALUES ('odd', 'x', ?, 0, 1, 1, 1, '{}')""",
        (status,),
    )
    (step,) = store.plan_recovery(odd_rig.db).steps
    assert (step.task_id, step.found, step.target, step.event) == ("odd", status, status, None)


def test_leftovers_of_one_moment_are_in_the_order_of_their_ids(rig: Rig) -> None:
    for task_id in ("b", "c", "a"):
        put(rig.db, "running", task_id=task_id)
    assert [step.task_id for step in store.plan_recovery(rig.db).steps] == ["a", "b", "c"]
    assert [step.task_id for step in recover(rig.db).applied.steps] == ["a", "b", "c"]


def test_an_id_that_is_no_utf8_is_said_and_not_passed_over(odd_rig: Rig) -> None:
    put(odd_rig.db, "running")
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)
        VALUES (CAST(x'ff' AS TEXT), 'x', 'queued', 0, 1, 1, 1, '{}')""")
    with pytest.raises(store.Unusable, match="UTF-8"):
        store.plan_recovery(odd_rig.db)
    with pytest.raises(store.Unusable, match="UTF-8"):
        store.apply_recovery(odd_rig.db, RecoveryPlan(()), now_ms=5000)
    assert odd_rig.task("t")["status"] == "running"
    assert store.config_value(odd_rig.db, "service.starts") is None
