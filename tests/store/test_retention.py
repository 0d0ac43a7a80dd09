"""Retention (section 11.2): which tasks go and which never, what goes with them, and what is said of it."""

import json
import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from inspector.lmsp.retention import RetentionPlan
from inspector.lmsp.statuses import FINAL, Status
from tests.support.store_factory import Rig, put, rig_of
from tests.support.store_leftovers import paused
from tests.support.store_old_tasks import COUNTED, CUTOFF, KEEP, NOW, clean, ended, leave_old
from tests.support.subject import store

TABLES_OF_A_TASK = {"task_events": 0, "responses": 1, "idempotency_keys": 2}
DAY = 86_400_000


def ids(db: Database) -> set[str]:
    return {task_id for (task_id,) in db.conn.execute("SELECT id FROM tasks").fetchall()}


def owners(db: Database, table: str) -> set[str]:
    return {task_id for (task_id,) in db.conn.execute(f"SELECT task_id FROM {table}").fetchall()}


def counts(found: RetentionPlan | store.RetentionResult) -> dict[str, Any]:
    return {name: getattr(found, name) for name in COUNTED}


@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("status", Status)
def test_a_task_goes_when_it_finished_longer_ago_than_the_period(rig: Rig, status: Status, offset: int) -> None:
    task_id = put(rig.db, status, at=CUTOFF - 4 + offset)
    goes = status in FINAL and offset < 0

    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    assert (plan.cutoff_ms, plan.keep_ms) == (CUTOFF, KEEP)
    assert (plan.tasks, plan.kept_unfinished) == (goes, status not in FINAL)
    assert plan.kept_recent == (status in FINAL and not goes)
    result = store.apply_retention(rig.db, plan, now_ms=NOW)

    assert (result.tasks, result.batches) == (goes, goes)
    assert ids(rig.db) == (set() if goes else {task_id})


@pytest.mark.parametrize("status", [status for status in Status if status not in FINAL])
def test_an_unfinished_task_stays_however_old_it_is(rig: Rig, status: Status) -> None:
    put(rig.db, status, at=0)
    with rig.unchanged():
        plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=0)
        assert (plan.tasks, plan.kept_unfinished) == (0, 1)
        assert store.apply_retention(rig.db, plan, now_ms=NOW).tasks == 0


def test_what_the_preview_counts_is_what_goes(rig: Rig) -> None:
    old = leave_old(rig.db)
    with rig.unchanged():
        plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)

    result = store.apply_retention(rig.db, plan, now_ms=NOW)

    expected = {
        "tasks": 6,
        # created, in progress and the final one; the cancelled ones have cancelling too
        "events": 6 * 3 + 2 + sum(range(6)),
        "responses": 2,
        "keys": 6,
        "expired_responses": 1,
        "expired_keys": 1,
    }
    assert counts(plan) == counts(result) == expected
    assert (plan.kept_unfinished, plan.kept_recent) == (2, 3)
    assert ids(rig.db) == {"recent", "expired", "expired later", "queued", "running"}
    assert not set(old) & ids(rig.db)


def test_a_task_goes_whole_and_nothing_of_another_goes_with_it(rig: Rig) -> None:
    leave_old(rig.db)
    kept = {task_id: (rig.task(task_id), rig.log(task_id)) for task_id in ("recent", "expired", "queued", "running")}
    clean(rig.db)
    assert {task_id: (rig.task(task_id), rig.log(task_id)) for task_id in kept} == kept
    assert owners(rig.db, "task_events") == ids(rig.db)
    assert owners(rig.db, "responses") == {"recent", "expired later"}
    assert owners(rig.db, "idempotency_keys") == {"recent", "expired later", "queued"}


