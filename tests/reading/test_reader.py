"""What a reader shows of a file in each mode, and that it changes nothing of one that nobody writes."""

import sqlite3
from pathlib import Path

import pytest

from inspector.layout.opened import LayoutKind, Mode
from inspector.layout.pages import TaskPage
from inspector.layout.rows import TaskRow
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.reader import open_reader
from inspector.reading.requests import (
    CountsRequest,
    EventDataRequest,
    EventPageRequest,
    LeftoversRequest,
    ModelsRequest,
    Request,
    RetentionRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TasksByIdRequest,
    TimelineRequest,
    Watch,
)
from tests.support.locked_files import locked_by
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed, hot
from tests.support.reading_databases import add_task, listing, make, read_at
from tests.support.reading_service import service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(30)

EVERY_REQUEST: tuple[Request, ...] = (
    TaskPageRequest(),
    TasksByIdRequest(("early",)),
    TaskDetailRequest("early"),
    EventPageRequest("early"),
    EventDataRequest("early", 1),
    TimelineRequest("early"),
    CountsRequest(),
    ModelsRequest(),
    LeftoversRequest(),
    RetentionRequest(1),
    Watch(("early",)),
)


def read_everything(path: Path, mode: Mode | None = None) -> tuple[list[str], Mode]:
    with open_reader(path, mode=mode, now_ms=read_at, locks_every_s=0) as reader:
        for request in EVERY_REQUEST:
            reader.answer(request)
        for _ in range(3):
            reader.look()
        return shown(reader), reader.opened.mode


@pytest.mark.parametrize("journal", ["wal", "delete", "persist"])
def test_a_resting_file_shows_all_its_rows_and_stays_as_it_is(tmp_path: Path, journal: str) -> None:
    path = make(tmp_path / "service.db", "early", "late", journal=journal)
    before = touch_state(path)

    assert read_everything(path) == (["early", "late"], Mode.RESTING)
    assert differences(before, touch_state(path)) == ()


def test_a_crashed_file_shows_what_is_only_in_its_wal_and_stays_as_it_is(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    before = touch_state(path)

    assert read_everything(path) == (["early", "late"], Mode.CRASHED)
    assert differences(before, touch_state(path)) == ()


def test_a_wal_without_its_shm_shows_all_rows_and_stays_as_it_is(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    (tmp_path / "service.db-shm").unlink()
    before = touch_state(path)

    assert read_everything(path) == (["early", "late"], Mode.COPY)
    assert differences(before, touch_state(path)) == ()


def test_a_hot_journal_is_rolled_back_in_the_copy_alone(tmp_path: Path) -> None:
    path = hot(tmp_path / "service.db")
    before = touch_state(path)

    with open_reader(path, now_ms=read_at) as reader:
        assert shown(reader) == ["early"]
        assert "An unfinished transaction was rolled back in the copy." in reader.opened.notes
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("made", [crashed, hot, lambda path: make(path, "early")], ids=["crashed", "hot", "resting"])
def test_a_copy_that_was_asked_for_changes_nothing_and_allows_no_action(tmp_path: Path, made: object) -> None:
    assert callable(made)
    path = made(tmp_path / "service.db")
    before = touch_state(path)

    rows, mode = read_everything(path, Mode.COPY)

    assert mode is Mode.COPY
    assert "early" in rows
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_live_file_shows_each_commit_and_no_more_than_that(tmp_path: Path, journal: str) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with service_on(path) as service:
        service.execute("BEGIN IMMEDIATE")
        with open_reader(path, now_ms=read_at) as reader:
            service.execute("ROLLBACK")
            assert reader.opened.mode is Mode.LIVE
            assert shown(reader) == ["early"]
            for number in range(5):
                add_task(service, f"task-{number}")
                assert f"task-{number}" in shown(reader)


def test_a_copy_of_a_live_file_is_whole(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path, "wal_autocheckpoint=0") as service:
        add_task(service, "late")
        with open_reader(path, mode=Mode.COPY, now_ms=read_at) as reader:
            assert shown(reader) == ["early", "late"]
            add_task(service, "later")
            assert shown(reader) == ["early", "late"]


def test_no_file_is_left_by_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = crashed(tmp_path / "service.db")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))

    with open_reader(path, mode=Mode.COPY, now_ms=read_at):
        (copy,) = temporary.iterdir()
        assert copy.stat().st_mode & 0o777 == 0o700
    assert listing(temporary) == set()


