"""Whatever happens to a file while it is open is noticed at the next look, said, and crashes nobody else."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unanswered
from inspector.reading.messages import Failed, Lost, Moved, Push
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import CountsRequest, TaskPageRequest, Watch
from tests.support.file_changes import halved, with_an_end, with_emptied, without_its
from tests.support.reading_databases import add_task, make, read_at
from tests.support.reading_process import ReaderProcess, reader_on
from tests.support.reading_service import Service, service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(30)


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    make(path.with_name("other.db"), "stranger").rename(path)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def overwritten(path: Path) -> None:
    shutil.copyfile(make(path.with_name("other.db"), "stranger", journal="delete"), path)


def overwritten_by_text(path: Path) -> None:
    path.write_bytes(b"something else altogether\n" * 4_000)


SAID: dict[Callable[[Path], None], str] = {
    removed: "The file is gone. It was removed.",
    replaced: "The file is gone. It was replaced by another one.",
    emptied: "The file is gone. It was emptied.",
    overwritten_by_text: "service.db cannot be read: it is a text file.",
}


@contextmanager
def followed(path: Path, *, live: bool) -> Iterator[tuple[Service | None, Reader]]:
    with service_on(path) if live else nullcontext() as service, open_reader(path, now_ms=read_at) as reader:
        reader.look()
        yield service, reader


@pytest.mark.parametrize("live", [True, False], ids=["live", "resting"])
@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("what", [removed, replaced, emptied], ids=lambda what: what.__name__)
def test_a_file_that_goes_away_is_said_to_be_gone_at_the_next_look(
    tmp_path: Path, what: Callable[[Path], None], journal: str, *, live: bool
) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with followed(path, live=live) as (_, reader):
        what(path)

        assert reader.look() == (Lost(SAID[what], read_at()),)
        with pytest.raises(Unanswered) as refused:
            reader.answer(TaskPageRequest())
        assert refused.value.sentence == SAID[what]


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("what", [halved, overwritten, overwritten_by_text], ids=lambda what: what.__name__)
def test_a_file_at_rest_that_is_written_over_is_lost(
    tmp_path: Path, what: Callable[[Path], None], journal: str
) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with followed(path, live=False) as (_, reader):
        what(path)
        pushes = reader.look()

        if what is overwritten:
            assert pushes == (Lost("The file is gone. It was written over by another one.", read_at()),)
        elif what is overwritten_by_text:
            assert pushes == (Lost(SAID[what], read_at()),)
        else:
            assert pushes == (Lost("The file is gone. A part of it was cut off.", read_at()),)


def a_page_cut_off(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 4096)


def overwritten_by_an_earlier_copy(path: Path) -> None:
    shutil.copyfile(path.with_name("earlier.db"), path)


def overwritten_by_another_of_its_kind(path: Path) -> None:
    shutil.copyfile(make(path.with_name("other.db"), "stranger"), path)


def overwritten_by_a_later_one_of_its_kind(path: Path) -> None:
    """Each number in its header that a service's commits raise is higher, and nothing else differs in kind."""
    shutil.copyfile(make(path.with_name("other.db"), *(f"stranger-{number}" for number in range(1_000))), path)


SAID_LIVE: dict[Callable[[Path], None], str] = {
    halved: "The file is gone. A part of it was cut off.",
    overwritten: "The file is gone. It was written over by another one.",
    overwritten_by_text: "The file is gone. It was written over by another one.",
    overwritten_by_an_earlier_copy: "The file is gone. It was written over by another one.",
    overwritten_by_another_of_its_kind: "The file is gone. It was written over by another one.",
    overwritten_by_a_later_one_of_its_kind: "The file is gone. It was written over by another one.",
}


@pytest.mark.parametrize("what", SAID_LIVE, ids=lambda what: what.__name__)
@pytest.mark.parametrize("crashed", [False, True], ids=["live", "crashed"])
def test_a_file_in_wal_mode_that_is_written_over_is_lost_at_the_next_look(
    tmp_path: Path, what: Callable[[Path], None], *, crashed: bool
) -> None:
    path = make(tmp_path / "service.db", "first")
    shutil.copyfile(path, path.with_name("earlier.db"))
    with service_on(path) as service, open_reader(path, now_ms=read_at) as live:
        for number in range(200):
            add_task(service, f"task-{number}")
        service.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        add_task(service, "late")
        assert not any(isinstance(push, Lost) for push in live.look())
        if crashed:
            service.kill()
        with open_reader(path, now_ms=read_at) if crashed else nullcontext(live) as reader:
            assert reader.opened.mode is (Mode.CRASHED if crashed else Mode.LIVE)
            what(path)

            assert reader.look() == (Lost(SAID_LIVE[what], read_at()),)
            with pytest.raises(Unanswered) as refused:
                reader.answer(TaskPageRequest())
            assert refused.value.sentence == SAID_LIVE[what]