@pytest.mark.parametrize("ends", [NOW - 1, NOW, NOW + 1, None])
def test_a_response_and_a_key_go_at_the_moment_they_expire(rig: Rig, ends: int | None) -> None:
    ended(rig.db, "t", at=CUTOFF + 1, key_ends=ends, response_ends=ends)
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    result = store.apply_retention(rig.db, plan, now_ms=NOW)
    goes = ends is not None and ends <= NOW
    assert (
        counts(plan) == counts(result) == {**dict.fromkeys(COUNTED, 0), "expired_responses": goes, "expired_keys": goes}
    )
    assert owners(rig.db, "responses") == owners(rig.db, "idempotency_keys") == (set() if goes else {"t"})
    assert ids(rig.db) == {"t"}


def test_a_key_of_an_unfinished_task_expires_and_the_task_stays(rig: Rig) -> None:
    store.accept_task(
        rig.db, request={}, on_restart="retry", task_id="t", idempotency_key="k", keep_key_ms=10, now_ms=100
    )
    assert clean(rig.db).expired_keys == 1
    assert ids(rig.db) == {"t"}
    assert owners(rig.db, "idempotency_keys") == set()


def test_what_expired_of_a_task_that_goes_is_counted_once(rig: Rig) -> None:
    ended(rig.db, "t", key_ends=CUTOFF, response_ends=CUTOFF)
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    result = clean(rig.db)
    assert counts(plan) == counts(result)
    assert (result.responses, result.keys, result.expired_responses, result.expired_keys) == (1, 1, 0, 0)


def test_the_period_is_the_stored_one_unless_another_is_given(rig: Rig) -> None:
    store.set_config(rig.db, "retention.keep_ms", 30 * DAY, now_ms=1)
    assert store.plan_retention(rig.db, now_ms=NOW + 30 * DAY).cutoff_ms == NOW
    assert store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP).cutoff_ms == CUTOFF
    store.set_config(rig.db, "retention.keep_ms", 0, now_ms=1)
    assert store.plan_retention(rig.db, now_ms=NOW).cutoff_ms == NOW


def test_without_a_period_nothing_is_planned_and_what_to_do_is_said(rig: Rig) -> None:
    with rig.unchanged(), pytest.raises(store.Refused, match=r"retention\.keep_ms"):
        store.plan_retention(rig.db, now_ms=NOW)


@pytest.mark.parametrize("value", [-1, 1.5, True, "30d", None, [], {}, 1 << 63, "[", float("1e3")])
def test_a_stored_period_that_is_none_is_refused(rig: Rig, value: object) -> None:
    store.set_config(rig.db, "retention.keep_ms", value, now_ms=1)
    with rig.unchanged(), pytest.raises(store.Refused, match=r"retention\.keep_ms"):
        store.plan_retention(rig.db, now_ms=NOW)


@pytest.mark.parametrize("text", ["", "{", "NaN", "9" * 5000, "[" * 100_000])
def test_a_stored_period_that_is_no_json_is_refused(odd_rig: Rig, text: str) -> None:
    store.set_config(odd_rig.db, "retention.keep_ms", 1, now_ms=1)
    odd_rig.db.conn.execute("UPDATE service_config SET value = ?", (text,))
    with odd_rig.unchanged(), pytest.raises(store.Refused, match=r"retention\.keep_ms"):
        store.plan_retention(odd_rig.db, now_ms=NOW)


@pytest.mark.parametrize("keep_ms", [-1, True, 1.0, float("nan"), "30d", 1 << 63])
def test_a_period_that_is_no_whole_number_from_zero_is_refused(rig: Rig, keep_ms: Any) -> None:  # noqa: ANN401
    ended(rig.db, "t")
    with rig.unchanged(), pytest.raises(store.Refused, match="keep_ms must be"):
        store.plan_retention(rig.db, now_ms=NOW, keep_ms=keep_ms)


def test_the_longest_period_keeps_everything(rig: Rig) -> None:
    ended(rig.db, "t", at=1000)
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=(1 << 63) - 1)
    assert (plan.tasks, plan.kept_recent) == (0, 1)


def test_a_run_stores_its_moment_and_its_counts(rig: Rig) -> None:
    leave_old(rig.db)
    result = clean(rig.db)
    assert store.config_value(rig.db, "retention.last_run") == {
        "at": NOW,
        "cutoff_ms": CUTOFF,
        "batches": result.batches,
        **counts(result),
    }


