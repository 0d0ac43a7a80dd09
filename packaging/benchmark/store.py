"""The store's speed, in one run on one disk: ``store.py [--full] [--folder DIR]``; exit status 1 where a bar is missed.

``--full`` adds the cycle beside other queues and the memory of a million transitions.
"""

import argparse
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

import groups
import indexes
import memory
import retention
import singles

FLUSH_MADE_LONGER_US = 600
"""With this, a flush takes what it takes on the disks of most people's machines."""

TASKS_TO_CLEAN = 5_000


def main() -> int:
    """Measure, print, and return 1 where a bar was missed or a run says nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="also other queues, and the memory of a million transitions"
    )
    parser.add_argument("--folder", type=Path, help="where the databases are made: the disk that is measured")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each arm (at least 5)")
    chosen = parser.parse_args()
    rounds = max(5, chosen.rounds)
    print(f"SQLite {sqlite3.sqlite_version}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory(prefix="lmsp-bench-", dir=chosen.folder) as made:
        folder = Path(made)
        missed = singles.report(singles.measure(folder, rounds=rounds, tasks=100))
        indexes.report(indexes.measure(folder, rounds=rounds, tasks=40))
        missed += groups.report(groups.measure(folder, rounds=5, seconds=1))
        if shutil.which("strace"):
            found = groups.measure(folder, rounds=5, seconds=1, slower_by_us=FLUSH_MADE_LONGER_US)
            missed += groups.report(found, slower_by_us=FLUSH_MADE_LONGER_US)
        else:
            print("group writer with a longer flush: not measured, strace is not installed")
        missed += retention.report(retention.measure(folder, tasks=TASKS_TO_CLEAN))
        if chosen.full:
            import peers  # its libraries are installed for this alone

            missed += peers.report(peers.measure(folder, rounds=rounds, cycles=100), "one after another")
            many = peers.measure_many(folder, rounds=5, seconds=1)
            missed += peers.report(many, f"{peers.PRODUCERS} producers")
            missed += memory.measure(folder, 1_000_000)
    print(f"missed or inconclusive: {', '.join(missed)}" if missed else "every bar was held")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
