"""Whose layout a file has, and that a file may claim anything."""

import re
import sqlite3
from pathlib import Path

import pytest

from inspector.layout import native
from inspector.layout.opened import LayoutKind, Opened
from inspector.layout.pages import EventPage, ModelPage, TaskFilter, TaskKey, TaskPage
from inspector.layout.rows import TaskDetail
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.reader import Reader, open_reader
from inspector.reading.recognising import WHAT_TO_DO
from inspector.reading.requests import (
    CountsRequest,
    EventDataRequest,
    EventPageRequest,
    LeftoversRequest,
    ModelsRequest,
    RetentionRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
    TimelineRequest,
)
from tests.support.any_tables import made
from tests.support.hostile_files import SPELLED, spelled
from tests.support.reading_databases import add_task, create, listing, make, read_at

pytestmark = pytest.mark.timeout(20)

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i AS status FROM n"


def opened(path: Path) -> Opened:
    with open_reader(path, now_ms=read_at) as reader:
        return reader.opened


def refusal(path: Path) -> str:
    before = listing(path.parent)
    with pytest.raises(Unreadable) as refused:
        open_reader(path, now_ms=read_at)
    assert listing(path.parent) == before
    return refused.value.sentence


def tasks(reader: Reader, **wanted: object) -> TaskPage:
    page = reader.answer(TaskPageRequest(**wanted))  # type: ignore[arg-type]
    assert isinstance(page, TaskPage)
    return page


def answer_everything(reader: Reader, task_id: str = "a") -> None:
    for request in (
        TaskPageRequest(),
        TasksByIdRequest((task_id,)),
        TaskDetailRequest(task_id),
        EventPageRequest(task_id),
        EventDataRequest(task_id, 1),
        TimelineRequest(task_id),
        TimelineRequest(task_id, limit=2),
        CountsRequest(),
        ModelsRequest(),
        LeftoversRequest(),
        RetentionRequest(1),
    ):
        reader.answer(request)


def test_the_native_layout_is_known(tmp_path: Path) -> None:
    native_file = opened(make(tmp_path / "a.db", "a"))

    assert (native_file.layout, native_file.user_version, native_file.may_act) == (LayoutKind.NATIVE, 1, True)


def test_a_newer_version_is_read_with_a_note_and_never_written(tmp_path: Path) -> None:
    path = made(make(tmp_path / "a.db", "a"), "PRAGMA user_version = 2147483647")

    newer = opened(path)

    assert (newer.layout, newer.user_version, newer.may_act) == (LayoutKind.NEWER, 2147483647, False)
    assert "version 2147483647" in newer.notes[-1]
    assert newer.why_not_act is not None


@pytest.mark.parametrize("application_id", [0, 1, -1])
def test_a_file_that_is_not_marked_as_ours_is_read_as_far_as_it_goes(tmp_path: Path, application_id: int) -> None:
    path = made(make(tmp_path / "a.db", "a"), f"PRAGMA application_id = {application_id}")

    other = opened(path)

    assert (other.layout, other.may_act, other.why_not_act) == (
        LayoutKind.OTHER,
        False,
        "This is not the native layout.",
    )
    assert other.notes[-1].startswith("This is not the native layout. Tasks and events are shown")


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize(
    "change", ["DROP TRIGGER task_events_never_change", "CREATE TRIGGER mine AFTER UPDATE ON tasks BEGIN SELECT 1; END"]
)
def test_triggers_that_are_not_the_layouts_own_forbid_actions(tmp_path: Path, change: str) -> None:
    changed = opened(made(make(tmp_path / "a.db", "a"), change))

    assert changed.layout is LayoutKind.NATIVE
    assert not changed.may_act
    assert changed.why_not_act is not None
    assert "rigger" in changed.why_not_act


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize("kind", SPELLED)
def test_a_trigger_is_one_however_its_row_spells_it(tmp_path: Path, kind: str) -> None:
    path = make(tmp_path / "a.db", "a", journal="delete")
    made(path, "CREATE TRIGGER evil AFTER UPDATE OF status ON tasks BEGIN DELETE FROM models; END")
    spelled(path, SPELLED[kind])

    changed = opened(path)

    assert changed.layout is LayoutKind.NATIVE
    assert not changed.may_act
    assert changed.why_not_act == "It carries triggers that are not the layout's own."


