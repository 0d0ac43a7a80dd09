"""The window and its readers at a million tasks: ``scale.py [--small] [--database DB] [--only BAR ...]``.

Each bar is printed with its verdict; what was missed or inconclusive is measured once more, and the second verdict
counts. The exit status is 1 where a bar was missed twice; with ``--small`` only those decide that are the same at every
size.
"""

import argparse
import importlib
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from verdicts import Databases, Verdict

from inspector.demo.simulating import simulate

BARS = {
    "1": "start",
    "3": "other_browser",
    "4": "pages",
    "5": "refresh",
    "6": "commit_to_painted",
    "7": "idle",
    "8": "flat_out",
    "9": "frames",
    "10": "jumps",
    "11": "big_task",
    "12": "command",
    "13": "event_search",
    "hostile": "hostile_files",
}
"""Bar 2 is measured with bar 1, an id of bar 13 with bar 4."""

IN_SMALL = ("1", "4", "5", "9", "12", "13")
LARGE, SMALL = (1_000_000, 10_000_000), (20_000, 200_000)
A_HUNDREDTH = 100
LEAST_TASKS = 2_000


def main() -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="20,000 tasks, and fewer bars")
    parser.add_argument("--database", type=Path, help="a database of a million tasks that `simulate` made; else one is")
    parser.add_argument("--only", nargs="+", choices=BARS, help="these bars alone")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each arm (at least 5)")
    chosen = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    print(f"SQLite {sqlite3.sqlite_version}, Python {sys.version.split()[0]}, {os.environ['QT_QPA_PLATFORM']}")
    with tempfile.TemporaryDirectory(prefix="lmsp-bench-") as made:
        folder = Path(made)
        tasks, events = SMALL if chosen.small else LARGE
        big = chosen.database or make(folder / "large.db", tasks, events)
        small = make(
            folder / "small.db", max(LEAST_TASKS, tasks // A_HUNDREDTH), max(10 * LEAST_TASKS, events // A_HUNDREDTH)
        )
        on = Databases(big, small, folder, max(5, chosen.rounds))
        names = chosen.only or (IN_SMALL if chosen.small else tuple(BARS))
        missed = [bar for name in names for bar in measured_twice(BARS[name], on, small=chosen.small)]
    which = "that is the same at every size " if chosen.small else ""
    print(f"missed or inconclusive twice: {', '.join(missed)}" if missed else f"every bar {which}was held")
    return int(bool(missed))


def make(path: Path, tasks: int, events: int) -> Path:
    """Make a history, say how long that took, and return where it is."""
    started = time.perf_counter()
    simulate(path, tasks=tasks, events=events, seed=1)
    size = path.stat().st_size / 2**20
    print(f"simulated {tasks:,} tasks with {events:,} events in {time.perf_counter() - started:.0f} s, {size:,.0f} MiB")
    return path


def measured_twice(module: str, on: Databases, *, small: bool) -> list[str]:
    """Measure the bars of a module, once more where one was not held, and return those that were missed twice."""
    measure: Callable[[Databases], list[Verdict]] = importlib.import_module(module).measure
    first = measure(on)
    for verdict in first:
        print(verdict.line(), flush=True)
    open_ones = {each.bar for each in first if _decides(each, small=small)}
    if not open_ones:
        return []
    again = [each for each in measure(on) if each.bar in open_ones]
    for verdict in again:
        print(f"once more, {verdict.line()}", flush=True)
    return [each.bar for each in again if _decides(each, small=small)]


def _decides(verdict: Verdict, *, small: bool) -> bool:
    """Say whether a bar is not held; of a small run only where it is the same at every size."""
    return (verdict.steady and verdict.word == "missed") if small else verdict.word != "held"


if __name__ == "__main__":
    sys.exit(main())
