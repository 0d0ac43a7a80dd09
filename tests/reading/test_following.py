"""A file becomes live, resting or crashed by itself, and is given up when it is gone."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.layout.opened import LayoutKind, Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.reading.answers import answer_of
from inspector.reading.companions import Guard, guard_of
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import TookTooLong, Unanswered
from inspector.reading.messages import Lost, Moved, Push
from inspector.reading.reader import Reader, open_reader
from inspector.reading.recognising import Shape
from inspector.reading.requests import TaskPageRequest
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import add_task, listing, make, move_task, read_at
from tests.support.reading_process import reader_on
from tests.support.reading_service import service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(30)


def opened(path: Path) -> Reader:
    """Open a reader that asks for locks at every look."""
    return open_reader(path, now_ms=read_at, locks_every_s=0)


def mode_said(pushes: tuple[Push, ...]) -> Mode | None:
    return next((push.mode for push in pushes if isinstance(push, Opened)), None)


def moved_ids(pushes: tuple[Push, ...]) -> list[str]:
    return [row.id for push in pushes if isinstance(push, Moved) for row in push.rows]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "denied"), "The file cannot be read any more: its folder may not be entered."),
        (FileNotFoundError(2, "gone"), "The file is gone. It was removed."),
    ],
)
def test_a_folder_that_may_not_be_entered_any_more_is_told_from_a_file_that_was_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, sentence: str
) -> None:
    def refuse(_path: object) -> None:
        raise error

    with opened(make(tmp_path / "a.db", "a", journal="delete")) as reader:
        monkeypatch.setattr(os, "lstat", refuse)
        lost = [push.sentence for push in reader.look() if isinstance(push, Lost)]
        monkeypatch.undo()
    assert lost == [sentence]


def test_resting_becomes_live_when_a_service_opens_it_and_resting_again(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        assert reader.look() == ()
        with service_on(path) as service:
            assert mode_said(reader.look()) is Mode.LIVE
            add_task(service, "late")
            assert moved_ids(reader.look()) == ["late"]
            assert shown(reader) == ["early", "late"]
            service.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pushes = reader.look()

        assert mode_said(pushes) is Mode.RESTING
        assert reader.opened.holder is None
        assert shown(reader) == ["early", "late"]


def test_live_becomes_crashed_when_its_service_is_killed_and_live_with_the_next(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as first, opened(path) as reader:
        add_task(first, "late")
        first.kill()

        pushes = reader.look()

        assert mode_said(pushes) is Mode.CRASHED
        assert "late" in moved_ids(pushes)
        assert reader.opened.why.endswith("its service has ended.")
        assert shown(reader) == ["early", "late"]
        with service_on(path) as second:
            assert mode_said(reader.look()) is Mode.LIVE
            add_task(second, "last")
            assert moved_ids(reader.look()) == ["last"]


def test_a_crashed_file_follows_the_service_that_starts_on_it(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    with opened(path) as reader:
        assert reader.opened.mode is Mode.CRASHED
        with service_on(path) as service:
            add_task(service, "later")
            pushes = reader.look()

            assert mode_said(pushes) is Mode.LIVE
            assert moved_ids(pushes) == ["later"]
            assert reader.opened.holder is not None
            assert f"(pid {service.pid})" in reader.opened.holder


def test_the_last_commit_of_a_service_that_ends_at_once_is_shown(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        with service_on(path) as service:
            add_task(service, "late")
        assert moved_ids(reader.look()) == ["late"]
        assert reader.opened.mode is Mode.RESTING  # it opened, wrote, tidied up and went between two looks
        assert shown(reader) == ["early", "late"]


def test_an_answer_is_never_one_of_a_file_that_moved(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader, service_on(path) as service:
        add_task(service, "late")

        assert shown(reader) == ["early", "late"]
        assert [mode_said((push,)) for push in reader.take_pushes()] == [Mode.LIVE]


def test_an_answer_during_which_the_file_moved_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "service.db", "early")
    read: list[object] = []

    def write_after_reading(*arguments: object) -> object:
        value = answer_of(*arguments)  # type: ignore[arg-type]
        if not read:
            with service_on(path) as service:
                add_task(service, "late")
        read.append(value)
        return value

    monkeypatch.setattr("inspector.reading.reader.answer_of", write_after_reading)
    with opened(path) as reader:
        assert shown(reader) == ["early", "late"]
    assert len(read) == 2


def test_a_question_that_failed_while_the_file_moved_is_asked_anew(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    asked = []

    def question(connection: ReadConnection, _shape: Shape) -> object:
        asked.append(True)
        if len(asked) == 1:
            with service_on(path) as service:
                add_task(service, "late")
            raise TookTooLong("This took too long.")
        return connection.value("SELECT count(*) FROM tasks")

    with opened(path) as reader:
        assert reader.read(question) == 2
        with pytest.raises(TookTooLong):
            reader.read(too_long)


def too_long(_connection: ReadConnection, _shape: Shape) -> object:
    raise TookTooLong("This took too long.")


def test_a_rollback_file_that_changes_is_live_without_a_lock_to_see(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with opened(path) as reader, service_on(path) as service:
        assert reader.opened.mode is Mode.RESTING
        add_task(service, "late")

        pushes = reader.look()

        assert mode_said(pushes) is Mode.LIVE
        assert moved_ids(pushes) == ["late"]
        assert reader.opened.why == (
            "It changed while it was read: a process writes to it. Reading only; a commit may wait a few ms for a read."
        )


def test_a_rollback_file_that_has_long_been_quiet_is_at_rest_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with opened(path) as reader, service_on(path) as service:
        add_task(service, "late")
        reader.look()
        assert reader.look() == ()
        monkeypatch.setattr("inspector.reading.following._QUIET_S", 0.0)

        assert mode_said(reader.look()) is Mode.RESTING
        assert shown(reader) == ["early", "late"]


def test_a_rollback_service_killed_in_mid_transaction_leaves_a_copy_to_read(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path, "cache_size=2", "cache_spill=2") as service, opened(path) as reader:
        add_task(service, "late")
        reader.look()
        service.execute("BEGIN IMMEDIATE")
        for number in range(30):
            service.execute("INSERT INTO service_config VALUES (?, hex(zeroblob(4000)), 1)", [f"k{number}"])
        service.kill()

        assert shown(reader) == ["early", "late"]
        assert mode_said(reader.look() or reader.take_pushes()) is None or reader.opened.mode is Mode.COPY
        assert reader.opened.mode is Mode.COPY


def test_a_copy_made_for_want_of_better_follows_its_original(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    (tmp_path / "service.db-shm").unlink()
    with opened(path) as reader, service_on(path) as service:
        add_task(service, "later")
        pushes = reader.look()

        assert mode_said(pushes) is Mode.LIVE
        assert moved_ids(pushes) == ["later"]


def test_a_copy_that_was_asked_for_stays_one(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with open_reader(path, mode=Mode.COPY, now_ms=read_at, locks_every_s=0) as reader, service_on(path) as service:
        add_task(service, "late")

        assert reader.look() == ()
        assert shown(reader) == ["early"]
        path.unlink()
        assert reader.look() == ()
        assert shown(reader) == ["early"]


def test_a_resting_look_costs_no_query(tmp_path: Path, statements: list[str]) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        statements.clear()
        for _ in range(3):
            assert reader.look() == ()
        assert statements == []


def test_a_live_look_costs_one_pragma(tmp_path: Path, statements: list[str]) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path), opened(path) as reader:
        statements.clear()
        for _ in range(3):
            assert reader.look() == ()
        assert statements == ["PRAGMA data_version"] * 3


def test_a_live_look_leaves_the_files_alone_until_the_locks_are_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: list[str]
) -> None:
    path = make(tmp_path / "service.db", "early")
    asked: list[str] = []

    def counting(of: str) -> Guard:
        asked.append(of)
        return guard_of(of)

    with service_on(path) as service, open_reader(path, now_ms=read_at, locks_every_s=3_600) as reader:
        monkeypatch.setattr("inspector.reading.source.guard_of", counting)
        statements.clear()
        assert reader.look() == ()
        assert statements == ["PRAGMA data_version"]
        assert asked == []
        add_task(service, "late")
        assert moved_ids(reader.look()) == ["late"]


def _removed(path: Path) -> None:
    path.unlink()


def _replaced(path: Path) -> None:
    make(path.with_name("other.db"), "stranger").rename(path)


def _emptied(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize("what", [_removed, _replaced, _emptied])
def test_a_live_file_that_goes_away_is_missed_at_the_next_look(tmp_path: Path, what: Callable[[Path], None]) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path), open_reader(path, now_ms=read_at, locks_every_s=3_600) as reader:
        assert reader.look() == ()
        what(path)
        (lost,) = reader.look()
        assert isinstance(lost, Lost)
        assert lost.sentence.startswith(f"The file is gone. It was {what.__name__[1:]}")


@pytest.mark.parametrize("live", [True, False])
def test_a_file_that_is_removed_is_lost(tmp_path: Path, *, live: bool) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path if live else make(tmp_path / "elsewhere.db")), opened(path) as reader:
        path.unlink()

        assert reader.look() == (Lost("The file is gone. It was removed.", read_at()),)
        assert reader.look() == ()
        with pytest.raises(Unanswered, match="The file is gone"):
            reader.answer(TaskPageRequest())


@pytest.mark.parametrize("live", [True, False])
def test_a_file_that_is_replaced_is_lost(tmp_path: Path, *, live: bool) -> None:
    path = make(tmp_path / "service.db", "early")
    other = make(tmp_path / "other.db", "stranger")
    with service_on(path if live else make(tmp_path / "elsewhere.db")), opened(path) as reader:
        other.rename(path)

        assert reader.look() == (Lost("The file is gone. It was replaced by another one.", read_at()),)


def test_a_question_notices_the_loss_of_a_resting_file(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        make(tmp_path / "other.db", "stranger").rename(path)

        with pytest.raises(Unanswered, match="replaced by another one"):
            reader.answer(TaskPageRequest())
        assert reader.look() == (Lost("The file is gone. It was replaced by another one.", read_at()),)


def test_a_file_that_is_emptied_is_lost(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        path.write_bytes(b"")

        assert reader.look() == (Lost("The file is gone. It was emptied.", read_at()),)


def test_a_file_overwritten_with_something_else_is_lost(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        path.write_bytes(b"not a database at all\n" * 1000)

        assert reader.look() == (Lost("service.db cannot be read: it is a text file.", read_at()),)


def test_a_file_overwritten_in_place_by_another_database_is_lost(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with opened(path) as reader:
        shutil.copyfile(make(tmp_path / "other.db", "stranger"), path)

        assert reader.look() == (Lost("The file is gone. It was written over by another one.", read_at()),)


def test_a_lock_that_passes_does_not_lose_the_file(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with opened(path) as reader, service_on(path) as service:
        add_task(service, "late")
        service.execute("BEGIN EXCLUSIVE")
        assert reader.look() == ()
        with pytest.raises(Unanswered, match="locked by another process"):
            reader.answer(TaskPageRequest())
        service.execute("ROLLBACK")

        assert moved_ids(reader.look()) == ["late"]
        assert shown(reader) == ["early", "late"]


def test_a_column_added_while_it_is_read_shifts_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, opened(path) as reader:
        service.execute("ALTER TABLE tasks ADD COLUMN mood TEXT")
        pushes = reader.look()

        assert [push.layout for push in pushes if isinstance(push, Opened)] == [LayoutKind.OTHER]
        assert reader.opened.may_act is False
        assert shown(reader) == ["early"]


@pytest.mark.threat(id="T4")
def test_a_trigger_added_while_it_is_read_ends_the_actions(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, opened(path) as reader:
        assert reader.opened.may_act
        service.execute("CREATE TRIGGER mine AFTER UPDATE ON tasks BEGIN SELECT 1; END")
        service.execute("INSERT INTO service_config VALUES ('retention.last_run', '1', 1)")
        reader.look()

        assert reader.opened.why_not_act == "It carries triggers that are not the layout's own."


def test_readers_do_not_take_each_other_for_the_service(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, reader_on(path) as one, reader_on(path) as other:
        add_task(service, "late")
        for reader in (one, other):
            assert reader.until(Opened).mode is Mode.LIVE
        service.kill()

        for reader in (one, other):
            assert reader.until(Opened).mode is Mode.CRASHED
            page = reader.ask(TaskPageRequest())
            assert isinstance(page, TaskPage)
            assert len(page.tasks) == 2


def test_the_first_look_after_a_moment_sees_a_write_within_the_same_tick(
    tmp_path: Path, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "service.db", "early")
    written_ms = path.stat().st_ctime_ns // 1_000_000
    monkeypatch.setattr("inspector.reading.following._SAME_TICK_MS", 1_000)
    with open_reader(path, now_ms=lambda: written_ms, locks_every_s=0) as reader:
        monkeypatch.setattr("time.monotonic", lambda: 1e12)
        statements.clear()
        assert reader.look() == ()
        assert any("sqlite_schema" in statement for statement in statements)  # it was opened anew
        statements.clear()
        assert reader.look() == ()
        assert statements == []


def test_nothing_is_left_beside_a_file_whose_service_closes_while_it_is_opened(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    for _ in range(10):
        with service_on(path) as service:
            service.execute("SELECT 1")
        with opened(path) as reader:
            assert shown(reader) == ["early"]
        assert listing(tmp_path) == {"service.db"}


def test_the_service_that_has_it_open_now_is_named(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as first, opened(path) as reader, service_on(path) as second:
        assert f"(pid {first.pid})" in str(reader.opened.holder)
        first.close()

        assert mode_said(reader.look()) is Mode.LIVE
        assert f"(pid {second.pid})" in str(reader.opened.holder)
        assert reader.look() == ()


def test_another_wal_under_the_same_name_is_the_one_that_is_read(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    with opened(path) as reader:
        assert shown(reader) == ["early", "late"]
        for suffix in ("-wal", "-shm"):
            (tmp_path / f"service.db{suffix}").unlink()
        with service_on(path, "wal_autocheckpoint=0") as service:
            add_task(service, "other")
            reader.look()

            assert shown(reader) == ["early", "other"]


def test_a_task_that_moves_is_pushed_as_it_is_now(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, opened(path) as reader:
        move_task(service, "early", "loading")
        move_task(service, "early", "running")

        (moved,) = reader.look()

        assert isinstance(moved, Moved)
        assert [(row.id, row.status, row.last_seq) for row in moved.rows] == [("early", "running", 3)]
        assert (moved.events, moved.fell_behind, moved.cleaned, moved.gone) == (2, False, False, ())