@pytest.mark.parametrize("table", ["tasks", "task_events"])
def test_a_database_without_the_tables_is_named_as_what_it_is(tmp_path: Path, table: str) -> None:
    path = made(
        tmp_path / "a.db",
        *(f"CREATE TABLE {name} (id, status, task_id, seq)" for name in ("tasks", "task_events") if name != table),
        "CREATE TABLE more (a)",
    )

    sentence = f"a.db is an SQLite database, but not of an LMSP service: it has no table {table}."
    assert refusal(path) == f"{sentence} {WHAT_TO_DO}"


@pytest.mark.threat(id="T2")
@pytest.mark.parametrize("table", ["tasks", "task_events"])
def test_an_endless_view_is_no_table(tmp_path: Path, table: str) -> None:
    path = make(tmp_path / "a.db", "a", journal="delete")
    made(path, "PRAGMA foreign_keys = OFF", f"DROP TABLE {table}", f"CREATE VIEW {table} AS {ENDLESS}")

    sentence = f"a.db is an SQLite database, but not of an LMSP service: its {table} is no table of its own."
    assert refusal(path) == f"{sentence} {WHAT_TO_DO}"


@pytest.mark.threat(id="T2")
@pytest.mark.parametrize("table", ["models", "responses", "service_config", "clients", "idempotency_keys"])
def test_an_endless_view_in_place_of_another_table_is_left_alone(tmp_path: Path, table: str) -> None:
    path = make(tmp_path / "a.db", "a")
    made(path, f"DROP TABLE {table}", f"CREATE VIEW {table} AS {ENDLESS}")

    with open_reader(path, now_ms=read_at) as reader:
        answer_everything(reader)
        assert reader.answer(ModelsRequest()) == ModelPage((), read_at())


@pytest.mark.threat(id="T2")
def test_a_virtual_table_is_no_table(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE VIRTUAL TABLE tasks USING fts5(id, status)",
        "CREATE TABLE task_events (task_id, seq)",
    )

    assert refusal(path).endswith(f"its tasks is no table of its own. {WHAT_TO_DO}")


@pytest.mark.threat(id="T3")
def test_a_generated_column_is_never_computed(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id, status, request AS (hex(zeroblob(100000000))), kind AS (hex(zeroblob(100000000))))",
        "CREATE TABLE task_events (task_id, seq, data AS (hex(zeroblob(100000000))))",
        "INSERT INTO tasks (id, status) VALUES ('a', 'queued')",
        "INSERT INTO task_events VALUES ('a', 1)",
    )
    with open_reader(path, now_ms=read_at) as reader:
        answer_everything(reader)
        detail = reader.answer(TaskDetailRequest("a"))
        assert isinstance(detail, TaskDetail)
        assert (detail.request, detail.task.kind) == (None, "")


@pytest.mark.parametrize("lacking", ["id", "status"])
def test_a_table_without_what_makes_a_task_is_refused(tmp_path: Path, lacking: str) -> None:
    path = made(
        tmp_path / "a.db",
        f"CREATE TABLE tasks ({'status' if lacking == 'id' else 'id'}, kind)",
        "CREATE TABLE task_events (task_id, seq)",
    )

    assert refusal(path).endswith(f"its table tasks has no column {lacking} of its own. {WHAT_TO_DO}")


def test_the_least_that_can_be_read_is_read(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE Tasks (ID TEXT PRIMARY KEY, Status TEXT) WITHOUT ROWID",
        "CREATE TABLE task_events (task_id, seq, PRIMARY KEY (task_id, seq)) WITHOUT ROWID",
        "INSERT INTO tasks VALUES ('a', 'queued'), ('b', 'odd')",
        "INSERT INTO task_events VALUES ('a', 1), ('a', 2), ('a', 3)",
    )
    with open_reader(path, now_ms=read_at) as reader:
        answer_everything(reader)
        assert [task.id for task in tasks(reader).tasks] == ["b", "a"]
        events = reader.answer(EventPageRequest("a"))
        assert isinstance(events, EventPage)
        assert [event.seq for event in events.events] == [1, 2, 3]
        assert "tasks.created_at" in reader.opened.notes[-1]


def test_columns_are_taken_by_name_whatever_their_order(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (extra, status, created_at, id, model_id, rowid)",
        "CREATE TABLE task_events (data, seq, task_id, more)",
        "INSERT INTO tasks VALUES ('x', 'queued', 5, 'a', 'm', 'not a number')",
        "INSERT INTO task_events VALUES ('{}', 1, 'a', 'y')",
    )
    with open_reader(path, now_ms=read_at) as reader:
        answer_everything(reader)
        (task,) = tasks(reader).tasks
        assert (task.id, task.status, task.created_at, task.model_id) == ("a", "queued", 5, "m")


