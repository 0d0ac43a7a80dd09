"""A layout that is not ours is read by its description, by one that comes with the program, or by a guess."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.layout.description import InvalidDescription, TimeFormat
from inspector.layout.opened import LayoutKind
from inspector.layout.pages import Counts, EventPage, Leftovers, LogStretch, TaskFilter, TaskPage
from inspector.layout.rows import TaskDetail
from inspector.reading.errors import Unreadable
from inspector.reading.layouts import Layouts, layout_folders, read_description
from inspector.reading.messages import Moved
from inspector.reading.reader import Reader, open_reader
from inspector.reading.recognising import WHAT_TO_DO
from inspector.reading.requests import (
    CountsRequest,
    EventPageRequest,
    EventSearchRequest,
    LeftoversRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TaskPlacesRequest,
    TasksByPrefixRequest,
    TimelineRequest,
    Watch,
)
from tests.support.any_tables import made
from tests.support.foreign_databases import BROKEN_LINE, SHIPPED, START_S, TASKS, close_names
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import make, read_at
from tests.support.reading_service import service_on

KNOWN = Layouts(folders=layout_folders(None))
CREATED_MS = [START_S * 1_000 + 60_000 * at + 250 for at in range(3)]


def opened(path: Path, layouts: Layouts = KNOWN) -> Reader:
    return open_reader(path, now_ms=read_at, layouts=layouts)


def tasks(reader: Reader, wanted: TaskFilter | None = None) -> TaskPage:
    page = reader.answer(TaskPageRequest(wanted or TaskFilter()))
    assert isinstance(page, TaskPage)
    return page


@pytest.mark.parametrize("name", SHIPPED)
def test_a_layout_that_comes_with_the_program_is_known_by_itself(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    before = touch_state(path)
    with opened(path) as reader:
        how = reader.opened
        assert (how.layout, how.layout_name, how.may_act) == (LayoutKind.OTHER, name, False)
        assert how.why_not_act == "This is not the native layout."
        page = tasks(reader)
        assert [task.id for task in page.tasks] == list(reversed(TASKS))
        assert [task.status for task in page.tasks] == ["failed", "running", "completed"]
        assert [task.created_at for task in page.tasks] == list(reversed(CREATED_MS))
        assert {task.model_id for task in page.tasks} == {"small"}
        assert {task.last_seq for task in page.tasks} == {4 if name == "events as JSON lines" else 3}
        counts = reader.answer(CountsRequest())
        assert isinstance(counts, Counts)
        assert counts.by_status == {"completed": 1, "running": 1, "failed": 1}
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("name", SHIPPED)
def test_the_events_of_another_layout_come_in_their_order(tmp_path: Path, name: str) -> None:
    with opened(SHIPPED[name](tmp_path / "other.db")) as reader:
        page = reader.answer(EventPageRequest("second"))
        assert isinstance(page, EventPage)
        seqs = [event.seq for event in page.events]
        assert seqs == list(range(1, len(seqs) + 1))
        assert page.events[0].status == "queued"
        assert page.events[-1].status == "running"
        assert page.events[0].created_at is not None
        for after in (0, 1):
            part = reader.answer(EventPageRequest("second", after_seq=after, limit=1))
            assert isinstance(part, EventPage)
            assert [event.seq for event in part.events] == [after + 1]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_question_is_answered_on_another_layout(tmp_path: Path, name: str) -> None:
    with opened(SHIPPED[name](tmp_path / "other.db")) as reader:
        assert len(tasks(reader, TaskFilter(frozenset({"running"}))).tasks) == 1
        assert len(tasks(reader, TaskFilter(text="seco")).tasks) == 1
        assert len(tasks(reader, TaskFilter(model_id="small")).tasks) == 3
        detail = reader.answer(TaskDetailRequest("first"))
        assert isinstance(detail, TaskDetail)
        assert detail.request is not None
        leftovers = reader.answer(LeftoversRequest())
        assert isinstance(leftovers, Leftovers)
        assert [leftover.task_id for leftover in leftovers.tasks] == ["second"]
        for request in (TaskPlacesRequest(), TasksByPrefixRequest("fir"), TimelineRequest("first"), Watch(("first",))):
            reader.answer(request)
        if name == "integer states":
            assert reader.answer(EventSearchRequest("token"))
        assert reader.look() == ()


def test_an_event_without_a_status_leaves_the_task_as_it_was(tmp_path: Path) -> None:
    with opened(SHIPPED["events as JSON lines"](tmp_path / "other.db")) as reader:
        whole = reader.answer(TimelineRequest("first"))
        rest = reader.answer(TimelineRequest("first", after_seq=2, status="running"))
    assert isinstance(whole, LogStretch)
    assert isinstance(rest, LogStretch)
    assert [tick.status for tick in whole.ticks] == ["queued", "running", "running", "completed"]
    assert [tick.status for tick in rest.ticks] == ["running", "completed"]


def test_lines_come_out_as_they_are_stored_also_a_broken_one(tmp_path: Path) -> None:
    with opened(SHIPPED["events as JSON lines"](tmp_path / "other.db")) as reader:
        page = reader.answer(EventPageRequest("first"))
    assert isinstance(page, EventPage)
    assert [event.type for event in page.events] == ["created", "token", "", "ended"]
    assert page.events[2].data_text == BROKEN_LINE
    assert page.events[1].data_text.endswith('"text": "a \\"quoted\\"\\t\\\\ \\u00fc"}')


@pytest.mark.parametrize("name", SHIPPED)
def test_a_commit_of_another_layout_s_service_is_noticed(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    table, column, word = {
        "sequence per task": ("generation", "status", "'written'"),
        "integer states": ("job", "state", "10"),
        "events as JSON lines": ("llm_run", "phase", "'done'"),
    }[name]
    with service_on(path, "journal_mode=WAL") as service, opened(path) as reader:
        reader.answer(Watch(("second",)))
        reader.look()
        service.execute(f"UPDATE {table} SET {column} = {word}")
        pushes = [push for _ in range(3) for push in reader.look() if isinstance(push, Moved)]

        assert any(row.status == "completed" for push in pushes for row in push.rows)


@pytest.mark.parametrize(
    ("unit", "times"),
    [
        (1, TimeFormat.UNIX_S),
        (1_000, TimeFormat.UNIX_MS),
        (1_000_000, TimeFormat.UNIX_US),
        (1_000_000_000, TimeFormat.UNIX_NS),
    ],
)
def test_close_names_are_guessed_with_words_and_units(tmp_path: Path, unit: float, times: TimeFormat) -> None:
    with opened(close_names(tmp_path / "jobs.db", unit=unit)) as reader:
        how = reader.opened
        assert how.layout_name == "guessed from its names"
        page = tasks(reader)
        assert [(task.id, task.status) for task in page.tasks] == [
            ("third", "failed"),
            ("second", "running"),
            ("first", "completed"),
        ]
        assert [task.created_at for task in page.tasks] == [START_S * 1_000 + 60_000 * at for at in (2, 1, 0)]
        assert any(f"tasks in jobs (times as {times})" in note for note in how.notes)
        events = reader.answer(EventPageRequest("first"))
        assert isinstance(events, EventPage)
        assert [(event.seq, event.type) for event in events.events] == [(1, "made")]


def test_our_names_with_other_times_are_guessed(tmp_path: Path) -> None:
    path = made(
        tmp_path / "iso.db",
        "CREATE TABLE tasks (id TEXT PRIMARY KEY, status, created_at)",
        "CREATE TABLE task_events (task_id, seq, type, created_at)",
        "INSERT INTO tasks VALUES ('a', 'queued', '2026-11-30T00:53:20Z'), ('b', 'queued', 'no time')",
        "INSERT INTO task_events VALUES ('b', 1, 'x', 'no time either')",
    )
    with opened(path) as reader:
        assert reader.opened.layout_name == "guessed from its names"
        assert [(task.id, task.created_at) for task in tasks(reader).tasks] == [("a", START_S * 1_000), ("b", None)]


def test_words_for_times_make_no_other_layout_of_ours(tmp_path: Path) -> None:
    path = made(
        tmp_path / "ours.db",
        "CREATE TABLE tasks (id TEXT PRIMARY KEY, status, created_at, updated_at)",
        "CREATE TABLE task_events (task_id, seq, created_at)",
        "INSERT INTO tasks VALUES ('a', 'queued', 'yesterday', 1796000000000), ('b', 'queued', '', 1796000000000)",
        "INSERT INTO tasks VALUES ('c', 'queued', 1796000000000, 1796000000000)",
    )
    with opened(path) as reader:
        assert reader.opened.layout_name is None
        assert {task.updated_at for task in tasks(reader).tasks} == {1_796_000_000_000}


def test_events_without_any_time_stand_at_that_of_their_task(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id, status, created_at)",
        "CREATE TABLE task_events (task_id, seq, created_at)",
        "INSERT INTO tasks VALUES ('a', 'queued', 1796000000000)",
        "INSERT INTO task_events VALUES ('a', 1, 'garbage'), ('a', 2, NULL)",
    )
    with opened(path) as reader:
        log = reader.answer(TimelineRequest("a"))
    assert isinstance(log, LogStretch)
    assert [tick.created_at for tick in log.ticks] == [1_796_000_000_000] * 2


def test_a_guess_takes_the_tasks_that_its_events_are_of(tmp_path: Path) -> None:
    path = made(
        tmp_path / "two.db",
        "CREATE TABLE tasks (id, title, status)",
        "INSERT INTO tasks VALUES (1, 'buy milk', 'open')",
        "CREATE TABLE jobs (id, state)",
        "INSERT INTO jobs VALUES (1, 'running')",
        "CREATE TABLE job_events (job_id, event)",
        "INSERT INTO job_events VALUES (1, 'go')",
    )
    with opened(path) as reader:
        assert [task.status for task in tasks(reader).tasks] == ["running"]
        assert any("tasks in jobs" in note and "events in job_events" in note for note in reader.opened.notes)


@pytest.mark.parametrize("stored", ["9e999", "-9e999", "1e18", "9223372036854775807"])
def test_a_time_beyond_all_calendars_is_none(tmp_path: Path, stored: str) -> None:
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id TEXT PRIMARY KEY, state, created)",
        f"INSERT INTO jobs VALUES ('a', 'queued', 1796000000), ('b', 'queued', {stored})",
    )
    with opened(path) as reader:
        assert [task.created_at for task in tasks(reader).tasks] == [START_S * 1_000, None]


@pytest.mark.parametrize(
    ("stored", "at_ms"),
    [
        ("2024-02-30T00:00:00Z", None),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("2024-02-29", 1_709_164_800_000),
        ("2024-02-29T00:00:01+01:00", 1_709_161_201_000),
    ],
)
def test_a_day_that_is_in_no_calendar_is_no_time(tmp_path: Path, stored: str, at_ms: int | None) -> None:
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id TEXT PRIMARY KEY, state, created)",
        f"INSERT INTO jobs VALUES ('a', 'queued', '{stored}')",
    )
    with opened(path) as reader:
        assert [task.created_at for task in tasks(reader).tasks] == [at_ms]


def test_one_time_that_is_another_than_most_does_not_decide_what_they_are(tmp_path: Path) -> None:
    path = made(
        tmp_path / "jobs.db",
        "CREATE TABLE jobs (id TEXT PRIMARY KEY, state, created)",
        "INSERT INTO jobs VALUES ('a', 'queued', 9223372036854775807)",
        "INSERT INTO jobs VALUES ('b', 'queued', 1796000000), ('c', 'queued', 1796000060)",
    )
    with opened(path) as reader:
        assert [(task.id, task.created_at) for task in tasks(reader).tasks] == [
            ("c", (START_S + 60) * 1_000),
            ("b", START_S * 1_000),
            ("a", None),
        ]


def test_a_guess_is_made_around_damage(tmp_path: Path) -> None:
    path = close_names(tmp_path / "jobs.db")
    db = sqlite3.connect(path)
    (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'jobs'").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with opened(path) as reader:
        assert reader.opened.layout_name == "guessed from its names"
        assert any(
            "tasks in jobs (times as unix_ms), events in job_events (times as unix_s)" in note
            for note in reader.opened.notes
        )


def test_a_layout_that_was_asked_for_is_the_one_that_is_used(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "mine"\n[tasks]\ntable = "jobs"\ntimes = "unix_s"\n[tasks.columns]\nid = "id"\nstatus = "model"\n'
    )
    with opened(close_names(tmp_path / "jobs.db"), Layouts(asked_for=read_description(own))) as reader:
        assert reader.opened.layout_name == "mine"
        assert {task.status for task in tasks(reader).tasks} == {"small"}
        assert dict(reader.opened.missing)["events"] == "The layout “mine” has no events."
        page = reader.answer(EventPageRequest("first"))
        assert isinstance(page, EventPage)
        assert page.events == ()


@pytest.mark.parametrize(
    ("table", "column", "said"), [("work", "id", "no table work"), ("jobs", "key", "no column key")]
)
def test_a_layout_that_does_not_fit_is_refused_with_the_reason(
    tmp_path: Path, table: str, column: str, said: str
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'name = "mine"\n[tasks]\ntable = "{table}"\n[tasks.columns]\nid = "{column}"\nstatus = "state"\n')
    with pytest.raises(Unreadable) as refused:
        opened(close_names(tmp_path / "jobs.db"), Layouts(asked_for=read_description(own)))
    assert refused.value.sentence.startswith("jobs.db is not of the layout “mine”: ")
    assert said in refused.value.sentence


def nothing_of_ours(path: Path) -> Path:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE colours (name)")
    db.close()
    return path


def test_a_file_without_tasks_is_opened_for_its_tables_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = nothing_of_ours(tmp_path / "colours.db")
    sentence = "colours.db is an SQLite database, but not of an LMSP service: it has no table tasks."
    with pytest.raises(Unreadable) as refused:
        opened(path)
    assert refused.value.sentence == f"{sentence} {WHAT_TO_DO}"
    with opened(path, Layouts(folders=KNOWN.folders, any_tables=True)) as reader:
        assert reader.opened.layout is LayoutKind.UNKNOWN
        assert sentence in reader.opened.notes
        assert tasks(reader).tasks == ()
        assert reader.look() == ()


def test_a_native_file_is_read_as_one_whatever_layouts_there_are(tmp_path: Path, statements: list[str]) -> None:
    with opened(make(tmp_path / "a.db", "early")) as reader:
        assert reader.opened.layout is LayoutKind.NATIVE
        assert reader.opened.layout_name is None
    assert not any("VIEW" in statement for statement in statements)


MISTAKES: dict[str, str] = {
    "tasks = 1": "[tasks] of own.toml is no table.",
    "[tasks]": "[tasks] of own.toml names no table.",
    "x = 1": "own.toml holds x, which is not known there.",
    'name = "a"': "own.toml describes no [tasks].",
    '[tasks]\ntable = "a"\n[tasks.columns]\nid = "b"': "[tasks] of own.toml says no column for status.",
    '[tasks]\ntable = "a"\n[tasks.columns]\nid = "b"\ncolour = "c"': (
        "columns in [tasks] of own.toml holds colour, which is not known there."
    ),
    '[tasks]\ntable = "a"\ntimes = "hours"\n[tasks.columns]\nid = "b"\nstatus = "c"': (
        "times in [tasks] of own.toml is 'hours', which is none of unix_s, unix_ms, unix_us, unix_ns, iso."
    ),
    '[tasks]\ntable = "a"\nzone = "CET"\n[tasks.columns]\nid = "b"\nstatus = "c"': (
        "zone in [tasks] of own.toml is 'CET', which is neither UTC nor an offset as +08:00."
    ),
    '[tasks]\ntable = "a"\n[tasks.columns]\nid = "b"\nstatus = "c"\n[tasks.statuses]\n0 = "asleep"': (
        "statuses in [tasks] of own.toml: 0 is to be 'asleep', which is none of the seven statuses."
    ),
    '[tasks]\ntable = "a"\n[tasks.columns]\nid = "b"\nstatus = "c"\n'
    '[events]\ntable = "a"\nlines = { table = "a", task_id = "b", column = "d" }': (
        "[events] of own.toml tells table and lines: "
        "tell lines alone where a column holds the events, else table alone."
    ),
    f'name = "{"n" * 101}"\n[tasks]\ntable = "a"\n[tasks.columns]\nid = "b"\nstatus = "c"': (
        "name of own.toml is longer than 100 characters: give it a shorter one."
    ),
}


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
def test_a_name_of_a_hundred_characters_is_taken(tmp_path: Path, mark: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        f'{mark}name = "{"n" * 100}"\n[tasks]\ntable = "a"\n[tasks.columns]\nid = "b"\nstatus = "c"', "utf-8"
    )
    assert read_description(own).name == "n" * 100


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_a_description_is_one_sentence(tmp_path: Path, text: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(InvalidDescription) as refused:
        read_description(own)
    assert refused.value.sentence == MISTAKES[text]


@pytest.mark.parametrize(
    "made", [Path.mkdir, lambda path: path.write_bytes(b"\xff"), lambda path: path.write_text("=")]
)
def test_what_is_no_description_is_one_sentence(tmp_path: Path, made: Callable[[Path], object]) -> None:
    own = tmp_path / "own.toml"
    made(own)
    with pytest.raises(InvalidDescription, match=r"^own\.toml is no "):
        read_description(own)


def test_names_in_a_description_are_names_and_never_sql(tmp_path: Path) -> None:
    odd = '"; DROP TABLE x; --\' || "'
    quoted = odd.replace('"', '""')
    path = tmp_path / "odd.db"
    db = sqlite3.connect(path)
    db.execute(f'CREATE TABLE "{quoted}" ("{quoted}id", "s\'t", created)')
    db.execute(f"INSERT INTO \"{quoted}\" VALUES ('a', 'it''s', 5)")
    db.commit()
    db.close()
    own = tmp_path / "own.toml"
    inner = odd.replace('"', '\\"')
    own.write_text(
        f'[tasks]\ntable = "{inner}"\n[tasks.columns]\nid = "{inner}id"\nstatus = "s\'t"\n'
        '[tasks.statuses]\n"it\'s" = "running"\n'
    )
    with opened(path, Layouts(asked_for=read_description(own))) as reader:
        assert [(task.id, task.status) for task in tasks(reader).tasks] == [("a", "running")]
