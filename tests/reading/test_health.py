"""What is damaged is named, a table at a time: rows that are lost, an index that gives wrong answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.layout.health import Health, TableHealth
from inspector.layout.opened import Mode
from inspector.layout.pages import Progress
from inspector.reading.connection import Parameters, ReadConnection, Row
from inspector.reading.errors import TookTooLong, Unanswered
from inspector.reading.health import health_steps
from inspector.reading.reader import open_reader
from inspector.reading.requests import HealthRequest, ProofRequest
from tests.support.broken_pages import (
    EVENTS,
    behind_the_back_of,
    many_pages,
    with_a_short_index,
    without_a_page_of_events,
    without_a_root,
)
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_task, create, read_at
from tests.support.reading_service import service_on


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return many_pages(tmp_path_factory.mktemp("whole") / "service.db").read_bytes()


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "service.db").write_bytes(whole)
    return tmp_path / "db" / "service.db"


def steps_of(path: Path, *, full: bool = False, mode: Mode | None = None) -> Iterator[Progress | Health]:
    with open_reader(path, mode=mode, now_ms=read_at) as reader:
        found = yield from health_steps(HealthRequest(full), reader, read_at())
    yield found


def health(path: Path, *, full: bool = False, mode: Mode | None = None) -> Health:
    *_, found = steps_of(path, full=full, mode=mode)
    assert isinstance(found, Health)
    return found


def damaged(found: Health) -> list[TableHealth]:
    return [table for table in found.tables if table.notes]


@pytest.mark.parametrize("full", [False, True])
def test_a_whole_file_is_sound(path: Path, full: bool) -> None:
    found = health(path, full=full)

    assert [table.table for table in found.tables] == [
        "clients", "idempotency_keys", "models", "responses", "service_config", "task_events", "tasks",
    ]  # fmt: skip
    assert (damaged(found), found.unchecked, found.full) == ([], (), full)


def test_the_progress_counts_tables(path: Path) -> None:
    *told, _ = steps_of(path)

    assert told == [Progress(number, 7) for number in range(7)]


def test_lost_rows_are_counted_and_placed_and_the_other_tables_are_sound(path: Path) -> None:
    without_a_page_of_events(path)
    before = touch_state(path)

    [events] = damaged(health(path))

    assert events.table == "task_events"
    assert events.part_unread
    assert events.missing is not None
    assert 10 < events.missing < 100
    [sentence] = events.notes
    assert sentence.startswith(f"Part of task_events cannot be read: about {events.missing} rows, between the rows ")
    after, before_row = (int(word.strip(".").replace(",", "")) for word in sentence.split()[-3::2])
    assert 1 < after < before_row < EVENTS
    assert before_row - after - 1 == events.missing
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("table", ["task_events", "models"])
def test_a_table_of_which_nothing_can_be_read_is_named(path: Path, table: str) -> None:
    without_a_root(path, table)

    [found] = damaged(health(path))

    assert (found.table, found.notes) == (table, (f"{table} cannot be read.",))
    assert (found.part_unread, found.missing) == (True, None)


def test_an_index_that_cannot_be_read_is_named_and_its_table_is_whole(path: Path) -> None:
    without_a_root(path, "tasks_by_created")

    [tasks] = damaged(health(path))

    assert tasks.notes == ("Index tasks_by_created on tasks is damaged: counts and orders that use it may be wrong.",)
    assert not tasks.part_unread


def test_an_index_that_lacks_a_row_is_named_by_the_full_check(path: Path) -> None:
    with_a_short_index(path, "tasks_by_model")

    [tasks] = damaged(health(path, full=True))

    assert tasks.notes == ("Index tasks_by_model on tasks is damaged: counts and orders that use it may be wrong.",)
    assert "row 60 missing from index tasks_by_model" in tasks.said


def test_an_index_that_lacks_rows_is_named_by_the_quick_check_as_well(path: Path) -> None:
    before = health(path)
    columns = "client_id, model_id, kind, status, on_restart, snapshot_seq, last_seq, attempt, error_code, created_at, "
    columns += "started_at, finished_at, updated_at, error_message, request, snapshot"
    insert = f"INSERT INTO tasks (id, {columns}) SELECT 'more', {columns} FROM tasks LIMIT 1"
    behind_the_back_of(path, "tasks_by_status", insert)

    [tasks] = damaged(health(path))

    assert damaged(before) == []
    assert tasks.said == ()
    assert tasks.notes == ("Index tasks_by_status on tasks is damaged: counts and orders that use it may be wrong.",)


def test_what_is_no_lost_row_and_no_index_is_told_in_the_words_of_sqlite(path: Path) -> None:
    with_a_short_index(path, "tasks_by_model")

    [tasks] = damaged(health(path))

    assert len(tasks.said) == 1
    assert tasks.notes == (f"SQLite's own check of tasks says: {tasks.said[0]}.",)


def test_a_name_that_would_be_sql_is_only_a_name(tmp_path: Path) -> None:
    db = create(tmp_path / "service.db", journal="delete")
    name = 'a"); DROP TABLE tasks; --\x1b[2J'
    quoted = name.replace('"', '""')
    db.execute(f'CREATE TABLE "{quoted}" (a)')
    db.execute(f'CREATE TABLE "{quoted}2" (a PRIMARY KEY) WITHOUT ROWID')
    db.close()

    found = health(tmp_path / "service.db", full=True)

    assert [table.table for table in found.tables][:2] == [name, f"{name}2"]
    assert damaged(found) == []


def test_a_table_whose_check_does_not_end_in_time_is_said_to_be_unchecked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = ReadConnection.rows

    def late(self: ReadConnection, sql: str, parameters: Parameters = ()) -> list[Row]:
        if sql == "PRAGMA main.quick_check(`models`)":
            raise TookTooLong("This took too long to read and was stopped.")
        return check(self, sql, parameters)

    monkeypatch.setattr(ReadConnection, "rows", late)

    found = health(path)

    assert found.unchecked == ("models was not checked to its end: This took too long to read and was stopped.",)
    assert (len(found.tables), damaged(found)) == (6, [])


def test_of_very_many_tables_the_first_are_checked_and_the_rest_is_said_not_to_be(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.reading.health._MOST_TABLES", 5)

    found = health(path)

    assert (len(found.tables), found.unchecked) == (5, ("2 more tables were not checked.",))


@pytest.mark.process
def test_a_live_file_is_not_checked_but_a_copy_of_it_is(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    create(path).close()
    with service_on(path) as service:
        add_task(service, "a")
        with pytest.raises(Unanswered, match="checkpoints would wait"):
            health(path)

        assert damaged(health(path, mode=Mode.COPY)) == []


@pytest.mark.process
def test_the_check_ends_where_a_service_opens_the_file(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    create(path).close()
    steps = steps_of(path)
    next(steps)
    with service_on(path) as service:
        add_task(service, "a")
        with pytest.raises(Unanswered, match="checkpoints would wait"):
            next(steps)


@pytest.mark.parametrize("request_", [HealthRequest(), ProofRequest()])
def test_a_reader_that_others_wait_for_does_no_errand(path: Path, request_: HealthRequest | ProofRequest) -> None:
    with open_reader(path, now_ms=read_at) as reader, pytest.raises(Unanswered, match="a process of its own"):
        reader.answer(request_)
