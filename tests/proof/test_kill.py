"""A service that is killed with SIGKILL at any moment loses nothing that it has acknowledged, and starts again.

A child process recovers, accepts, works, cancels and cleans up, half of the time through a group writer, and tells what
the store has answered. It is killed at a random moment, every other time within its recovery. Then no acknowledged task
is missing or at an earlier event, unless its cleaning was announced, the file is sound, no rule is broken, and the next
start goes on with the same files. (What a kill cannot show is what the disk has not got yet: ``test_power_loss.py``.)
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.ours, pytest.mark.timeout(3600)]


def test_kills_at_any_moment_lose_nothing_and_break_nothing(
    tmp_path: Path, large: bool, proved: Callable[[str], None]
) -> None:
    kills = 1000 if large else 50
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.kill_run", tmp_path, str(kills), "1"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=3000 if large else 200,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["missing"], told["broken"]) == ([], [])
    assert told["kills"] >= kills
    assert 2 * told["within_recovery"] >= told["kills"]
    assert kills // 4 < told["grouped"] < told["kills"]
    assert told["acknowledged"] > 20 * kills
    assert told["cleaned"] > 0
    proved(
        f"kill -9: {told['kills']:,} kills, {told['grouped']} of them with a group writer, "
        f"{told['within_recovery']} within recovery, {told['acknowledged']:,} acknowledgements, "
        f"{told['cleaned']:,} tasks cleaned, {len(told['missing'])} missing, {len(told['broken'])} broken"
    )
