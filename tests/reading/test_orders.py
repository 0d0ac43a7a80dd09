"""Which orders a file can be read in, and what a large one without an index falls back to, with a note."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from inspector.layout import native
from inspector.layout.pages import TaskFilter, TaskKey
from inspector.reading import orders
from inspector.reading.connection import ReadConnection
from inspector.reading.orders import Orders
from inspector.reading.recognising import TASK_COLUMNS, Shape, recognise
from inspector.reading.task_list import Bound, task_list
from inspector.reading.task_pages import task_page, tasks_by_prefix
from tests.support.reading_databases import add_task, in_memory

BARE = f"CREATE TABLE tasks ({', '.join(TASK_COLUMNS)}); CREATE TABLE task_events (task_id, seq);"
BY_ID = "CREATE UNIQUE INDEX ids ON tasks (id);"
BY_TIME = "CREATE INDEX times ON tasks (created_at);"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a handful of tasks count as many."""
    monkeypatch.setattr(orders, "MOST_SORTED", 2)


@contextmanager
def reading(ddl: str, rows: int = 5) -> Iterator[tuple[sqlite3.Connection, ReadConnection, Shape]]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(ddl)
    db.executemany(
        "INSERT INTO tasks (id, status, created_at) VALUES (?, 'queued', ?)",
        [(f"t{number}", 10 - number) for number in range(rows)],
    )
    db.executemany("INSERT INTO task_events (task_id, seq) VALUES ('t0', ?)", [(seq,) for seq in range(rows)])
    connection = in_memory(db)
    yield db, connection, recognise(connection, "a.db")
    db.close()


def test_the_native_layout_has_an_index_for_everything() -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)

    assert recognise(in_memory(db), "a.db").orders == Orders(
        by_created=True, by_status=True, by_model=True, by_id=True, events=True, notes=()
    )
    db.close()


def test_a_small_file_is_sorted_and_has_no_note() -> None:
    with reading(BARE) as (_, connection, shape):
        assert shape.orders == Orders(True, False, False, by_id=False, events=False, notes=())
        assert [row.id for row in task_page(connection, shape, TaskFilter(), None, 9, 0).tasks] == [
            f"t{number}" for number in range(5)
        ]


@pytest.mark.usefixtures("large")
def test_a_large_file_without_an_index_on_the_time_is_listed_by_id_and_says_so() -> None:
    with reading(BARE + BY_ID) as (db, connection, shape):
        seen: list[str] = []
        first = task_page(connection, shape, TaskFilter(), None, 2, 0)
        last = first.tasks[-1]
        db.set_trace_callback(seen.append)
        second = task_page(connection, shape, TaskFilter(), TaskKey(last.created_at, last.id), 2, 0)
        db.set_trace_callback(None)

        assert [row.id for row in (*first.tasks, *second.tasks)] == ["t4", "t3", "t2", "t1"]
        assert "There is no index on tasks.created_at: they are listed in the order of their ids." in shape.notes
        plan = [step[3] for step in db.execute(f"EXPLAIN QUERY PLAN {seen[0]}")]
        assert plan == ["SEARCH tasks USING INDEX ids (id<?)"]


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("ddl", "noted"),
    [
        (BARE, ("tasks.id", "tasks.created_at", "task_events")),
        (BARE + BY_ID + BY_TIME, ("task_events",)),
        (BARE + BY_ID, ("tasks.created_at", "task_events")),
        (BARE + BY_ID + BY_TIME + "CREATE INDEX logs ON task_events (task_id, seq)", ()),
    ],
    ids=["none", "events", "time and events", "all there"],
)
def test_what_is_slower_without_an_index_is_said_in_a_sentence_each(ddl: str, noted: tuple[str, ...]) -> None:
    with reading(ddl) as (_, _, shape):
        about = [note for note in shape.notes if note.startswith("There is no index")]

        assert sorted(note.split(" on ")[1].split(":")[0].split(" ")[0] for note in about) == sorted(noted)


@pytest.mark.usefixtures("large")
def test_an_index_on_the_time_alone_will_do() -> None:
    with reading(BARE + BY_ID + BY_TIME) as (_, connection, shape):
        assert shape.orders.by_created
        assert [row.id for row in task_page(connection, shape, TaskFilter(), None, 3, 0).tasks] == ["t0", "t1", "t2"]


