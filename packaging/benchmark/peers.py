"""The whole cycle, accept, claim, complete, beside queues that keep their tasks in SQLite: each step durable.

Every arm runs in WAL with ``synchronous=FULL``, set where its library leaves it lower, and asked of its own connection;
the settings are printed. A cycle is one task that goes through, each arm in turn: three acknowledgements that outlive a
loss of power. What the others store is less: no event log, no sequence numbers, no attempt. "bare rows" writes the rows
that the specification asks for, in plain sqlite3 on tables without a trigger: what no store that keeps them can exceed.
"""

import asyncio
import random
import sqlite3
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import litequeue
import persistqueue
from huey import SqliteHuey
from singles import Plain

from inspector import store

REQUEST = {"input": "x" * 120}
RESPONSE = {"output": "x" * 400}
TEXT = '{"input":"' + "x" * 120 + '"}'
RESULT = b'{"output":"' + b"x" * 400 + b'"}'
LEAST = 1.0
PRODUCERS = 16
CONTROL = "this store again"
CEILING = "bare rows"


Arm = Callable[[Path], tuple[sqlite3.Connection, Callable[[int], None]]]
"""Opens a queue in a folder; gives its connection, and what runs one cycle."""


def ours(folder: Path) -> tuple[sqlite3.Connection, Callable[[int], None]]:
    """Accept a task, claim the oldest, complete it."""
    db = store.open_service_database(folder / "service.db")

    def cycle(number: int) -> None:
        store.accept_task(db, request=REQUEST, on_restart="retry", now_ms=number)
        task = store.claim_next_task(db, now_ms=number, warm=True)
        if task is None:
            raise AssertionError("the task that was accepted is not there")
        store.complete_task(db, task.id, RESPONSE, attempt=task.attempt, now_ms=number)

    return db.conn, cycle


def bare(folder: Path) -> tuple[sqlite3.Connection, Callable[[int], None]]:
    """Write the rows of the same cycle, and nothing else."""
    plain = Plain(folder / "bare.db", triggers=False)
    oldest = "SELECT id FROM tasks WHERE status = 'queued' ORDER BY created_at, id LIMIT 1"

    def cycle(number: int) -> None:
        plain.accept(f"task_{number:012x}")
        ((task_id,),) = plain.conn.execute(oldest).fetchall()
        plain.run(task_id)
        plain.complete(task_id)

    return plain.conn, cycle


def huey(folder: Path) -> tuple[sqlite3.Connection, Callable[[int], None]]:
    """Enqueue, dequeue, store the result."""
    storage = SqliteHuey(filename=str(folder / "huey.db"), fsync=True).storage

    def cycle(number: int) -> None:
        storage.enqueue(TEXT.encode())
        storage.dequeue()
        storage.put_data(str(number).encode(), RESULT)

    return storage.conn, cycle


def lite(folder: Path) -> tuple[sqlite3.Connection, Callable[[int], None]]:
    """Put, pop, done. Its own setting is NORMAL."""
    queue = litequeue.LiteQueue(str(folder / "lite.db"))
    queue.conn.execute("PRAGMA synchronous = FULL")

    def cycle(_: int) -> None:
        queue.put(TEXT)
        message = queue.pop()
        queue.done(message.message_id)

    return queue.conn, cycle


def persist(folder: Path) -> tuple[sqlite3.Connection, Callable[[int], None]]:
    """Put, get, acknowledge."""
    queue = persistqueue.SQLiteAckQueue(str(folder), auto_commit=True)

    def cycle(_: int) -> None:
        queue.put(TEXT)
        queue.ack(queue.get())

    return queue._conn, cycle  # noqa: SLF001  the connection that its settings are asked of


PEERS: dict[str, Arm] = {"huey": huey, "litequeue": lite, "persist-queue": persist}
MANY: dict[str, Arm] = {"this store": ours, CONTROL: ours, **PEERS}
ARMS: dict[str, Arm] = {**MANY, CEILING: bare}


