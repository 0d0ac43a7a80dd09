"""What stands where a number belongs is told as it is stored, and never taken for one."""

import sqlite3
from pathlib import Path

import pytest

from inspector.layout.pages import EventHit, EventHits, EventPage, ModelPage, TaskPage
from inspector.layout.rows import EventRow, ModelRow, OddTaskRow, TaskDetail, TaskRow
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import open_reader
from inspector.reading.requests import (
    EventPageRequest,
    EventSearchRequest,
    ModelsRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
)
from tests.support.any_tables import made
from tests.support.pages import root_of, zeroed
from tests.support.reading_databases import read_at

STORED = (
    ("'yesterday'", "yesterday"),
    ("'2024-02-30T00:00:00Z'", "2024-02-30T00:00:00Z"),
    ("'1796000000000'", "1796000000000"),
    ("1.5", "1.5"),
    ("9e999", "Inf"),
    ("x'00ff'", "x'00ff'"),
    ("''", ""),
    ("'a' || char(0) || 'b'", "a\x00b"),
    ("CAST(x'61ff' AS TEXT)", "a\\xff"),
    ("printf('%.*c', 5000, 'x')", "x" * 300 + "…"),
)
"""As SQL, and as it is told."""

NUMBERS = ("snapshot_seq", "last_seq", "attempt", "created_at", "started_at", "finished_at", "updated_at")

TABLES = (
    "CREATE TABLE tasks (id PRIMARY KEY, client_id, model_id, kind, status, on_restart, snapshot_seq, last_seq, "
    "attempt, error_code, created_at, started_at, finished_at, updated_at, request, snapshot, error_message)",
    "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq, type, status, attempt, created_at, data)",
    "CREATE TABLE models (id, name, digest, size_bytes, path, format, metadata, added_at)",
)
OTHER = (
    "INSERT INTO tasks VALUES ('other', NULL, NULL, 'response', 'queued', 'retry', 3, 2, 1, NULL, 1796000000000, "
    "1796000000001, NULL, 1796000000002, '{}', NULL, NULL)"
)
"""One whose times say that they are milliseconds."""
TASK = (
    "INSERT INTO tasks VALUES ('t', NULL, NULL, 'response', 'running', 'retry', 3, 2, 1, NULL, 1796000000000, "
    "1796000000001, NULL, 1796000000002, '{}', NULL, NULL)"
)
EVENT = "INSERT INTO task_events VALUES (1, 't', 1, 'response.created', 'queued', 1, 1796000000000, '{\"a\": 1}')"
MODEL = "INSERT INTO models VALUES ('m', 'small', 'sha256:00', 12, '/m', 'gguf', '{}', 1796000000000)"


def rows(path: Path, *, data: str = "a") -> tuple[list[TaskRow], list[EventRow], list[EventHit], list[ModelRow]]:
    """Return the task from each place that gives it, its events, the events that a search finds, and the models."""
    with open_reader(path, now_ms=read_at, layouts=Layouts(folders=layout_folders(None))) as reader:
        page, detail = reader.answer(TaskPageRequest()), reader.answer(TaskDetailRequest("t"))
        by_id = reader.answer(TasksByIdRequest(("t",)))
        events, hits = reader.answer(EventPageRequest("t")), reader.answer(EventSearchRequest(data))
        models = reader.answer(ModelsRequest())
    assert isinstance(page, TaskPage)
    assert isinstance(detail, TaskDetail)
    assert isinstance(events, EventPage)
    assert isinstance(hits, EventHits)
    assert isinstance(models, ModelPage)
    assert isinstance(by_id, tuple)
    listed = [task for task in page.tasks if task.id == "t"]
    return [*listed, detail.task, *by_id], list(events.events), list(hits.hits), list(models.models)


@pytest.mark.parametrize(("sql", "told"), STORED)
@pytest.mark.parametrize("column", NUMBERS)
def test_a_task_tells_what_is_stored_where_a_number_belongs(tmp_path: Path, column: str, sql: str, told: str) -> None:
    path = made(tmp_path / "a.db", *TABLES, OTHER, TASK, f"UPDATE tasks SET {column} = {sql} WHERE id = 't'")
    found, _, _, _ = rows(path)
    assert [task.as_stored(column) for task in found] == [told] * 3
    assert {getattr(task, column) for task in found} <= {None, 0}
    assert {task.as_stored(other) for task in found for other in NUMBERS if other != column} == {None}


@pytest.mark.parametrize(("sql", "told"), STORED)
@pytest.mark.parametrize("column", ["attempt", "created_at"])
def test_an_event_tells_it(tmp_path: Path, column: str, sql: str, told: str) -> None:
    path = made(tmp_path / "a.db", *TABLES, TASK, EVENT, f"UPDATE task_events SET {column} = {sql}")
    _, (event,), (hit,), _ = rows(path)
    assert event.as_stored(column) == told
    assert event.as_stored("seq") is None
    if column == "created_at":
        assert (hit.as_stored(column), hit.created_at) == (told, None)


