"""Durable transactions a second: this store, and the same statements in plain sqlite3, on one layout and one disk.

The arms take turns, each on a database of its own, and each round compares what it measured of one with what it
measured of another a moment later; "plain again" is the plain arm a second time: where its ratio is outside 0.9 to 1.1
the machine was too restless to say much. "no triggers" is the plain arm on the layout without its triggers.
"""

import random
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from inspector import store
from inspector.layout import native
from inspector.lmsp.events import OUTPUT_TEXT_DELTA

DELTA = {"delta": "x" * 170, "output_index": 0}
REQUEST = {"input": "x" * 120}
RESPONSE = {"output": "x" * 400}
DELTA_TEXT = '{"delta":"' + "x" * 170 + '","output_index":0}'
REQUEST_TEXT = '{"input":"' + "x" * 120 + '"}'
RESPONSE_TEXT = '{"output":"' + "x" * 400 + '"}'
BATCH = 50

FIND_TASK = "SELECT status, last_seq, attempt, updated_at FROM tasks WHERE id = ?"
INSERT_EVENT = (
    "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class Arm(Protocol):
    """One way to do the work, on a database of its own."""

    conn: sqlite3.Connection

    def accept(self, task_id: str) -> object:
        """Store a new task with its first event."""

    def claim(self, task_id: str) -> object:
        """Move a queued task to loading, with its event."""

    def run(self, task_id: str) -> object:
        """Move a loading task to running, with its event."""

    def append(self, task_id: str, number: int) -> object:
        """Append progress events, in one transaction."""

    def complete(self, task_id: str) -> object:
        """Move a running task to completed, with its event and response."""


class Ours:
    """The store's own functions."""

    def __init__(self, path: Path) -> None:
        self.db = store.open_service_database(path)
        self.conn = self.db.conn

    def accept(self, task_id: str) -> object:
        return store.accept_task(self.db, request=REQUEST, on_restart="retry", task_id=task_id, now_ms=1)

    def claim(self, task_id: str) -> object:
        return store.start_task(self.db, task_id, status="loading", attempt=1, now_ms=2)

    def run(self, task_id: str) -> object:
        return store.start_task(self.db, task_id, status="running", attempt=1, now_ms=2)

    def append(self, task_id: str, number: int) -> object:
        return store.append_events(self.db, task_id, [(OUTPUT_TEXT_DELTA, DELTA)] * number, attempt=1, now_ms=3)

    def complete(self, task_id: str) -> object:
        return store.complete_task(self.db, task_id, RESPONSE, attempt=1, now_ms=4)


class Plain:
    """The statements of the store, and nothing around them: no check, no JSON to encode, no result."""

    def __init__(self, path: Path, *, triggers: bool = True) -> None:
        self.conn = sqlite3.connect(path, isolation_level=None)
        for statement in native.STATEMENTS:
            if triggers or not statement.startswith("CREATE TRIGGER"):
                self.conn.execute(statement)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
            self.conn.execute(f"PRAGMA {pragma}").fetchall()

    def accept(self, task_id: str) -> object:
        execute = self.conn.execute
        execute("BEGIN IMMEDIATE")
        execute("SELECT status FROM tasks WHERE id = ?", (task_id,)).fetchall()
        execute(
            """
            INSERT INTO tasks (id, client_id, model_id, kind, status, on_restart, last_seq, attempt,
                               created_at, updated_at, request)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (task_id, None, None, "response", "queued", "retry", 1, 1, 1, 1, REQUEST_TEXT),
        )
        execute(
            """
            INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
            VALUES (?, 1, ?, ?, 1, ?, '{}')""",
            (task_id, "response.created", "queued", 1),
        )
        return execute("COMMIT")

    def claim(self, task_id: str) -> object:
        return self._move(task_id, "loading", "response.loading")

    def run(self, task_id: str) -> object:
        return self._move(task_id, "running", "response.in_progress")

    def append(self, task_id: str, number: int) -> object:
        execute = self.conn.execute
        execute("BEGIN IMMEDIATE")
        ((status, last_seq, attempt, _),) = execute(FIND_TASK, (task_id,)).fetchall()
        rows = [
            (task_id, seq, OUTPUT_TEXT_DELTA, status, attempt, 3, DELTA_TEXT)
            for seq in range(last_seq + 1, last_seq + 1 + number)
        ]
        self.conn.executemany(INSERT_EVENT, rows)
        execute(
            "UPDATE tasks SET last_seq = ?, updated_at = ? WHERE id = ? AND status = ? AND attempt = ?",
            (last_seq + number, 3, task_id, status, attempt),
        )
        return execute("COMMIT")

    def complete(self, task_id: str) -> object:
        execute = self.conn.execute
        execute("BEGIN IMMEDIATE")
        ((status, last_seq, attempt, _),) = execute(FIND_TASK, (task_id,)).fetchall()
        data = f'{{"response_id":"resp_{task_id}"}}'
        execute(INSERT_EVENT, (task_id, last_seq + 1, "response.completed", "completed", attempt, 4, data))
        execute(
            """
            UPDATE tasks
            SET status = ?, last_seq = ?, error_code = ?, error_message = ?, finished_at = ?, updated_at = ?
            WHERE id = ? AND status = ? AND attempt = ?""",
            ("completed", last_seq + 1, None, None, 4, 4, task_id, status, attempt),
        )
        execute(
            """
            INSERT INTO responses (id, task_id, client_id, model_id, status, body, created_at, expires_at)
            SELECT ?, id, client_id, model_id, status, ?, ?, ? FROM tasks WHERE id = ?
            ON CONFLICT (id) DO NOTHING""",
            (f"resp_{task_id}", RESPONSE_TEXT, 4, None, task_id),
        )
        return execute("COMMIT")

    def _move(self, task_id: str, to: str, event_type: str) -> object:
        execute = self.conn.execute
        execute("BEGIN IMMEDIATE")
        ((status, last_seq, attempt, _),) = execute(FIND_TASK, (task_id,)).fetchall()
        execute(INSERT_EVENT, (task_id, last_seq + 1, event_type, to, attempt, 2, "{}"))
        execute(
            """
            UPDATE tasks
            SET status = ?, last_seq = ?, started_at = coalesce(started_at, ?), updated_at = ?
            WHERE id = ? AND status = ? AND attempt = ?""",
            (to, last_seq + 1, 2, 2, task_id, status, attempt),
        )
        return execute("COMMIT")


class Bar(NamedTuple):
    """What one arm must reach of another, in one kind of transaction."""

    arm: str
    against: str
    kind: str
    least: float


BATCH_KIND = f"append {BATCH}"
KINDS: dict[str, Callable[[Arm, str], object]] = {
    "accept": lambda arm, task_id: arm.accept(task_id),
    "claim": lambda arm, task_id: arm.claim(task_id),
    "run": lambda arm, task_id: arm.run(task_id),
    "append 1": lambda arm, task_id: arm.append(task_id, 1),
    BATCH_KIND: lambda arm, task_id: arm.append(task_id, BATCH),
    "complete": lambda arm, task_id: arm.complete(task_id),
}
OURS, PLAIN, CONTROL, BARE = "this store", "plain", "plain again", "no triggers"
BARS = (
    *(Bar(OURS, PLAIN, kind, 0.6 if kind == BATCH_KIND else 0.8) for kind in KINDS),
    *(Bar(PLAIN, BARE, kind, 0.65 if kind == BATCH_KIND else 0.9) for kind in KINDS),
)

Rates = dict[tuple[str, str], list[float]]
"""Transactions a second by arm and kind, one for each round."""


def measure(folder: Path, *, rounds: int, tasks: int) -> Rates:
    """Let the arms take turns, ``tasks`` tasks in each round, and return what each reached in each round."""
    arms: dict[str, Arm] = {
        OURS: Ours(folder / "ours.db"),
        PLAIN: Plain(folder / "plain.db"),
        CONTROL: Plain(folder / "again.db"),
        BARE: Plain(folder / "bare.db", triggers=False),
    }
    try:
        require_same_statements(arms[OURS], arms[PLAIN])
        return _take_turns(arms, rounds, tasks)
    finally:
        for arm in arms.values():
            arm.conn.close()


def require_same_statements(one: Arm, other: Arm) -> None:
    """Raise AssertionError unless both run the same statements with the same values: else nothing is compared."""
    ran: list[list[str]] = []
    for arm in (one, other):
        seen: list[str] = []
        arm.conn.set_trace_callback(lambda sql, seen=seen: seen.append(" ".join(sql.split())))
        for call in KINDS.values():
            call(arm, "first")
        arm.conn.set_trace_callback(None)
        ran.append(seen)
    if ran[0] != ran[1]:
        raise AssertionError(f"the plain arm runs other statements: {set(ran[0]) ^ set(ran[1])}")


def _take_turns(arms: dict[str, Arm], rounds: int, tasks: int) -> Rates:
    rates: Rates = {(arm, kind): [] for arm in arms for kind in KINDS}
    order = random.Random(1)
    names = list(arms)
    # The first round warms up caches and files.
    for number in range(rounds + 1):
        ids = [f"task_{number:04}_{task:04}" for task in range(tasks)]
        for kind, call in KINDS.items():
            some = ids[::4] if kind == BATCH_KIND else ids
            seconds = dict.fromkeys(arms, 0.0)
            for task_id in some:
                # Task by task: whatever disturbs the machine for a while disturbs them all.
                order.shuffle(names)
                for name in names:
                    started = time.perf_counter()
                    call(arms[name], task_id)
                    seconds[name] += time.perf_counter() - started
            if number:
                for name in names:
                    rates[name, kind].append(len(some) / seconds[name])
    return rates


def report(rates: Rates) -> list[str]:
    """Print what was measured and the verdict on each bar; return the bars that were missed."""
    print(f"{'transactions a second':24}" + "".join(f"{kind:>12}" for kind in KINDS))
    for name in (OURS, PLAIN, CONTROL, BARE):
        print(f"{name:24}" + "".join(f"{statistics.median(rates[name, kind]):12.0f}" for kind in KINDS))
    controls = {kind: ratio(rates, CONTROL, PLAIN, kind) for kind in KINDS}
    print(f"{'the same arm twice':24}" + "".join(f"{controls[kind]:12.2f}" for kind in KINDS))
    missed = []
    for bar in BARS:
        found = ratio(rates, bar.arm, bar.against, bar.kind)
        verdict = "held" if found >= bar.least else "missed"
        if not 0.9 <= controls[bar.kind] <= 1.1:
            verdict = f"inconclusive: the same arm twice differs by {controls[bar.kind]:.2f} x"
        if verdict != "held":
            missed.append(f"{bar.arm} against {bar.against}, {bar.kind}")
        print(f"{bar.kind}: {bar.arm} {found:.2f} x {bar.against}, bar {bar.least} x: {verdict}")
    return missed


def ratio(rates: Rates, arm: str, against: str, kind: str) -> float:
    """Return the median of what the arm reached of the other, round by round."""
    return statistics.median(a / b for a, b in zip(rates[arm, kind], rates[against, kind], strict=True))
