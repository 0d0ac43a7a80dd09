"""What each index of the layout costs a service: the life of a task with all of them, beside one without it.

The statements are those of the plain arm, in plain sqlite3; a task here has a client and a model, and its response and
key an end, so that each index has something to hold.
"""

import random
import re
import sqlite3
import statistics
import time
from pathlib import Path

from singles import Plain

from inspector.layout import native

ALL = "all indexes"
CONTROL = "all indexes again"


class Life(Plain):
    """One task from its accept to its end, on a layout that may lack an index."""

    def __init__(self, path: Path, lacks: str | None) -> None:
        super().__init__(path)
        if lacks is not None:
            self.conn.execute(f"DROP INDEX {lacks}")

    def live(self, task_id: str, now_ms: int) -> None:
        """Accept, claim, run, complete: a transaction each."""
        self.accept(task_id)
        self._in_one("UPDATE tasks SET client_id = 'c', model_id = 'm', created_at = ? WHERE id = ?", (now_ms, task_id))
        self._in_one(
            "INSERT INTO idempotency_keys VALUES ('c', ?, 'd', ?, 202, '{}', ?, ?)", (task_id, task_id, now_ms, now_ms)
        )
        self.claim(task_id)
        self.run(task_id)
        self.complete(task_id)
        self._in_one("UPDATE responses SET expires_at = ? WHERE task_id = ?", (now_ms, task_id))

    def _in_one(self, sql: str, values: tuple[object, ...]) -> sqlite3.Cursor:
        self.conn.execute("BEGIN IMMEDIATE")
        self.conn.execute(sql, values)
        return self.conn.execute("COMMIT")


def names() -> list[str]:
    """Return the names of the layout's indexes."""
    return [found[1] for text in native.STATEMENTS if (found := re.match(r"CREATE INDEX (\w+)", text))]


def measure(folder: Path, *, rounds: int, tasks: int) -> dict[str, list[float]]:
    """Let the arms take turns, task by task; return the seconds of each arm in each round."""
    lacking: dict[str, str | None] = {ALL: None, CONTROL: None, **{name: name for name in names()}}
    arms = {name: Life(folder / f"index-{number}.db", lacks) for number, (name, lacks) in enumerate(lacking.items())}
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    order = random.Random(1)
    turns = list(arms)
    try:
        for number in range(rounds + 1):
            took = dict.fromkeys(arms, 0.0)
            for task in range(tasks):
                order.shuffle(turns)
                for name in turns:
                    started = time.perf_counter()
                    arms[name].live(f"task_{number:04}_{task:04}", number * tasks + task)
                    took[name] += time.perf_counter() - started
            if number:
                for name, spent in took.items():
                    seconds[name].append(spent)
    finally:
        for arm in arms.values():
            arm.conn.close()
    return seconds


def report(seconds: dict[str, list[float]]) -> None:
    """Print what the life of a task takes with all indexes, in units of one without each."""
    print("what each index costs: the life of a task with all of them, beside one without it")
    for name, spent in seconds.items():
        if name != ALL:
            found = statistics.median(a / b for a, b in zip(seconds[ALL], spent, strict=True))
            print(f"   {name if name != CONTROL else 'the same arm twice':28} {found:.3f} x")
