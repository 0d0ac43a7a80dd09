"""How long a cleanup holds the write lock, beside a writer that is at work all the time: ``retention.py [--tasks N]``.

The hold is what other writers wait for: from the lock's first moment to the end of the commit. The writer's own commits
are shown beside those that it makes alone. With ``--write`` this is that writer.
"""

import argparse
import json
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from inspector import store
from inspector.lmsp.events import OUTPUT_TEXT_DELTA

BAR_MS = 50
"""The 99th percentile of the hold stays below this."""

EVENTS = 50
"""Events of each task."""

_BESIDE_EACH_OTHER = 8
_NOW = 1_000_000
_EVERY_S = 0.002


@dataclass(frozen=True)
class Measured:
    """What one cleanup took, in milliseconds."""

    result: store.RetentionResult
    held: list[float]
    took: float
    alone: list[float]
    """The commits of the writer alone."""
    beside: list[float]
    """Its commits beside the cleanup."""


def prepare(path: Path, tasks: int) -> None:
    """Make a database with old tasks, eight at work at a time, each with a response and a key."""
    with closing(store.open_service_database(path)) as db:
        # What is made here needs to survive no loss of power; the cleanup opens it anew, with FULL.
        db.conn.execute("PRAGMA synchronous = OFF")
        for first in range(0, tasks, _BESIDE_EACH_OTHER):
            _work(db, [f"task-{number:06}" for number in range(first, min(first + _BESIDE_EACH_OTHER, tasks))])


def _work(db: Database, task_ids: list[str]) -> None:
    for task_id in task_ids:
        store.accept_task(
            db, request={"input": "hello"}, on_restart="retry", task_id=task_id, idempotency_key=task_id, now_ms=1
        )
        store.start_task(db, task_id, status="running", attempt=1, now_ms=1, warm=True)
    delta = (OUTPUT_TEXT_DELTA, {"delta": "x" * 80, "output_index": 0})
    left = EVENTS - 3
    while left:
        some = min(8, left)
        for task_id in task_ids:
            store.append_events(db, task_id, [delta] * some, attempt=1, now_ms=1)
        left -= some
    for task_id in task_ids:
        store.complete_task(db, task_id, {"output": "hi"}, attempt=1, now_ms=1)


def write(path: Path, go_on: Callable[[], bool]) -> list[float]:
    """Accept tasks as a busy service does, and return what each took."""
    took: list[float] = []
    with closing(store.open_service_database(path)) as db:
        while go_on():
            began = time.monotonic()
            store.accept_task(db, request={}, on_restart="retry", now_ms=_NOW)
            took.append(1000 * (time.monotonic() - began))
            time.sleep(_EVERY_S)
    return took


def main_of_writer(path: Path) -> None:
    """Write until standard input ends, and print what each commit took."""
    print("ready", flush=True)
    print(json.dumps(write(path, lambda: not select.select([sys.stdin], [], [], 0)[0])))


@contextmanager
def writer_beside(path: Path) -> Iterator[list[float]]:
    """Let a writer run in a process of its own during the block; the list holds what its commits took afterwards."""
    command = [sys.executable, __file__, "--write", str(path)]
    took: list[float] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise AssertionError("the writer did not start")
        try:
            yield took
        finally:
            took += json.loads(process.communicate(timeout=60)[0])


def measure(folder: Path, *, tasks: int) -> Measured:
    """Clean up a database with so many old tasks beside a writer, and return what it took."""
    path = folder / "retention.db"
    prepare(path, tasks)
    alone_until = time.monotonic() + 2
    alone = write(path, lambda: time.monotonic() < alone_until)
    held: list[float] = []

    def pause(seconds: float) -> None:
        held.append(1000 * seconds)
        time.sleep(seconds)

    with closing(store.open_service_database(path)) as db, writer_beside(path) as beside:
        began = time.monotonic()
        plan = store.plan_retention(db, now_ms=_NOW, keep_ms=1)
        result = store.apply_retention(db, plan, now_ms=_NOW, pause=pause)
        took = 1000 * (time.monotonic() - began)
    return Measured(result, held, took, alone, beside)


def report(found: Measured) -> list[str]:
    """Print what was measured and the verdict, and return the bar if it was missed."""
    result, free = found.result, 1 - sum(found.held) / found.took
    print(
        f"retention: {result.tasks:,} tasks with {result.events:,} events in {result.batches} batches, "
        f"{1000 * result.tasks / found.took:,.0f} tasks a second, the lock free {free:.0%} of the time"
    )
    for name, values in (
        ("write lock held", found.held),
        ("writer alone", found.alone),
        ("writer beside it", found.beside),
    ):
        low, high = statistics.median(values), max(values)
        print(f"{name:20} median {low:6.1f} ms, 99th percentile {_p99(values):6.1f} ms, longest {high:6.1f} ms")
    missed = _p99(found.held) > BAR_MS
    print(
        f"write lock held by a cleanup: {_p99(found.held):.1f} ms at the 99th percentile, bar {BAR_MS} ms: "
        f"{'missed' if missed else 'held'}"
    )
    return ["write lock held by a cleanup"] if missed else []


def _p99(values: list[float]) -> float:
    return sorted(values)[int(0.99 * len(values))]


def main() -> int:
    """Measure, print, and return 0 where the bar is held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=5_000, help="how many old tasks are cleaned up")
    parser.add_argument("--folder", type=Path, help="where the database is made: the disk that is measured")
    parser.add_argument("--write", type=Path, metavar="DB", help="be the writer beside")
    chosen = parser.parse_args()
    if chosen.write is not None:
        main_of_writer(chosen.write)
        return 0
    with tempfile.TemporaryDirectory(prefix="lmsp-bench-", dir=chosen.folder) as folder:
        return int(bool(report(measure(Path(folder), tasks=max(100, chosen.tasks)))))


if __name__ == "__main__":
    sys.exit(main())
