"""The reader process for the background: in turn, nice, in short reads, stopped when it is told."""

import os
import sqlite3
from pathlib import Path

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import Counts, EventHits, TaskFilter, TaskPage, TaskPlaces
from inspector.reading.messages import Answer, Asked, Failed, Lost, Progressed, Stop
from inspector.reading.requests import (
    CountsRequest,
    EventSearchRequest,
    ModelsRequest,
    Request,
    TaskPageRequest,
    TaskPlacesRequest,
)
from inspector.reading.steps import rest_s
from inspector.reading.wire import encode
from inspector.reading.worker import NICENESS, Pace
from tests.support.reading_databases import add_deltas, add_task, create, make, move_task
from tests.support.reading_process import ReaderProcess, reader_on

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

EVENTS = 60_000
SECONDS_OF_WORK = EventSearchRequest("no such text")


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose events take many steps to search."""
    path = tmp_path_factory.mktemp("worker") / "service.db"
    db = create(path)
    add_task(db, "a")
    move_task(db, "a", "running")
    rows = ((2 + seq, "a", 2 + seq, f'{{"delta":"{"word " * 240}{seq}"}}') for seq in range(1, EVENTS))
    db.execute("BEGIN")
    db.executemany(
        "INSERT INTO task_events (id, task_id, seq, type, status, attempt, created_at, data) "
        "VALUES (?, ?, ?, 'response.output_text.delta', 'running', 1, 1, ?)",
        rows,
    )
    db.execute("UPDATE tasks SET last_seq = (SELECT max(seq) FROM task_events)")
    db.execute("COMMIT")
    db.close()
    return path


def send(worker: ReaderProcess, number: int, request: Request) -> None:
    worker.send(encode(Asked(number, request)))


def test_it_answers_what_any_reader_answers(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", "b", "c")
    with reader_on(path, "--background") as worker:
        assert worker.until(Opened).mode is Mode.RESTING

        counts = worker.ask(CountsRequest())
        places = worker.ask(TaskPlacesRequest(every=2))
        page = worker.ask(TaskPageRequest(TaskFilter(text="B")))
        models = worker.ask(ModelsRequest())

        assert isinstance(counts, Counts)
        assert counts.by_status == {"queued": 3}
        assert isinstance(places, TaskPlaces)
        assert (places.total, [key.id for key in places.starts]) == (3, ["c", "a"])
        assert isinstance(page, TaskPage)
        assert [task.id for task in page.tasks] == ["b"]
        assert models is not None
        assert worker.end() == (0, "")


def test_it_is_nice_to_everybody_else(tmp_path: Path) -> None:
    with reader_on(make(tmp_path / "service.db", "a"), "--background") as worker:
        worker.until(Opened)

        assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) == NICENESS


def test_a_long_question_tells_how_far_it_is(long_log: Path) -> None:
    with reader_on(long_log, "--background") as worker:
        send(worker, 1, SECONDS_OF_WORK)
        told = worker.until(Progressed).progress

        assert 0 < told.done < EVENTS
        assert told.of == EVENTS + 1
        answer = worker.until(Answer).value
        assert isinstance(answer, EventHits)
        assert (answer.hits, answer.searched_to) == ((), None)


def test_hits_come_while_it_goes_on(long_log: Path) -> None:
    with reader_on(long_log, "--background") as worker:
        send(worker, 1, EventSearchRequest(f"word {EVENTS - 1}"))

        assert [hit.seq for hit in worker.until(Progressed, lambda told: told.progress.hits != ()).progress.hits] == [
            EVENTS + 1
        ]
        assert isinstance(worker.until(Answer).value, EventHits)


def test_one_that_is_stopped_is_answered_no_more_and_the_next_one_at_once(long_log: Path) -> None:
    with reader_on(long_log, "--background") as worker:
        send(worker, 1, SECONDS_OF_WORK)
        worker.until(Progressed)
        worker.send(encode(Stop(1)))
        send(worker, 2, ModelsRequest())
        send(worker, 3, ModelsRequest())

        assert [worker.until(Answer).number, worker.until(Answer).number] == [2, 3]


def test_a_short_question_does_not_wait_for_a_long_one(long_log: Path) -> None:
    with reader_on(long_log, "--background") as worker:
        send(worker, 1, SECONDS_OF_WORK)
        send(worker, 2, CountsRequest())

        assert worker.until(Answer).number == 2
        assert worker.until(Answer).number == 1


def test_no_checkpoint_waits_for_a_long_question(long_log: Path) -> None:
    service = sqlite3.connect(long_log, isolation_level=None, timeout=5)
    service.execute("SELECT count(*) FROM tasks").fetchall()
    with reader_on(long_log, "--background") as worker:
        assert worker.until(Opened).mode is Mode.LIVE
        send(worker, 1, SECONDS_OF_WORK)
        worker.until(Progressed)
        add_deltas(service, "a", 10)

        # It waits for readers of older moments: none of them lasts longer than a step.
        busy, _, _ = service.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

        assert busy == 0
        assert worker.until(Answer).number == 1
    service.close()


def test_the_wal_begins_anew_while_a_long_question_goes_on(long_log: Path) -> None:
    service = sqlite3.connect(long_log, isolation_level=None, timeout=5)
    service.execute("PRAGMA wal_autocheckpoint=20").fetchall()
    add_deltas(service, "a", 1)
    with reader_on(long_log, "--background") as worker:
        assert worker.until(Opened).mode is Mode.LIVE
        send(worker, 1, SECONDS_OF_WORK)
        worker.until(Progressed)
        begun = {times_begun(long_log)}

        while len(begun) < 5:
            add_deltas(service, "a", 1)
            begun.add(times_begun(long_log))

        # It is at it still: what it had said until now is in the pipe before what it says from here on.
        send(worker, 2, ModelsRequest())
        assert worker.until(Answer).number == 2
    service.close()


def times_begun(path: Path) -> int:
    """Return how often the -wal was begun anew, as its header says."""
    return int.from_bytes(Path(f"{path}-wal").read_bytes()[12:16], "big")


def test_it_rests_after_each_step_while_a_service_writes_and_for_a_while_after() -> None:
    written = True
    pace = Pace(lambda: written)
    pace.stepped(10.0, 10.5)
    assert pace.next_at == 10.5 + rest_s(0.5)

    written = False
    pace.stepped(13.0, 13.25)
    first = pace.next_at
    written = True
    pace.stepped(20.0, 20.25)
    written = False
    pace.stepped(20.5, 20.75)
    assert (first, pace.next_at) == (10.5 + rest_s(0.5), 20.75 + rest_s(0.25))


def test_a_copy_is_not_made_a_second_time(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    path.with_name("service.db-journal").write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(504))
    with reader_on(path, "--background") as worker:
        assert "from a copy only" in worker.until(Lost).sentence
        assert worker.ended()[0] == 2
    with reader_on(path) as reader:
        opened = reader.until(Opened)
        assert opened.mode is Mode.COPY
        assert opened.copy_path is not None
        with reader_on(Path(opened.copy_path), "--background") as worker:
            counts = worker.ask(CountsRequest())

        assert isinstance(counts, Counts)
        assert counts.by_status == {"queued": 1}


def test_a_file_that_goes_away_ends_it(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with reader_on(path, "--background") as worker:
        worker.until(Opened)
        path.unlink()
        send(worker, 1, CountsRequest())

        assert isinstance(worker.until(Failed), Failed)
        assert "gone" in worker.until(Lost).sentence
        assert worker.ended()[0] == 0