def test_a_sequence_number_in_words_is_told(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", *TABLES, TASK, EVENT, "UPDATE task_events SET seq = 'one'")
    _, (event,), (hit,), _ = rows(path)
    assert (event.as_stored("seq"), event.seq) == ("one", 1)
    assert (hit.as_stored("seq"), hit.seq) == ("one", 1)


@pytest.mark.parametrize(("sql", "told"), STORED)
@pytest.mark.parametrize("column", ["size_bytes", "added_at"])
def test_a_model_tells_it(tmp_path: Path, column: str, sql: str, told: str) -> None:
    path = made(tmp_path / "a.db", *TABLES, TASK, MODEL, f"UPDATE models SET {column} = {sql}")
    _, _, _, (model,) = rows(path)
    assert (model.as_stored(column), getattr(model, column)) == (told, None)


def test_numbers_and_nothing_are_told_by_their_fields(tmp_path: Path) -> None:
    found, events, hits, models = rows(made(tmp_path / "a.db", *TABLES, TASK, EVENT, MODEL))
    told = [[row.as_stored(column) for row in found] for column in NUMBERS]
    told += [[events[0].as_stored(column), hits[0].as_stored(column)] for column in ("seq", "created_at")]
    told += [[row.as_stored(column) for row in models] for column in ("size_bytes", "added_at")]
    assert [len(each) for each in told] == [3] * 7 + [2] * 2 + [1] * 2
    assert {stored for each in told for stored in each} == {None}
    assert {type(task) for task in found} == {TaskRow}


def test_one_odd_task_among_many_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    more = (TASK.replace("'t'", f"'t{at}'") for at in range(30))
    path = made(tmp_path / "a.db", *TABLES, TASK, *more, "UPDATE tasks SET created_at = 'once' WHERE id = 't7'")
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
    assert isinstance(page, TaskPage)
    assert [task.id for task in page.tasks if isinstance(task, OddTaskRow)] == ["t7"]
    assert page.tasks[-1].as_stored("created_at") == "once", "a task without a time stands last"


@pytest.mark.parametrize(
    ("first", "stored", "told"),
    [
        ("1796000000", "9223372036854775807", "9223372036854775807"),
        ("1796000000", "1e18", "1e+18"),
        ("1796000000", "'1796000000'", "1796000000"),
        ("1796000000000000", "9e999", "Inf"),
        ("'2026-11-30T00:53:20Z'", "1796000000000", "1796000000000"),
        ("'2026-11-30T00:53:20Z'", "1.5", "1.5"),
        ("'2026-11-30T00:53:20Z'", "'2024-02-30T00:00:00Z'", "2024-02-30T00:00:00Z"),
        ("'2026-11-30T00:53:20Z'", "'yesterday'", "yesterday"),
    ],
)
def test_what_is_no_time_of_a_layout_s_format_is_told(tmp_path: Path, first: str, stored: str, told: str) -> None:
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id TEXT PRIMARY KEY, state, created)",
        "CREATE TABLE job_events (job_id, seq, event, at)",
        f"INSERT INTO jobs VALUES ('a', 'queued', {first}), ('c', 'queued', {first}), ('t', 'queued', {stored})",
        f"INSERT INTO job_events VALUES ('a', 1, 'x', {first}), ('c', 1, 'x', {first}), ('t', 1, 'x', {stored})",
    )
    with open_reader(path, now_ms=read_at, layouts=Layouts(folders=layout_folders(None))) as reader:
        page, events = reader.answer(TaskPageRequest()), reader.answer(EventPageRequest("t"))
    assert isinstance(page, TaskPage)
    assert isinstance(events, EventPage)
    odd = {task.id: (_written(task.as_stored("created_at")), task.created_at) for task in page.tasks}
    assert odd["t"] == (_written(told), None)
    assert odd["a"] == odd["c"]
    assert odd["a"][0] is None
    assert odd["a"][1] is not None
    assert [(_written(event.as_stored("created_at")), event.created_at) for event in events.events] == [odd["t"]]


def test_a_damaged_table_tells_it_too(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", *TABLES, TASK, "UPDATE tasks SET created_at = 'yesterday'")
    db = sqlite3.connect(path)
    db.execute("CREATE INDEX by_time ON tasks (created_at, id)")
    db.commit()
    db.close()
    zeroed(path, path.read_bytes(), root_of(path, "by_time"))
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
    assert isinstance(page, TaskPage)
    assert [task.as_stored("created_at") for task in page.tasks] == ["yesterday"]


def _written(stored: str | None) -> str | None:
    """Return a number as this SQLite writes it."""
    return stored if stored is None or stored[0] != "1" or "e" not in stored else str(float(stored))
