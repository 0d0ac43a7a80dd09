"""Every event of a log is reached, in order and once, also where no number leads to it."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.layout.pages import EventHits, EventPage, LogStretch, Tick
from inspector.layout.rows import EventRow, StoredText
from inspector.reading.damaged import damaged_event_page
from inspector.reading.damaged_details import damaged_log_stretch
from inspector.reading.layouts import Layouts, layout_folders, read_description
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    BEFORE_ALL,
    EventDataRequest,
    EventPageRequest,
    EventSearchRequest,
    TimelineRequest,
)
from tests.support.any_tables import made
from tests.support.reading_databases import read_at
from tests.support.reading_service import Service, service_on

EVENTS = 450
"""More than two pages."""

TASKS = (
    "CREATE TABLE tasks (id TEXT PRIMARY KEY, status, created_at)",
    "INSERT INTO tasks VALUES ('t', 'running', 1796000000000)",
)
NAMED = "task_id, seq, type, created_at, data"
JOBS = ("CREATE TABLE jobs (id TEXT PRIMARY KEY, state)", "INSERT INTO jobs VALUES ('t', 'running')")

LINES = """
[tasks]
table = "jobs"
[tasks.columns]
id = "id"
status = "state"
[events]
lines = { table = "part", task_id = "job", column = "line" }
[events.columns]
type = "event"
seq = "number"
"""


class Log:
    """A table of events, and how a service writes more into it."""

    def __init__(self, tables: tuple[str, ...], insert: str, seq: Callable[[int], object], layout: str = "") -> None:
        self.tables = tables
        self._insert = insert
        self._seq = seq
        self.layout = layout

    def write(self, db: "sqlite3.Connection | Service", first: int, last: int) -> None:
        """Write the events from ``first`` up to ``last`` in one transaction."""
        db.execute("BEGIN")
        for at in range(first, last):
            db.execute(self._insert, (self._seq(at), 1_796_000_000_000 + at, f'{{"n":{at}}}'))
        db.execute("COMMIT")

    def told(self, at: int) -> object:
        """Return what is told of an event's number."""
        stored = self._seq(at)
        return str(stored) if isinstance(stored, float) else stored


def native(declared: str, seq: Callable[[int], object], tail: str = "") -> Log:
    table = f"CREATE TABLE task_events (task_id, {declared}, type, created_at, data{tail}"
    insert = f"INSERT INTO task_events ({NAMED}) VALUES ('t', ?, 'x', ?, ?)"
    return Log((*TASKS, table), insert, seq)


def guessed(columns: str, insert: str, *more: str) -> Log:
    return Log((*JOBS, f"CREATE TABLE job_events ({columns}", *more), insert, lambda _at: None)


WITHOUT_SEQ = "INSERT INTO job_events (job_id, ts, payload) SELECT 't', ?2, ?3 WHERE ?1 IS NULL"

