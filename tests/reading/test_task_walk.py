"""Lists are walked in steps: whatever a step's length, the same tasks come in the same order as by plain SQL."""

import sqlite3
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.layout import native
from inspector.layout.pages import Counts, TaskFilter, TaskKey, TaskPage, TaskPlaces
from inspector.reading import jobs, steps, task_list, task_pages
from inspector.reading.answers import answer_of
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import TookTooLong
from inspector.reading.jobs import answer_at_once, job_of
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table, recognise
from inspector.reading.requests import CountsRequest, Request, TaskPageRequest, TaskPlacesRequest
from inspector.reading.steps import Stride
from inspector.reading.task_rows import task_rows
from tests.support.reading_databases import START_MS, add_task, in_memory, move_task

pytestmark = pytest.mark.timeout(60)

COLUMNS = ", ".join(TASK_COLUMNS)
EVERY_COLUMN = Table("tasks", frozenset(TASK_COLUMNS), "rowid", is_ours=False)
LOOSE = f"CREATE TABLE tasks ({COLUMNS}); CREATE TABLE task_events (task_id, seq);"
INDEXED = f"""{LOOSE}
    CREATE INDEX a ON tasks (id); CREATE INDEX b ON tasks (created_at, id);
    CREATE INDEX c ON tasks (status, created_at, id); CREATE INDEX d ON tasks (model_id);
"""

STATUSES = ("queued", "loading", "running", "failed")
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(STATUSES), st.sampled_from(["m", "n", "N", None])), max_size=14
)
FILTERS = st.builds(
    TaskFilter,
    statuses=st.frozensets(st.sampled_from([*STATUSES, "paused"]), max_size=3),
    text=st.sampled_from(["", "M", "1", "t0"]),
    model_id=st.sampled_from([None, None, "m", "n", "x"]),
)
TIMES = st.sampled_from([0, 1, 2, 1.5, None, "1", b"1", -(2**63), 2**63 - 1])
LOOSE_ROWS = st.lists(st.tuples(TIMES, st.sampled_from(STATUSES), st.sampled_from(["m", "n", None])), max_size=10)


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each step look at two or three tasks, each page be walked for, and each model be one of many tasks."""
    monkeypatch.setattr(steps, "_FIRST", 2)
    monkeypatch.setattr(steps, "_FEWEST", 2)
    monkeypatch.setattr(steps, "_MOST", 3)
    monkeypatch.setattr(task_pages, "AT_ONCE_MS", -1)
    monkeypatch.setattr(task_pages, "WALK_S", -1.0)
    monkeypatch.setattr(task_list, "_RARE", 1)
    monkeypatch.setattr(jobs, "_COUNT_MS", -1)


def native_database(rows: list[tuple[int, str, str | None]]) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    for number, (at, status, model_id) in enumerate(rows):
        add_task(db, f"t{number:02}", created_at=START_MS + at, model_id=model_id)
        if status != "queued":
            move_task(db, f"t{number:02}", status)
    return db


def loose_database(ddl: str, rows: list[tuple[object, str, str | None]]) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(ddl)
    db.executemany(
        "INSERT INTO tasks (id, created_at, status, model_id, last_seq, attempt) VALUES (?, ?, ?, ?, 1, 1)",
        [(f"t{number:02}", *row) for number, row in enumerate(rows)],
    )
    return db


def expected(db: sqlite3.Connection, wanted: TaskFilter) -> list[str]:
    """Return what passes, in the order of the list, by plain SQL and the filter's own word."""
    rows = db.execute(f"""
        SELECT {COLUMNS} FROM tasks
        ORDER BY typeof(created_at) = 'integer' DESC, iif(typeof(created_at) = 'integer', created_at, 0) DESC, id DESC
    """).fetchall()
    return [row.id for row in task_rows(rows, EVERY_COLUMN) if wanted.passes(row)]


