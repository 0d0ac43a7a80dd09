"""A file that another process keeps locked: it is said once, the reader process waits for it and still answers."""

import signal
import sqlite3
import time
from pathlib import Path

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.reading import connection, holders
from inspector.reading.errors import LockedOut, Unreadable
from inspector.reading.locked import LONGEST_REST_S, BackOff, LockWatch, sentence_on
from inspector.reading.messages import Failed, Locked, Lost, Moved, Unlocked
from inspector.reading.process import EXIT_UNREADABLE
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest, Watch
from tests.support.locked_files import SENTENCE_WITHIN_S, free, lock, locked_by
from tests.support.reading_databases import add_task, listing, make, read_at
from tests.support.reading_process import reader_on
from tests.support.reading_service import service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process wait for a lock only a moment each time."""
    monkeypatch.setattr(connection, "_BUSY_S", 0.005)


def test_a_locked_file_is_left_alone_for_longer_and_longer_up_to_a_few_seconds() -> None:
    back_off = BackOff()
    rests = [back_off.rest_s() for _ in range(7)]
    back_off.reset()

    assert rests == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, LONGEST_REST_S]
    assert back_off.rest_s() == 0.25


def test_a_lock_that_a_look_meets_is_told_at_the_second_one_in_a_row() -> None:
    watch = LockWatch()

    assert watch.met("It is locked.", by_a_look=True) == ()
    assert watch.passed() == ()
    assert watch.met("It is locked.", by_a_look=True) == ()
    assert watch.met("It is locked.", by_a_look=True) == (Locked("It is locked."),)
    assert watch.met("It is locked.", by_a_look=True) == ()
    assert watch.sentence == "It is locked."
    assert watch.passed() == (Unlocked(),)
    assert watch.passed() == ()
    assert watch.sentence is None


def test_a_lock_that_a_question_meets_is_told_at_once_and_another_holder_again() -> None:
    watch = LockWatch()

    assert watch.met("a has it.", by_a_look=False) == (Locked("a has it."),)
    assert watch.met("a has it.", by_a_look=False) == ()
    assert watch.met("b has it.", by_a_look=True) == (Locked("b has it."),)
    assert watch.passed() == (Unlocked(),)


def test_who_only_reads_or_is_about_to_write_is_not_named(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    busy = sqlite3.OperationalError()
    busy.sqlite_errorcode, busy.sqlite_errorname = sqlite3.SQLITE_BUSY, "SQLITE_BUSY"
    with service_on(path) as reads, service_on(path) as service:
        reads.execute("BEGIN")
        reads.execute("SELECT * FROM tasks")
        assert sentence_on(busy, "service.db", str(path)) == "service.db is locked by another process (SQLITE_BUSY)."
        reads.execute("ROLLBACK")
        service.execute("BEGIN EXCLUSIVE")
        assert sentence_on(busy, "service.db", str(path)) == locked_by(service)
        damaged = sqlite3.DatabaseError()
        damaged.sqlite_errorcode, damaged.sqlite_errorname = sqlite3.SQLITE_CORRUPT, "SQLITE_CORRUPT"
        assert str(service.pid) not in sentence_on(damaged, "service.db", str(path))


@pytest.mark.usefixtures("impatient")
def test_nobody_is_named_where_the_system_lists_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    monkeypatch.setattr(holders, "listed_owners", lambda *_args, **_kinds: None)
    with service_on(path, "locking_mode=EXCLUSIVE") as service:
        add_task(service, "late")
        with pytest.raises(Unreadable) as refused:
            open_reader(path, now_ms=read_at)
    assert refused.value.sentence == "service.db is locked by another process (SQLITE_BUSY)."
    assert (refused.value.is_locked, refused.value.may_pass) == (True, True)


@pytest.mark.usefixtures("impatient")
def test_looks_tell_of_a_lock_and_of_its_end_and_what_was_committed_comes(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        service.execute("INSERT INTO service_config VALUES ('k', '1', 1)")
        reader.look()
        assert reader.opened.mode is Mode.LIVE
        lock(service)

        assert reader.look() == ()
        assert reader.look() == (Locked(locked_by(service)),)
        assert reader.look() == ()
        told = [reader.locked_out]
        free(service)
        pushes = reader.look()
        told.append(reader.locked_out)

        assert [type(push) for push in pushes] == [Moved, Unlocked]
        assert told == [locked_by(service), None]
        assert shown(reader) == ["early", "late"]


@pytest.mark.usefixtures("impatient")
def test_a_question_tells_of_the_lock_at_once_and_the_next_of_its_end(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        add_task(service, "other")
        lock(service)
        with pytest.raises(LockedOut, match="locked by another process"):
            shown(reader)
        assert Locked(locked_by(service)) in reader.take_pushes()
        free(service)

        assert shown(reader) == ["early", "late", "other"]
        assert Unlocked() in reader.take_pushes()


@pytest.mark.usefixtures("impatient")
def test_a_file_that_is_gone_is_locked_no_longer(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        lock(service)
        reader.look()
        reader.look()
        path.unlink()

        assert [type(push) for push in reader.look()] == [Lost]
        assert reader.locked_out is None


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_file_that_is_locked_as_it_is_opened_opens_by_itself(tmp_path: Path, journal: str) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with service_on(path, "locking_mode=EXCLUSIVE") as service:
        add_task(service, "late")
        before = listing(tmp_path)
        began = time.monotonic()
        with reader_on(path) as reader:
            assert reader.receive() == Locked(locked_by(service))
            assert time.monotonic() - began < SENTENCE_WITHIN_S
            assert listing(tmp_path) == before
            service.close()

            assert reader.receive() == Unlocked()
            assert isinstance(reader.receive(), Opened)
            page = reader.ask(TaskPageRequest())
            assert isinstance(page, TaskPage)
            assert {task.id for task in page.tasks} == {"early", "late"}
            assert reader.end() == (0, "")


def test_what_is_asked_before_the_file_is_free_is_answered_then(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, reader_on(path) as reader:
        lock(service)
        reader.until(Locked)
        free(service)
        page = reader.ask(TaskPageRequest())

        assert isinstance(page, TaskPage)
        assert {task.id for task in page.tasks} == {"early", "late"}


@pytest.mark.parametrize("how", ["input", "signal"])
def test_a_process_that_waits_for_a_lock_ends_as_soon_as_nobody_waits_for_it(tmp_path: Path, how: str) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service:
        lock(service)
        with reader_on(path) as reader:
            reader.until(Locked)
            if how == "signal":
                reader.process.send_signal(signal.SIGTERM)
                assert reader.ended() == (0, "")
            else:
                assert reader.end() == (0, "")


def test_one_that_waits_for_a_lock_says_what_became_of_the_file(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, reader_on(path) as reader:
        lock(service)
        reader.until(Locked)
        path.unlink()

        assert reader.until(Lost).sentence.startswith("service.db is not there")
        assert reader.ended()[0] == EXIT_UNREADABLE


def test_the_process_for_the_background_waits_for_no_lock(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, reader_on(path, "--background") as reader:
        lock(service)
        lost = reader.receive()

        assert isinstance(lost, Lost)
        assert lost.sentence == locked_by(service)
        assert reader.ended()[0] == EXIT_UNREADABLE


def test_while_it_is_locked_every_question_is_answered_soon_with_the_sentence(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, reader_on(path) as reader:
        reader.until(Opened)
        lock(service)
        assert reader.until(Locked).sentence == locked_by(service)
        began = time.monotonic()
        answers = [reader.ask(TaskPageRequest()) for _ in range(20)]
        assert time.monotonic() - began < SENTENCE_WITHIN_S

        assert all(isinstance(answer, Failed) and answer.sentence == locked_by(service) for answer in answers)
        free(service)
        reader.until(Unlocked)
        page = reader.ask(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert {task.id for task in page.tasks} == {"early", "late"}


def test_in_a_pause_a_lock_is_not_looked_at_and_a_question_finds_it_gone(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, reader_on(path) as reader:
        reader.until(Opened)
        add_task(service, "other")
        reader.until(Opened)
        assert reader.ask(Watch(every_ms=None)) is None
        lock(service)
        answer = reader.ask(TaskPageRequest())
        assert isinstance(answer, Failed)
        assert answer.sentence == locked_by(service)
        assert reader.until(Locked).sentence == locked_by(service)
        free(service)

        while isinstance(answer, Failed):
            answer = reader.ask(TaskPageRequest())
        assert isinstance(answer, TaskPage)
        assert reader.until(Unlocked) == Unlocked()
