import asyncio
import hashlib
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.store import Unusable
from tests.commands.databases import ROOT, one_of_each, run, state_of
from tests.commands.terminal import on_a_terminal
from tests.support.waiting import until


def simulate(path: Path | str, *options: str) -> Result:
    return CliRunner().invoke(command_line, ["simulate", str(path), *options])


def numbers(path: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        tasks, events = db.execute("SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM task_events)").fetchone()
        return tasks, events


def test_a_history_is_one_file_that_breaks_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    result = simulate(path, "--tasks", "120", "--events", "1500")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"Created {path}: a history of 120 tasks and 1,500 events, from seed 1.\n"
    assert list(tmp_path.iterdir()) == [path]
    assert numbers(path) == (120, 1_500)
    checked = CliRunner().invoke(command_line, ["check", str(path)])
    assert (checked.exit_code, "No findings" in checked.stdout) == (0, True)


def test_each_task_has_ten_events_in_the_mean_unless_said(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    assert simulate(path, "--tasks", "1", "--seed", "7").stdout.endswith("1 task and 10 events, from seed 7.\n")
    assert numbers(path) == (1, 10)


def test_without_a_number_there_are_ten_thousand_tasks(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    assert simulate(path).exit_code == 0
    assert numbers(path) == (10_000, 100_000)


def test_the_same_seed_gives_the_same_and_another_one_another(tmp_path: Path) -> None:
    digests = []
    for number, seed in enumerate(["3", "3", "4"]):
        path = tmp_path / f"{number}.db"
        assert simulate(path, "--tasks", "60", "--seed", seed).exit_code == 0
        with closing(sqlite3.connect(path)) as db:
            digests.append(hashlib.sha256("\n".join(db.iterdump()).encode()).hexdigest())
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--tasks", "0"), "0 is not in the range"),
        (("--tasks", "-5"), "-5 is not in the range"),
        (("--tasks", "many"), "'many' is not a valid integer"),
        (("--tasks", "1.5"), "'1.5' is not a valid integer"),
        (("--tasks", "9" * 30), "1 to 100,000,000 tasks"),
        (("--events", "0"), "0 is not in the range"),
        (("--tasks", "10", "--events", "39"), "A history of 10 tasks has 40 to 10,000,000 events."),
        (("--tasks", "10", "--events", "9" * 30), "A history of 10 tasks has 40 to 10,000,000 events."),
        (("--events", "10"), "A history of 10,000 tasks has 40,000 to 10,000,000,000 events."),
        (("--seed", "-1"), "-1 is not in the range"),
        (("--seed", "9" * 30), "is not in the range"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_and_nothing_is_made(
    tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    result = simulate(tmp_path / "lmsp.db", *options)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert says in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_touched(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    before = state_of(tmp_path)
    result = simulate(path, "--tasks", "10")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (f"lmsp-inspector: {path} is there already and is left as it is: name a new one.\n")
    assert state_of(tmp_path) == before


@pytest.mark.parametrize(
    ("path", "says"), [("missing/lmsp.db", "folder of the file does not exist"), ("x" * 300, "File name too long")]
)
def test_a_place_where_nothing_can_be_made_is_said(tmp_path: Path, path: str, says: str) -> None:
    result = simulate(tmp_path / path, "--tasks", "10")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert says in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_cannot_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise Unusable("The disk is full.")

    monkeypatch.setattr(os, "fsync", fail)
    result = simulate(tmp_path / "lmsp.db", "--tasks", "10")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"lmsp-inspector: {tmp_path / 'lmsp.db'} was not created: The disk is full.\n"
    assert list(tmp_path.iterdir()) == []


def left_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


@asynccontextmanager
async def at_work(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Give a process that makes a large history in ``folder``, once some of it is written. It never outlives this."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "inspector", "simulate", folder / "lmsp.db", "--tasks", "5000000"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        await until(lambda: sum(entry.stat().st_size for entry in folder.glob(".*.part/*")) > 1_000_000)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.mark.process
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_signal_ends_it_and_nothing_is_left(tmp_path: Path, number: signal.Signals, code: int) -> None:
    async with at_work(tmp_path) as process:
        process.send_signal(number)
        assert await process.communicate() == (b"", b"")
    assert (process.returncode, left_in(tmp_path)) == (code, [])


@pytest.mark.process
def test_a_bar_goes_to_a_terminal_alone_and_is_wiped(tmp_path: Path) -> None:
    assert run("simulate", tmp_path / "1.db", "--tasks", "2000").stderr == b""
    status, shown = on_a_terminal("simulate", tmp_path / "2.db", "--tasks", "2000")
    assert status == 0
    assert shown.startswith(b"\r[")
    assert b" of 20,000 events, " in shown
    assert b"\r[##############################] Writing it to the disk" in shown
    assert shown.endswith(b" \r")
    assert b"\n" not in shown


@pytest.mark.process
async def test_what_a_killed_one_left_is_taken_away_by_the_next(tmp_path: Path) -> None:
    async with at_work(tmp_path) as process:
        process.kill()
        await process.communicate()
    assert len(left_in(tmp_path)) == 1
    result = CliRunner().invoke(command_line, ["simulate", str(tmp_path / "lmsp.db"), "--tasks", "10"])
    assert result.exit_code == 0
    assert left_in(tmp_path) == ["lmsp.db"]
