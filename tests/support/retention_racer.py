"""Cleanups in processes of their own, let loose on one database at the same moment as the rules of the store.

Run as ``python -m tests.support.retention_racer PATH RULE``; RULE is ``clean`` or one of the store's racer. It reads a
JSON list of tasks, says that it is ready, waits for the start, and answers with a JSON list.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from tests.support.store_racer import RULES
from tests.support.subject import store

NOW: Final = 10_000
"""Cleanup keeps nothing that has ended: the rules of the store's racer end tasks at 500."""

_TAKES_AT_MOST_S: Final = 100


def race_cleaners(
    path: Path, runners: Sequence[tuple[str, Sequence[str]]], *, meanwhile: Callable[[], object]
) -> list[list[str]]:
    """Run each (rule, tasks) in a process of its own, started together, and return what each was told for each task.

    ``meanwhile`` is called again and again until all have ended.
    """
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.retention_racer", str(path), rule],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for rule, _ in runners
    ]
    try:
        for process, (_, task_ids) in zip(processes, runners, strict=True):
            _tell(process, json.dumps(list(task_ids)))
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            _tell(process, "go")
        while any(process.poll() is None for process in processes):
            meanwhile()
        answers = [json.loads(process.communicate(timeout=_TAKES_AT_MOST_S)[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert [process.returncode for process in processes] == [0] * len(processes)
    return answers


def _tell(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _clean(db: Database, _: str) -> str:
    plan = store.plan_retention(db, now_ms=NOW, keep_ms=0)
    # Small batches, and hardly a pause: as often beside the others as can be.
    result = store.apply_retention(db, plan, now_ms=NOW, hold_ms=0.5)
    return f"{result.tasks} {result.events} {result.responses} {result.keys}"


def _main(path: str, rule: str) -> None:
    task_ids = json.loads(sys.stdin.readline())
    db = store.open_service_database(path, wait_ms=30_000)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    run = _clean if rule == "clean" else RULES[rule]
    answers = [run(db, task_id) for task_id in task_ids]
    db.close()
    sys.stdout.write(json.dumps(answers) + "\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
