"""Damage in files that are not of the native layout: what their indexes would tell is not there to help."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.health import Health
from inspector.layout.pages import EventPage, Leftovers, TaskPage
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.health import health_steps
from inspector.reading.jobs import answer_at_once
from inspector.reading.layouts import Layouts
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import EventPageRequest, HealthRequest, LeftoversRequest, TablesRequest, TaskPageRequest
from tests.support.broken_pages import without_a_root
from tests.support.pages import PAGE, children, root_of, zeroed
from tests.support.reading_databases import read_at

WITH_GUESSES = Layouts(folders=(Path("nowhere"),), any_tables=True)


def plain(path: Path, tasks: str = "tasks", events: str = "task_events", key: str = "task_id") -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"CREATE TABLE {tasks} (id TEXT PRIMARY KEY, status TEXT, created_at INTEGER)")
        db.execute(f"CREATE TABLE {events} (id INTEGER PRIMARY KEY, {key} TEXT, seq INTEGER, type TEXT, data TEXT)")
        for number in range(300):
            db.execute(f"INSERT INTO {tasks} VALUES (?, 'running', 1796000000000)", [f"t{number}"])
            for seq in (1, 2, 3):
                db.execute(
                    f"INSERT INTO {events} ({key}, seq, type, data) VALUES (?, ?, 'x', '{{}}')", [f"t{number}", seq]
                )
    return path


def a_leaf(path: Path, table: str) -> int:
    leaves = children(path.read_bytes(), root_of(path, table))
    return leaves[len(leaves) // 2]


def tasks_in(reader: Reader) -> TaskPage:
    page = reader.answer(TaskPageRequest(limit=200))
    assert isinstance(page, TaskPage)
    return page


@pytest.mark.parametrize("names", [("tasks", "task_events", "task_id"), ("jobs", "job_events", "job_id")], ids="-".join)
@pytest.mark.parametrize("page", [a_leaf, root_of], ids=["leaf", "root"])
def test_tasks_are_read_where_the_events_are_damaged(
    tmp_path: Path, names: tuple[str, str, str], page: Callable[[Path, str], int]
) -> None:
    path = plain(tmp_path / "a.db", *names)
    zeroed(path, path.read_bytes(), page(path, names[1]))
    with open_reader(path, now_ms=read_at, layouts=WITH_GUESSES) as reader:
        assert len(tasks_in(reader).tasks) == 200
        found = reader.answer(LeftoversRequest())
        assert isinstance(found, Leftovers)
        assert len(found.tasks) == 300
        reader.answer(TablesRequest())
        if page is a_leaf:
            events = reader.answer(EventPageRequest("t1"))
            assert isinstance(events, EventPage)
            assert [event.seq for event in events.events] == [1, 2, 3]
            assert events.damage == "Some events cannot be read: their table is damaged in 1 place."
        else:
            with pytest.raises(Unanswered):
                reader.answer(EventPageRequest("t1"))


def test_tasks_are_read_without_the_index_on_their_ids(tmp_path: Path) -> None:
    path = plain(tmp_path / "a.db")
    without_a_root(path, "sqlite_autoindex_tasks_1")
    with open_reader(path, now_ms=read_at) as reader:
        assert len(tasks_in(reader).tasks) == 200


def test_a_file_that_was_cut_off_behind_its_tasks_has_them(tmp_path: Path) -> None:
    path = plain(tmp_path / "a.db")
    whole = path.read_bytes()
    last = max(children(whole, root_of(path, "tasks")))
    assert last * PAGE < len(whole)
    path.write_bytes(whole[: last * PAGE])
    with open_reader(path, now_ms=read_at) as reader:
        assert {task.status for task in tasks_in(reader).tasks} == {"running"}


def test_of_a_file_that_was_cut_off_before_its_tasks_an_index_knows_them(tmp_path: Path) -> None:
    path = plain(tmp_path / "a.db")
    whole = path.read_bytes()
    path.write_bytes(whole[: (min(children(whole, root_of(path, "tasks"))) - 1) * PAGE])
    with open_reader(path, now_ms=read_at) as reader:
        page = tasks_in(reader)
        assert len(page.tasks) == 200
        assert {task.status for task in page.tasks} == {"(unreadable)"}


def test_a_schema_that_cannot_be_understood_is_damage(tmp_path: Path) -> None:
    path = plain(tmp_path / "a.db")
    data = bytearray(path.read_bytes())
    data[20] = 0xFF  # so many bytes of each page are not SQLite's
    path.write_bytes(data)
    sentence = "a.db is incomplete or damaged: in what can be understood of its schema tasks is missing."
    with pytest.raises(Unreadable, match=sentence):
        open_reader(path, now_ms=read_at)
    with open_reader(path, now_ms=read_at, layouts=WITH_GUESSES) as reader:
        assert sentence in reader.opened.notes
        health = answer_at_once(health_steps(HealthRequest(), reader, 0), lambda _seconds: None)
        assert isinstance(health, Health)
        assert health.is_damaged
        assert health.schema.startswith("Part of its schema or of its pages is not there")
        assert [(table.table, table.part_unread) for table in health.tables] == [("task_events", True), ("tasks", True)]
        assert health.tables[1].notes == (
            "What the file says of tasks cannot be understood: nothing of it can be read.",
        )


def test_a_collation_of_another_program_takes_away_no_more_than_its_table(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.create_collation("own", lambda one, other: (one > other) - (one < other))
        db.execute("CREATE TABLE tasks (id TEXT COLLATE own PRIMARY KEY, status)")
        db.execute("CREATE TABLE task_events (task_id, seq)")
    sentence = "a.db cannot be read: it sorts text by a collation that only its own program knows"
    with pytest.raises(Unreadable, match=sentence):
        open_reader(path, now_ms=read_at)
    with open_reader(path, now_ms=read_at, layouts=WITH_GUESSES) as reader:
        assert reader.opened.notes[0].startswith(sentence)
        reader.answer(TablesRequest())
