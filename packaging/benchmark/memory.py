"""Memory of a store that runs for long: what one process has for itself, its anonymous memory, over many transitions.

Not the proportional set size: that moves with every other process that shares the interpreter's pages.

The database is kept small by cleanup, as a service does it, so that what grows is what the store keeps.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from inspector import store

LEAST_FLAT = 1.02
"""The end may have this many times what a tenth of the way had: flat within 2 %."""

TRANSITIONS_A_TASK = 6
TASKS_BETWEEN_CLEANUPS = 500


def anonymous_kib() -> int:
    """Return the anonymous memory of this process, in KiB."""
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1])
    raise AssertionError("this kernel does not tell the anonymous memory")


def run(path: Path, transitions: int) -> Iterator[tuple[int, int]]:
    """Run the life of one task after another, and give the transitions until then and the memory, ten times."""
    with closing(store.open_service_database(path)) as db:
        # What is asked here is memory, a million times: the disk may take its time afterwards.
        db.conn.execute("PRAGMA synchronous = OFF")
        done = told = now = 0
        while done < transitions:
            for _ in range(TASKS_BETWEEN_CLEANUPS):
                now += 10
                key = f"key {now}"
                store.accept_task(db, request={"n": now}, on_restart="resume", now_ms=now, idempotency_key=key)
                task = store.claim_next_task(db, now_ms=now + 1)
                if task is None:
                    raise AssertionError("the task that was accepted is not there")
                store.start_task(db, task.id, status="running", attempt=1, now_ms=now + 2)
                store.append_events(db, task.id, [("x", {"n": now})] * 3, attempt=1, now_ms=now + 3)
                if now % 30:
                    store.complete_task(db, task.id, {"n": now}, attempt=1, now_ms=now + 4)
                else:
                    store.cancel_task(db, task.id, now_ms=now + 4)
                    store.finish_cancel(db, task.id, attempt=1, now_ms=now + 5)
                done += TRANSITIONS_A_TASK
            plan = store.plan_retention(db, keep_ms=1000, now_ms=now)
            store.apply_retention(db, plan, now_ms=now, pause=lambda _: None)
            store.apply_recovery(db, store.plan_recovery(db), now_ms=now)
            if done * 10 // transitions > told:
                told = done * 10 // transitions
                yield done, anonymous_kib()


def measure(folder: Path, transitions: int) -> list[str]:
    """Print the memory as it goes, and the verdict; return the bar if it was missed."""
    started = time.perf_counter()
    found = []
    for done, kib in run(folder / "long.db", transitions):
        found.append(kib)
        print(f"{done:>9,} transitions: {kib / 1024:.1f} MiB")
    grown = found[-1] / found[0]
    verdict = "held" if grown <= LEAST_FLAT else "missed"
    print(
        f"memory after {transitions:,} transitions: {grown:.3f} x that of a tenth of them, bar {LEAST_FLAT} x, "
        f"{time.perf_counter() - started:.0f} s: {verdict}"
    )
    return [] if verdict == "held" else ["memory over many transitions"]
