"""How long a commit of a service takes to be painted, in polling intervals: bar 6."""

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from verdicts import Databases, Verdict

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
    now_ms = time.time_ns() // 1_000_000
    print("ready", flush=True)
    for number in range(commits):
        time.sleep(random.uniform(0.2, 0.5))
        task = store.accept_task(db, request={}, on_restart="retry", now_ms=now_ms + number).task
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


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts, of a process of its own, on a copy of the small database."""
    path = on.folder / "commits.db"
    shutil.copyfile(on.small, path)
    done = subprocess.run(
        [sys.executable, __file__, str(path)], stdout=subprocess.PIPE, check=True, text=True, timeout=300
    )
    path.unlink()
    waits = json.loads(done.stdout)
    frame = FRAME_MS / POLL_EVERY_MS
    note = f"{len(waits)} commits, polled every {POLL_EVERY_MS} ms, limit with a frame"
    median, late = (each / POLL_EVERY_MS for each in (statistics.median(waits), statistics.quantiles(waits, n=100)[98]))
    return [
        Verdict("6 commit to painted, of the polling interval, median", median, LIMIT_MEDIAN + frame, note=note),
        Verdict("6 commit to painted, 99th percentile", late, LIMIT_99 + frame, note=note),
    ]


def main() -> None:
    """Watch a service's commits arrive, and print the milliseconds of each as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(str(given.database), given.commits)
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    waits: list[float] = []

    async def watch(inspector: Inspector) -> None:
        service = subprocess.Popen(
            [sys.executable, __file__, str(given.database), "--serve", "--commits", str(given.commits)],
            stdout=subprocess.PIPE,
            text=True,
        )
        if service.stdout is None:
            raise ValueError("the service is heard through a pipe")
        service.stdout.readline()
        inspector.window.show()
        watched = Watch(inspector)
        inspector.open(Target(given.database))
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
    print(json.dumps(waits))


if __name__ == "__main__":
    main()
