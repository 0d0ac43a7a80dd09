"""The preview of cleanup: what the store would delete, in any layout, and nothing is written."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from pathlib import Path

import pytest

from inspector import store
from inspector.lmsp.retention import RetentionPlan
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection
from inspector.reading.reader import open_reader
from inspector.reading.recognising import Shape, recognise
from inspector.reading.requests import RetentionRequest
from inspector.reading.retention import retention_plan
from tests.support.proof import differences, touch_state
from tests.support.store_old_tasks import CUTOFF, KEEP, NOW, leave_old


@contextmanager
def reading(path: Path) -> Iterator[tuple[ReadConnection, Shape]]:
    connection, _ = connect(str(path), "mode=ro")
    try:
        yield connection, recognise(connection, path.name)
    finally:
        connection.close()


def plan_of(path: Path, keep_ms: int | None = KEEP, now_ms: int = NOW) -> RetentionPlan | None:
    with reading(path) as (connection, shape):
        return retention_plan(connection, shape, keep_ms, now_ms)


@pytest.fixture
def service(tmp_path: Path) -> Path:
    path = tmp_path / "db" / "service.db"
    path.parent.mkdir()
    with closing(store.open_service_database(path)) as db:
        leave_old(db)
    return path


def by_hand(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
    return path


@pytest.mark.parametrize("keep_ms", [0, KEEP - 10, KEEP - 1, KEEP, KEEP + 1, KEEP + 3, KEEP + 100, (1 << 63) - 1])
def test_the_preview_is_what_the_store_plans(service: Path, keep_ms: int) -> None:
    with closing(store.open_service_database(service)) as db:
        planned = store.plan_retention(db, now_ms=NOW, keep_ms=keep_ms)
    assert plan_of(service, keep_ms) == planned


def test_the_stored_period_is_taken_where_none_is_asked_for(service: Path) -> None:
    assert plan_of(service, None) is None
    by_hand(service, f"INSERT INTO service_config VALUES ('retention.keep_ms', '{KEEP}', 1)")
    assert plan_of(service, None) == plan_of(service, KEEP)
    assert plan_of(service, KEEP + 3) != plan_of(service, KEEP)


@pytest.mark.parametrize("value", ["'30d'", "'-1'", "'1.5'", "'null'", "''", "x'31'", "'[['", f"'{'9' * 5000}'"])
def test_what_is_stored_as_anything_else_is_no_period(tmp_path: Path, value: str) -> None:
    path = by_hand(
        tmp_path / "x.db",
        "CREATE TABLE tasks (id, status)",
        "CREATE TABLE task_events (task_id, seq)",
        "CREATE TABLE service_config (key, value)",
        f"INSERT INTO service_config VALUES ('retention.keep_ms', {value})",
    )
    assert plan_of(path, None) is None


@pytest.mark.parametrize("keep_ms", [-1, 1 << 63])
def test_a_period_out_of_range_is_none(service: Path, keep_ms: int) -> None:
    assert plan_of(service, keep_ms) is None


def test_a_reader_counts_from_its_own_clock_and_leaves_no_trace(service: Path) -> None:
    before = touch_state(service.parent)
    with open_reader(service, now_ms=lambda: NOW) as reader:
        plan = reader.answer(RetentionRequest(KEEP))
        none = reader.answer(RetentionRequest())
    assert isinstance(plan, RetentionPlan)
    assert (plan.cutoff_ms, plan.tasks, none) == (CUTOFF, 6, None)
    assert differences(before, touch_state(service.parent)) == ()


FOREIGN: dict[str, tuple[list[str], dict[str, int]]] = {
    "without the moments of the ends nothing goes": (
        [
            "CREATE TABLE tasks (id, status)",
            "CREATE TABLE task_events (task_id, seq)",
            "INSERT INTO tasks VALUES ('a', 'completed'), ('b', 'running'), ('c', NULL), ('d', 'odd')",
            "INSERT INTO task_events VALUES ('a', 1)",
        ],
        {"kept_unfinished": 3, "kept_recent": 1},
    ),
    "moments that are no whole numbers keep their tasks": (
        [
            "CREATE TABLE tasks (id, status, finished_at)",
            "CREATE TABLE task_events (task_id, seq)",
            """INSERT INTO tasks VALUES ('a', 'failed', '1'), ('b', 'failed', 1.5), ('c', 'failed', x'31'),
                                        ('d', 'failed', NULL), ('e', 'failed', 1), (NULL, 'failed', 1)""",
            "INSERT INTO task_events VALUES ('a', 1), ('e', 1), ('e', 1), (NULL, 1), ('nobody', 1)",
        ],
        {"tasks": 2, "events": 2, "kept_recent": 4},
    ),
    "tables without the columns that tell count as nothing": (
        [
            "CREATE TABLE tasks (id, status, finished_at)",
            "CREATE TABLE task_events (task_id, seq)",
            "CREATE TABLE responses (id)",
            "CREATE TABLE idempotency_keys (key, task_id)",
            "INSERT INTO tasks VALUES ('a', 'failed', 1)",
            "INSERT INTO responses VALUES ('r')",
            "INSERT INTO idempotency_keys VALUES ('k', 'a')",
        ],
        {"tasks": 1, "keys": 1},
    ),
    "what has expired is counted, also of no task": (
        [
            "CREATE TABLE tasks (id, status, finished_at)",
            "CREATE TABLE task_events (task_id, seq)",
            "CREATE TABLE idempotency_keys (key, task_id, expires_at)",
            "INSERT INTO tasks VALUES ('a', 'failed', 1), ('b', 'queued', NULL)",
            "INSERT INTO idempotency_keys VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 1), (4, 'b', '1'), (5, 'b', 1.5)",
        ],
        {"tasks": 1, "keys": 1, "kept_unfinished": 1, "expired_keys": 2},
    ),
    "a view is not run": (
        [
            "CREATE TABLE tasks (id, status, finished_at)",
            "CREATE TABLE task_events (task_id, seq)",
            """CREATE VIEW responses AS
               WITH RECURSIVE n(task_id) AS (SELECT 1 UNION ALL SELECT task_id + 1 FROM n)
               SELECT task_id, 1 AS expires_at FROM n""",
            "INSERT INTO tasks VALUES ('a', 'failed', 1)",
        ],
        {"tasks": 1},
    ),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_another_layout_is_counted_as_far_as_it_goes(tmp_path: Path, kind: str) -> None:
    statements, expected = FOREIGN[kind]
    names = [field.name for field in fields(RetentionPlan)]
    nothing = RetentionPlan(CUTOFF, KEEP, **dict.fromkeys(names[2:], 0))
    found = plan_of(by_hand(tmp_path / "x.db", *statements))
    assert found is not None
    assert {name: getattr(found, name) for name in names} == {
        name: expected.get(name, getattr(nothing, name)) for name in names
    }


def test_all_counts_are_of_one_moment(service: Path) -> None:
    writer = sqlite3.connect(service, isolation_level=None)
    with reading(service) as (connection, shape):
        asked: list[str] = []

        class Watched:
            """Deletes an old task behind the first count."""

            def __getattr__(self, name: str) -> object:
                return getattr(connection, name)

            def value(self, sql: str, *parameters: object) -> object:
                found = connection.value(sql, *parameters)  # type: ignore[arg-type]
                if not asked:
                    writer.execute("DELETE FROM tasks WHERE id = 'old6'")
                asked.append(sql)
                return found

        plan = retention_plan(Watched(), shape, KEEP, NOW)  # type: ignore[arg-type]
    assert plan is not None
    assert len(asked) > 5
    assert (plan.tasks, plan.keys) == (6, 6)
    assert plan_of(service) != plan
