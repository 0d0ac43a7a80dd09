"""``retention --apply`` beside others that write: it waits, says so, and tells what it has deleted."""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands import retention as command
from inspector.commands.clock import Clock
from tests.commands.databases import closing_db
from tests.support.store_old_tasks import NOW, ended
from tests.support.waiting import until

WAITS = "Others write to the database without a pause: waiting for a moment between; Ctrl+C ends this.\n"


def apply(path: Path, *options: str, pause: Callable[[float], object] = lambda _: None) -> Result:
    clock = Clock(lambda: NOW, pause)
    return CliRunner().invoke(command_line, ["retention", str(path), "--keep", "1s", "--apply", *options], obj=clock)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "lmsp.db"
    with closing_db(made) as db:
        for number in range(12):
            ended(db, f"t{number}", events=3_000)
    return made


@contextmanager
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        yield conn


def tasks_in(path: Path) -> int:
    with writer(path) as conn:
        return int(conn.execute("SELECT count(*) FROM tasks").fetchall()[0][0])


def test_it_goes_on_when_the_others_leave_it_room(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_TRY_MS", 1)
    tried: list[int] = []
    with writer(path) as other:
        patient = command._Watch.patient  # noqa: SLF001  where it is told that it waited in vain

        def wait(watch: command._Watch) -> bool:
            tried.append(1)
            if len(tried) == 5:
                other.execute("ROLLBACK")
            return patient(watch)

        monkeypatch.setattr(command._Watch, "patient", wait)  # noqa: SLF001
        other.execute("BEGIN IMMEDIATE")
        result = apply(path)
    assert (result.exit_code, len(tried), tasks_in(path)) == (0, 5, 0)
    assert result.stderr == WAITS
    assert "12 tasks that finished before" in result.stdout


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_it_gives_up_after_the_time_that_it_was_told_and_says_what_has_gone(
    path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr(command, "_TRY_MS", 1)
    with writer(path) as other:

        def hold(_seconds: float) -> None:
            if not other.in_transaction:
                other.execute("BEGIN IMMEDIATE")

        result = apply(path, "--wait", "20ms", *options, pause=hold)
        other.execute("ROLLBACK")
    left = tasks_in(path)
    assert 0 < left < 12
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(WAITS)
    assert result.stderr.endswith(f"run it again; the {12 - left} tasks deleted before it stay deleted.\n")


def test_it_gives_up_at_once_where_it_was_told_not_to_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_TRY_MS", 1)
    with writer(path) as other:
        other.execute("BEGIN IMMEDIATE")
        result = apply(path, "--wait", "0s")
        other.execute("ROLLBACK")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("run it again; nothing was changed.\n")
    assert result.stderr.count("\n") == 1


def test_wait_is_for_apply(path: Path) -> None:
    result = CliRunner().invoke(command_line, ["retention", str(path), "--keep", "1s", "--wait", "1s"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--wait is for --apply." in result.stderr


@pytest.mark.process
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_one_that_is_ended_while_it_waits_says_what_has_gone(path: Path, number: int, status: int) -> None:
    with writer(path) as other:
        other.execute("BEGIN IMMEDIATE")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "inspector", "retention", path, "--keep", "1s", "--apply"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stderr is not None
        assert await process.stderr.readline() == WAITS.encode()
        process.send_signal(number)
        out, told = await process.communicate()
        other.execute("ROLLBACK")
    assert (process.returncode, out, told) == (status, b"", b"Ended before anything was deleted.\n")
    assert tasks_in(path) == 12


@pytest.mark.process
async def test_one_that_is_ended_from_the_keyboard_leaves_whole_tasks_and_counts_them(path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "inspector", "retention", path, "--keep", "1s", "--apply"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    with writer(path) as conn:
        await until(lambda: conn.execute("SELECT count(*) FROM tasks").fetchall() != [(12,)])
        # It cannot end by itself from here on.
        conn.execute("BEGIN IMMEDIATE")
        left = tasks_in(path)
        process.send_signal(signal.SIGINT)
        out, told = await process.communicate()
        conn.execute("ROLLBACK")
        rows = conn.execute("SELECT (SELECT count(*) FROM task_events), (SELECT count(*) FROM tasks) * 3003").fetchall()
    gone = 12 - left
    sentence = (
        f"Ended early: {gone} task{'' if gone == 1 else 's'} of 12 were deleted and stay so; run it again to go on."
    )
    assert rows[0][0] == rows[0][1]
    assert (process.returncode, out) == ((130, b"") if left else (0, out))
    if left:
        assert told.decode().splitlines()[-1] == sentence