def test_a_run_that_deletes_nothing_writes_nothing(rig: Rig) -> None:
    leave_old(rig.db)
    clean(rig.db)
    with rig.unchanged():
        result = clean(rig.db)
    assert result == store.RetentionResult(**dict.fromkeys(COUNTED, 0), batches=0, large=(), longest_hold_ms=0.0)


def test_of_a_plan_only_the_cutoff_is_used(rig: Rig) -> None:
    leave_old(rig.db)
    wrong = RetentionPlan(CUTOFF, KEEP, **dict.fromkeys(COUNTED, 99), kept_unfinished=99, kept_recent=99)
    right = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    assert counts(store.apply_retention(rig.db, wrong, now_ms=NOW)) == counts(right)


def test_a_task_that_finished_after_the_preview_stays(rig: Rig) -> None:
    put(rig.db, "running", at=100)
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    store.complete_task(rig.db, "t", {}, attempt=1, now_ms=NOW)
    assert store.apply_retention(rig.db, plan, now_ms=NOW).tasks == 0
    assert ids(rig.db) == {"t"}


def test_a_second_key_with_the_id_of_a_deleted_task_starts_anew(rig: Rig) -> None:
    ended(rig.db, "t")
    clean(rig.db)
    again = store.accept_task(
        rig.db, request={"other": 1}, on_restart="fail", client_id="client", idempotency_key="key of t", now_ms=NOW
    )
    assert not again.replayed
    assert owners(rig.db, "idempotency_keys") == {again.task.id}


@pytest.mark.parametrize("hold_ms", [0, -1, float("nan")])
def test_a_time_that_no_batch_fits_in_is_refused(rig: Rig, hold_ms: float) -> None:
    ended(rig.db, "t")
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.apply_retention(rig.db, plan, now_ms=NOW, hold_ms=hold_ms)


def test_cleanup_does_not_join_a_transaction_of_the_caller(rig: Rig) -> None:
    ended(rig.db, "t")
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    rig.db.conn.execute("BEGIN")
    with pytest.raises(RuntimeError, match="transaction"):
        store.apply_retention(rig.db, plan, now_ms=NOW)
    assert rig.db.conn.in_transaction
    rig.db.conn.execute("ROLLBACK")
    assert ids(rig.db) == {"t"}


def test_nothing_goes_where_foreign_keys_are_off(rig: Rig) -> None:
    ended(rig.db, "t")
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    rig.db.conn.execute("PRAGMA foreign_keys = OFF")
    with rig.unchanged(), pytest.raises(RuntimeError, match="Foreign keys"):
        store.apply_retention(rig.db, plan, now_ms=NOW)


def test_a_status_that_is_none_of_the_seven_is_left_alone(odd_rig: Rig) -> None:
    paused(odd_rig.db)
    odd_rig.db.conn.execute("PRAGMA ignore_check_constraints = ON")
    odd_rig.db.conn.execute("UPDATE tasks SET finished_at = 1 WHERE id = 'paused'")
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, finished_at, request)
        VALUES ('works on', 'x', 'running', 0, 1, 1, 1, 1, '{}'),
               ('ended never', 'x', 'failed', 0, 1, 1, 1, NULL, '')""")
    with odd_rig.unchanged():
        plan = store.plan_retention(odd_rig.db, now_ms=NOW, keep_ms=KEEP)
        assert (plan.tasks, plan.kept_unfinished, plan.kept_recent) == (0, 2, 1)
        assert clean(odd_rig.db).tasks == 0


def test_an_id_that_is_no_utf8_is_deleted_as_any_other(odd_rig: Rig) -> None:
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, finished_at, request)
        VALUES (CAST(x'ff' AS TEXT), 'x', 'failed', 0, 1, 1, 1, 1, '')""")
    ended(odd_rig.db, "t")
    assert clean(odd_rig.db).tasks == 2
    assert ids(odd_rig.db) == set()


