"""What a guess makes of the times and the tables of a file that nobody described."""

from pathlib import Path

import pytest

from inspector.layout.pages import EventPage, TaskFilter, TaskPage
from inspector.layout.rows import TaskRow
from inspector.reading.errors import Unreadable
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import EventPageRequest, TaskPageRequest
from tests.support.any_tables import made
from tests.support.reading_databases import read_at

KNOWN = Layouts(folders=layout_folders(None))
TASKS = "CREATE TABLE tasks (id INTEGER PRIMARY KEY, status TEXT, created_at)"


def opened(path: Path) -> Reader:
    return open_reader(path, now_ms=read_at, layouts=KNOWN)


def tasks(reader: Reader) -> list[TaskRow]:
    """Return the tasks by their ids."""
    page = reader.answer(TaskPageRequest(TaskFilter()))
    assert isinstance(page, TaskPage)
    return sorted(page.tasks, key=lambda task: task.id)


def times(path: Path, *stored: str) -> list[int | str | None]:
    """Return what is told of times that are stored as these literals: milliseconds, or what stands there."""
    rows = [f"INSERT INTO tasks VALUES ({at}, 'queued', {each})" for at, each in enumerate(stored)]
    with opened(made(path, TASKS, *rows)) as reader:
        return [task.told("created_at") for task in tasks(reader)]


def guess(path: Path) -> str:
    """Return the notes on what was guessed, as one text."""
    with opened(path) as reader:
        return " ".join(reader.opened.notes)


def test_nanoseconds_are_guessed_and_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert times(path, "1796122488811000083", "1796122488811000083.0") == [1_796_122_488_811] * 2
    assert "tasks in tasks (times as unix_ns)" in guess(path)


@pytest.mark.parametrize(
    ("first", "beyond", "told"),
    [
        ("1796000000", "1796122488811000083", "1796122488811000083"),
        ("1796000000", "253402300800", "253402300800"),
        ("1796000000", "1796122488811", "1796122488811"),
        ("1796000000000000", "1796122488811000083", "1796122488811000083"),
        ("1796000000000000", "-62135596800000001", "-62135596800000001"),
        ("1796000000000000000", "1e30", "1.0e+30"),
    ],
)
def test_a_number_beyond_the_calendar_of_its_format_is_told_as_stored(
    tmp_path: Path, first: str, beyond: str, told: str
) -> None:
    assert times(tmp_path / "a.db", first, first, beyond)[2] == told


@pytest.mark.parametrize(
    ("stored", "at_ms"),
    [
        ("253402300799", 253_402_300_799_000),
        ("-62135596800", -62_135_596_800_000),
    ],
)
def test_the_first_and_the_last_second_of_the_calendar_are_times(tmp_path: Path, stored: str, at_ms: int) -> None:
    assert times(tmp_path / "a.db", "1796000000", "1796000000", stored)[2] == at_ms


def test_the_largest_integer_decides_nothing(tmp_path: Path) -> None:
    stored = "9223372036854775807"
    assert times(tmp_path / "a.db", stored, stored, "1796000000") == [9_223_372_036_854_775_807] * 2 + [1_796_000_000]


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("0001-01-01T14:00:00+14:00", -62_135_596_800_000),
        ("0000-12-31T23:00:00-02:00", -62_135_593_200_000),
        ("0000-06-01", "0000-06-01"),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59-14:00"),
    ],
)
def test_an_offset_that_leads_out_of_the_calendar_leaves_the_text(tmp_path: Path, stored: str, told: int | str) -> None:
    assert times(tmp_path / "a.db", "'2026-11-30T00:53:20Z'", f"'{stored}'")[1] == told


@pytest.mark.parametrize(("stored", "is_assumed"), [("'2026-11-30T00:53:20'", True), ("1796000000", False)])
def test_a_guess_of_iso_times_says_that_utc_is_assumed(tmp_path: Path, stored: str, is_assumed: bool) -> None:
    path = tmp_path / "a.db"
    assert times(path, stored) == [1_796_000_000_000]
    assert ("UTC is assumed for ISO times that tell no offset." in guess(path)) is is_assumed


def filled(table: str, key: str, ids: str, other: str = "status") -> list[str]:
    """Return the statements of a table with five rows, whose keys begin with ``ids``."""
    rows = ", ".join(f"('{ids}{at}', 'queued')" for at in range(5))
    return [f"CREATE TABLE {table} ({key}, {other})", f"INSERT INTO {table} VALUES {rows}"]


@pytest.mark.parametrize("key", ["id", "id TEXT PRIMARY KEY"])
@pytest.mark.parametrize(("events_of", "taken"), [("j", "jobs"), ("n", "tasks"), ("x", "tasks")])
def test_of_several_tables_of_tasks_the_one_is_taken_that_the_events_belong_to(
    tmp_path: Path, key: str, events_of: str, taken: str
) -> None:
    path = made(
        tmp_path / "a.db",
        *filled("jobs", key, "j"),
        *filled("tasks", key, "n"),
        *filled("events", "task_id", events_of, "type"),
    )
    assert f"tasks in {taken} " in guess(path)
    assert "events in events " in guess(path)


