"""An id that is shown leads to its task wherever it can be asked for, whatever a file of others stores as ids."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.layout.pages import EventHits, EventPage, LogStretch, TaskFilter, TaskKey, TaskPage
from inspector.layout.rows import StoredText, TaskDetail
from inspector.reading.connection import ReadConnection
from inspector.reading.damaged import damaged_event_page
from inspector.reading.damaged_details import damaged_log_stretch, damaged_task_detail, damaged_tasks_by_id
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import Reader, open_reader
from inspector.reading.recognising import Shape, recognise
from inspector.reading.requests import (
    EventDataRequest,
    EventPageRequest,
    EventSearchRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
    TimelineRequest,
)
from tests.support.any_tables import made, reading
from tests.support.reading_databases import make, read_at

SHOWN: dict[str, str] = {
    "x'000102030405060708090a0b0c0d0e0f'": "x'000102030405060708090a0b0c0d0e0f'",
    f"x'{'ab' * 40}'": f"x'{'ab' * 32}…'",
    "x''": "x''",
    "7": "7",
    "1.0": "1.0",
    "-9223372036854775807 - 1": "-9223372036854775808",
    "0.1 + 0.2": "0.3",
    "0.300000000000001": "0.300000000000001",
    "1e300": "1.0e+300",
    "-2.5": "-2.5",
    "9e999": "Inf",
    "x'00'": "x'00'",
    "'x''00'''": "'x''00'''",
    "'''NULL'''": "'''NULL'''",
    "'NULL'": "'NULL'",
    "'null'": "null",
    "''": "",
    "'8'": "8",
    "'plain'": "plain",
}
"""What is stored, as SQL writes it, and what is shown of it."""


def in_tables(path: Path, column: str, tasks: str = "tasks", events: str = "task_events", key: str = "task_id") -> Path:
    rows = [(stored, shown.replace("'", "''")) for stored, shown in SHOWN.items()]
    return made(
        path,
        f"CREATE TABLE {tasks} ({column} PRIMARY KEY, status, created_at, request)",
        f"CREATE TABLE {events} (n INTEGER PRIMARY KEY, {column.replace('id', key, 1)}, seq, type, status, data)",
        f"CREATE INDEX of_task ON {events} ({key}, seq)",
        f"CREATE TABLE responses ({column.replace('id', 'task_id', 1)} PRIMARY KEY, body)",
        *(f"INSERT INTO {tasks} VALUES ({stored}, 'running', 5, 'for {shown}')" for stored, shown in rows),
        *(f"INSERT INTO {events} VALUES (NULL, {stored}, 1, 'a', 'running', 'of {shown}')" for stored, shown in rows),
        *(f"INSERT INTO {events} VALUES (NULL, {stored}, 2, 'b', 'running', 'more')" for stored, shown in rows),
        *(f"INSERT INTO responses VALUES ({stored}, 'answer {shown}')" for stored, shown in rows),
    )


NAMES = {"ours": ("tasks", "task_events", "task_id"), "theirs": ("jobs", "job_events", "job_id")}


@pytest.fixture(params=[(column, names) for column in ("id", "id BLOB") for names in NAMES], ids="-".join)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    column, names = request.param
    return in_tables(tmp_path / "odd.db", column, *NAMES[names])


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    with open_reader(path, now_ms=read_at, layouts=Layouts(folders=layout_folders(None))) as reader:
        yield reader


def test_every_question_about_a_task_takes_its_id_as_it_is_shown(reader: Reader) -> None:
    listed = reader.answer(TaskPageRequest())
    assert isinstance(listed, TaskPage)
    assert sorted(task.id for task in listed.tasks) == sorted(SHOWN.values())
    for shown in SHOWN.values():
        detail, named = reader.answer(TaskDetailRequest(shown)), reader.answer(TasksByIdRequest((shown,)))
        events, log = reader.answer(EventPageRequest(shown)), reader.answer(TimelineRequest(shown))
        later = reader.answer(EventPageRequest(shown, after_seq=2))
        data, hits = reader.answer(EventDataRequest(shown, 1, 100)), reader.answer(EventSearchRequest(f"of {shown}"))
        assert isinstance(detail, TaskDetail)
        assert detail.request is not None
        assert (detail.task.id, detail.request.text) == (shown, f"for {shown}")
        assert detail.response is not None
        assert detail.response.text == f"answer {shown}"
        assert isinstance(named, tuple)
        assert [task.id for task in named] == [shown]
        assert isinstance(events, EventPage)
        assert [(event.task_id, event.type) for event in events.events] == [(shown, "a"), (shown, "b")]
        assert isinstance(later, EventPage)
        assert later.more_before
        assert isinstance(log, LogStretch)
        assert len(log.ticks) == 2
        assert isinstance(data, StoredText)
        assert data.text == f"of {shown}"
        assert isinstance(hits, EventHits)
        assert shown in [hit.task_id for hit in hits.hits]
    together = reader.answer(TasksByIdRequest((*SHOWN.values(), "5", "x'99'", "nobody")))
    assert isinstance(together, tuple)
    assert sorted(task.id for task in together) == sorted(SHOWN.values())


def test_the_list_goes_on_behind_each_of_them(reader: Reader) -> None:
    whole = reader.answer(TaskPageRequest())
    assert isinstance(whole, TaskPage)
    for wanted in (TaskFilter(), TaskFilter(text="a")):
        found: list[str] = []
        after: TaskKey | None = None
        for _ in SHOWN:
            page = reader.answer(TaskPageRequest(wanted, after=after, limit=1))
            assert isinstance(page, TaskPage)
            found += [task.id for task in page.tasks]
            if not page.more:
                break
            after = page.scanned_to or TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)
        assert found == [task.id for task in whole.tasks if wanted.passes(task)]


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("x'0001", "x'000102030405060708090a0b0c0d0e0f'"),
        ("x'00010", "x'000102030405060708090a0b0c0d0e0f'"),
        ("x'000102030405060708090a0b0c0d0e0f'", "x'000102030405060708090a0b0c0d0e0f'"),
        ("x'abab", f"x'{'ab' * 32}…'"),
        (f"x'{'ab' * 32}…'", f"x'{'ab' * 32}…'"),
        ("7", "7"),
        ("-2.5", "-2.5"),
        ("pla", "plain"),
    ],
)
def test_the_start_of_a_blob_or_a_whole_number_selects_its_task(reader: Reader, prefix: str, found: str) -> None:
    tasks = reader.answer(TasksByPrefixRequest(prefix))
    assert isinstance(tasks, tuple)
    assert [task.id for task in tasks] == [found]


def test_around_damage_they_lead_to_it_as_well(tmp_path: Path) -> None:
    with reading(in_tables(tmp_path / "odd.db", "id")) as connection:
        shape = recognise(connection, "odd.db")
        for shown in SHOWN.values():
            detail = damaged_task_detail(connection, shape, shown)
            assert detail is not None
            assert detail.response is not None
            assert (detail.task.id, detail.response.text) == (shown, f"answer {shown}")
            assert [task.id for task in damaged_tasks_by_id(connection, shape, [shown])] == [shown]
            assert len(damaged_event_page(connection, shape, shown, None, None, 10).events) == 2
            assert len(damaged_log_stretch(connection, shape, TimelineRequest(shown)).ticks) == 2


def asked_of(connection: ReadConnection, shape: Shape, ids: list[str], seen: list[str]) -> list[str]:
    """Return the plans of all statements that questions about these tasks run."""
    from inspector.reading.details import event_page, task_detail  # noqa: PLC0415
    from inspector.reading.task_rows import tasks_by_id  # noqa: PLC0415

    seen.clear()
    for shown in ids:
        task_detail(connection, shape, shown)
        event_page(connection, shape, shown, None, 9, 10)
        tasks_by_id(connection, shape, [shown])
    statements = [each for each in seen if each.lstrip().startswith("SELECT") and "FROM task" in each]
    return [str(step[3]) for sql in statements for step in connection.rows(f"EXPLAIN QUERY PLAN {sql}")]


@pytest.mark.parametrize("column", ["id", "id BLOB"])
def test_an_index_finds_each_of_them(tmp_path: Path, statements: list[str], column: str) -> None:
    with reading(in_tables(tmp_path / "odd.db", column)) as connection:
        plans = asked_of(
            connection, recognise(connection, "odd.db"), [each for each in SHOWN.values() if each != "Inf"], statements
        )
    assert plans
    assert not [plan for plan in plans if plan.startswith("SCAN") and plan != "SCAN CONSTANT ROW"]


def test_the_native_layout_is_asked_for_the_text_alone(tmp_path: Path, statements: list[str]) -> None:
    with reading(make(tmp_path / "native.db", "early")) as connection:
        shape = recognise(connection, "native.db")
        plain = len(asked_of(connection, shape, ["nobody"], statements))
        assert plain
        assert len(asked_of(connection, shape, ["7"], statements)) == plain
        assert len(asked_of(connection, shape, ["x'00'"], statements)) == plain


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_nothing_leads_to_a_task_whose_id_is_null_and_nothing_of_another_one_is_given_for_it(
    tmp_path: Path, names: tuple[str, str, str]
) -> None:
    path = in_tables(tmp_path / "odd.db", "id", *names)
    tasks, events, key = names
    made(
        path,
        f"INSERT INTO {tasks} VALUES (NULL, 'running', 5, 'for nobody')",
        f"INSERT INTO {events} ({key}, seq, type) VALUES (NULL, 1, 'lost')",
    )
    with open_reader(path, now_ms=read_at, layouts=Layouts(folders=layout_folders(None))) as reader:
        listed = reader.answer(TaskPageRequest())
        assert isinstance(listed, TaskPage)
        (task,) = [task for task in listed.tasks if task.id == "NULL"]
        assert task.told("id") is None
        assert reader.answer(TaskDetailRequest("NULL")) is None
        page = reader.answer(EventPageRequest("NULL"))
        assert isinstance(page, EventPage)
        assert page.events == ()
        assert reader.answer(TasksByIdRequest(("NULL",))) == ()


def test_in_a_table_of_ours_an_id_is_shown_as_it_is(tmp_path: Path) -> None:
    path = make(tmp_path / "native.db", "NULL", "x'00'", "'NULL'")
    with open_reader(path, now_ms=read_at) as reader:
        listed = reader.answer(TaskPageRequest())
        assert isinstance(listed, TaskPage)
        assert sorted(task.id for task in listed.tasks) == ["'NULL'", "NULL", "x'00'"]
        for task in listed.tasks:
            detail = reader.answer(TaskDetailRequest(task.id))
            assert isinstance(detail, TaskDetail)
            assert detail.task == task
