"""Lets processes of their own loose on one database at the same moment."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_TAKES_AT_MOST_S = 50


def race(path: Path, runners: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Run each (rule, tasks) in a process of its own, started together, and return what each was told for each task."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.store_racer", str(path), rule],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for rule, _ in runners
    ]
    try:
        for process, (_, task_ids) in zip(processes, runners, strict=True):
            assert process.stdin is not None
            process.stdin.write(json.dumps(list(task_ids)) + "\n")
            process.stdin.flush()
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [json.loads(process.communicate(timeout=_TAKES_AT_MOST_S)[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert [process.returncode for process in processes] == [0] * len(processes)
    return answers
