"""A number that no column tells is told as not known: neither 0 nor what was worked out passes for a stored one."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.layout import native
from inspector.layout.pages import EventHits, EventPage, Leftovers, LogStretch, TaskPage
from inspector.layout.rows import EventRow, TaskDetail, TaskRow
from inspector.layout.whole import Part, WholePage
from inspector.lmsp.recovery import Number, plan_step
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.messages import Answer
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    BEFORE_ALL,
    EventPageRequest,
    EventSearchRequest,
    LeftoversRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
    TimelineRequest,
    WholePageRequest,
)
from inspector.reading.wire import Decoder, encode
from tests.support.any_tables import made
from tests.support.foreign_databases import SHIPPED
from tests.support.pages import root_of, zeroed
from tests.support.reading_databases import read_at

KNOWN = Layouts(folders=layout_folders(None))
TOLD: dict[str, dict[str, int | None]] = {
    "sequence per task": {"last_seq": 3, "attempt": 1},
    "integer states": {"last_seq": None, "attempt": 1},
    "events as JSON lines": {"last_seq": None, "attempt": None},
}
"""What a task of each layout that comes with the program tells."""

COUNTED = {"sequence per task": 3, "integer states": 3, "events as JSON lines": 4}

BARE = ("CREATE TABLE tasks (id PRIMARY KEY, status, created_at)", "INSERT INTO tasks VALUES ('second', 'running', 5)")
"""Our names, and no column for a number."""


def opened(path: Path) -> Reader:
    return open_reader(path, now_ms=read_at, layouts=KNOWN)


def every_row_of(reader: Reader) -> Iterator[TaskRow]:
    """Give the task called second from each place that gives it."""
    page, detail = reader.answer(TaskPageRequest()), reader.answer(TaskDetailRequest("second"))
    whole = reader.answer(WholePageRequest(Part.TASKS, None, None))
    assert isinstance(page, TaskPage)
    assert isinstance(detail, TaskDetail)
    assert isinstance(whole, WholePage)
    yield from (task for task in page.tasks if task.id == "second")
    yield detail.task
    yield from (row.task for row in whole.rows if isinstance(row, TaskDetail) and row.task.id == "second")
    for request in (TasksByIdRequest(("second",)), TasksByPrefixRequest("seco")):
        found = reader.answer(request)
        assert isinstance(found, tuple)
        yield from found


def events_of(reader: Reader, task_id: str = "second", after_seq: int | None = None) -> tuple[EventRow, ...]:
    page = reader.answer(EventPageRequest(task_id, after_seq=after_seq))
    assert isinstance(page, EventPage)
    return page.events


@pytest.mark.parametrize("name", SHIPPED)
def test_a_task_tells_the_numbers_that_its_layout_has_a_column_for(tmp_path: Path, name: str) -> None:
    with opened(SHIPPED[name](tmp_path / "other.db")) as reader:
        rows = list(every_row_of(reader))
    assert len(rows) == 5
    assert [{column: row.told(column) for column in TOLD[name]} for row in rows] == [TOLD[name]] * 5
    assert {row.as_stored(column) for row in rows for column in TOLD[name]} == {None}
    assert {row.last_seq for row in rows} == {COUNTED[name]}, "how many events there are is no number of an event"


@pytest.mark.parametrize("name", SHIPPED)
def test_an_event_tells_them_too_and_keeps_its_place_where_it_has_no_number(tmp_path: Path, name: str) -> None:
    with opened(SHIPPED[name](tmp_path / "other.db")) as reader:
        events = events_of(reader)
        log = reader.answer(TimelineRequest("second"))
    assert isinstance(log, LogStretch)
    places = list(range(1, COUNTED[name] + 1))
    is_numbered = name == "sequence per task"
    assert [event.seq for event in events] == places
    assert [event.told("seq") for event in events] == (places if is_numbered else [None] * len(places))
    assert {event.told("attempt") for event in events} == {None}
    assert all(
        event.told("id") == event.id if name == "integer states" else event.told("id") is None for event in events
    )
    assert [tick.seq for tick in log.ticks] == places
    assert {tick.is_numbered for tick in log.ticks} == {is_numbered}


def test_a_place_is_no_number_also_where_nothing_else_is_missing(tmp_path: Path) -> None:
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id, state)",
        "CREATE TABLE job_events (job_id, event TEXT, state TEXT, attempt INTEGER, ts INTEGER, payload TEXT)",
        "INSERT INTO jobs VALUES ('second', 'running')",
        "INSERT INTO job_events VALUES ('second', 'a', 'queued', 4, 1796000000000, '{}')",
    )
    with opened(path) as reader:
        (event,) = events_of(reader)
    assert (event.seq, event.told("seq"), event.told("attempt"), event.told("id")) == (1, None, 4, 1)


def test_a_hit_of_a_search_tells_no_number_that_was_worked_out(tmp_path: Path) -> None:
    with opened(SHIPPED["integer states"](tmp_path / "other.db")) as reader:
        found = reader.answer(EventSearchRequest("token"))
    assert isinstance(found, EventHits)
    assert [(hit.seq, hit.told("seq")) for hit in found.hits] == [(3, None)] * 3


@pytest.mark.parametrize("name", SHIPPED)
def test_recovery_is_told_which_numbers_are_not_known(tmp_path: Path, name: str) -> None:
    with opened(SHIPPED[name](tmp_path / "other.db")) as reader:
        found = reader.answer(LeftoversRequest())
    assert isinstance(found, Leftovers)
    unknown = frozenset(Number(column) for column, told in TOLD[name].items() if told is None)
    assert [(task.task_id, task.unknown) for task in found.tasks] == [("second", unknown)]
    assert found.tasks[0].last_seq == (TOLD[name]["last_seq"] or 0)


def test_where_a_column_is_missing_from_tables_with_our_names_nothing_is_told(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        *BARE,
        "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq)",
        "INSERT INTO task_events VALUES (1, 'second', 1)",
    )
    with opened(path) as reader:
        assert reader.opened.layout_name is None
        told = [(row.told("last_seq"), row.told("attempt")) for row in every_row_of(reader)]
        (event,) = events_of(reader)
        found = reader.answer(LeftoversRequest())
    assert told == [(None, None)] * 5
    assert (event.told("seq"), event.told("attempt"), event.told("id")) == (1, None, 1)
    assert isinstance(found, Leftovers)
    assert found.tasks[0].unknown == {Number.ATTEMPT, Number.LAST_SEQ}


def test_the_end_of_a_log_of_ours_stands_for_a_last_number_that_the_row_does_not_tell(tmp_path: Path) -> None:
    events = next(each for each in native.STATEMENTS if each.startswith("CREATE TABLE task_events"))
    path = made(
        tmp_path / "a.db",
        *BARE,
        events,
        "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data) "
        "VALUES ('second', 1, 'response.created', 'queued', 1, 5, '{}')",
    )
    with opened(path) as reader:
        found = reader.answer(LeftoversRequest())
    assert isinstance(found, Leftovers)
    step = plan_step(found.tasks[0])
    assert (step.known_last_seq, step.known_next_seq, step.known_attempt) == (None, 2, None)
    assert [warning.value for warning in step.warnings] == ["no_policy"]


@pytest.mark.parametrize("column", ["last_seq", "attempt"])
@pytest.mark.parametrize("stored", [None, 0, 7, "seven"])
def test_a_stored_number_is_told_and_null_is_not_zero(tmp_path: Path, column: str, stored: int | str | None) -> None:
    path = made(
        tmp_path / "a.db",
        f"CREATE TABLE tasks (id PRIMARY KEY, status, {column})",
        "CREATE TABLE task_events (task_id, seq)",
    )
    db = sqlite3.connect(path)
    db.execute("INSERT INTO tasks VALUES ('second', 'running', ?)", [stored])
    db.commit()
    db.close()
    with opened(path) as reader:
        rows = list(every_row_of(reader))
        found = reader.answer(LeftoversRequest())
    assert [row.told(column) for row in rows] == [stored] * 5
    assert isinstance(found, Leftovers)
    assert (Number(column) in found.tasks[0].unknown) == (not isinstance(stored, int))


def test_a_log_of_which_some_events_have_no_number_stands_in_the_order_of_its_writing(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        *BARE,
        "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq, type)",
        "INSERT INTO task_events VALUES (1, 'second', 2, 'b'), (2, 'second', NULL, 'none'), (3, 'second', 1, 'a')",
    )
    with opened(path) as reader:
        whole, last = events_of(reader, after_seq=BEFORE_ALL), events_of(reader)
        log = reader.answer(TimelineRequest("second"))
    assert [(event.type, event.told("seq"), event.seq) for event in whole] == [
        ("b", 2, 1),
        ("none", None, 2),
        ("a", 1, 3),
    ]
    assert last == whole
    assert isinstance(log, LogStretch)
    assert [(tick.type, tick.seq, tick.is_numbered) for tick in log.ticks] == [
        ("b", 1, False),
        ("none", 2, False),
        ("a", 3, False),
    ]


def test_a_text_that_is_not_there_is_told_from_an_empty_one(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id PRIMARY KEY, status, kind, last_seq, attempt)",
        "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq, type, status, attempt, created_at, data)",
        "INSERT INTO tasks VALUES ('second', 'running', NULL, 1, 1), ('other', NULL, '', 1, 1)",
        "INSERT INTO task_events VALUES (1, 'second', 1, NULL, '', 1, 5, '{}'), (2, 'second', 2, '', NULL, 1, 5, '{}')",
    )
    with opened(path) as reader:
        rows = list(every_row_of(reader))
        page = reader.answer(TaskPageRequest())
        events = events_of(reader)
    assert {(row.told("status"), row.told("kind"), row.kind) for row in rows} == {("running", None, "")}
    assert isinstance(page, TaskPage)
    assert [(row.told("status"), row.told("kind")) for row in page.tasks if row.id == "other"] == [(None, "")]
    assert [(event.told("type"), event.told("status")) for event in events] == [(None, ""), ("", None)]


@pytest.mark.parametrize("number", [0, -1, 5])
def test_a_number_that_is_stored_leads_to_its_event_whatever_it_is(tmp_path: Path, number: int) -> None:
    path = made(
        tmp_path / "a.db",
        *BARE,
        "CREATE TABLE task_events (task_id, seq)",
        f"INSERT INTO task_events VALUES ('second', {number})",
    )
    with opened(path) as reader:
        (event,) = events_of(reader)
    assert (event.told("seq"), event.seq) == (number, number)


def test_of_a_task_that_only_an_index_knows_of_nothing_is_told(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id PRIMARY KEY, status, created_at, last_seq, attempt)",
        "CREATE INDEX by_time ON tasks (created_at, id)",
        "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq, type, status, attempt, created_at)",
        "CREATE INDEX by_task ON task_events (task_id, seq)",
        "INSERT INTO tasks VALUES ('second', 'running', 5, 9, 3)",
        "INSERT INTO task_events VALUES (1, 'second', 4, 'x', 'running', 3, 5)",
    )
    zeroed(path, path.read_bytes(), root_of(path, "tasks"))
    zeroed(path, path.read_bytes(), root_of(path, "task_events"))
    with opened(path) as reader:
        page = reader.answer(TaskPageRequest())
        (event,) = events_of(reader)
    assert isinstance(page, TaskPage)
    assert [(row.id, row.told("last_seq"), row.told("attempt"), row.told("created_at")) for row in page.tasks] == [
        ("second", None, None, 5)
    ]
    assert (event.told("seq"), event.told("attempt")) == (4, None)


def test_what_is_not_told_goes_over_the_wire_as_it_is(tmp_path: Path) -> None:
    with opened(SHIPPED["events as JSON lines"](tmp_path / "other.db")) as reader:
        answers = [reader.answer(TaskPageRequest()), reader.answer(EventPageRequest("second"))]
        answers += [reader.answer(LeftoversRequest()), reader.answer(TimelineRequest("second"))]
    sent = [Answer(1, each) for each in answers]
    assert Decoder().feed(b"".join(map(encode, sent))) == sent
