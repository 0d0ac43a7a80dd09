"""How long a commit of a service takes to be painted, in polling intervals: the median, and the 99th percentile."""

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject

from inspector import store
from inspector.desktop.app import run
from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import POLL_EVERY_MS
from inspector.desktop.settings import Settings

LIMIT_MEDIAN, LIMIT_99 = 0.6, 1.2
FRAME_MS = 16.7


def serve(path: str, commits: int) -> None:
    """Accept tasks at times that nobody can foresee, and print each one's id and the moment after its commit."""
    db = store.open_service_database(path)
    store.accept_task(db, request={}, on_restart="retry", now_ms=1)
    print("ready", flush=True)
    for number in range(commits):
        time.sleep(random.uniform(0.2, 0.5))
        task = store.accept_task(db, request={}, on_restart="retry", now_ms=number + 2).task
        print(task.id, time.monotonic_ns(), flush=True)
    db.close()


class Watch(QObject):
    """Notes when each task was on screen at a paint for the first time."""

    def __init__(self, inspector: Inspector) -> None:
        super().__init__()
        self.painted: dict[str, int] = {}
        self._tasks = inspector.window.views.tasks
        self._tasks.table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            asyncio.get_running_loop().call_soon(self._note)
        return False

    def _note(self) -> None:
        rows = self._tasks.rows
        for row in range(min(rows.rowCount(), 20)):
            task = rows.task_at(row)
            if task is not None:
                self.painted.setdefault(task.id, time.monotonic_ns())


def main() -> int:
    """Measure and print; return 0 where the bar is held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        serve(given.serve, given.commits)
        return 0
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    waits: list[float] = []

    async def watch(inspector: Inspector) -> None:
        with tempfile.TemporaryDirectory(prefix="lmsp-bench-") as folder:
            path = Path(folder) / "bench.db"
            service = subprocess.Popen(
                [sys.executable, __file__, "--serve", str(path), "--commits", str(given.commits)],
                stdout=subprocess.PIPE,
                text=True,
            )
            if service.stdout is None:
                raise ValueError("the service is heard through a pipe")
            service.stdout.readline()
            inspector.window.show()
            watched = Watch(inspector)
            inspector.open(Target(path))
            committed: dict[str, int] = {}
            for _ in range(given.commits):
                line = await asyncio.get_running_loop().run_in_executor(None, service.stdout.readline)
                task_id, at_ns = line.split()
                committed[task_id] = int(at_ns)
            async with asyncio.timeout(10):
                while not committed.keys() <= watched.painted.keys():
                    await asyncio.sleep(0.01)
            waits.extend((watched.painted[each] - at_ns) / 1e6 for each, at_ns in committed.items())
            service.wait()

    run(watch, Settings(None))
    median = statistics.median(waits)
    late = statistics.quantiles(waits, n=100)[98]
    held = median <= LIMIT_MEDIAN * POLL_EVERY_MS + FRAME_MS and late <= LIMIT_99 * POLL_EVERY_MS + FRAME_MS
    print(
        f"commit to painted, {len(waits)} commits: median {median / POLL_EVERY_MS:.2f}, "
        f"99 % {late / POLL_EVERY_MS:.2f} of the polling interval of {POLL_EVERY_MS} ms; "
        f"bars {LIMIT_MEDIAN} and {LIMIT_99}, plus a frame: {'held' if held else 'missed'}"
    )
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
