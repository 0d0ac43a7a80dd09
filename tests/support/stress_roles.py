"""The parts that the processes of a stress run play. Each notes in its book what it was told.

A worker, a canceller or a recoverer that comes too late is refused, and notes that it lost. Whatever the store has
acknowledged is held against the database by the end of the run.
"""

import time
import zlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final
from unittest.mock import patch

from inspector.lmsp.events import event_of_move
from inspector.lmsp.statuses import Status
from inspector.store import recovery
from tests.support.stress_archive import archive_in, attach_archive, say_cutoff
from tests.support.stress_run import Run, say
from tests.support.subject import store

POLICIES: Final = ("fail", "retry", "resume")
CLIENT: Final = "client"
DELTA: Final = "response.output_text.delta"

MOST_QUEUED: Final = 150
RECOVERS_EVERY: Final = 1_000
RECOVERS_AT_ONCE: Final = 20
CLEANS_EVERY: Final = 500
KEEPS: Final = 1_000
"""These are numbers of events: so the clock of a run goes."""


async def submit(run: Run) -> None:
    """Accept tasks, three in ten of them with a key that was used before, by this process or the other one."""
    keys: deque[str] = deque(maxlen=50)
    number = 0
    own = f"{run.rng.getrandbits(48):012x}"
    while run.goes_on():
        number += 1
        now = run.now_ms()
        chance = run.rng.random()
        if chance < 0.15 and keys:
            key = run.rng.choice(keys)
        elif chance < 0.3:
            key = f"shared-{now // 40}"  # of this moment: the other process, and each producer, may come with it too
        else:
            key = f"{own}-{number}"
        keys.append(key)
        await _submit(run, key, now)
        if number % 8 == 0:
            while run.goes_on() and run.queued() > MOST_QUEUED:
                await run.pause(0.01)


async def _submit(run: Run, key: str, now: int) -> None:
    asked = {"key": key, "other": True} if run.rng.random() < 0.01 else {"key": key}
    # What comes twice with one key is the same both times.
    policy = POLICIES[zlib.crc32(key.encode()) % len(POLICIES)]
    try:
        accepted = await run(
            store.accept_task,
            request=asked,
            on_restart=policy,
            client_id=CLIENT,
            idempotency_key=key,
            now_ms=now,
        )
    except store.Refused:
        run.book.tally["keys refused"] += 1
        return
    task = accepted.task
    run.book.tally["replayed" if accepted.replayed else "accepted"] += 1
    run.book.wrote(
        task.id,
        1,
        "response.created",
        task.status,
        task.attempt,
        key=f"{key} {len(asked)}",
        first=not accepted.replayed,
    )


async def work(run: Run) -> None:
    """Take one task after the other, in one step or in two, and bring it to an end."""
    while run.goes_on():
        task = await (_claim_at_once if run.rng.random() < 0.9 else _claim_in_two_steps)(run)
        if task is None:
            await run.pause(0.005)
            continue
        try:
            await _bring_to_an_end(run, *task)
        except store.Refused as refused:
            await _lost(run, task[0], task[1], refused)


async def _claim_at_once(run: Run) -> tuple[str, int, str] | None:
    task = await run(store.claim_next_task, now_ms=run.now_ms(), warm=run.rng.random() < 0.3)
    if task is None:
        return None
    run.book.tally["claims won"] += 1
    run.book.wrote(task.id, task.last_seq, event_of_move(Status(task.status)), task.status, task.attempt)
    return task.id, task.attempt, task.status


async def _claim_in_two_steps(run: Run) -> tuple[str, int, str] | None:
    task = await run(store.next_queued_task)
    if task is None:
        return None
    warm = run.rng.random() < 0.3
    try:
        written = await run(
            store.start_task,
            task.id,
            status="running" if warm else "loading",
            attempt=task.attempt,
            now_ms=run.now_ms(),
            warm=warm,
        )
    except store.Refused:
        run.book.tally["claims lost"] += 1
        return None
    run.book.tally["claims won"] += 1
    _note(run, written, event_of_move(written.status), task.attempt)
    return task.id, task.attempt, written.status


