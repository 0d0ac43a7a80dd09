"""A STORED column is read as any other one and runs nothing of the file; a VIRTUAL one is not read, and says so."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.pages import EventPage, TaskPage
from inspector.layout.rows import StoredText, TaskDetail
from inspector.layout.tables import Storage
from inspector.reading.connection import LONGEST_VALUE
from inspector.reading.errors import NotOpened, Unreadable
from inspector.reading.layouts import NATIVE_ONLY, Layouts, layout_folders, read_description
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import EventPageRequest, TaskDetailRequest, TaskPageRequest
from tests.support.any_tables import made, page, reading, tables, texts
from tests.support.reading_databases import read_at

KNOWN = Layouts(folders=layout_folders(None))
EVENTS = "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq)"
EXPRESSIONS = ("strange(a)", "readfile(a)", "json_extract(a, '$.x')", "hex(zeroblob(3))")
"""One that only its writer has, one that reading forbids, one that older versions trust in no schema, a plain one."""


def opened(path: Path, layouts: Layouts = KNOWN) -> Reader:
    return open_reader(path, now_ms=read_at, layouts=layouts)


def written(path: Path, *statements: str, called: Sequence[str] = ("strange", "readfile")) -> Path:
    """Make a database by a connection that has functions of these names, each of which makes a word."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for name in called:
            db.create_function(name, 1, lambda given: f"made of {given}", deterministic=True)
        for statement in statements:
            db.execute(statement)
    return path


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_stored_is_read_whatever_would_make_it(tmp_path: Path, expression: str) -> None:
    path = written(
        tmp_path / "any.db",
        f"CREATE TABLE t (a, made AS ({expression}) STORED, b)",
        "INSERT INTO t (a, b) VALUES ('{\"x\": 5}', 2)",
    )
    with closing(sqlite3.connect(path)) as plain:
        plain.create_function("strange", 1, lambda _: None, deterministic=True)
        (stored,) = plain.execute("SELECT CAST(made AS TEXT) FROM t").fetchone()
    assert texts(page(path, "t")) == [['{"x": 5}', stored, "2"]]
    assert tables(path)["t"].columns[1].why_not is None


@pytest.mark.threat(id="T3")
@pytest.mark.threat(id="T5")
def test_reading_a_stored_column_calls_no_function(tmp_path: Path) -> None:
    """A function of the name is there, and would be called: it is by a VIRTUAL column, which shows that one counts."""
    path = written(
        tmp_path / "any.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, made AS (strange(a)) STORED, worked AS (strange(a)) VIRTUAL)",
        "CREATE INDEX by_made ON t (made)",
        "INSERT INTO t (a) VALUES (1), (2)",
    )
    calls: list[object] = []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        db.create_function("strange", 1, calls.append, deterministic=True)
        assert db.execute("SELECT made FROM t").fetchall() == [("made of 1",), ("made of 2",)]
        assert db.execute("SELECT id FROM t WHERE made > 'made of 1' ORDER BY made").fetchall() == [(2,)]
        assert db.execute("SELECT substr(CAST(made AS BLOB), 1, 4), typeof(made) FROM t LIMIT 1").fetchall() == [
            (b"made", "text")
        ]
        assert calls == []
        db.execute("SELECT worked FROM t").fetchall()
        assert calls == [1, 2]


def test_a_stored_column_takes_no_longer_to_read_than_another_one(tmp_path: Path) -> None:
    """Measured in SQLite's own steps: its program for the two is as long, and holds no function."""
    path = written(
        tmp_path / "any.db",
        "CREATE TABLE t (a, made AS (length(hex(zeroblob(1000 * a)))) STORED, b)",
        "INSERT INTO t (a, b) VALUES (1, 2)",
    )
    with closing(sqlite3.connect(path)) as db:
        programs = [[step[1] for step in db.execute(f"EXPLAIN SELECT {name} FROM t")] for name in ("made", "b")]
    assert programs[0] == programs[1]
    assert not any("Function" in step for step in programs[0])


def test_tasks_are_recognised_by_a_status_that_is_stored(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id PRIMARY KEY, doc, attempt AS (json_extract(doc, '$.attempt')) STORED, "
        "status AS (json_extract(doc, '$.status')) STORED, created_at)",
        "CREATE TABLE task_events (id INTEGER PRIMARY KEY, doc, task_id AS (json_extract(doc, '$.task')) STORED, "
        "seq AS (json_extract(doc, '$.n')) STORED)",
        """INSERT INTO tasks (id, doc, created_at) VALUES ('a', '{"status": "running", "attempt": 4}', 5)""",
        """INSERT INTO task_events (doc) VALUES ('{"task": "a", "n": 9}')""",
    )
    with opened(path) as reader:
        found, events = reader.answer(TaskPageRequest()), reader.answer(EventPageRequest("a"))
    assert isinstance(found, TaskPage)
    assert isinstance(events, EventPage)
    assert [(task.id, task.status, task.told("attempt")) for task in found.tasks] == [("a", "running", 4)]
    assert [event.told("seq") for event in events.events] == [9]


