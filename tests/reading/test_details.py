"""One task: its large columns cut, its events page by page, its log thinned for the timeline."""

import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from inspector.layout.pages import PAGE_ROWS, EventPage, LogStretch
from inspector.layout.rows import StoredText
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection
from inspector.reading.details import (
    DETAIL_BYTES,
    PREVIEW_BYTES,
    event_data,
    event_page,
    log_stretch,
    task_detail,
)
from inspector.reading.recognising import Shape, recognise
from inspector.reading.requests import BEFORE_ALL, STRETCH_EVENTS, TimelineRequest
from tests.support.reading_databases import START_MS, add_deltas, add_task, create, move_task

pytestmark = pytest.mark.timeout(30)


class Database:
    """A native database with two connections: one that writes, one that reads."""

    def __init__(self, path: Path) -> None:
        self.service = create(path)
        self.connection: ReadConnection
        self.connection, _ = connect(str(path), "mode=ro")
        self.shape: Shape = recognise(self.connection, path.name)

    def events(self, after: int | None = None, before: int | None = None, limit: int = 3) -> EventPage:
        """Read one page of the events of the task ``a``."""
        return event_page(self.connection, self.shape, "a", after, before, limit)

    def close(self) -> None:
        """Close both connections."""
        self.connection.close()
        self.service.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "service.db")
    yield database
    database.close()


def running(database: Database, deltas: int) -> None:
    add_task(database.service, "a")
    move_task(database.service, "a", "running")
    if deltas:
        add_deltas(database.service, "a", deltas)


def seqs(page: EventPage) -> list[int]:
    return [event.seq for event in page.events]


def test_a_task_that_is_not_there_has_no_detail(database: Database) -> None:
    assert task_detail(database.connection, database.shape, "a") is None


def test_a_detail_has_the_large_columns_and_the_response(database: Database) -> None:
    add_task(database.service, "a", request='{"n": 9007199254740993}', error_message="Zeile 1\nZeile 2")
    database.service.execute(
        "INSERT INTO responses (id, task_id, status, body, created_at) VALUES ('r', 'a', 'completed', '{}', 1)"
    )

    detail = task_detail(database.connection, database.shape, "a")

    assert detail is not None
    assert detail.task.id == "a"
    assert detail.request == StoredText('{"n": 9007199254740993}', 23)
    assert detail.snapshot is None
    assert detail.error_message == StoredText("Zeile 1\nZeile 2", 15)
    assert detail.response == StoredText("{}", 2)