async def _bring_to_an_end(run: Run, task_id: str, attempt: int, status: str) -> None:
    """Do the work of a task that is held. Raises Refused where it is held no longer, or is being cancelled."""
    rng = run.rng
    if status == "loading":
        if rng.random() < 0.3:
            await _progress(run, task_id, attempt)
        written = await run(store.start_task, task_id, status="running", attempt=attempt, now_ms=run.now_ms())
        _note(run, written, event_of_move(written.status), attempt)
    for number in range(rng.randrange(3)):
        if await _progress(run, task_id, attempt) == "cancelling":
            await _stop(run, task_id, attempt)
            return
        if rng.random() < 0.3:
            body = {"attempt": attempt, "number": number}
            await run(store.save_snapshot, task_id, body, attempt=attempt, now_ms=run.now_ms())
            run.book.kept(task_id, attempt, number)
    if rng.random() < 0.2:
        written = await run(store.fail_task, task_id, code="c", message="m", attempt=attempt, now_ms=run.now_ms())
    else:
        keep = 500 if rng.random() < 0.3 else None
        written = await run(
            store.complete_task, task_id, {"text": "x"}, attempt=attempt, now_ms=run.now_ms(), keep_response_ms=keep
        )
    _note(run, written, event_of_move(written.status), attempt)
    run.book.tally["finishes won"] += 1


async def _progress(run: Run, task_id: str, attempt: int) -> str:
    events = [(DELTA, {"n": n}) for n in range(run.rng.randrange(1, 4))]
    written = await run(store.append_events, task_id, events, attempt=attempt, now_ms=run.now_ms())
    _note(run, written, DELTA, attempt)
    return written.status


async def _stop(run: Run, task_id: str, attempt: int) -> None:
    written = await run(store.finish_cancel, task_id, attempt=attempt, now_ms=run.now_ms())
    _note(run, written, event_of_move(written.status), attempt)
    run.book.tally["cancels finished"] += 1


async def _lost(run: Run, task_id: str, attempt: int, refused: Any) -> None:  # noqa: ANN401  the store's own
    run.book.tally["finishes lost"] += 1
    if refused.found == "cancelling":
        try:
            await _stop(run, task_id, attempt)
            return
        except store.Refused:
            pass  # recovery was first
    await _write_as_of_old(run, task_id, attempt)


async def _write_as_of_old(run: Run, task_id: str, attempt: int) -> None:
    """Go on as a worker does that does not know that its task was taken from it: it has to be refused.

    To fail is what the status would allow a task that was put back, and anything one that was resumed.
    """
    now = run.now_ms()
    late: tuple[tuple[str, Callable[[], Awaitable[Any]]], ...] = (
        (DELTA, lambda: run(store.append_events, task_id, [(DELTA, {})], attempt=attempt, now_ms=now)),
        ("", lambda: run(store.complete_task, task_id, {}, attempt=attempt, now_ms=now)),
        ("", lambda: run(store.fail_task, task_id, code="late", message="", attempt=attempt, now_ms=now)),
    )
    event_type, write = late[-1] if run.rng.random() < 0.5 else run.rng.choice(late)
    try:
        written = await write()
    except store.Refused:
        run.book.tally["late writes refused"] += 1
    else:
        _note(run, written, event_type or event_of_move(written.status), attempt)
        run.book.tally["late writes taken"] += 1


def _note(run: Run, written: Any, event_type: str, attempt: int) -> None:  # noqa: ANN401  the store's own
    for seq in written.seqs:
        run.book.wrote(written.task_id, seq, event_type, written.status, attempt)