@pytest.mark.parametrize(
    "wanted",
    [
        TaskFilter(),
        TaskFilter(frozenset({"queued"})),
        TaskFilter(frozenset({"queued", "failed"})),
        TaskFilter(frozenset({"queued"}), model_id="m"),
        TaskFilter(text="x"),
        TaskFilter(frozenset({"failed"}), "x", "m"),
    ],
    ids=str,
)
def test_no_list_of_a_native_database_sorts_or_scans(wanted: TaskFilter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.reading.task_list._RARE", -1)  # no model is rare
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    seen: list[str] = []
    db.set_trace_callback(seen.append)
    for bound in (Bound(TaskKey(5, "x")), Bound(TaskKey(5, "x"), inclusive=True)):
        for part in task_list(connection, shape, wanted, bound):
            part.rows(connection, bound, TaskKey(1, "a"), 10)
            part.columns(connection, "status", bound, TaskKey(1, "a"), 10)
            part.far(connection, bound, 10)
    db.set_trace_callback(None)

    lists = [statement for statement in seen if "ORDER BY" in statement]
    assert len(lists) >= 6
    for statement in lists:
        plan = [step[3] for step in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
        assert len(plan) == 1, (statement, plan)
        assert plan[0].startswith("SEARCH tasks USING ")
        assert "tasks_by_status" in plan[0] if wanted.statuses else "tasks_by_created" in plan[0]
    db.close()


def test_the_tasks_of_a_rare_model_are_found_by_its_index() -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    seen: list[str] = []
    db.set_trace_callback(seen.append)
    task_page(connection, shape, TaskFilter(frozenset({"queued"}), model_id="m"), None, 10, 0)
    db.set_trace_callback(None)

    plan = [step[3] for step in db.execute(f"EXPLAIN QUERY PLAN {seen[-1]}")]
    db.close()
    assert plan == ["SEARCH tasks USING INDEX tasks_by_model (model_id=?)", "USE TEMP B-TREE FOR ORDER BY"]


@pytest.mark.parametrize(("rare", "times"), [(2, 3), (1, 1)])
def test_whether_a_model_is_rare_is_asked_until_it_is_not(
    rare: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.reading.task_list._RARE", rare)
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    for task_id in ("a", "b"):
        add_task(db, task_id, model_id="m")
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    seen: list[str] = []
    db.set_trace_callback(seen.append)
    pages = [task_page(connection, shape, TaskFilter(model_id="m"), None, 10, 0) for _ in range(3)]
    db.close()

    assert [[task.id for task in page.tasks] for page in pages] == [["b", "a"]] * 3
    assert sum("count(*)" in statement for statement in seen) == times


def test_a_prefix_is_found_by_the_primary_key_as_typed_or_in_the_other_case() -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(BARE + BY_ID)
    ids = ["task_a1", "task_a2", "task_b1", "TASK_X", "other", "\U0010ffff", "\U0010ffff\U0010ffffa", "\ud7ffz"]
    db.executemany(
        "INSERT INTO tasks (id, status, created_at) VALUES (?, 'queued', ?)", zip(ids, range(8), strict=True)
    )
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    seen: list[str] = []

    def found(prefix: str, wanted: TaskFilter | None = None) -> list[str]:
        return [row.id for row in tasks_by_prefix(connection, shape, prefix, wanted or TaskFilter())]

    db.set_trace_callback(seen.append)
    assert found("task_a") == ["task_a2", "task_a1"]
    db.set_trace_callback(None)
    assert found("task_a1") == found("TASK_A1") == ["task_a1"]
    assert found("task_x") == ["TASK_X"]
    assert found("\U0010ffff") == ["\U0010ffff\U0010ffffa", "\U0010ffff"]
    assert found("\ud7ff") == ["\ud7ffz"]
    assert found("task", TaskFilter(frozenset({"failed"}))) == found("nothing") == found("") == []
    plan = [step[3] for step in db.execute(f"EXPLAIN QUERY PLAN {seen[0]}")]
    db.close()
    assert plan == ["SEARCH tasks USING INDEX ids (id>? AND id<?)"]
