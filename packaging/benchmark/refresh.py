"""A look at what changed after a commit of k rows, in a large database beside a small one: bar 5.

Run by itself it is the service: ``refresh.py DB``, which commits ``k`` tasks for each line ``k`` that it is told.
"""

import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

from verdicts import Databases, Verdict, ratio

from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import TaskPageRequest, Watch

MOST = 1.2
ROWS = (1, 200)
ON_SCREEN = 35
ROUNDS = 40
EVENT = """INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
           SELECT id, last_seq + 1, 'response.output_text.delta', status, attempt, updated_at, '{}'
           FROM tasks WHERE id = ?"""
MOVE = "UPDATE tasks SET last_seq = last_seq + 1, updated_at = updated_at + 1 WHERE id = ?"


def serve(path: str) -> None:
    """Give as many running tasks an event each, in one transaction, as a line says; then say that it is done."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN")
        for number in range(max(ROWS)):
            task_id = f"bench_{number:04}"
            conn.execute(
                """INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)
                   VALUES (?, 'response', 'running', 0, 1, 9000000000000, 9000000000000, '{}')""",
                (task_id,),
            )
        conn.execute("COMMIT")
        print("ready", flush=True)
        for line in sys.stdin:
            conn.execute("BEGIN IMMEDIATE")
            for number in range(int(line)):
                conn.execute(EVENT, (f"bench_{number:04}",))
                conn.execute(MOVE, (f"bench_{number:04}",))
            conn.execute("COMMIT")
            print("done", flush=True)


class Served:
    """A copy of a database, its service, and a reader that shows its first page."""

    def __init__(self, path: Path, made: Path, stack: ExitStack) -> None:
        shutil.copyfile(path, made)
        stack.callback(made.unlink)
        self._service = stack.enter_context(
            subprocess.Popen(
                [sys.executable, __file__, str(made)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )
        if self._service.stdin is None or self._service.stdout is None:
            raise ValueError("it is spoken to over pipes")
        self._to, self._from = self._service.stdin, self._service.stdout
        stack.callback(self._to.close)
        self._from.readline()
        self._reader: Reader = stack.enter_context(open_reader(made, now_ms=lambda: time.time_ns() // 1_000_000))
        page = self._reader.answer(TaskPageRequest())
        self._reader.answer(Watch(tuple(task.id for task in page.tasks[:ON_SCREEN])))
        self._reader.look()

    def refresh(self, rows: int) -> float:
        """Commit that many changed tasks, and return the seconds of the look that finds them."""
        self._to.write(f"{rows}\n")
        self._to.flush()
        self._from.readline()
        started = time.perf_counter()
        pushed = self._reader.look()
        took = time.perf_counter() - started
        told = sum(len(getattr(push, "rows", ())) for push in pushed)
        if not rows <= told <= rows + ON_SCREEN:
            raise AssertionError(f"{told} rows were told of after a commit of {rows}")
        return took


def measure(on: Databases) -> list[Verdict]:
    """Return the verdict for each number of rows."""
    with ExitStack() as stack:
        served = {
            name: Served(path, on.folder / f"refresh-{name}.db", stack)
            for name, path in (("big", on.big), ("small", on.small), ("again", on.small))
        }
        verdicts = []
        for rows in ROWS:
            took: dict[str, list[float]] = {name: [] for name in served}
            names = list(served)
            for number in range(ROUNDS + 3):
                random.shuffle(names)
                for name in names:
                    seconds = served[name].refresh(rows)
                    if number >= 3:
                        took[name].append(seconds)
            found, control = ratio(took["big"], took["small"]), ratio(took["again"], took["small"])
            name = f"5 look after a commit of {rows}, large beside small"
            verdicts.append(Verdict(name, found, MOST, control, steady=True))
        return verdicts


if __name__ == "__main__":
    serve(sys.argv[1])
