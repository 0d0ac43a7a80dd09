"""A process for one long question: it answers it, says that it is alive, and ends wherever it is told to."""

import os
import signal
import time
from pathlib import Path

import pytest

from inspector.layout.health import Health
from inspector.layout.traces import TouchState
from inspector.reading.messages import Answer, Asked, Failed, Progressed, Stop
from inspector.reading.requests import HealthRequest, ProofRequest, Request, TaskPageRequest
from inspector.reading.wire import encode
from tests.support.broken_pages import many_pages, without_a_page_of_events
from tests.support.reading_databases import make
from tests.support.reading_process import ReaderProcess, reader_on

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]


def ask(errand: ReaderProcess, request: Request) -> None:
    errand.send(encode(Asked(1, request)))


def test_the_health_of_a_file_is_answered_and_the_process_ends(tmp_path: Path) -> None:
    path = without_a_page_of_events(many_pages(tmp_path / "service.db"))
    with reader_on(path, "--errand") as errand:
        ask(errand, HealthRequest())

        assert errand.until(Progressed).progress.of == 7
        found = errand.until(Answer).value
        assert isinstance(found, Health)
        assert [table.table for table in found.tables if table.notes] == ["task_events"]
        assert errand.ended() == (0, "")


def test_the_hashes_of_a_file_are_answered_with_bytes_as_progress(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with reader_on(path, "--errand") as errand:
        ask(errand, ProofRequest())

        assert errand.until(Progressed).progress.done == path.stat().st_size
        found = errand.until(Answer).value
        assert isinstance(found, TouchState)
        assert [trace.name for trace in found.files] == ["service.db"]
        assert abs(found.at_ms - time.time_ns() // 1_000_000) < 60_000


def test_a_file_that_is_gone_is_told_in_one_sentence(tmp_path: Path) -> None:
    with reader_on(tmp_path / "none.db", "--errand") as errand:
        ask(errand, HealthRequest())

        assert errand.until(Failed).sentence == "none.db is not there."


@pytest.fixture(scope="module")
def gigabytes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that takes seconds to hash, and no room on the disk."""
    path = tmp_path_factory.mktemp("large") / "service.db"
    path.touch()
    os.truncate(path, 64 << 30)
    return path


def test_it_is_nice_and_ends_with_its_input_wherever_it_is(gigabytes: Path) -> None:
    with reader_on(gigabytes, "--errand") as errand:
        ask(errand, ProofRequest())
        errand.until(Progressed)
        assert os.getpriority(os.PRIO_PROCESS, errand.process.pid) == 19

        assert errand.end() == (0, "")


def test_it_ends_when_it_is_told_to_stop(gigabytes: Path) -> None:
    with reader_on(gigabytes, "--errand") as errand:
        ask(errand, ProofRequest())
        errand.until(Progressed)
        errand.send(encode(Stop(1)))

        assert errand.ended() == (0, "")


def test_it_ends_at_sigterm(gigabytes: Path) -> None:
    with reader_on(gigabytes, "--errand") as errand:
        ask(errand, ProofRequest())
        errand.until(Progressed)
        errand.process.terminate()

        assert errand.ended()[0] == -signal.SIGTERM


def test_it_takes_nothing_but_errands(tmp_path: Path) -> None:
    with reader_on(tmp_path / "service.db", "--errand") as errand:
        ask(errand, TaskPageRequest())

        assert errand.ended() == (3, "This is no errand.\n")


def test_without_a_question_it_ends_with_its_input(tmp_path: Path) -> None:
    with reader_on(tmp_path / "service.db", "--errand") as errand:
        assert errand.end() == (0, "")
