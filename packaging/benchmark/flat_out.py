"""A service that writes flat out, with nobody looking, with a window that is scrolled, and with work in the background.

Bar 8: the size of the -wal, and the transactions a second. Run by itself it is the service: ``flat_out.py DB SECONDS``.
"""

import shutil
import statistics
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from singles import DELTA
from told import ToldWindow
from verdicts import Databases, Verdict

from inspector import store
from inspector.lmsp.events import OUTPUT_TEXT_DELTA

SPELL_S = 3.0
MOST_WAL, LEAST_RATE, LEAST_RATE_WITH_WORK = 1.25, 0.9, 0.8
TASKS = 16


def write(path: Path, seconds: float) -> None:
    """Append events one after the other, and print how many a second, and the size of the -wal in MiB."""
    with closing(store.open_service_database(path)) as db:
        # A -wal that lies here, because the window had the file open when the service before this one ended, keeps the
        # size that it had then.
        db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        now = time.time_ns() // 1_000_000
        tasks = [
            store.accept_task(db, request={}, on_restart="fail", now_ms=now).task.id for _ in range(TASKS)
        ]  # fmt: skip
        for task_id in tasks:
            store.start_task(db, task_id, status="running", attempt=1, now_ms=now, warm=True)
        done, started = 0, time.perf_counter()
        while time.perf_counter() - started < seconds:
            store.append_events(db, tasks[done % TASKS], [(OUTPUT_TEXT_DELTA, DELTA)], attempt=1, now_ms=now)
            done += 1
        rate = done / (time.perf_counter() - started)
        print(rate, path.with_name(f"{path.name}-wal").stat().st_size / 2**20)
        for task_id in tasks:
            store.fail_task(db, task_id, code="over", message="", attempt=1, now_ms=now)


def spell(path: Path) -> tuple[float, float]:
    """Let the service write for a while; return its transactions a second and the size of its -wal in MiB."""
    done = subprocess.run(
        [sys.executable, __file__, str(path), str(SPELL_S)], stdout=subprocess.PIPE, check=True, text=True, timeout=60
    )
    rate, wal = map(float, done.stdout.split())
    return rate, wal


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts, round by round: alone, watched and scrolled, watched with work in the background, alone."""
    path = on.folder / "flat-out.db"
    shutil.copyfile(on.big, path)
    names = ("alone", "scrolled", "at work", "again")
    rates: dict[str, list[float]] = {name: [] for name in names}
    wals: dict[str, list[float]] = {name: [] for name in names}

    def note(name: str) -> None:
        rate, wal = spell(path)
        rates[name].append(rate)
        wals[name].append(wal)

    for _ in range(max(3, on.rounds)):
        note("alone")
        with ToldWindow(str(path)) as window:
            window.tell("scroll")
            note("scrolled")
            window.tell("search no such text")
            note("at work")
        note("again")
    path.unlink()

    def ratio(found: dict[str, list[float]], name: str) -> float:
        return statistics.median(one / other for one, other in zip(found[name], found["alone"], strict=True))

    control = ratio(rates, "again")
    note = f"alone {statistics.median(wals['alone']):.1f} MiB"
    return [
        Verdict("8 size of the -wal, scrolled", ratio(wals, "scrolled"), MOST_WAL, control, note=note),
        Verdict("8 size of the -wal, search and counts beside it", ratio(wals, "at work"), MOST_WAL, control),
        Verdict("8 transactions a second, scrolled", ratio(rates, "scrolled"), LEAST_RATE, control, at_least=True),
        Verdict(
            "8 transactions a second, search and counts beside it",
            ratio(rates, "at work"),
            LEAST_RATE_WITH_WORK,
            control,
            at_least=True,
        ),
    ]


if __name__ == "__main__":
    write(Path(sys.argv[1]), float(sys.argv[2]))
