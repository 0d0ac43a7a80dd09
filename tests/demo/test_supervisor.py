"""The demo as real processes, in real time: a few seconds each."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from inspector.demo.happenings import Happening, HappeningKind
from inspector.demo.starting import DEFAULT_COMMAND, RunningDemo, start_demo
from tests.demo.test_living import broken
from tests.support.demo_lives import rows

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

SPEED = 20.0
HANG_S = 20.0

Start = Callable[..., RunningDemo]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return what starts a demo that is ended, in any case, when the test ends."""
    with ExitStack() as running:

        def start_and_remember(path: Path, scenario: str = "quiet", **options: float) -> RunningDemo:
            demo = start_demo(path, scenario, **{"speed": SPEED, **options})  # type: ignore[arg-type]
            running.callback(demo.stop)
            return demo

        yield start_and_remember


def until(demo: RunningDemo, kind: HappeningKind) -> Happening:
    """Return the next happening of this kind."""
    for happening in demo.happenings():
        assert happening.kind is not HappeningKind.UNUSABLE, happening.sentence
        if happening.kind is kind:
            return happening
    raise AssertionError(f"the demo ended before {kind}")


def pid_of(happening: Happening) -> int:
    return int(str(happening.details["pid"]))


@contextmanager
def ends(pid: int, *, within_s: float = HANG_S) -> Iterator[None]:
    """Make sure that this process, somebody else's child, has ended so soon after the end of the block."""
    descriptor = os.pidfd_open(pid)
    try:
        yield
        assert select.select([descriptor], [], [], within_s)[0], f"process {pid} lives on"
    finally:
        os.close(descriptor)


def test_the_service_is_killed_in_its_scene_and_its_restart_recovers_all_three_policies(
    tmp_path: Path, start: Start
) -> None:
    path = tmp_path / "lmspd.db"
    demo = start(path, "crash")

    first = until(demo, HappeningKind.STARTED)
    with ends(pid_of(first)):
        killed = until(demo, HappeningKind.KILLED)
    left = rows(path, "SELECT status, on_restart FROM tasks WHERE finished_at IS NULL")
    second = until(demo, HappeningKind.STARTED)
    recovered = until(demo, HappeningKind.RECOVERED)
    until(demo, HappeningKind.READY)
    assert demo.stop() == 0

    assert pid_of(killed) == pid_of(first) != pid_of(second)
    assert "was killed while 7 tasks were running or loading" in killed.sentence
    assert {policy for status, policy in left if status == "running"} == {"fail", "retry", "resume"}
    assert "cancelling" in {status for status, _ in left}
    assert recovered.details["tasks"] == len(left)
    assert rows(path, "SELECT count(*) FROM task_events WHERE type = 'response.resumed'") >= [(1,)]
    assert rows(path, "SELECT count(*) FROM tasks WHERE error_code = 'server_restarted'") >= [(1,)]
    assert broken(path) == []


def test_a_stopped_demo_leaves_no_process_and_a_database_at_rest(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "lmspd.db"
    demo = start(path, "work")
    service = pid_of(until(demo, HappeningKind.STARTED))
    until(demo, HappeningKind.READY)

    with ends(service, within_s=0):
        assert demo.stop() == 0

    assert demo.stop() == 0
    assert not path.with_name("lmspd.db-wal").exists()
    assert broken(path) == []


def test_a_supervisor_that_is_killed_takes_its_service_along(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "lmspd.db"
    demo = start(path)
    service = pid_of(until(demo, HappeningKind.STARTED))
    until(demo, HappeningKind.READY)

    with ends(service):
        os.kill(demo.pid, signal.SIGKILL)

    assert demo.stop() == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_demo_in_order(tmp_path: Path, start: Start, number: signal.Signals) -> None:
    demo = start(tmp_path / "lmspd.db")
    service = pid_of(until(demo, HappeningKind.STARTED))
    until(demo, HappeningKind.READY)

    with ends(service):
        os.kill(demo.pid, number)
        until(demo, HappeningKind.STOPPED)

    assert demo.stop() == 0


def test_a_demo_is_stopped_also_while_its_service_is_dead(tmp_path: Path, start: Start) -> None:
    demo = start(tmp_path / "lmspd.db", "crash", speed=8.0)
    until(demo, HappeningKind.KILLED)

    assert demo.stop() == 0


def test_a_service_that_somebody_else_kills_is_started_again(tmp_path: Path, start: Start) -> None:
    demo = start(tmp_path / "lmspd.db")
    service = pid_of(until(demo, HappeningKind.STARTED))
    until(demo, HappeningKind.READY)

    os.kill(service, signal.SIGKILL)

    killed = until(demo, HappeningKind.KILLED)
    assert killed.sentence == f"Somebody has killed the service (process {service})."
    assert pid_of(until(demo, HappeningKind.STARTED)) != service
    until(demo, HappeningKind.READY)


def test_a_demo_whose_reader_has_gone_goes_on(tmp_path: Path, start: Start) -> None:
    demo = start(tmp_path / "lmspd.db", "crash")
    service = pid_of(until(demo, HappeningKind.STARTED))

    with ends(service):
        # Nothing is reported any more, and the service is killed in its scene all the same.
        demo.output.close()

    assert demo.stop() == 0


def test_a_database_that_is_not_the_demos_ends_the_demo_with_one_sentence(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database")

    demo = start(path)

    happenings = list(demo.happenings())
    assert [each.kind for each in happenings] == [HappeningKind.STARTED, HappeningKind.UNUSABLE]
    assert demo.stop() == 2
    assert path.read_text() == "not a database"


def test_a_frozen_program_starts_the_service_with_a_command_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    program = (
        "import sys; from inspector.demo.__main__ import main; "
        "sys.exit(main(sys.argv[2:], command=[sys.executable, '-c', sys.argv[1], sys.argv[1]]))"
    )
    demo = start_demo(path, "quiet", command=[sys.executable, "-c", program, program])

    service = pid_of(until(demo, HappeningKind.STARTED))
    until(demo, HappeningKind.READY)
    command = Path(f"/proc/{service}/cmdline").read_bytes().split(b"\0")

    assert command[1:4] == [b"-c", program.encode(), program.encode()]
    assert demo.stop() == 0


def test_a_supervisor_starts_without_what_only_the_service_needs() -> None:
    program = "import sys, inspector.demo.__main__; sys.exit('sqlite_utils' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_database_whose_name_looks_like_an_option_is_a_database(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    until(start(Path("--speed")), HappeningKind.READY)

    assert (tmp_path / "--speed").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lmspd.db", "--scenario", "tsunami"], "There is no scenario 'tsunami'; there are crash, quiet, race, work."),
        (["lmspd.db", "--speed", "0"], "argument --speed: 0 is not above 0"),
        ([], "the following arguments are required: DB"),
    ],
)
def test_wrong_arguments_are_answered_with_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    command = [*DEFAULT_COMMAND, *(str(tmp_path / word) if word.endswith(".db") else word for word in arguments)]

    ended = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == f"inspector.demo: {said}\n"
    assert list(tmp_path.iterdir()) == []
