"""Pages of tasks: every task once, newest first, whatever is inserted meanwhile; and what recovery would find."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.layout import native
from inspector.layout.pages import PAGE_ROWS, TaskFilter, TaskKey, TaskPage
from inspector.lmsp.recovery import Leftover, plan_recovery
from inspector.reading.connecting import connect
from inspector.reading.leftovers import leftovers
from inspector.reading.recognising import Shape, recognise
from inspector.reading.task_pages import task_page
from inspector.reading.task_rows import tasks_by_id
from tests.support.reading_databases import START_MS, add_task, create, in_memory, move_task

ANY = TaskFilter()

pytestmark = pytest.mark.timeout(30)


class Database:
    """A native database with two connections: one that writes, one that reads."""

    def __init__(self, path: Path) -> None:
        self.service = create(path)
        self.connection, _ = connect(str(path), "mode=ro")
        self.shape: Shape = recognise(self.connection, path.name)

    def page(self, wanted: TaskFilter = ANY, after: TaskKey | None = None, limit: int = 3) -> TaskPage:
        """Read one page."""
        return task_page(self.connection, self.shape, wanted, after, limit, START_MS)

    def all_ids(self, wanted: TaskFilter = ANY, limit: int = 3) -> list[str]:
        """Read page after page to the end."""
        found: list[str] = []
        after = None
        while True:
            page = self.page(wanted, after, limit)
            found += [task.id for task in page.tasks]
            if not page.more:
                return found
            after = TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)

    def close(self) -> None:
        """Close both connections."""
        self.connection.close()
        self.service.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "service.db")
    yield database
    database.close()


def plan_of(statements: list[str]) -> str:
    pages = [statement for statement in statements if "ORDER BY created_at" in statement]
    db = sqlite3.connect(":memory:")
    db.executescript(native.DDL)
    plan = "; ".join(row[3] for page in pages for row in db.execute(f"EXPLAIN QUERY PLAN {page}"))
    db.close()
    return plan


def test_tasks_come_newest_first_and_each_once(database: Database) -> None:
    for at, task_id in enumerate("dacbe"):
        add_task(database.service, task_id, created_at=START_MS + at // 2)  # two of them share each time

    assert database.all_ids(limit=1) == database.all_ids(limit=2) == database.all_ids() == ["e", "c", "b", "d", "a"]


def test_a_page_says_whether_more_follows(database: Database) -> None:
    for task_id in "abc":
        add_task(database.service, task_id)

    assert [database.page(limit=limit).more for limit in (1, 2, 3, 4)] == [True, True, False, False]
    assert database.page(limit=2).read_at_ms == START_MS


def test_a_page_is_never_larger_than_a_page(database: Database) -> None:
    for number in range(PAGE_ROWS + 1):
        add_task(database.service, f"t{number:03}")

    assert len(database.page(limit=10**9).tasks) == PAGE_ROWS
    assert len(database.page(limit=-1).tasks) == 1


def test_tasks_that_come_meanwhile_shift_nothing(database: Database) -> None:
    for number in range(6):
        add_task(database.service, f"t{number}", created_at=START_MS + number)
    first = database.page()
    for number in range(6, 9):
        add_task(database.service, f"t{number}", created_at=START_MS + number)

    second = database.page(after=TaskKey(first.tasks[-1].created_at, first.tasks[-1].id))

    assert [task.id for task in (*first.tasks, *second.tasks)] == ["t5", "t4", "t3", "t2", "t1", "t0"]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["queued", "loading", "running"]), st.sampled_from(["m", "n"])),
        max_size=12,
    ),
    st.frozensets(st.sampled_from(["queued", "loading", "running", "failed"]), max_size=3),
    st.sampled_from(["", "M", "1"]),
    st.integers(1, 4),
)
def test_pages_of_a_filter_hold_what_passes_it_in_order(
    rows: list[tuple[int, str, str]], statuses: frozenset[str], text: str, limit: int
) -> None:
    wanted = TaskFilter(statuses, text)
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    for number, (at, status, model_id) in enumerate(rows):
        add_task(db, f"t{number:02}", created_at=START_MS + at, model_id=model_id)
        if status != "queued":
            move_task(db, f"t{number:02}", status)
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    everything = task_page(connection, shape, TaskFilter(), None, PAGE_ROWS, 0).tasks
    found: list[str] = []
    page = task_page(connection, shape, wanted, None, limit, 0)
    while True:
        found += [task.id for task in page.tasks]
        if not page.more:
            break
        after = TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)
        page = task_page(connection, shape, wanted, after, limit, 0)
    db.close()

    assert found == [task.id for task in everything if wanted.passes(task)]


@pytest.mark.parametrize(
    "wanted",
    [TaskFilter(), TaskFilter(frozenset({"failed"})), TaskFilter(frozenset({"failed", "queued", "running"}))],
    ids=["all", "one status", "three"],
)
def test_no_page_sorts_or_counts_or_walks_over_what_it_does_not_show(
    database: Database, statements: list[str], wanted: TaskFilter
) -> None:
    connection, _ = connect(database.service.execute("PRAGMA database_list").fetchone()[2], "mode=ro")
    for after in (None, TaskKey(5, "x")):
        task_page(connection, database.shape, wanted, after, 3, 0)
    connection.close()

    plan = plan_of(statements)
    assert "SEARCH tasks USING INDEX" in plan
    assert "TEMP B-TREE" not in plan
    assert not any("OFFSET" in statement or "*" in statement for statement in statements if "FROM tasks" in statement)


def test_tasks_are_found_by_id_however_many_are_asked_for(database: Database) -> None:
    for number in range(5):
        add_task(database.service, f"t{number}")
    wanted = [f"t{number}" for number in range(2_500)]

    assert {task.id for task in tasks_by_id(database.connection, database.shape, wanted)} == set(wanted[:5])
    assert tasks_by_id(database.connection, database.shape, []) == ()


def test_leftovers_are_all_that_is_not_final_oldest_first(database: Database) -> None:
    statuses = ("queued", "loading", "running", "cancelling", "completed", "failed", "cancelled")
    for at, status in enumerate(statuses):
        add_task(database.service, status, created_at=START_MS - at, on_restart="retry")
        if status in ("running", "cancelling", "completed"):
            move_task(database.service, status, "running")
        if status not in ("queued", "running"):
            move_task(database.service, status, status)

    found = leftovers(database.connection, database.shape).tasks

    assert [leftover.task_id for leftover in found] == ["cancelling", "running", "loading", "queued"]
    assert found[-1] == Leftover("queued", "queued", "retry", 1, 1, None, log_seq=1)


def test_a_task_of_unknown_status_is_a_leftover_that_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("CREATE TABLE tasks (id, status); CREATE TABLE task_events (task_id, seq);")
    odd = ["", "Failed", "canceled", "cancelled ", "completed\0", "failed2", "paused", "zzz", b"failed", None, 5]
    db.executemany("INSERT INTO tasks VALUES (?, ?)", [(f"odd{at}", status) for at, status in enumerate(odd)])
    db.executemany(
        "INSERT INTO tasks VALUES (?, ?)", [(status, status) for status in ("completed", "failed", "cancelled")]
    )
    db.close()
    connection, _ = connect(str(path), "mode=ro&immutable=1")

    found = leftovers(connection, recognise(connection, "other.db")).tasks

    connection.close()
    assert {leftover.task_id for leftover in found} == {f"odd{at}" for at in range(len(odd))}
    assert all(step.target == step.found and step.event is None for step in plan_recovery(found).steps)


def test_leftovers_of_a_large_history_are_found_by_the_index(database: Database, statements: list[str]) -> None:
    connection, _ = connect(database.service.execute("PRAGMA database_list").fetchone()[2], "mode=ro")
    leftovers(connection, database.shape)
    connection.close()

    gaps = [statement for statement in statements if "WHERE status <" in statement or "WHERE status >" in statement]
    assert len(gaps) == 4
    for gap in gaps:
        steps = [step[3] for step in database.service.execute(f"EXPLAIN QUERY PLAN {gap}").fetchall()]
        assert "SEARCH tasks USING INDEX tasks_by_status" in steps[0]
        # The end of each log, by the index on its task and sequence number.
        assert not any("SCAN" in step for step in steps)
