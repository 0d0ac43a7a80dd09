"""A small service that is there to be killed: it recovers, and then lives until it is.

It tells what the store has acknowledged, a line at a time, without a buffer: what was told before the kill was true.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from sqlite_utils import Database

from inspector.store import recovery
from tests.support.stress_run import Hands, hands_on
from tests.support.subject import store

STOCK: Final = 100
"""So many tasks are left running at any time: there is always much to recover."""
RECOVERS_AT_ONCE: Final = 3
KEEPS_MS: Final = 100
PRODUCERS: Final = 6

Tell = Callable[[dict[str, object]], None]


def teller(descriptor: int) -> Tell:
    """Return a way to tell a word on this pipe, at once."""
    return lambda word: _write_all(descriptor, json.dumps(word).encode() + b"\n")


def _write_all(descriptor: int, line: bytes) -> None:
    assert os.write(descriptor, line) == len(line)  # shorter than what a pipe takes as one


def start(path: Path, tell: Tell, now_ms: int) -> tuple[Database, dict[str, int]]:
    """Open the database, recover, and return it with the tasks that run, by id with their attempts."""
    db = store.open_service_database(path)
    plan = store.plan_recovery(db)
    tell({"word": "recovering", "steps": len(plan.steps)})
    with patch.object(recovery, "BATCH_TASKS", RECOVERS_AT_ONCE):
        result = store.apply_recovery(db, plan, now_ms=now_ms)
    tell({"word": "recovered"})
    for step in result.applied.steps:
        tell(_told(step.task_id, step.next_seq, step.target, step.next_attempt, now_ms))
    return db, {resumed.task_id: resumed.attempt for resumed in result.resumed}


def _told(task_id: str, seq: int, status: str, attempt: int, now_ms: int) -> dict[str, object]:
    return {"word": "told", "task": task_id, "seq": seq, "status": str(status), "attempt": attempt, "at": now_ms}


async def live(path: Path, tell: Tell, *, seed: str, grouped: bool, now_ms: int) -> None:
    """Recover and work for ever: directly, or with several producers on a group writer."""
    db, running = start(path, tell, now_ms)
    with closing(db):
        async with hands_on(path, grouped=grouped) as hands:
            service = _Service(db, hands, tell, running, random.Random(seed), now_ms)
            await asyncio.gather(*(service.work() for _ in range(PRODUCERS if grouped else 1)))


class _Service:
    def __init__(
        self, db: Database, hands: Hands, tell: Tell, running: dict[str, int], rng: random.Random, now_ms: int
    ) -> None:
        self._db = db
        self._hands = hands
        self._tell = tell
        self._running = running
        """What no producer has in its hands at the moment."""
        self._rng = rng
        self._now_ms = now_ms

    async def work(self) -> None:
        steps = (self._accept, self._claim, self._report, self._end, self._cancel, self._clean)
        while True:
            self._now_ms += 1
            (step,) = self._rng.choices(steps, weights=(30, 40, 15, 25, 8, 4))
            await step(self._now_ms)

    def _told(self, written: Any, now_ms: int) -> None:  # noqa: ANN401  the store's own
        if written.seqs:
            self._tell(_told(written.task_id, written.seqs[-1], written.status, written.attempt, now_ms))

    async def _accept(self, now_ms: int) -> None:
        policy = self._rng.choice(("fail", "retry", "resume", "resume"))
        key = f"{now_ms}-{self._rng.random()}"
        accepted = await self._hands(
            store.accept_task, request={}, on_restart=policy, idempotency_key=key, now_ms=now_ms
        )
        self._tell(_told(accepted.task.id, 1, "queued", 1, now_ms))

    async def _claim(self, now_ms: int) -> None:
        task = await self._hands(store.claim_next_task, now_ms=now_ms, warm=self._rng.random() < 0.5)
        if task is None:
            return
        self._tell(_told(task.id, task.last_seq, task.status, task.attempt, now_ms))
        if task.status == "loading":
            if self._rng.random() < 0.2:
                return  # loads until the service is killed
            written = await self._hands(
                store.start_task, task.id, status="running", attempt=task.attempt, now_ms=now_ms
            )
            self._told(written, now_ms)
        self._running[task.id] = task.attempt

    def _take(self) -> tuple[str, int] | None:
        if not self._running:
            return None
        task_id = self._rng.choice(list(self._running))
        return task_id, self._running.pop(task_id)

    async def _report(self, now_ms: int) -> None:
        taken = self._take()
        if taken is None:
            return
        task_id, attempt = taken
        events = [("response.output_text.delta", {"n": n}) for n in range(self._rng.randrange(1, 6))]
        written = await self._hands(store.append_events, task_id, events, attempt=attempt, now_ms=now_ms)
        self._told(written, now_ms)
        await self._hands(store.save_snapshot, task_id, {"at": now_ms}, attempt=attempt, now_ms=now_ms)
        self._running[task_id] = attempt

    async def _end(self, now_ms: int) -> None:
        taken = self._take() if len(self._running) > STOCK else None
        if taken is None:
            return
        task_id, attempt = taken
        if self._rng.random() < 0.3:
            work = self._hands(store.fail_task, task_id, code="c", message="m", attempt=attempt, now_ms=now_ms)
        else:
            work = self._hands(store.complete_task, task_id, {"text": "x"}, attempt=attempt, now_ms=now_ms)
        self._told(await work, now_ms)

    async def _cancel(self, now_ms: int) -> None:
        taken = self._take()
        if taken is None:
            return
        task_id, attempt = taken
        result = await self._hands(store.cancel_task, task_id, now_ms=now_ms)
        assert result.seq is not None
        self._tell(_told(task_id, result.seq, "cancelling", attempt, now_ms))
        if self._rng.random() < 0.7:
            written = await self._hands(store.finish_cancel, task_id, attempt=attempt, now_ms=now_ms)
            self._told(written, now_ms)

    async def _clean(self, now_ms: int) -> None:
        plan = store.plan_retention(self._db, now_ms=now_ms, keep_ms=KEEPS_MS)
        self._tell({"word": "cleaning", "cutoff": plan.cutoff_ms})
        result = store.apply_retention(self._db, plan, now_ms=now_ms, hold_ms=2)
        self._tell({"word": "cleaned", "cutoff": plan.cutoff_ms, "tasks": result.tasks})
