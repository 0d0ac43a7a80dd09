"""What sharing a commit gives: producers on one group writer, against a plain loop of the same durable calls.

Run by itself it prints one round as JSON: ``groups.py FOLDER SECONDS``. The price of a flush decides what can be
shared, so the benchmark runs it twice: as the disk is, and with each flush made longer by strace, where that is there.
"ceiling" is the same producers and statements with the least hand-over that an event loop allows, and no check: no
group writer for an event loop can be faster, and where that does not reach a bar, no store does on this disk.
"""

import asyncio
import json
import os
import queue
import random
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from singles import DELTA, DELTA_TEXT, FIND_TASK, INSERT_EVENT

from inspector import store
from inspector.lmsp.events import OUTPUT_TEXT_DELTA

LEAST = {16: 5.0, 64: 7.0}
"""By producers: how many times the direct loop."""

CONTROL = "direct again"
EVENT = (OUTPUT_TEXT_DELTA, DELTA)
FLUSHES = 200
TURNS = 5
"""How often each arm has its turn in a round: whatever disturbs the machine for a while disturbs them all."""


def prepare(path: Path) -> None:
    """Make a database with running tasks."""
    with closing(store.open_service_database(path)) as db:
        for number in range(max(LEAST)):
            store.accept_task(db, request={}, on_restart="retry", task_id=f"t{number}", now_ms=1)
            store.start_task(db, f"t{number}", status="running", attempt=1, now_ms=2, warm=True)


def direct(path: Path, seconds: float) -> float:
    """Return the events a second of a loop that appends one after the other."""
    done = 0
    with closing(store.open_service_database(path)) as db:
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            store.append_events(db, f"t{done % max(LEAST)}", [EVENT], attempt=1, now_ms=3)
            done += 1
        return done / (time.perf_counter() - started)


def grouped(path: Path, seconds: float, producers: int) -> float:
    """Return the events a second of producers that each wait for one before the next."""

    async def work() -> float:
        done = 0
        async with store.open_group_writer(path) as writer:
            started = time.perf_counter()

            async def produce(task_id: str) -> None:
                nonlocal done
                while time.perf_counter() - started < seconds:
                    await writer.append_events(task_id, [EVENT], attempt=1, now_ms=3)
                    done += 1

            await asyncio.gather(*(produce(f"t{number}") for number in range(producers)))
            return done / (time.perf_counter() - started)

    return asyncio.run(work())


def ceiling(path: Path, seconds: float, producers: int) -> float:
    """Return the events a second of the same producers on the bare statements, and nothing that a store needs beside.

    No check of what was passed, no JSON, no savepoint, no look at what a statement changed: a future for each event, a
    thread that takes them all into one transaction, and one call on the loop that answers them.
    """

    async def work() -> float:
        loop = asyncio.get_running_loop()
        handed: queue.SimpleQueue[list[tuple[str, asyncio.Future[None]]]] = queue.SimpleQueue()
        gathered: list[tuple[str, asyncio.Future[None]]] = []
        opened: asyncio.Future[None] = loop.create_future()
        done = 0

        def hand_over() -> None:
            handed.put(gathered.copy())
            gathered.clear()

        def answer(group: list[tuple[str, asyncio.Future[None]]]) -> None:
            for _, waiting in group:
                waiting.set_result(None)

        def write() -> None:
            with closing(store.open_service_database(path)) as db:
                loop.call_soon_threadsafe(opened.set_result, None)
                while group := handed.get():
                    append_bare(db.conn, [task_id for task_id, _ in group])
                    loop.call_soon_threadsafe(answer, group)

        async def produce(task_id: str) -> None:
            nonlocal done
            while time.perf_counter() - started < seconds:
                waiting = loop.create_future()
                if not gathered:
                    loop.call_soon(hand_over)
                gathered.append((task_id, waiting))
                await waiting
                done += 1

        writer = asyncio.create_task(asyncio.to_thread(write))
        await opened
        started = time.perf_counter()
        await asyncio.gather(*(produce(f"t{number}") for number in range(producers)))
        took = time.perf_counter() - started
        handed.put([])
        await writer
        return done / took

    return asyncio.run(work())