@pytest.mark.parametrize("length", [DETAIL_BYTES, DETAIL_BYTES + 1, 20_000_000])
def test_a_large_column_is_cut_and_says_so(database: Database, length: int) -> None:
    add_task(database.service, "a", request="ä" * (length // 2) + "x" * (length % 2))

    detail = task_detail(database.connection, database.shape, "a")

    assert detail is not None
    assert detail.request is not None
    assert set(detail.request.text) <= {"ä", "x"}
    assert len(detail.request.text.encode()) <= DETAIL_BYTES
    assert detail.request.is_cut is (length > DETAIL_BYTES)


def test_nothing_after_a_nul_is_lost(database: Database) -> None:
    add_task(database.service, "a", request="before\0after")

    detail = task_detail(database.connection, database.shape, "a")

    assert detail is not None
    assert detail.request == StoredText("before\0after", 12)


def test_the_last_events_come_without_a_place(database: Database) -> None:
    running(database, 8)

    page = database.events()

    assert (seqs(page), page.more_before, page.more_after) == ([8, 9, 10], True, False)


def test_events_are_paged_both_ways(database: Database) -> None:
    running(database, 8)

    pages = [database.events(after=0), database.events(after=3), database.events(after=9), database.events(after=10)]
    assert [(seqs(page), page.more_before, page.more_after) for page in pages] == [
        ([1, 2, 3], False, True),
        ([4, 5, 6], True, True),
        ([10], True, False),
        ([], True, False),
    ]
    pages = [database.events(before=8), database.events(before=3), database.events(before=1)]
    assert [(seqs(page), page.more_before, page.more_after) for page in pages] == [
        ([5, 6, 7], True, True),
        ([1, 2], False, True),
        ([], False, True),
    ]


def test_an_event_is_as_stored(database: Database) -> None:
    add_task(database.service, "a")

    (event,) = database.events().events

    assert (event.id, event.task_id, event.seq, event.type, event.status, event.attempt, event.created_at) == (
        *(1, "a", 1, "response.created", "queued", 1, START_MS),
    )
    assert event.data == StoredText("{}", 2)


def test_a_page_of_large_events_stays_small_and_each_can_be_had_whole(database: Database) -> None:
    running(database, 0)
    add_deltas(database.service, "a", 2, data="x" * 1_000_000)
    add_deltas(database.service, "a", 1, data="y" * 20_000_000)

    page = database.events()

    assert [len(event.data.text) for event in page.events] == [PREVIEW_BYTES] * 3
    assert [event.data.length for event in page.events] == [1_000_000, 1_000_000, 20_000_000]
    assert event_data(database.connection, database.shape, "a", 3, 1 << 20) == StoredText("x" * 1_000_000, 1_000_000)
    huge = event_data(database.connection, database.shape, "a", 5, 1 << 20)
    assert huge is not None
    assert (len(huge.text), huge.is_cut) == (1 << 20, True)
    assert event_data(database.connection, database.shape, "a", 99, 1 << 20) is None


def test_a_page_of_events_is_never_larger_than_a_page(database: Database) -> None:
    running(database, PAGE_ROWS)

    assert len(database.events(limit=10**9).events) == PAGE_ROWS


def stretch(
    database: Database, after_seq: int = BEFORE_ALL, *, status: str = "", every: int = 1, limit: int = STRETCH_EVENTS
) -> LogStretch:
    request = TimelineRequest("a", after_seq, status, every, limit)
    return log_stretch(database.connection, database.shape, request)


def test_a_log_is_read_from_its_beginning_without_its_data(database: Database) -> None:
    running(database, 3)

    found = stretch(database)

    assert [(tick.seq, tick.status) for tick in found.ticks] == [
        (1, "queued"),
        *((seq, "running") for seq in (2, 3, 4, 5)),
    ]
    assert (found.events, found.last_seq, found.status, found.more) == (5, 5, "running", False)


def test_a_long_log_is_read_in_stretches_that_join(database: Database) -> None:
    running(database, 23)

    parts = [stretch(database, limit=10)]
    while parts[-1].more:
        parts.append(stretch(database, parts[-1].last_seq, limit=10))

    assert [part.events for part in parts] == [10, 10, 5]
    assert [tick.seq for part in parts for tick in part.ticks] == [*range(1, 26)]


def test_at_the_end_of_a_log_nothing_is_read_until_it_grows(database: Database) -> None:
    running(database, 3)

    found = stretch(database, 5, status="running")
    assert found == LogStretch("a", (), 0, 5, "running", more=False)

    add_deltas(database.service, "a", 2)
    assert [tick.seq for tick in stretch(database, 5, status="running").ticks] == [6, 7]


def test_a_long_log_is_thinned_and_keeps_its_end_and_each_change_of_status(database: Database) -> None:
    running(database, 400)
    move_task(database.service, "a", "cancelling")
    add_deltas(database.service, "a", 95, status="cancelling")
    move_task(database.service, "a", "cancelled")

    found = stretch(database, every=10)

    seqs = [tick.seq for tick in found.ticks]
    assert found.events == 499
    assert 50 <= len(seqs) <= 55
    assert {1, 2, 403, 499} <= set(seqs)
    assert seqs == sorted(set(seqs))
    assert max(later - earlier for earlier, later in pairwise(seqs)) <= 10


def test_a_stretch_never_holds_more_than_its_limit(database: Database) -> None:
    running(database, STRETCH_EVENTS)

    found = stretch(database, limit=10**9)

    assert (found.events, found.more) == (STRETCH_EVENTS, True)


def test_a_log_whose_numbers_are_none_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("CREATE TABLE tasks (id, status); CREATE TABLE task_events (task_id, seq, status, created_at);")
    db.executemany("INSERT INTO task_events VALUES ('a', ?, 'x', NULL)", [(f"s{seq}",) for seq in range(20)])
    db.close()
    connection, _ = connect(str(path), "mode=ro&immutable=1")
    shape = recognise(connection, "other.db")

    first = log_stretch(connection, shape, TimelineRequest("a", limit=5))
    again = log_stretch(connection, shape, TimelineRequest("a", first.last_seq, limit=50))

    connection.close()
    assert (first.events, first.more) == (5, True)
    assert (again.events, again.more) == (15, False)
    assert [tick.seq for tick in (*first.ticks, *again.ticks)] == list(range(1, 21))
    assert {tick.created_at for tick in first.ticks} == {0}


def test_an_event_without_a_time_stands_at_the_one_before_it(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("CREATE TABLE tasks (id, status); CREATE TABLE task_events (task_id, seq, created_at);")
    db.executemany("INSERT INTO task_events VALUES ('a', ?, ?)", [(1, None), (2, 7), (3, "x"), (4, 9), (5, 1.5)])
    db.close()
    connection, _ = connect(str(path), "mode=ro&immutable=1")

    found = log_stretch(connection, recognise(connection, "other.db"), TimelineRequest("a"))

    connection.close()
    assert [tick.created_at for tick in found.ticks] == [7, 7, 7, 9, 9]


def test_a_detail_is_of_one_moment(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    running(database, 0)
    rows = ReadConnection.rows

    def write_between(connection: ReadConnection, *arguments: object) -> object:
        found = rows(connection, *arguments)  # type: ignore[arg-type]
        if "attempt" in str(arguments[0]) and "body" not in str(arguments[0]):
            monkeypatch.undo()
            move_task(database.service, "a", "completed")
            database.service.execute(
                "INSERT INTO responses (id, task_id, status, body, created_at) VALUES ('r', 'a', 'completed', '{}', 1)"
            )
        return found

    monkeypatch.setattr(ReadConnection, "rows", write_between)
    detail = task_detail(database.connection, database.shape, "a")

    assert detail is not None
    assert (detail.task.status, detail.response) == ("running", None)
    later = task_detail(database.connection, database.shape, "a")
    assert later is not None
    assert (later.task.status, later.response) == ("completed", StoredText("{}", 2))