def test_a_guess_takes_a_stored_column_and_no_virtual_one(tmp_path: Path) -> None:
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id, doc, state AS (substr(doc, 1, 7)) STORED, model AS ('never read') VIRTUAL)",
        "CREATE TABLE job_events (job_id, n)",
        "INSERT INTO jobs (id, doc) VALUES ('a', 'running since yesterday')",
    )
    with opened(path) as reader:
        found = reader.answer(TaskPageRequest())
    assert isinstance(found, TaskPage)
    assert [(task.status, task.model_id) for task in found.tasks] == [("running", None)]


@pytest.mark.parametrize("layouts", [NATIVE_ONLY, KNOWN])
def test_a_status_that_is_worked_out_is_refused_and_the_sentence_says_so(tmp_path: Path, layouts: Layouts) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE tasks (id PRIMARY KEY, a, status AS (a))", EVENTS)
    with pytest.raises(Unreadable) as refused:
        opened(path, layouts)
    assert refused.value.sentence == (
        "a.db is an SQLite database, but cannot be read as an LMSP service's: The column status of the table tasks is "
        "a VIRTUAL one: its values are worked out at each read, however long that takes, and are not read."
    )


@pytest.mark.parametrize("table", ["tasks", "jobs"])
def test_a_guess_that_fails_by_a_status_that_is_worked_out_says_so(tmp_path: Path, table: str) -> None:
    """Of a file without events it was said that it has no table task_events, which a guess would not need."""
    path = made(tmp_path / "a.db", f"CREATE TABLE {table} (id PRIMARY KEY, a, state AS (a))")
    with pytest.raises(Unreadable) as refused:
        opened(path)
    assert refused.value.sentence.startswith(
        "a.db is an SQLite database, but cannot be read as an LMSP service's: "
        f"The column state of the table {table} is a VIRTUAL one"
    )


def test_a_description_that_names_a_virtual_column_is_told_the_same(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.toml").write_text(
        'name = "mine"\n[tasks]\ntable = "work"\n[tasks.columns]\nid = "id"\nstatus = "State"\n'
    )
    path = made(tmp_path / "a.db", "CREATE TABLE work (id, a, state AS (a))")
    with pytest.raises(Unreadable) as refused:
        opened(path, Layouts(asked_for=read_description(own / "mine.toml")))
    assert "The column State of the table work is a VIRTUAL one" in refused.value.sentence


def test_a_large_value_beside_a_virtual_column_is_never_that_of_another_column(tmp_path: Path) -> None:
    """Behind a VIRTUAL column SQLite 3.40 opens the value of the column after the one that was asked for."""
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE t (worked AS (1) VIRTUAL, large, canary)",
        f"INSERT INTO t (canary, large) VALUES ('canary', CAST(zeroblob({LONGEST_VALUE + 10}) AS TEXT))",
    )
    assert [cell.storage for cell in page(path, "t").rows[0].cells] == [
        Storage.LEFT_OUT,
        Storage.UNREAD,
        Storage.TEXT,
    ]
    with reading(path) as connection, pytest.raises(NotOpened):
        connection.blob_slice("t", "large", 1, 10)


@pytest.mark.parametrize("column", ["worked AS (1) VIRTUAL,", "worked AS (1) STORED,", ""])
def test_a_task_with_a_very_large_request_is_shown_beside_a_generated_column(tmp_path: Path, column: str) -> None:
    path = made(
        tmp_path / "a.db",
        f"CREATE TABLE tasks (id PRIMARY KEY, status, {column} request, client_id)",
        EVENTS,
        "INSERT INTO tasks (id, status, client_id, request) "
        f"VALUES ('a', 'running', 'canary', CAST(zeroblob({LONGEST_VALUE + 10}) AS TEXT))",
    )
    with opened(path) as reader:
        detail = reader.answer(TaskDetailRequest("a"))
    assert isinstance(detail, TaskDetail)
    assert isinstance(detail.request, StoredText)
    assert detail.request.is_cut
    assert set(detail.request.text) <= {"\0"}


def test_a_task_of_another_layout_with_a_very_large_request_is_shown_too(tmp_path: Path) -> None:
    """It is read through a view, of which no value can be opened by itself."""
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id PRIMARY KEY, state, payload)",
        "CREATE TABLE job_events (job_id, n)",
        f"INSERT INTO jobs VALUES ('a', 'running', CAST(zeroblob({LONGEST_VALUE + 10}) AS TEXT))",
    )
    with opened(path) as reader:
        detail = reader.answer(TaskDetailRequest("a"))
    assert isinstance(detail, TaskDetail)
    assert detail.request == StoredText("", LONGEST_VALUE)