def append_bare(conn: sqlite3.Connection, task_ids: list[str]) -> None:
    """Append an event to each of the tasks, in one transaction, with the statements that the store uses."""
    execute = conn.execute
    execute("BEGIN IMMEDIATE")
    for task_id in task_ids:
        ((status, last_seq, attempt, _),) = execute(FIND_TASK, (task_id,)).fetchall()
        execute(INSERT_EVENT, (task_id, last_seq + 1, OUTPUT_TEXT_DELTA, status, attempt, 3, DELTA_TEXT))
        execute(
            "UPDATE tasks SET last_seq = ?, updated_at = ? WHERE id = ? AND status = ? AND attempt = ?",
            (last_seq + 1, 3, task_id, status, attempt),
        )
    execute("COMMIT")


def flush_seconds(folder: Path) -> float:
    """Return how long a flush of 4 KiB takes here, the median."""
    took = []
    descriptor = os.open(folder / "flush", os.O_CREAT | os.O_WRONLY)
    try:
        for number in range(FLUSHES):
            os.pwrite(descriptor, b"x" * 4096, 4096 * number)
            started = time.perf_counter()
            os.fdatasync(descriptor)
            took.append(time.perf_counter() - started)
    finally:
        os.close(descriptor)
    return statistics.median(took)


def one_round(folder: Path, seconds: float) -> dict[str, float]:
    """Let the arms take turns, ``seconds`` each in all, and return what each reached; and how long the flush takes."""
    arms: dict[str, Callable[[Path, float], float]] = {"direct": direct, CONTROL: direct}
    for producers in LEAST:
        arms[str(producers)] = lambda path, turn, n=producers: grouped(path, turn, n)
        arms[f"ceiling {producers}"] = lambda path, turn, n=producers: ceiling(path, turn, n)
    reached: dict[str, list[float]] = {name: [] for name in arms}
    for name in arms:
        (folder / name).mkdir()
        prepare(folder / name / "service.db")
    names = list(arms)
    for _ in range(TURNS):
        random.shuffle(names)
        for name in names:
            reached[name].append(arms[name](folder / name / "service.db", seconds / TURNS))
    return {**{name: statistics.median(some) for name, some in reached.items()}, "flush": flush_seconds(folder)}


def measure(folder: Path, *, rounds: int, seconds: float, slower_by_us: int = 0) -> list[dict[str, float]]:
    """Run the arms in processes of their own, round by round; ``slower_by_us`` makes each flush that much longer."""
    slow = ["strace", "-f", "-q", "--seccomp-bpf", "-o", os.devnull, "-e", "trace=fdatasync,fsync"]
    slow += ["-e", f"inject=fdatasync,fsync:delay_exit={slower_by_us}"]
    found = []
    for number in range(rounds):
        own = folder / f"groups-{slower_by_us}-{number}"
        own.mkdir()
        command = [sys.executable, __file__, str(own), str(seconds)]
        done = subprocess.run(
            [*(slow if slower_by_us else []), *command], stdout=subprocess.PIPE, check=True, text=True, timeout=300
        )
        found.append(json.loads(done.stdout))
    return found


def report(found: list[dict[str, float]], *, slower_by_us: int = 0) -> list[str]:
    """Print what was measured and the verdict on each bar; return the bars that were missed."""

    def median(name: str) -> float:
        return statistics.median(one[name] for one in found)

    def ratio(name: str) -> float:
        return statistics.median(one[name] / one["direct"] for one in found)

    where = f"flush made {slower_by_us / 1000:g} ms longer" if slower_by_us else "this disk"
    flush = median("flush")
    share = flush * median("direct")
    print(
        f"group writer, {where}: a flush takes {flush * 1e3:.2f} ms, {share:.0%} of a direct append; "
        f"direct {median('direct'):.0f} a second"
    )
    control = ratio(CONTROL)
    missed = []
    for producers, least in LEAST.items():
        times = ratio(str(producers))
        verdict = "held" if times >= least else "missed"
        if ratio(f"ceiling {producers}") < least:
            verdict = "out of reach: on this disk even the bare statements behind the least hand-over gain less"
        if not 0.9 <= control <= 1.1:
            verdict = f"inconclusive: the same arm twice differs by {control:.2f} x"
        if verdict.startswith(("missed", "inconclusive")):
            missed.append(f"group writer, {producers} producers, {where}")
        rate, most = median(str(producers)), ratio(f"ceiling {producers}")
        print(
            f"{producers} producers: {rate:.0f} a second, {times:.1f} x the direct loop (ceiling {most:.1f} x), "
            f"bar {least:g} x: {verdict}"
        )
    return missed


if __name__ == "__main__":
    print(json.dumps(one_round(Path(sys.argv[1]), float(sys.argv[2]))))
