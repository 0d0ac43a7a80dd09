"""Whole tables page by page: each row once, as it is stored, in bounded pages and around damage."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.pages import PAGE_ROWS
from inspector.layout.rows import EventRow, ResponseRow, StoredText, TaskDetail
from inspector.layout.whole import Part, PartEnd, PartEnds, WholePage
from inspector.reading.connection import LONGEST_VALUE
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import WHOLE_PAGE_BYTES, EventPageRequest, PartEndsRequest, WholePageRequest
from tests.support.broken_pages import EVENTS, TASKS, many_pages, without_a_page_of_events, without_a_root
from tests.support.pages import root_of
from tests.support.reading_databases import add_deltas, add_task, create, make, move_task, read_at

NOT_READ = StoredText("", 1)


def reader_of(path: Path) -> Reader:
    return open_reader(path, now_ms=read_at)


def pages(reader: Reader, part: Part, *, up_to: int | None = None, texts: bool = True) -> Iterator[WholePage]:
    after: int | None = None
    while True:
        page = reader.answer(WholePageRequest(part, after, up_to, texts))
        assert isinstance(page, WholePage)
        yield page
        if page.after is None:
            return
        assert after is None or page.after > after
        after = page.after


def rows(reader: Reader, part: Part, *, up_to: int | None = None, texts: bool = True) -> list[object]:
    return [row for page in pages(reader, part, up_to=up_to, texts=texts) for row in page.rows]


def numbers(found: list[object]) -> list[int]:
    return [row.id for row in found if isinstance(row, EventRow)]


def test_the_events_come_in_the_order_of_their_ids_each_once(tmp_path: Path) -> None:
    with reader_of(many_pages(tmp_path / "a.db")) as reader:
        assert reader.answer(PartEndsRequest()) == PartEnds(
            (
                PartEnd(Part.MODELS, 0),
                PartEnd(Part.TASKS, TASKS),
                PartEnd(Part.RESPONSES, 0),
                PartEnd(Part.EVENTS, EVENTS),
            ),
            by_task=False,
        )
        assert numbers(rows(reader, Part.EVENTS)) == list(range(1, EVENTS + 1))
        assert max(len(page.rows) for page in pages(reader, Part.EVENTS)) == PAGE_ROWS


def test_what_a_page_says_is_what_a_page_of_the_task_s_log_says(tmp_path: Path) -> None:
    with reader_of(many_pages(tmp_path / "a.db")) as reader:
        asked = reader.answer(EventPageRequest("task-003", after_seq=0))
        found = tuple(
            row for row in rows(reader, Part.EVENTS) if isinstance(row, EventRow) and row.task_id == "task-003"
        )
        assert getattr(asked, "events", None) == found


def test_nothing_above_the_end_is_read(tmp_path: Path) -> None:
    with reader_of(many_pages(tmp_path / "a.db")) as reader:
        assert numbers(rows(reader, Part.EVENTS, up_to=300)) == list(range(1, 301))
        assert rows(reader, Part.EVENTS, up_to=0) == []


def test_a_page_ends_with_the_row_that_makes_it_large(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for at in range(9):
            add_task(db, f"t{at}", request=f'"{"x" * (WHOLE_PAGE_BYTES // 3)}"')
    with reader_of(path) as reader:
        assert [len(page.rows) for page in pages(reader, Part.TASKS)][:3] == [3, 3, 3]
        assert len(rows(reader, Part.TASKS)) == 9
        assert [len(page.rows) for page in pages(reader, Part.TASKS, texts=False)] == [9]


def test_texts_that_are_not_asked_for_are_told_and_not_read(tmp_path: Path, statements: list[str]) -> None:
    path = make(tmp_path / "a.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        add_task(db, "t", request='{"prompt": "?"}', error_message="no")
    with reader_of(path) as reader:
        statements.clear()
        (task,) = rows(reader, Part.TASKS, texts=False)
        (event,) = rows(reader, Part.EVENTS, texts=False)
        read = [statement for statement in statements if "FROM tasks " in statement]
    assert isinstance(task, TaskDetail)
    assert (task.request, task.snapshot, task.error_message, task.response) == (NOT_READ, None, NOT_READ, None)
    assert isinstance(event, EventRow)
    assert event.data == NOT_READ
    assert all("(request IS NOT NULL)" in statement for statement in read)


def test_a_stored_one_is_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE tasks (id, status, request, snapshot)")
        db.execute("CREATE TABLE task_events (task_id, seq, data)")
        db.execute("INSERT INTO tasks VALUES ('t', 'queued', 1, 0)")
    with reader_of(path) as reader:
        (task,) = rows(reader, Part.TASKS)
        assert isinstance(task, TaskDetail)
        assert (task.request, task.snapshot) == (StoredText("1", 1), StoredText("0", 1))
        (task,) = rows(reader, Part.TASKS, texts=False)
        assert isinstance(task, TaskDetail)
        assert (task.request, task.snapshot) == (NOT_READ, NOT_READ)


def test_rows_of_one_id_and_of_no_task_come_all(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE tasks (id, status)")
        db.execute("CREATE TABLE task_events (task_id, seq, data)")
        db.executemany("INSERT INTO tasks VALUES (?, 'queued')", [("t",), ("t",), (None,), (b"\xff",)])
        db.executemany("INSERT INTO task_events VALUES (?, 1, x'ff00')", [("gone",), ("gone",), (None,)])
    with reader_of(path) as reader:
        tasks = [row.task.told("id") for row in rows(reader, Part.TASKS) if isinstance(row, TaskDetail)]
        events = [
            (row.told("task_id"), row.data_text) for row in rows(reader, Part.EVENTS) if isinstance(row, EventRow)
        ]
    assert tasks == ["t", "t", None, "x'ff'"]
    assert events == [("gone", "x'ff00'"), ("gone", "x'ff00'"), (None, "x'ff00'")]


def test_rows_without_numbers_come_all(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE tasks (id TEXT PRIMARY KEY, status) WITHOUT ROWID")
        db.execute("CREATE TABLE task_events (task_id, seq, data, PRIMARY KEY (task_id, seq)) WITHOUT ROWID")
        db.executemany("INSERT INTO tasks VALUES (?, 'queued')", [(f"t{at:04}",) for at in range(450)])
    with reader_of(path) as reader:
        tasks = [row.task.id for row in rows(reader, Part.TASKS) if isinstance(row, TaskDetail)]
        ends = reader.answer(PartEndsRequest())
    assert tasks == [f"t{at:04}" for at in range(450)]
    assert ends == PartEnds((PartEnd(Part.TASKS, None), PartEnd(Part.EVENTS, None)), by_task=True)


def test_a_value_that_is_too_large_takes_no_other_away(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "before")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        add_task(db, "large", request=f'"{"x" * LONGEST_VALUE}"')
        add_task(db, "after")
    with reader_of(path) as reader:
        tasks = [row for row in rows(reader, Part.TASKS) if isinstance(row, TaskDetail)]
        unread = [row for row in rows(reader, Part.TASKS, texts=False) if isinstance(row, TaskDetail)]
    assert [row.task.id for row in tasks] == ["before", "large", "after"]
    request = tasks[1].request
    assert request is not None
    assert (len(request.text), request.length, request.is_cut) == (LONGEST_VALUE - 1, LONGEST_VALUE + 2, True)
    assert [row.request for row in unread] == [NOT_READ] * 3


def test_a_response_has_all_its_columns(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db")
    with closing(create(tmp_path / "b.db")) as db:
        add_task(db, "t")
        move_task(db, "t", "running")
        db.execute("INSERT INTO responses VALUES ('r', 't', NULL, 'm', 'completed', '{\"n\": 9007199254740993}', 5, 6)")
    with reader_of(path.with_name("b.db")) as reader:
        body = '{"n": 9007199254740993}'
        expected = ResponseRow("r", "t", None, "m", "completed", StoredText(body, len(body)), 5, 6)
        assert rows(reader, Part.RESPONSES) == [expected]


def test_a_damaged_page_is_passed_over_and_told(tmp_path: Path) -> None:
    with reader_of(without_a_page_of_events(many_pages(tmp_path / "a.db"))) as reader:
        found = list(pages(reader, Part.EVENTS))
        said = [page.damage for page in found if page.damage]
        there = numbers([row for page in found for row in page.rows])
    missing = sorted(set(range(1, EVENTS + 1)) - set(there))
    assert there == sorted(there)
    assert len(missing) == missing[-1] - missing[0] + 1 > 1
    assert said == [
        f"Rows of the table task_events from number {missing[0]} to {missing[-1]} cannot be read: "
        "the file is damaged there."
    ]


def test_a_table_of_which_nothing_is_left_ends_with_a_sentence(tmp_path: Path) -> None:
    path = without_a_root(many_pages(tmp_path / "a.db"), "task_events")
    assert root_of(path, "task_events")
    with reader_of(path) as reader:
        (page,) = pages(reader, Part.EVENTS)
        assert len(rows(reader, Part.TASKS)) == TASKS
    assert page == WholePage(
        (), None, "Rows of the table task_events from the first one on cannot be read: the file is damaged there."
    )


def test_a_damaged_index_is_not_asked(tmp_path: Path) -> None:
    path = without_a_root(many_pages(tmp_path / "a.db"), "tasks_by_created")
    with reader_of(path) as reader:
        assert [(len(page.rows), page.damage) for page in pages(reader, Part.TASKS)] == [(TASKS, "")]


@pytest.mark.parametrize("part", Part)
def test_an_empty_database_has_no_rows(tmp_path: Path, part: Part) -> None:
    with reader_of(make(tmp_path / "a.db")) as reader:
        assert list(pages(reader, part)) == [WholePage((), None)]


def test_events_that_come_meanwhile_are_above_the_end(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "t")
    with closing(sqlite3.connect(path, isolation_level=None)) as db, reader_of(path) as reader:
        ends = reader.answer(PartEndsRequest())
        assert isinstance(ends, PartEnds)
        last = {end.part: end.last for end in ends.ends}
        move_task(db, "t", "running")
        add_deltas(db, "t", 3)
        add_task(db, "new")
        assert numbers(rows(reader, Part.EVENTS, up_to=last[Part.EVENTS])) == [1]
        assert len(rows(reader, Part.TASKS, up_to=last[Part.TASKS])) == 1
        assert len(rows(reader, Part.EVENTS)) == 6