def test_a_file_that_was_cut_off_under_its_service_is_opened_again_with_a_note(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(200)))
    with service_on(path) as service:
        add_task(service, "late")
        halved(path)
        with open_reader(path, now_ms=read_at) as reader:
            assert reader.opened.faulty
            assert any(note.startswith("service.db was cut off: ") for note in reader.opened.notes)


def test_what_a_service_does_to_its_file_is_no_harm(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(200)))
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        for statement in (
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "CREATE TABLE another (a)",
            "PRAGMA user_version = 7",
            "PRAGMA wal_checkpoint(PASSIVE)",
            "DROP TABLE another",
            "VACUUM",
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "CREATE TABLE more AS SELECT randomblob(100000)",
        ):
            service.execute(statement)
            assert not any(isinstance(push, Lost) for push in reader.look()), statement
        assert isinstance(reader.answer(TaskPageRequest()), TaskPage)


def test_checkpoints_that_run_while_it_is_looked_are_no_harm(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path, "wal_autocheckpoint=1", "synchronous=OFF") as service:

        def work() -> None:
            for number in range(400):
                add_task(service, f"task-{number}", request="x" * 9_000)

        with open_reader(path, now_ms=read_at) as reader:
            working = threading.Thread(target=work)
            working.start()
            pushes: list[Push] = []
            while working.is_alive():
                pushes += reader.look()
            working.join()
            pushes += reader.look()
    assert any(isinstance(push, Moved) for push in pushes)
    assert not any(isinstance(push, Lost) for push in pushes)


def touched(path: Path) -> None:
    os.utime(path, ns=(1, 1))
    path.chmod(0o600)


@pytest.mark.parametrize("what", [a_page_cut_off, *SAID_LIVE], ids=lambda what: what.__name__)
@pytest.mark.parametrize("has_read", [False, True], ids=["opened", "has read"])
def test_a_file_whose_service_has_written_nothing_yet_is_lost_as_well(
    tmp_path: Path, what: Callable[[Path], None], *, has_read: bool
) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(200)))
    shutil.copyfile(path, path.with_name("earlier.db"))
    with service_on(path) as service:
        add_task(service, "late")
    with service_on(path) as service:
        if has_read:
            service.execute("SELECT count(*) FROM tasks")
        with open_reader(path, now_ms=read_at) as reader:
            assert reader.look() == ()
            shown(reader)
            what(path)
            (lost,) = reader.look()
            assert isinstance(lost, Lost)
            assert lost.sentence in {SAID_LIVE.get(what), "The file is gone. A part of it was cut off."}


@pytest.mark.parametrize("what", [touched, with_an_end], ids=lambda what: what.__name__)
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_file_at_rest_that_no_transaction_changed_stays_at_rest(
    tmp_path: Path, what: Callable[[Path], None], journal: str
) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with followed(path, live=False) as (_, reader):
        what(path)

        assert not any(isinstance(push, Lost) for push in reader.look())
        assert reader.opened.mode is Mode.RESTING
        assert shown(reader) == ["early"]


def test_a_file_that_is_only_touched_is_not_lost(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path), open_reader(path, now_ms=read_at) as reader:
        os.utime(path, ns=(1, 1))
        path.chmod(0o600)

        assert reader.look() == ()


@pytest.mark.parametrize("what", [halved, overwritten, overwritten_by_text], ids=lambda what: what.__name__)
def test_a_live_file_in_rollback_mode_that_is_written_over_ends_in_sentences(
    tmp_path: Path, what: Callable[[Path], None]
) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(200)), journal="delete")
    with followed(path, live=True) as (_, reader):
        what(path)
        for _ in range(3):
            reader.look()
        for request in (TaskPageRequest(), CountsRequest()):
            try:
                reader.answer(request)
            except Unanswered as error:
                said = error.sentence
                assert said.startswith(("service.db ", "The file is gone."))


@pytest.mark.parametrize(
    "what",
    [without_its("-shm"), without_its("-wal"), with_emptied("-shm"), with_emptied("-wal"), emptied, halved],
    ids=["-shm unlinked", "-wal unlinked", "-shm truncated", "-wal truncated", "truncated", "halved"],
)
def test_a_file_or_companion_that_is_cut_under_a_live_reader_kills_no_more_than_the_reader(
    tmp_path: Path, what: Callable[[Path], None]
) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(200)))
    with service_on(path) as service, reader_on(path) as reader:
        add_task(service, "late")
        reader.until(Opened)
        reader.ask(Watch(every_ms=20))
        reader.ask(TaskPageRequest())
        service.kill()
        what(path)
        answered = asked_until_it_ends(reader)

    assert answered in ("answered", "refused", "ended")
    with reader_on(path) as again:
        assert isinstance(again.receive(), Opened | Lost)


def asked_until_it_ends(reader: ReaderProcess) -> str:
    """Ask for the tasks, and say what came: a truncated -shm may end the process, which the session then replaces."""
    try:
        answer = reader.ask(TaskPageRequest())
    except (EOFError, BrokenPipeError):
        return "ended"
    if isinstance(answer, Failed):
        return "refused"
    assert isinstance(answer, TaskPage)
    return "answered"