def together(folder: Path, seconds: float) -> float:
    """Return the cycles a second of many producers on one group writer."""

    async def work() -> float:
        done = 0
        async with store.open_group_writer(folder / "service.db") as writer:
            started = time.perf_counter()

            async def produce() -> None:
                nonlocal done
                while time.perf_counter() - started < seconds:
                    await writer.accept_task(request=REQUEST, on_restart="retry", now_ms=done)
                    task = await writer.claim_next_task(now_ms=done, warm=True)
                    if task is None:
                        raise AssertionError("there are as many tasks as claims")
                    await writer.complete_task(task.id, RESPONSE, attempt=task.attempt, now_ms=done)
                    done += 1

            await asyncio.gather(*(produce() for _ in range(PRODUCERS)))
            return done / (time.perf_counter() - started)

    return asyncio.run(work())


def apart(arm: Arm, folder: Path, seconds: float) -> float:
    """Return the cycles a second of as many threads, each with a queue of its own on the same file."""
    arm(folder)
    started = time.perf_counter()

    def produce(_: int) -> int:
        _, cycle = arm(folder)
        done = 0
        while time.perf_counter() - started < seconds:
            cycle(done)
            done += 1
        return done

    with ThreadPoolExecutor(PRODUCERS) as pool:
        return sum(pool.map(produce, range(PRODUCERS))) / (time.perf_counter() - started)


def settings(conn: sqlite3.Connection) -> str:
    """Return the journal mode and the synchronous setting of a connection, as SQLite answers them."""
    mode, synchronous = (conn.execute(f"PRAGMA {name}").fetchall()[0][0] for name in ("journal_mode", "synchronous"))
    return f"journal_mode={mode} synchronous={synchronous}"


def measure(folder: Path, *, rounds: int, cycles: int) -> dict[str, list[float]]:
    """Let the arms take turns cycle by cycle; return the cycles a second of each in each round."""
    cycle: dict[str, Callable[[int], None]] = {}
    for name, arm in ARMS.items():
        own = folder / name.replace(" ", "-")
        own.mkdir()
        conn, cycle[name] = arm(own)
        print(f"{name}: {settings(conn)}")
    names = list(ARMS)
    order = random.Random(1)
    rates: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds + 1):
        seconds = dict.fromkeys(names, 0.0)
        for task in range(cycles):
            order.shuffle(names)
            for name in names:
                started = time.perf_counter()
                cycle[name](number * cycles + task)
                seconds[name] += time.perf_counter() - started
        if number:
            for name in names:
                rates[name].append(cycles / seconds[name])
    return rates


def measure_many(folder: Path, *, rounds: int, seconds: float) -> dict[str, list[float]]:
    """Let many producers at once run cycles, arm by arm; return the cycles a second of each in each round."""
    rates: dict[str, list[float]] = {name: [] for name in MANY}
    for number in range(rounds):
        for name, arm in MANY.items():
            own = folder / f"many-{number}-{name.replace(' ', '-')}"
            own.mkdir()
            rates[name].append(together(own, seconds) if arm is ours else apart(arm, own, seconds))
    return rates


def report(rates: dict[str, list[float]], what: str) -> list[str]:
    """Print what was measured and the verdict; return the bar if it was missed."""

    def ratio(name: str, against: str) -> float:
        return statistics.median(a / b for a, b in zip(rates[name], rates[against], strict=True))

    for name, measured in rates.items():
        print(f"{name:20} {statistics.median(measured):6.0f} cycles a second, {what}")
    control = ratio(CONTROL, "this store")
    best = max(PEERS, key=lambda name: statistics.median(rates[name]))
    found = ratio("this store", best)
    verdict = "held" if found >= LEAST else "missed"
    if CEILING in rates and ratio(CEILING, best) < LEAST:
        verdict = f"out of reach: the bare rows alone reach {ratio(CEILING, best):.2f} x"
    if not 0.9 <= control <= 1.1:
        verdict = f"inconclusive: the same arm twice differs by {control:.2f} x"
    print(f"accept, claim, complete, {what}: this store {found:.2f} x {best}, the best, bar {LEAST} x: {verdict}")
    return [] if verdict.startswith(("held", "out of reach")) else [f"the cycle against peers, {what}"]