def pages(
    connection: ReadConnection, shape: Shape, wanted: TaskFilter, limit: int, *, at_once: bool
) -> Iterator[TaskPage]:
    """Ask for page after page, as a window does."""
    after = None
    while True:
        page = ask(connection, shape, TaskPageRequest(wanted, after, limit), at_once=at_once)
        assert isinstance(page, TaskPage)
        yield page
        if not page.more:
            return
        after = page.scanned_to or TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)


def ask(connection: ReadConnection, shape: Shape, request: Request, *, at_once: bool) -> object:
    if at_once:
        return answer_of(request, connection, shape, START_MS)
    return answer_at_once(
        job_of(request, lambda question: question(connection, shape), lambda: START_MS), lambda _step_s: None
    )


def check(db: sqlite3.Connection, wanted: TaskFilter, limit: int) -> None:
    """Ask for everything in each way there is, and compare."""
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    ids = expected(db, wanted)
    for at_once in (True, False):
        found = [task.id for page in pages(connection, shape, wanted, limit, at_once=at_once) for task in page.tasks]
        assert found == ids
        places = ask(connection, shape, TaskPlacesRequest(wanted, limit), at_once=at_once)
        assert isinstance(places, TaskPlaces)
        assert (places.total, places.every) == (len(ids), limit)
        assert [key.id for key in places.starts] == ids[::limit]
        for row, key in zip(range(0, len(ids), limit), places.starts, strict=True):
            page = ask(connection, shape, TaskPageRequest(wanted, start=key, limit=1), at_once=at_once)
            assert isinstance(page, TaskPage)
            assert [task.id for task in page.tasks] == ids[row : row + 1]
        counts = ask(connection, shape, CountsRequest(wanted), at_once=at_once)
        assert isinstance(counts, Counts)
        by_id = dict(db.execute("SELECT id, status FROM tasks"))
        assert counts.by_status == Counter(by_id[task_id] for task_id in ids)
    db.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, FILTERS, st.integers(1, 4))
def test_pages_places_and_counts_of_a_native_database_are_those_of_plain_sql(
    rows: list[tuple[int, str, str | None]], wanted: TaskFilter, limit: int
) -> None:
    check(native_database(rows), wanted, limit)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LOOSE_ROWS, FILTERS, st.integers(1, 4), st.sampled_from([LOOSE, INDEXED]))
def test_pages_places_and_counts_of_another_layout_are_those_of_plain_sql(
    rows: list[tuple[object, str, str | None]], wanted: TaskFilter, limit: int, ddl: str
) -> None:
    check(loose_database(ddl, rows), wanted, limit)


def test_a_page_that_few_tasks_pass_ends_early_and_says_how_far_it_looked() -> None:
    db = native_database([(at, "queued", "m") for at in range(9)])
    connection = in_memory(db)
    shape = recognise(connection, "a.db")

    found = list(pages(connection, shape, TaskFilter(text="t00"), 3, at_once=True))

    db.close()
    assert [len(page.tasks) for page in found[:-1]] == [0] * (len(found) - 1)
    assert all(page.more and page.scanned_to is not None for page in found[:-1])
    assert [task.id for task in found[-1].tasks] == ["t00"]
    assert len(found) > 2


def test_a_step_that_takes_too_long_is_tried_again_with_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_FIRST", 1_000)
    monkeypatch.setattr(steps, "_FEWEST", 16)
    tried: list[int] = []

    def slow(rows: int) -> int:
        tried.append(rows)
        if rows > 20:
            raise TookTooLong("too long")
        return rows

    db = sqlite3.connect(":memory:")
    stride = Stride()

    assert stride.take(in_memory(db), slow) == 16
    assert tried == [1_000, 125, 16]
    assert stride.rows <= 32
    db.close()


def test_what_even_the_fewest_rows_take_too_long_for_is_said() -> None:
    def endless(_rows: int) -> int:
        raise TookTooLong("too long")

    db = sqlite3.connect(":memory:")
    with pytest.raises(TookTooLong):
        Stride().take(in_memory(db), endless)
    db.close()
