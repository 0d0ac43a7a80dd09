"""How long a cleanup of a real size holds the write lock, beside a service that writes all the time."""

import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.store_invariants import broken_invariants
from tests.support.store_old_tasks import KEEP, NOW, leave_many_old
from tests.support.subject import store

pytestmark = [pytest.mark.ours, pytest.mark.process]

BAR_MS = 50
ROOT = Path(__file__).parents[2]

WRITES = """
import json, sys, threading, time
from tests.support.subject import store

db = store.open_service_database(sys.argv[1])
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set())).start()
print("ready", flush=True)
took = []
while not ended.is_set():
    began = time.monotonic()
    store.accept_task(db, request={}, on_restart="retry", now_ms=1)
    took.append(1000 * (time.monotonic() - began))
db.close()
print(json.dumps(took))
"""


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


@pytest.mark.timeout(600)
def test_the_lock_is_never_held_long_and_free_as_long_beside_a_writer(
    tmp_path: Path, large: bool, proved: Callable[[str], None]
) -> None:
    number = 5_000 if large else 400
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        leave_many_old(db, number, events=50)
        assert broken_invariants(db.conn) == []
        held: list[float] = []

        def pause(seconds: float) -> None:
            held.append(1000 * seconds)
            threading.Event().wait(seconds)

        writer = subprocess.Popen(
            [sys.executable, "-c", WRITES, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        with writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            plan = store.plan_retention(db, now_ms=NOW, keep_ms=KEEP)
            began = time.monotonic()
            result = store.apply_retention(db, plan, now_ms=NOW, pause=pause)
            took_ms = 1000 * (time.monotonic() - began)
            waited = json.loads(writer.communicate()[0])
        assert (result.tasks, result.events) == (number, 50 * number)
        assert result.batches == len(held) > 1
        assert result.longest_hold_ms == pytest.approx(max(held))
        # Each batch is followed by a pause as long: what is held is less than half of all.
        assert sum(held) < took_ms / 2
        assert len(waited) > result.batches
        assert broken_invariants(db.conn) == []
    p99 = percentile(held, 0.99)
    proved(
        f"retention: {number:,} tasks with {result.events:,} events in {result.batches} batches, write lock held "
        f"{statistics.median(held):.0f} ms (median), {p99:.0f} ms (99th percentile), {max(held):.0f} ms (longest), "
        f"free {1 - sum(held) / took_ms:.0%} of the time; {len(waited):,} commits of a writer beside it took "
        f"{statistics.median(waited):.1f} ms (median), {percentile(waited, 0.99):.1f} ms (99th percentile)"
    )
    if large:
        assert p99 <= BAR_MS