async def cancel(run: Run) -> None:
    """Cancel tasks that are queued, at work, or have just ended."""
    while run.goes_on():
        now = run.now_ms()
        found = [
            *run.rows("SELECT id FROM tasks WHERE status IN ('loading', 'running', 'cancelling')"),
            *run.rows("SELECT id FROM tasks WHERE status = 'queued' ORDER BY created_at, id LIMIT 8"),
            *run.rows("SELECT id FROM tasks WHERE finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT 12"),
            *run.rows("SELECT id FROM tasks WHERE finished_at IS NOT NULL ORDER BY finished_at LIMIT 2"),
        ]
        for (task_id,) in run.rng.sample(found, min(len(found), 12)):
            _note_cancel(run, await run(store.cancel_task, task_id, now_ms=run.now_ms()))
        await run.until(now + 60)


def _note_cancel(run: Run, result: Any) -> None:  # noqa: ANN401  the store's own
    match str(result.outcome):
        case "cancelled" | "cancelling":
            status = Status(result.status)
            # Who cancels has no attempt: the event has that of the task.
            run.book.wrote(result.task_id, result.seq, event_of_move(status), status, 0)
            run.book.tally["cancels won"] += 1
        case "already_cancelling" | "already_finished":
            run.book.seen(result.task_id, result.seq, result.status)
            run.book.tally["cancels lost"] += 1
        case "not_found":
            run.book.missed(result.task_id)
            run.book.tally["cancels lost"] += 1
        case other:
            run.book.tally[other] += 1


async def recover(run: Run) -> None:
    """Recover in the midst of all that is at work, in small batches, and go on with what was resumed."""
    with patch.object(recovery, "BATCH_TASKS", RECOVERS_AT_ONCE):
        while run.goes_on():
            now = run.now_ms()
            await run.until(now + RECOVERS_EVERY)
            plan = await run(store.plan_recovery)
            result = await run(store.apply_recovery, plan, now_ms=run.now_ms())
            run.book.tally["recoveries"] += 1
            for step in result.applied.steps:
                if step.event is not None:
                    run.book.tally["recovered"] += 1
                    run.book.wrote(step.task_id, step.next_seq, step.event, step.target, step.next_attempt)
            raised = [step for step in result.applied.steps if step.next_attempt > step.attempt]
            for step in raised[:10]:
                await _write_as_of_old(run, step.task_id, step.attempt)
            for resumed in result.resumed:
                try:
                    await _bring_to_an_end(run, resumed.task_id, resumed.attempt, "running")
                except store.Refused as refused:
                    await _lost(run, resumed.task_id, resumed.attempt, refused)


async def clean(run: Run) -> None:
    """Delete what has ended some time ago; what is deleted goes into an archive, in the same transaction."""
    await run(attach_archive, archive_in(run.folder))
    while run.goes_on():
        now = run.now_ms()
        await run.until(now + CLEANS_EVERY)
        plan = await run(store.plan_retention, now_ms=run.now_ms(), keep_ms=KEEPS)
        await run(say_cutoff, plan.cutoff_ms)
        result = await run(store.apply_retention, plan, now_ms=run.now_ms())
        run.book.tally["cleaned"] += result.tasks
        run.book.tally["expired"] += result.expired_responses


async def check(run: Run) -> None:
    """Run the whole checker as of one moment, again and again beside those who write; tell what it finds."""
    while run.goes_on():
        began_s = time.monotonic()
        broken, checked = run.check()
        run.book.tally["checks"] += 1
        run.book.tally["checked events"] += checked.events
        if broken:
            say(word="found", breaks=[f"{found.rule}: task {found.task_id}: {found.message}" for found in broken])
            return
        # A slow machine is not to be busy with checking alone.
        await run.pause(max(0.1, time.monotonic() - began_s))


ROLES: Final[dict[str, Callable[[Run], Awaitable[None]]]] = {
    "submit": submit,
    "work": work,
    "cancel": cancel,
    "recover": recover,
    "clean": clean,
    "check": check,
}
