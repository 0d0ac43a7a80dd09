"""Recovery beside what no rule of the store leads to: an event without its task's move, a task without its log."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout import native
from tests.support.store_factory import Rig, put
from tests.support.subject import store


def stray_event(rig: Rig, task_id: str, event_type: str, status: str) -> None:
    """Write an event without its task's move, which no trigger can refuse."""
    rig.db.conn.execute(
        """
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        SELECT id, last_seq + 1, ?, ?, 1, 1, '{}' FROM tasks WHERE id = ?""",
        (event_type, status, task_id),
    )


def test_a_task_with_an_event_that_moved_nothing_is_recovered_after_that_event_with_a_warning(odd_rig: Rig) -> None:
    put(odd_rig.db, "running", on_restart="retry")
    put(odd_rig.db, "running", task_id="u", on_restart="fail", at=50)
    stray_event(odd_rig, "t", "response.output_text.delta", "running")
    plan = store.plan_recovery(odd_rig.db)
    result = store.apply_recovery(odd_rig.db, plan, now_ms=5000)
    assert result.applied == plan
    assert {step.task_id: [str(each) for each in step.warnings] for step in plan.steps} == {"u": [], "t": ["log_ahead"]}
    assert odd_rig.task("t")["status"] == "queued"
    assert odd_rig.task("t")["last_seq"] == next(step.next_seq for step in plan.steps if step.task_id == "t")
    assert odd_rig.task("u")["status"] == "failed"


def test_a_task_whose_log_ended_without_it_is_left_alone_and_the_others_are_recovered(odd_rig: Rig) -> None:
    put(odd_rig.db, "running", on_restart="retry")
    put(odd_rig.db, "running", task_id="u", on_restart="fail", at=50)
    stray_event(odd_rig, "t", "response.completed", "completed")
    before = odd_rig.task("t")
    plan = store.plan_recovery(odd_rig.db)
    result = store.apply_recovery(odd_rig.db, plan, now_ms=5000)
    assert result.applied == plan
    assert plan.counts() == {"failed": 1, "running": 1}
    assert {step.task_id: [str(each) for each in step.warnings] for step in plan.steps} == {
        "u": [],
        "t": ["log_broken"],
    }
    assert odd_rig.task("t") == before


def test_a_task_whose_log_lost_its_last_event_is_recovered_after_what_is_there(odd_rig: Rig) -> None:
    put(odd_rig.db, "running", on_restart="retry")
    odd_rig.db.conn.execute("DROP TRIGGER task_events_outlive_no_task")
    odd_rig.db.conn.execute("DELETE FROM task_events WHERE task_id = 't' AND seq = 3")
    store.apply_recovery(odd_rig.db, store.plan_recovery(odd_rig.db), now_ms=5000)
    assert odd_rig.log("t")[1:] == [(2, "response.loading", "loading", 1), (3, "response.queued", "queued", 2)]
    assert odd_rig.task("t")["last_seq"] == 3


def test_a_task_that_was_put_in_without_its_log_stops_no_recovery(odd_rig: Rig) -> None:
    put(odd_rig.db, "running", task_id="u", on_restart="fail", at=50)
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, on_restart, last_seq, attempt, created_at, updated_at, request)
        VALUES ('bare', 'x', 'running', 'retry', 7, 1, 1, 1, '{}')""")
    result = store.apply_recovery(odd_rig.db, store.plan_recovery(odd_rig.db), now_ms=5000)
    assert {step.task_id: step.target for step in result.applied.steps} == {"u": "failed", "bare": "running"}


def lose_from_the_primary_key(path: Path, task_id: str) -> None:
    """Take a task out of the index of its table's primary key, and out of nothing else: as a damaged page would."""
    table = "SELECT sql FROM sqlite_schema WHERE name = 'tasks'"
    index = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = 'sqlite_autoindex_tasks_1'"
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        (sql,) = conn.execute(table).fetchall()[0]
        (row,) = conn.execute(index).fetchall()
        conn.execute("PRAGMA writable_schema = ON")
        conn.execute(
            "UPDATE sqlite_schema SET sql = ? WHERE name = 'tasks'", (sql.replace(" NOT NULL PRIMARY KEY", "", 1),)
        )
        conn.execute("DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_tasks_1'")
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        for name in native.TRIGGERS:
            conn.execute(f"DROP TRIGGER {name}")
        columns = "kind, status, on_restart, last_seq, attempt, created_at, updated_at, request"
        conn.execute(f"INSERT INTO tasks (id, {columns}) SELECT 'lost', {columns} FROM tasks WHERE id = ?", (task_id,))
        for trigger in native.TRIGGERS.values():
            conn.execute(trigger)
        conn.execute("PRAGMA writable_schema = ON")
        conn.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'tasks'", (sql,))
        conn.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)


@pytest.mark.parametrize("others", [0, 1200])
def test_recovery_ends_where_a_damaged_index_hides_a_task(tmp_path: Path, others: int) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        put(db, "queued", task_id="t")
        for number in range(others):
            store.accept_task(db, request={}, on_restart="fail", task_id=f"o{number}", now_ms=500)
    lose_from_the_primary_key(path, "t")
    with closing(store.open_service_database(path)) as db:
        plan = store.plan_recovery(db)
        assert "lost" in {step.task_id for step in plan.steps}
        with pytest.raises(store.Unusable, match="damaged"):
            store.apply_recovery(db, plan, now_ms=5000)
        assert not db.conn.in_transaction
        counts = db.conn.execute("SELECT status, count(*) FROM tasks WHERE id LIKE 'o%' GROUP BY status").fetchall()
        assert dict(counts) == ({"failed": others} if others else {})
