"""Start to first painted rows, beside an empty QMainWindow on the same event loop, in one run.

Every arm is a whole process, timed from before it is spawned to the paint that counts. The arms take turns; "empty
again" is the same arm a second time: where its ratio is outside 0.9 to 1.1, the machine was too restless to say much.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inspector import store

HERE = Path(__file__).parent
TASKS = 2_000
LIMIT = 1.35


def make_database(path: Path) -> None:
    """Make a database of the native layout with some tasks, through the store."""
    db = store.open_service_database(path)
    try:
        for number in range(TASKS):
            store.accept_task(db, request={"input": f"request {number}"}, on_restart="retry", now_ms=1_000 * number)
    finally:
        db.close()


def milliseconds(program: str, *arguments: str) -> float:
    """Run one program until it says that it has painted; return the milliseconds from before its start."""
    started_ns = time.monotonic_ns()
    done = subprocess.run(
        [sys.executable, str(HERE / program), *arguments], stdout=subprocess.PIPE, check=True, timeout=60, text=True
    )
    return (int(done.stdout.split()[-1]) - started_ns) / 1e6


def main() -> int:
    """Measure, print, and return 0 where the bar is held, 1 where it is missed or the run says nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9, help="runs of each arm (at least 5)")
    runs = max(5, parser.parse_args().runs)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="lmsp-bench-") as folder:
        path = Path(folder) / "bench.db"
        make_database(path)
        arms: dict[str, Callable[[], float]] = {
            "empty QMainWindow": lambda: milliseconds("empty_window.py"),
            "empty again": lambda: milliseconds("empty_window.py"),
            "first painted rows": lambda: milliseconds("first_rows.py", str(path)),
        }
        for arm in arms.values():
            arm()
        times: dict[str, list[float]] = {name: [] for name in arms}
        for _ in range(runs):
            for name, arm in arms.items():
                times[name].append(arm())
    return report(times)


def report(times: dict[str, list[float]]) -> int:
    """Print a line for each arm and the verdict."""
    base = times["empty QMainWindow"]

    def ratio(name: str) -> float:
        return statistics.median(own / empty for own, empty in zip(times[name], base, strict=True))

    for name, measured in times.items():
        low, middle, high = min(measured), statistics.median(measured), max(measured)
        print(f"{name:20} {middle:7.0f} ms  [{low:.0f}..{high:.0f}]  {ratio(name):.2f} x")
    control, found = ratio("empty again"), ratio("first painted rows")
    if not 0.9 <= control <= 1.1:
        print(f"inconclusive: the same arm twice differs by {control:.2f} x; run it again on a quieter machine")
        return 1
    verdict = "held" if found <= LIMIT else "missed"
    print(f"start to first painted rows: {found:.2f} x an empty QMainWindow, bar {LIMIT} x: {verdict}")
    return int(found > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