LOGS = {
    "no number anywhere": guessed("job_id, ts, payload)", WITHOUT_SEQ),
    "with an index": guessed("job_id, ts, payload)", WITHOUT_SEQ, "CREATE INDEX of_job ON job_events (job_id)"),
    "without rowid": guessed("job_id, ts, payload, PRIMARY KEY (job_id, ts)) WITHOUT ROWID", WITHOUT_SEQ),
    "NULL": native("seq", lambda _at: None, ")"),
    "words": native("seq TEXT", str, ")"),
    "words, without rowid": native("seq TEXT", str, ", PRIMARY KEY (task_id, seq)) WITHOUT ROWID"),
    "some twice": native("seq", lambda at: at // 300, ")"),
    "one for each attempt": native("seq", lambda at: at % 225 + 1, ")"),
    "halves": native("seq", lambda at: at / 2 + 0.25, ")"),
    "one is NULL": native("seq", lambda at: None if at == 444 else at, ")"),
    "numbers": native("seq", lambda at: at + 5, ")"),
    "lines, one a row": Log(
        (*JOBS, "CREATE TABLE part (job, line)"),
        "INSERT INTO part VALUES ('t', json_set(?3, '$.number', ?1, '$.event', 'e' || ?2))",
        lambda at: at * 10,
        LINES,
    ),
}


@pytest.fixture(params=LOGS)
def log(request: pytest.FixtureRequest) -> Log:
    return LOGS[request.param]


@pytest.fixture
def path(tmp_path: Path, log: Log) -> Path:
    path = made(tmp_path / "odd.db", *log.tables)
    db = sqlite3.connect(path, isolation_level=None)
    log.write(db, 0, EVENTS)
    db.close()
    return path


def layouts(log: Log, folder: Path) -> Layouts:
    if not log.layout:
        return Layouts(folders=layout_folders(None))
    own = folder / "own.toml"
    own.write_text(log.layout)
    return Layouts(asked_for=read_description(own))


@pytest.fixture
def reader(path: Path, log: Log, tmp_path: Path) -> Iterator[Reader]:
    with open_reader(path, now_ms=read_at, layouts=layouts(log, tmp_path)) as reader:
        yield reader


def page(reader: Reader, after: int | None = None, before: int | None = None, limit: int = 200) -> EventPage:
    found = reader.answer(EventPageRequest("t", after, before, limit))
    assert isinstance(found, EventPage)
    return found


def after(reader: Reader, seq: int = BEFORE_ALL) -> list[EventRow]:
    found: list[EventRow] = []
    more = True
    while more:
        part = page(reader, seq)
        assert part.more_before == (seq != BEFORE_ALL)
        found += part.events
        more, seq = part.more_after, part.events[-1].seq if part.events else seq
    return found


def numbers(events: list[EventRow]) -> list[int]:
    return [json.loads(event.data_text)["n"] for event in events]


def ticks(reader: Reader, limit: int = 100) -> list[Tick]:
    found: list[Tick] = []
    request = TimelineRequest("t", limit=limit)
    while True:
        stretch = reader.answer(request)
        assert isinstance(stretch, LogStretch)
        found += stretch.ticks
        if not stretch.more:
            return found
        request = TimelineRequest("t", stretch.last_seq, stretch.status, limit=limit)


def test_pages_lead_through_the_whole_log_and_back(reader: Reader, log: Log) -> None:
    forward = after(reader)
    assert numbers(forward) == list(range(EVENTS))
    assert [event.told("seq") for event in forward] == [log.told(at) for at in range(EVENTS)]
    back = list(page(reader).events)
    while (part := page(reader, before=back[0].seq)).events:
        assert part.more_after
        back[:0] = part.events
        assert part.more_before == (len(back) < EVENTS)
    assert back == forward


def test_each_event_is_found_again_by_what_leads_to_it(reader: Reader) -> None:
    for event in after(reader)[::37]:
        data = reader.answer(EventDataRequest("t", event.seq, 100))
        assert isinstance(data, StoredText)
        assert data.text == event.data_text
        (again,) = page(reader, after=event.seq - 1, limit=1).events
        assert again == event
    for seq in (0, -1, 1 << 60):
        assert reader.answer(EventDataRequest("t", seq, 100)) is None


def test_the_timeline_has_each_of_them_under_the_same_key(reader: Reader) -> None:
    assert [tick.seq for tick in ticks(reader)] == [event.seq for event in after(reader)]


def test_reading_goes_on_beside_a_service_that_writes(path: Path, log: Log, tmp_path: Path) -> None:
    with service_on(path, "journal_mode=WAL") as service, open_reader(
        path, now_ms=read_at, layouts=layouts(log, tmp_path)
    ) as reader:  # fmt: skip
        found = list(page(reader, BEFORE_ALL).events)
        drawn = ticks(reader)
        for first in range(EVENTS, EVENTS + 60, 20):
            log.write(service, first, first + 20)
            found += page(reader, found[-1].seq).events
        found += after(reader, found[-1].seq)
        rest = reader.answer(TimelineRequest("t", drawn[-1].seq))
        assert numbers(found) == list(range(EVENTS + 60))
        assert isinstance(rest, LogStretch)
        assert [tick.seq for tick in (*drawn, *rest.ticks)] == [event.seq for event in found]


def test_a_hit_of_a_search_leads_to_its_event(reader: Reader, log: Log) -> None:
    if log.layout or "WITHOUT ROWID" in log.tables[2]:
        pytest.skip("such events are not searched: no number orders them all")
    found = reader.answer(EventSearchRequest('"n":3'))
    assert isinstance(found, EventHits)
    assert len(found.hits) == 111
    for hit in found.hits:
        (event,) = page(reader, after=hit.seq - 1, limit=1).events
        assert (event.id, event.seq, event.told("seq")) == (hit.id, hit.seq, hit.told("seq"))


def test_around_damage_they_are_found_by_the_same_keys(reader: Reader, log: Log) -> None:
    if log.layout or "WITHOUT ROWID" in log.tables[2]:
        pytest.skip("a damaged table without a rowid cannot be read around")
    whole = after(reader)

    def around(key: int) -> EventPage:
        return reader.read(lambda connection, shape: damaged_event_page(connection, shape, "t", key, None, 200))

    assert list(around(BEFORE_ALL).events) == whole[:200]
    assert list(around(whole[199].seq).events) == whole[200:400]
    request = TimelineRequest("t", whole[9].seq)
    stretch = reader.read(lambda connection, shape: damaged_log_stretch(connection, shape, request))
    assert [tick.seq for tick in stretch.ticks] == [event.seq for event in whole[10:]]