HOSTILE_VALUES = (
    "NULL", "1", "-9223372036854775808", "9223372036854775807", "1.5", "1e999", "'text'", "x'ff00'", "''",
    "CAST(x'30E3' AS TEXT)", "CAST(x'610062' AS TEXT)", "'queued' || char(0) || 'x'", "CAST(x'717565756564' AS BLOB)",
    "char(8238) || char(27) || '[2J'",
)  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE_VALUES)
def test_every_value_in_every_column_is_read(tmp_path: Path, value: str) -> None:
    ddl = re.sub(r"CREATE (UNIQUE )?(INDEX|TRIGGER).*?;\n(END;)?", "", native.DDL, flags=re.DOTALL)
    path = tmp_path / "a.db"
    db = sqlite3.connect(path, isolation_level=None)
    for table in native.TABLES:
        columns = re.search(rf"CREATE TABLE {table} \((.*?)\n\) STRICT", ddl, re.DOTALL)
        assert columns
        names = re.findall(r"^ {4}([a-z_]+) ", columns[1], re.MULTILINE)
        db.execute(f"CREATE TABLE {table} ({', '.join(names)})")
        db.execute(f"INSERT INTO {table} VALUES ({', '.join([value] * len(names))})")
        db.execute(f"INSERT INTO {table} ({names[0]}) VALUES ('plain')")
    db.close()

    with open_reader(path, now_ms=read_at) as reader:
        assert len(tasks(reader).tasks) == 2
        for task in tasks(reader).tasks:
            answer_everything(reader, task.id)
            assert "\udcff" not in task.id
        assert reader.look() == ()


def test_pages_reach_every_task_whatever_its_time_is(tmp_path: Path) -> None:
    times = ["5", "NULL", "'2026-12-01'", "7", "7.5", "x'00'", "-3", "9223372036854775807", "7", "NULL"]
    rows = ", ".join(f"('t{number}', 'queued', {time})" for number, time in enumerate(times))
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE tasks (id, status, created_at)",
        "CREATE INDEX by_time ON tasks (created_at, id)",
        "CREATE TABLE task_events (task_id, seq)",
        f"INSERT INTO tasks VALUES {rows}",
    )
    with open_reader(path, now_ms=read_at) as reader:
        found: list[str] = []
        after = None
        more = True
        while more:
            page = tasks(reader, limit=1, after=after)
            found += [task.id for task in page.tasks]
            after = TaskKey(page.tasks[-1].created_at, page.tasks[-1].id)
            more = page.more
    assert found == ["t7", "t8", "t3", "t0", "t6", "t9", "t5", "t4", "t2", "t1"]


@pytest.mark.threat(id="T22")
def test_a_table_of_many_columns_is_read(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        f"CREATE TABLE tasks (id, status, {', '.join(f'c{number}' for number in range(1500))})",
        "CREATE TABLE task_events (task_id, seq)",
        "INSERT INTO tasks (id, status) VALUES ('a', 'queued')",
    )

    with open_reader(path, now_ms=read_at) as reader:
        assert [task.id for task in tasks(reader).tasks] == ["a"]
        assert not any("damaged" in note for note in reader.opened.notes)


def test_many_tables_do_not_matter(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "a")
    made(path, "BEGIN", *(f"CREATE TABLE t{number} (a)" for number in range(2_000)), "COMMIT")

    assert opened(path).layout is LayoutKind.NATIVE


@pytest.mark.parametrize("length", [70_000, 20_000_000])
def test_a_value_too_large_for_a_list_takes_no_row_away(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a.db"
    db = create(path)
    add_task(db, "small", client_id="c" * 60_000)
    add_task(db, "large", client_id="c" * length, error_code="e" * 100_000)
    db.close()
    with open_reader(path, now_ms=read_at) as reader:
        rows = {task.id: task for task in tasks(reader).tasks}

        assert set(rows) == {"small", "large"}
        assert rows["large"].client_id == rows["large"].error_code == "(too large to be listed)"
        assert rows["small"].client_id == "c" * 60_000


def test_a_value_too_large_to_be_searched_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = create(path)
    add_task(db, "large", client_id="c" * 20_000_000)
    db.close()
    with open_reader(path, now_ms=read_at) as reader, pytest.raises(Unanswered, match="too large"):
        reader.answer(CountsRequest(TaskFilter(text="c")))
