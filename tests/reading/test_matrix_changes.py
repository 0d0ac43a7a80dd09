"""Whatever happens to a file while it is open is noticed at the next look, said, and crashes nobody else."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from inspector.layout.opened import Opened
from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unanswered
from inspector.reading.messages import Failed, Lost
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import CountsRequest, TaskPageRequest, Watch
from tests.support.reading_databases import add_task, make, read_at
from tests.support.reading_process import ReaderProcess, reader_on
from tests.support.reading_service import Service, service_on

pytestmark = pytest.mark.timeout(30)


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    make(path.with_name("other.db"), "stranger").rename(path)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


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
def test_a_file_at_rest_that_is_written_over_is_read_anew_or_lost(
    tmp_path: Path, what: Callable[[Path], None], journal: str
) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with followed(path, live=False) as (_, reader):
        what(path)
        pushes = reader.look()

        if what is overwritten:
            page = reader.answer(TaskPageRequest())
            assert isinstance(page, TaskPage)
            assert [task.id for task in page.tasks] == ["stranger"]
        elif what is overwritten_by_text:
            assert pushes == (Lost(SAID[what], read_at()),)
        else:
            (lost,) = (push for push in pushes if isinstance(push, Lost))
            assert lost.sentence == "service.db is incomplete or damaged (SQLITE_CORRUPT)."


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("what", [halved, overwritten, overwritten_by_text], ids=lambda what: what.__name__)
def test_a_live_file_that_is_written_over_ends_in_sentences(
    tmp_path: Path, what: Callable[[Path], None], journal: str
) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(200)), journal=journal)
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


def _unlinked(suffix: str) -> Callable[[Path], None]:
    return lambda path: Path(f"{path}{suffix}").unlink()


def _truncated(suffix: str) -> Callable[[Path], None]:
    return lambda path: os.truncate(f"{path}{suffix}", 0)


@pytest.mark.parametrize(
    "what",
    [_unlinked("-shm"), _unlinked("-wal"), _truncated("-shm"), _truncated("-wal"), emptied, halved],
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
