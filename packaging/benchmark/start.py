"""Start to first painted rows, beside an empty QMainWindow on the same event loop, and large beside small: bars 1, 2.

Every arm is a whole process, timed from before it is spawned to the paint that counts. The arms take turns; "empty
again" is the same arm a second time.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from verdicts import Databases, Verdict, ratio

HERE = Path(__file__).parent
LEAST_RUNS = 9
MOST, MOST_AT_SCALE = 1.35, 1.10


def milliseconds(program: str, *arguments: str) -> float:
    """Run one program until it says that it has painted; return the milliseconds from before its start."""
    started_ns = time.monotonic_ns()
    done = subprocess.run(
        [sys.executable, str(HERE / program), *arguments], stdout=subprocess.PIPE, check=True, timeout=60, text=True
    )
    return (int(done.stdout.split()[-1]) - started_ns) / 1e6


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts on both bars."""
    arms = {
        "empty": ("empty_window.py",),
        "again": ("empty_window.py",),
        "large": ("first_rows.py", str(on.big)),
        "small": ("first_rows.py", str(on.small)),
    }
    for arm in arms.values():
        milliseconds(*arm)
    times: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(max(LEAST_RUNS, on.rounds)):
        for name, arm in arms.items():
            times[name].append(milliseconds(*arm))
    control = ratio(times["again"], times["empty"])
    note = f"{statistics.median(times['large']):.0f} and {statistics.median(times['empty']):.0f} ms"
    return [
        Verdict(
            "1 first painted rows, beside an empty window",
            ratio(times["large"], times["empty"]),
            MOST,
            control,
            note=note,
        ),
        Verdict(
            "2 first painted rows, large beside small",
            ratio(times["large"], times["small"]),
            MOST_AT_SCALE,
            control,
            steady=True,
        ),
    ]