def test_events_that_are_all_of_others_are_passed_over_for_those_of_the_tasks(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        *filled("tasks", "id", "n"),
        *filled("events", "task_id", "x", "type"),
        *filled("task_log", "task_id", "n", "type"),
    )
    assert "events in task_log " in guess(path)


def test_of_the_ids_of_a_large_table_without_an_index_only_the_first_are_looked_at(
    tmp_path: Path, statements: list[str]
) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE jobs (id, status)",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
        "INSERT INTO jobs SELECT 'j' || i, 'queued' FROM n",
        *filled("tasks", "id", "n"),
        "CREATE TABLE events (task_id, type)",
        "INSERT INTO events VALUES ('j999', 'x')",
    )
    assert "tasks in jobs " in guess(path)
    assert [each for each in statements if "count(DISTINCT" in each and "FROM main.`jobs` LIMIT 1000)" in each]


CAMEL = (
    "CREATE TABLE Tasks (taskId TEXT PRIMARY KEY, taskStatus TEXT, modelName TEXT, createdAt, startedAt)",
    "CREATE TABLE TaskEvents (taskId TEXT, seqNo INTEGER, eventType TEXT, createdAt INTEGER, payload TEXT)",
    "INSERT INTO Tasks VALUES ('one', 'done', 'small', 1796000000000, 1796000001000)",
    "INSERT INTO TaskEvents VALUES ('one', 1, 'made', 1796000000000, '{}')",
)
OF_AN_APP = (
    "CREATE TABLE llm_tasks (id TEXT PRIMARY KEY, status TEXT, model TEXT, created_at INTEGER, started_at INTEGER)",
    "CREATE TABLE llm_task_log (llm_task_id TEXT, n INTEGER, event TEXT, ts INTEGER, payload TEXT)",
    "CREATE TABLE audit_log (task_id TEXT, event TEXT)",
    "INSERT INTO llm_tasks VALUES ('one', 'done', 'small', 1796000000000, 1796000001000)",
    "INSERT INTO llm_task_log VALUES ('one', 1, 'made', 1796000000000, '{}')",
)
OWN_PREFIX = (
    "CREATE TABLE jobs (job_id TEXT PRIMARY KEY, job_state TEXT, job_model TEXT, job_created, job_started)",
    "CREATE TABLE job_events (job_id TEXT, job_event_n INTEGER, job_event_type TEXT, ts INTEGER, payload TEXT)",
    "INSERT INTO jobs VALUES ('one', 'done', 'small', 1796000000000, 1796000001000)",
    "INSERT INTO job_events VALUES ('one', 1, 'made', 1796000000000, '{}')",
)


@pytest.mark.parametrize("statements", [CAMEL, OF_AN_APP, OWN_PREFIX], ids=["camel case", "an app's", "own prefix"])
def test_names_are_known_however_they_are_spelled_and_whatever_stands_before_them(
    tmp_path: Path, statements: tuple[str, ...]
) -> None:
    with opened(made(tmp_path / "a.db", *statements)) as reader:
        (task,) = tasks(reader)
        page = reader.answer(EventPageRequest("one"))
    assert (task.id, task.status, task.model_id) == ("one", "completed", "small")
    assert (task.created_at, task.started_at) == (1_796_000_000_000, 1_796_000_001_000)
    assert isinstance(page, EventPage)
    assert [(event.told("seq"), event.type, event.created_at) for event in page.events] == [
        (1, "made", 1_796_000_000_000)
    ]


def test_results_that_celery_stores_are_its_tasks(tmp_path: Path) -> None:
    columns = (
        "id INTEGER PRIMARY KEY, task_id TEXT, status TEXT, date_done TEXT, traceback TEXT, name TEXT, retries INTEGER"
    )
    rows = [
        f"INSERT INTO celery_taskmeta VALUES ({at}, 'u{at}', '{status}', '2026-11-30 00:53:20.500000', NULL, 'say', 0)"
        for at, status in enumerate(("SUCCESS", "FAILURE", "RETRY", "REVOKED"), start=1)
    ]
    with opened(made(tmp_path / "a.db", f"CREATE TABLE celery_taskmeta ({columns})", *rows)) as reader:
        found = tasks(reader)
    assert [task.status for task in found] == ["completed", "failed", "queued", "cancelled"]
    assert {task.finished_at for task in found} == {1_796_000_000_500}
    assert {task.kind for task in found} == {"say"}


def test_a_name_that_is_ours_goes_before_one_with_a_word_before_it(tmp_path: Path) -> None:
    others = "CREATE TABLE app_jobs (id PRIMARY KEY, status)", "INSERT INTO app_jobs VALUES ('theirs', 'done')"
    with opened(made(tmp_path / "a.db", *others, TASKS, "INSERT INTO tasks VALUES (1, 'done', 1796000000)")) as reader:
        assert [task.id for task in tasks(reader)] == ["1"]


def test_a_table_that_only_ends_like_one_of_tasks_needs_an_id_and_a_status(tmp_path: Path) -> None:
    statements = "CREATE TABLE app_jobs (id PRIMARY KEY, title)", "CREATE TABLE taskset (id PRIMARY KEY, status)"
    with pytest.raises(Unreadable, match="it has no table tasks"):
        opened(made(tmp_path / "a.db", *statements))
