"""The reader process: it serves, it says what has changed by itself, and it ends when its session does."""

import os
import pickle
import select
import signal
import struct
from pathlib import Path

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import Counts, TaskPage
from inspector.reading.__main__ import main
from inspector.reading.messages import Answer, Asked, Failed, Lost, Moved
from inspector.reading.requests import CountsRequest, LeftoversRequest, TaskPageRequest, Watch
from inspector.reading.wire import encode
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import add_task, listing, make, move_task
from tests.support.reading_process import reader_on
from tests.support.reading_service import service_on

pytestmark = [pytest.mark.timeout(40), pytest.mark.process]


def test_it_says_how_the_file_is_open_and_answers(tmp_path: Path) -> None:
    with reader_on(make(tmp_path / "service.db", "early")) as reader:
        opened = reader.receive()
        assert isinstance(opened, Opened)
        assert opened.mode is Mode.RESTING

        page = reader.ask(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert [task.id for task in page.tasks] == ["early"]
        assert page.read_at_ms > 1_700_000_000_000

        assert reader.end() == (0, "")


def test_commits_come_by_themselves_the_last_one_too(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, reader_on(path) as reader:
        assert reader.until(Opened).mode is Mode.LIVE
        reader.ask(TaskPageRequest())
        reader.ask(Watch(("early",), every_ms=20))
        for status in ("loading", "running", "completed"):
            move_task(service, "early", status)
            moved = reader.until(Moved)
            assert [(row.id, row.status) for row in moved.rows] == [("early", status)]
            assert moved.events == 1


def test_it_follows_a_crash_and_the_next_service(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, reader_on(path) as reader:
        assert reader.until(Opened).mode is Mode.LIVE
        reader.ask(Watch(every_ms=20))
        add_task(service, "late")
        service.kill()
        assert reader.until(Opened).mode is Mode.CRASHED
        with service_on(path) as second:
            assert reader.until(Opened).mode is Mode.LIVE
            add_task(second, "last")
            assert reader.until(Moved).rows[0].id == "last"


def test_paused_it_says_nothing_until_it_resumes_and_then_all_of_it(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, reader_on(path) as reader:
        reader.until(Opened)
        reader.ask(Watch(every_ms=None))
        for number in range(3):
            add_task(service, f"task-{number}")
        counts = reader.ask(CountsRequest())
        assert isinstance(counts, Counts)
        assert counts.by_status == {"queued": 4}
        reader.ask(Watch(every_ms=20))

        moved = reader.until(Moved)
        assert sorted(row.id for row in moved.rows) == ["task-0", "task-1", "task-2"]


def wakings(pid: int) -> str:
    """Return how often a process has gone to sleep so far: it wakes for whatever it does."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(line for line in lines if line.startswith("voluntary_ctxt_switches"))


def test_paused_it_does_nothing_at_all(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, reader_on(path) as reader:
        reader.until(Opened)
        reader.ask(Watch(every_ms=20))
        before = wakings(reader.process.pid)
        while wakings(reader.process.pid) == before:
            service.execute("SELECT 1")
        reader.ask(Watch(every_ms=None))
        paused = state_of_sleep(reader.process.pid)
        for number in range(20):
            add_task(service, f"task-{number}")

        assert wakings(reader.process.pid) == paused


def state_of_sleep(pid: int) -> str:
    """Wait until a process sleeps, and return its wakings."""
    while "State:\tS" not in Path(f"/proc/{pid}/status").read_text(encoding="ascii"):
        continue
    return wakings(pid)


def test_a_file_that_cannot_be_read_is_one_sentence_and_the_end(tmp_path: Path) -> None:
    with reader_on(tmp_path / "service.db") as reader:
        lost = reader.receive()
        assert isinstance(lost, Lost)
        assert lost.sentence == "service.db is not there."
        assert reader.ended() == (2, "")
    assert listing(tmp_path) == set()


def test_a_wish_is_passed_on(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with reader_on(path, "--mode", "copy") as reader:
        assert reader.until(Opened).mode is Mode.COPY
    with reader_on(path, "--mode", "live") as reader:
        assert reader.until(Lost).sentence.startswith("service.db is not opened as live:")


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["--mode", "odd", "a"], ["--mode", "live"], ["-h", "--", "a"]])
def test_a_wrong_call_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr() == (
        "",
        "usage: python -m inspector.reading [--background] [--layout FILE] [--mode live|resting|crashed|copy] "
        "[--] PATH\n",
    )


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGTERM while paused"])
def test_it_ends_and_takes_its_copy_with_it(tmp_path: Path, how: str) -> None:
    path = crashed(tmp_path / "service.db")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with reader_on(path, "--mode", "copy", environment={"TMPDIR": str(temporary)}) as reader:
        reader.until(Opened)
        assert len(listing(temporary)) == 1
        if how == "end of input":
            assert reader.end() == (0, "")
        else:
            if how == "SIGTERM while paused":
                reader.ask(Watch(every_ms=None))
            reader.process.send_signal(signal.SIGTERM)
            assert reader.ended() == (0, "")
        assert listing(temporary) == set()


def test_a_term_in_the_middle_of_a_query_ends_it(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service:
        service.execute("""
            INSERT INTO models WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            SELECT i, i, 'sha256:' || printf('%064d', i), 1, '/m', NULL, '{}', 1 FROM n
        """)
    with reader_on(path) as reader:
        reader.until(Opened)
        reader.process.send_signal(signal.SIGTERM)
        reader.send(encode(Asked(1, LeftoversRequest(), 60_000)))
        assert reader.ended() == (0, "")


def test_a_term_ends_it_also_where_nobody_takes_what_it_says(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(100)))
    with reader_on(path) as reader:
        reader.until(Opened)
        assert reader.process.stdout is not None
        for number in range(100):
            reader.send(encode(Asked(number, TaskPageRequest())))
        while select.select([reader.process.stdout], [], [], 0)[0] == []:
            continue
        state_of_sleep(reader.process.pid)  # its pipe is full
        reader.process.send_signal(signal.SIGTERM)
        assert reader.ended()[0] == 0


def test_a_copy_left_by_a_killed_reader_is_removed_by_the_next(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    with reader_on(path, "--mode", "copy", environment=environment) as reader:
        reader.until(Opened)
        reader.process.kill()
        reader.ended()
    left = listing(temporary)
    assert len(left) == 1
    with reader_on(path, "--mode", "copy", environment=environment) as reader:
        reader.until(Opened)
        assert len(listing(temporary)) == 1
        assert listing(temporary) != left


def test_a_killed_reader_is_the_end_of_its_output(tmp_path: Path) -> None:
    with reader_on(make(tmp_path / "service.db", "early")) as reader:
        reader.until(Opened)
        reader.process.kill()
        with pytest.raises(EOFError):
            reader.receive()
        assert reader.ended()[0] == -signal.SIGKILL


@pytest.mark.threat(id="T9")
def test_a_truncated_shm_kills_no_more_than_the_reader(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service, reader_on(path) as reader:
        reader.until(Opened)
        reader.ask(Watch(every_ms=None))
        reader.ask(TaskPageRequest())
        add_task(service, "late")
        service.kill()
        os.truncate(f"{path}-shm", 0)
        reader.send(encode(Asked(99, TaskPageRequest())))
        with pytest.raises(EOFError):
            reader.until(Answer)
        assert reader.ended()[0] == -signal.SIGBUS
    with reader_on(path) as reader:
        assert reader.until(Opened).mode is Mode.CRASHED
        assert isinstance(reader.ask(TaskPageRequest()), TaskPage)


def test_what_is_no_message_ends_it_with_one_line(tmp_path: Path) -> None:
    for garbage in (struct.pack(">I", 1 << 31), struct.pack(">I", 3) + b"abc", encode(Lost("x", 1))):
        with reader_on(make(tmp_path / f"service{len(garbage)}.db", "early")) as reader:
            reader.until(Opened)
            reader.send(garbage)
            status, said = reader.ended()
            assert status == 3
            assert said.count("\n") == 1


def test_a_pickle_that_would_run_something_runs_nothing(tmp_path: Path) -> None:
    class Runs:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    body = pickle.dumps(Runs())
    with reader_on(make(tmp_path / "service.db", "early")) as reader:
        reader.until(Opened)
        reader.send(struct.pack(">I", len(body)) + body)
        assert reader.ended()[0] == 3
    assert listing(tmp_path) == {"service.db"}


def test_a_question_past_its_deadline_fails_alone(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", *(f"task-{number}" for number in range(2_000)))
    with reader_on(path) as reader:
        failed = reader.ask(LeftoversRequest(), deadline_ms=0)
        assert isinstance(failed, Failed)
        assert failed.sentence == "This took too long to read and was stopped."
        assert isinstance(reader.ask(TaskPageRequest()), TaskPage)
