"""An index that does not fit its table: the table is read without it, and it is named."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.layout.pages import Counts, EventPage, Leftovers, TaskFilter, TaskPage
from inspector.layout.rows import TaskDetail, TaskRow
from inspector.reading import misfits
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    CountsRequest,
    EventPageRequest,
    LeftoversRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
)
from tests.support.broken_pages import behind_the_back_of, many_pages
from tests.support.foreign_databases import integer_states, json_lines
from tests.support.pages import PAGE, children, root_of
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import read_at

KNOWN = Layouts(folders=layout_folders(None))
QUEUED = "UPDATE tasks SET status = 'queued' WHERE id >= 'task-040'"
STORED = "SELECT rowid, id, typeof(state), state, quote(name), quote(created), quote(weight)"
SAID = "Index {} on {} is damaged: the table is read without it."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return many_pages(tmp_path / "service.db")


def statuses(reader: Reader) -> dict[str, int]:
    counts = reader.answer(CountsRequest())
    assert isinstance(counts, Counts)
    return dict(counts.by_status)


def listed(reader: Reader, *status: str) -> list[TaskRow]:
    page = reader.answer(TaskPageRequest(TaskFilter(frozenset(status))))
    assert isinstance(page, TaskPage)
    return list(page.tasks)


def misled_by_sqlite(path: Path, sql: str) -> int:
    with closing(sqlite3.connect(path)) as db:
        (found,) = db.execute(sql).fetchone()
    assert isinstance(found, int)
    return found


def test_an_index_that_knows_other_statuses_misleads_no_count_and_no_list(path: Path) -> None:
    behind_the_back_of(path, "tasks_by_status", QUEUED)
    assert misled_by_sqlite(path, "SELECT count(*) FROM tasks WHERE status = 'queued'") == 0
    before = touch_state(path)

    with open_reader(path, now_ms=read_at) as reader:
        assert SAID.format("tasks_by_status", "tasks") in reader.opened.notes
        assert statuses(reader) == {"running": 40, "queued": 20}
        assert len(listed(reader, "queued")) == 20
        assert {task.status for task in listed(reader)} == {"queued", "running"}
        found = reader.answer(LeftoversRequest())
        assert isinstance(found, Leftovers)
        assert len(found.tasks) == 60

    assert differences(before, touch_state(path)) == ()


def halved(path: Path, page: int) -> None:
    """Let a page hold half of its entries."""
    data = bytearray(path.read_bytes())
    start = (page - 1) * PAGE
    entries = int.from_bytes(data[start + 3 : start + 5], "big")
    data[start + 3 : start + 5] = (entries // 2).to_bytes(2, "big")
    path.write_bytes(data)


@pytest.mark.parametrize("index", ["sqlite_autoindex_tasks_1", "tasks_by_created", "tasks_by_status"])
def test_an_index_that_lacks_half_of_the_tasks_hides_none(path: Path, index: str) -> None:
    halved(path, root_of(path, index))

    with open_reader(path, now_ms=read_at) as reader:
        assert SAID.format(index, "tasks") in reader.opened.notes
        assert statuses(reader) == {"running": 60}
        assert len(listed(reader)) == len(listed(reader, "running")) == 60
        found = reader.answer(TasksByIdRequest(tuple(f"task-{at:03}" for at in range(60))))
        assert isinstance(found, tuple)
        assert len(found) == 60


def test_two_indexes_that_were_exchanged_are_both_named(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        roots = {name: root_of(path, name) for name in ("tasks_by_created", "tasks_by_status")}
        for name, other in zip(roots, reversed(roots), strict=True):
            db.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", [roots[other], name])
    assert misled_by_sqlite(path, "SELECT count(*) FROM tasks WHERE status = 'running'") == 0

    with open_reader(path, now_ms=read_at) as reader:
        assert [SAID.format(name, "tasks") in reader.opened.notes for name in roots] == [True, True]
        assert len(listed(reader, "running")) == 60


def test_the_events_of_a_task_are_all_there_without_their_index(path: Path) -> None:
    index = "sqlite_autoindex_task_events_1"
    halved(path, children(path.read_bytes(), root_of(path, index))[2])

    with open_reader(path, now_ms=read_at) as reader:
        assert SAID.format(index, "task_events") in reader.opened.notes
        logs = [reader.answer(EventPageRequest(f"task-{at:03}")) for at in range(60)]
        detail = reader.answer(TaskDetailRequest("task-007"))

    assert all(isinstance(log, EventPage) and [event.seq for event in log.events] == [*range(1, 23)] for log in logs)
    assert isinstance(detail, TaskDetail)
    assert detail.request is not None


def test_a_log_of_another_layout_is_whole_without_its_index(tmp_path: Path) -> None:
    path = integer_states(tmp_path / "other.db")
    insert = (
        "INSERT INTO job_log (job_uuid, message, state, logged) VALUES ('second', 'more', 2, '2026-11-30T00:55:00Z')"
    )
    behind_the_back_of(path, "job_log_by_job", insert)

    with open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
        page = reader.answer(EventPageRequest("second"))
        assert SAID.format("job_log_by_job", "job_log") in reader.opened.notes
        assert (reader.opened.layout_name, len(listed(reader))) == ("integer states", 3)

    assert isinstance(page, EventPage)
    assert [event.type for event in page.events] == ["queued", "started", "token", "more"]


def test_a_table_of_lines_is_read_without_its_index(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "other.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE INDEX by_phase ON llm_run (phase, run)")
    behind_the_back_of(path, "by_phase", "UPDATE llm_run SET phase = 'done', log = '{}' WHERE run = 'second'")

    with open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
        page = reader.answer(EventPageRequest("second"))
        assert SAID.format("by_phase", "llm_run") in reader.opened.notes
        assert statuses(reader) == {"completed": 2, "failed": 1}

    assert isinstance(page, EventPage)
    assert len(page.events) == 1


def test_values_stay_as_they_are_stored_and_compare_as_in_their_table(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE jobs (id INTEGER, state ANY, name VARCHAR(9), created REAL, weight DECIMAL(3, 1))")
        db.execute("CREATE INDEX by_state ON jobs (state)")
        db.execute("CREATE TABLE job_events (job_id INTEGER, n INTEGER, event TEXT)")
        db.execute("INSERT INTO jobs VALUES (7, '007', 12, 1796000000, 1.50), (8, x'00', 'a', 'never', '1e400')")
        before = db.execute(f"{STORED} FROM jobs").fetchall()
    behind_the_back_of(path, "by_state", "INSERT INTO jobs (id, state) VALUES (9, 'running')")

    with open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
        copy = reader.read(lambda connection, _shape: connection.rows(f'{STORED} FROM temp."copy of jobs" LIMIT 2'))
        detail = reader.answer(TaskDetailRequest("9"))

    assert copy == before
    assert isinstance(detail, TaskDetail)
    assert detail.task.status == "running"


def test_a_file_too_large_to_be_compared_on_opening_is_read_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind_the_back_of(path, "tasks_by_status", QUEUED)
    monkeypatch.setattr(misfits, "LARGEST_FILE_BYTES", 4096)

    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.notes == ()
        assert statuses(reader) == {"running": 60}


def test_rows_that_are_lost_are_told_by_the_indexes_which_are_kept_for_that(path: Path) -> None:
    halved(path, root_of(path, "tasks"))

    with open_reader(path, now_ms=read_at) as reader:
        assert not [note for note in reader.opened.notes if "without it" in note]
        assert "(unreadable)" in {task.status for task in listed(reader)}


def test_a_copy_is_looked_at_as_well(path: Path) -> None:
    behind_the_back_of(path, "tasks_by_status", QUEUED)

    with open_reader(path, mode=Mode.COPY, now_ms=read_at) as reader:
        assert statuses(reader) == {"running": 40, "queued": 20}
