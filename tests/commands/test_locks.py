"""A file that another process keeps locked: a command says who has it and what to do, and --follow waits for it."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.support.locked_files import SENTENCE_WITHIN_S, free, lock, locked_by
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import START_MS, make, move_task
from tests.support.reading_service import Service, service_on

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

READING = [
    ("tasks",),
    ("events", "early"),
    ("check",),
    ("recover",),
    ("retention", "--keep", "1d"),
    ("health",),
    ("tables",),
    ("sql", "SELECT 1"),
    ("layout",),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make(tmp_path / "service.db", "early", journal="delete")


def run(path: Path, command: str, *options: str, wait: Callable[[float], object] = lambda _seconds: None) -> Result:
    arguments = [command, str(path), *options]
    return CliRunner().invoke(command_line, arguments, obj=Clock(lambda: START_MS, wait))


class Waits:
    """Stands in for the clock: at the second wait it does something, and it keeps how long each was."""

    def __init__(self, then: Callable[[], None]) -> None:
        self.seconds: list[float] = []
        self._then = then

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) == 2:
            self._then()


@pytest.mark.parametrize("arguments", READING, ids=lambda arguments: arguments[0])
def test_a_command_says_who_has_it_locked_and_what_to_do(path: Path, arguments: tuple[str, ...]) -> None:
    with service_on(path) as service:
        lock(service)
        before = touch_state(path)
        began = time.monotonic()
        result = run(path, *arguments)
        assert time.monotonic() - began < SENTENCE_WITHIN_S
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"lmsp-inspector: {locked_by(service)} Try again when it has let go.\n"
        assert differences(before, touch_state(path)) == ()


def finished_and_free(service: Service) -> None:
    move_task(service, "early", "running")
    move_task(service, "early", "completed")
    free(service)


def test_follow_waits_for_a_file_that_is_locked_when_it_is_opened(path: Path) -> None:
    with service_on(path) as service:
        lock(service)
        waits = Waits(lambda: finished_and_free(service))
        result = run(path, "events", "early", "--follow", "--json", wait=waits)
        assert result.exit_code == 0
        assert result.stderr == f"{locked_by(service)} Waiting until it lets go.\n"
        assert [line.split('"type": "')[1].split('"')[0] for line in result.stdout.splitlines()] == [
            "response.created",
            "response.in_progress",
            "response.completed",
        ]
        assert waits.seconds[:2] == [0.25, 0.5]


def test_follow_waits_for_a_lock_that_comes_meanwhile_and_says_so_once(path: Path) -> None:
    with service_on(path) as service:
        steps = [lambda: lock(service), lambda: None, lambda: None, lambda: finished_and_free(service)]

        def wait(_seconds: float) -> None:
            if steps:
                steps.pop(0)()

        result = run(path, "events", "early", "--follow", wait=wait)
        assert result.exit_code == 0
        assert result.stderr == f"{locked_by(service)} Waiting until it lets go.\n"
        assert len(result.stdout.splitlines()) == 4, "the words of the columns stand there once"


def test_follow_of_a_task_that_is_not_there_ends(path: Path) -> None:
    result = run(path, "events", "nobody", "--follow")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "There is no task nobody in this database." in result.stderr