def test_a_checkpoint_never_waits_for_an_idle_reader(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, open_reader(path, now_ms=read_at, locks_every_s=0) as reader:
        for number in range(20):
            add_task(service, f"task-{number}")
            for request in EVERY_REQUEST:
                reader.answer(request)
            reader.look()

            assert service.execute("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
        assert (tmp_path / "service.db-wal").stat().st_size == 0


def test_a_write_never_waits_for_an_idle_reader_in_rollback_mode(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path, "busy_timeout=0") as service, open_reader(path, now_ms=read_at) as reader:
        for number in range(5):
            add_task(service, f"task-{number}")
            for request in EVERY_REQUEST:
                reader.answer(request)
        assert reader.opened.mode is Mode.LIVE


def test_a_deadline_ends_what_takes_too_long_and_the_reader_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = sqlite3.connect(make(path, "early"), isolation_level=None)
    db.execute("""
        INSERT INTO models WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        SELECT i, i, 'sha256:' || printf('%064d', i), 1, '/m', NULL, '{}', 1 FROM n
    """)
    db.close()
    with open_reader(path, now_ms=read_at) as reader:
        with pytest.raises(Unanswered, match="took too long"):
            reader.answer(ModelsRequest(), deadline_ms=0)
        assert shown(reader) == ["early"]


def test_what_no_database_can_hold_is_an_answer_not_a_fault(tmp_path: Path) -> None:
    with open_reader(make(tmp_path / "service.db", "early"), now_ms=read_at) as reader:
        for request in (TaskDetailRequest("a\udc80"), EventDataRequest("a", 1 << 70)):
            with pytest.raises(Unanswered, match="No database can hold what was asked for"):
                reader.answer(request)
        assert shown(reader) == ["early"]


def test_a_native_file_may_be_acted_on_unless_it_is_a_copy(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with open_reader(path, now_ms=read_at) as reader:
        assert (reader.opened.layout, reader.opened.may_act, reader.opened.why_not_act) == (
            LayoutKind.NATIVE,
            True,
            None,
        )
        assert reader.opened.path == str(path)
        assert reader.opened.user_version == 1
    with open_reader(path, mode=Mode.COPY, now_ms=read_at) as reader:
        assert (reader.opened.may_act, reader.opened.why_not_act) == (False, "It is read from a copy.")


def test_a_database_of_something_else_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE notes (id)")
    db.close()
    before = touch_state(path)

    with pytest.raises(Unreadable) as refused:
        open_reader(path, now_ms=read_at)

    assert refused.value.sentence == (
        "other.db is an SQLite database, but not of an LMSP service: it has no table tasks. The commands tasks, "
        "events and export read it by a description (--layout FILE); tables shows any table."
    )
    assert differences(before, touch_state(path)) == ()


def test_a_file_that_is_locked_for_good_is_refused_and_said_to_be_so(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path, "locking_mode=EXCLUSIVE") as service:
        add_task(service, "late")
        with pytest.raises(Unreadable) as refused:
            open_reader(path, now_ms=read_at)
        assert refused.value.sentence == locked_by(service)


def test_a_page_holds_rows_as_they_are(tmp_path: Path) -> None:
    with open_reader(make(tmp_path / "service.db", "early"), now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())

    assert page == TaskPage(
        tasks=(
            TaskRow(
                id="early",
                client_id=None,
                model_id=None,
                kind="response",
                status="queued",
                on_restart=None,
                snapshot_seq=None,
                last_seq=1,
                attempt=1,
                error_code=None,
                created_at=read_at(),
                started_at=None,
                finished_at=None,
                updated_at=read_at(),
            ),
        ),
        more=False,
        read_at_ms=read_at(),
    )


def test_a_reader_knows_whether_a_service_is_writing(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with open_reader(path, now_ms=read_at) as resting:
        assert not resting.is_written()
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        reader.is_written()
        told = [reader.is_written()]
        add_task(service, "b")
        told += [reader.is_written(), reader.is_written()]

        assert told == [False, True, False]