def test_a_finished_task_whose_log_does_not_fit_goes_too(odd_rig: Rig) -> None:
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, finished_at, request)
        VALUES ('t', 'x', 'failed', 7, 1, 1, 1, 1, '')""")
    odd_rig.db.conn.execute("""
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        VALUES ('t', 1, 'response.created', 'queued', 1, 1, '')""")
    plan = store.plan_retention(odd_rig.db, now_ms=NOW, keep_ms=KEEP)
    result = clean(odd_rig.db)
    assert counts(plan) == counts(result) == {**dict.fromkeys(COUNTED, 0), "tasks": 1, "events": 1}


def test_the_stored_counts_are_json_of_whole_numbers(rig: Rig) -> None:
    leave_old(rig.db)
    clean(rig.db)
    ((text,),) = rig.db.conn.execute("SELECT value FROM service_config WHERE key = 'retention.last_run'").fetchall()
    assert {type(value) for value in json.loads(text).values()} == {int}


def test_a_plan_and_a_result_are_plain_values(rig: Rig) -> None:
    leave_old(rig.db)
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    assert {type(value) for value in asdict(plan).values()} == {int}
    result = store.apply_retention(rig.db, plan, now_ms=NOW)
    assert {type(getattr(result, name)) for name in COUNTED} == {int}


DELETES = {
    "by id": "DELETE FROM tasks WHERE id = :id",
    "by rowid, with what was deleted given back": """
        DELETE FROM tasks WHERE rowid = (SELECT rowid FROM tasks WHERE id = :id) RETURNING id""",
    "with all others": "DELETE FROM tasks",
    "by its age": "DELETE FROM tasks WHERE created_at < 10000 AND finished_at IS NULL",
    "by REPLACE": """
        REPLACE INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, finished_at, request)
        VALUES (:id, 'x', 'failed', 0, 1, 1, 1, 1, '{}')""",
    "by REPLACE of its rowid": """
        INSERT OR REPLACE INTO tasks (rowid, id, kind, status, last_seq, attempt, created_at, updated_at, request)
        SELECT rowid, 'other', 'x', 'queued', 0, 1, 1, 1, '{}' FROM tasks WHERE id = :id""",
    "by another that takes its id": "UPDATE OR REPLACE tasks SET id = :id WHERE id = 'done'",
    "by another that takes its rowid": """
        UPDATE OR REPLACE tasks SET rowid = (SELECT rowid FROM tasks WHERE id = :id) WHERE id = 'done'""",
    "after it was said to have ended": "UPDATE tasks SET status = 'failed', finished_at = 1 WHERE id = :id",
    "its log alone": "DELETE FROM task_events WHERE task_id = :id",
    "by a trigger of somebody's": "DELETE FROM tasks WHERE id = 'done' AND :id IS NOT NULL",
}
"""Ways to delete an unfinished task with plain SQL; beside it there is a finished one, ``done``."""


@pytest.mark.parametrize("recursive_triggers", [False, True])
@pytest.mark.parametrize("foreign_keys", [False, True])
@pytest.mark.parametrize("way", DELETES)
@pytest.mark.parametrize("status", [status for status in Status if status not in FINAL])
def test_no_sql_deletes_an_unfinished_task(
    tmp_path: Path, status: Status, way: str, foreign_keys: bool, recursive_triggers: bool
) -> None:
    with rig_of("fresh", tmp_path) as rig:
        conn = rig.db.conn
        conn.execute("PRAGMA synchronous = OFF")
        put(rig.db, status)
        put(rig.db, "failed", task_id="done")
        conn.execute(f"PRAGMA foreign_keys = {foreign_keys:d}")
        conn.execute(f"PRAGMA recursive_triggers = {recursive_triggers:d}")
        conn.execute("PRAGMA ignore_check_constraints = ON")
        if way == "by a trigger of somebody's":
            conn.execute("""
                CREATE TEMP TRIGGER also AFTER DELETE ON main.tasks WHEN OLD.id = 'done'
                BEGIN DELETE FROM tasks WHERE id = 't'; END""")
        with rig.unchanged(), pytest.raises(sqlite3.IntegrityError):
            conn.execute(DELETES[way], {"id": "t"}).fetchall()
