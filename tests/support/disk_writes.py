"""Every rule of the store that writes, each ready to be called once on a prepared database."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from tests.support.store_factory import put
from tests.support.subject import store

Write = Callable[[Database], object]

NOW_MS: Final = 5000
_DELTA: Final = "response.output_text.delta"
_LARGE: Final = {"text": "x" * 300_000}


def prepare(db: Database) -> None:
    """Put in a task for each of the calls below; some have ended long ago, one is left to recovery."""
    for task_id in ("one", "fifty", "large", "snapshot", "complete", "fail"):
        put(db, "running", task_id=task_id)
    for task_id in ("start", "cancel"):
        put(db, "queued", task_id=task_id)
    put(db, "queued", task_id="claim", at=50)
    put(db, "cancelling", task_id="finish cancel")
    put(db, "running", task_id="left over", on_restart="fail")
    for number in range(3):
        put(db, "completed", task_id=f"old {number}")
    store.set_config(db, "retention.keep_ms", 1000, now_ms=1)
    store.pair_client(db, name="r", scopes=[], client_id="revoke", now_ms=1)


def _append(task_id: str, *texts: str) -> Write:
    return lambda db: store.append_events(
        db, task_id, [(_DELTA, {"text": text}) for text in texts], attempt=1, now_ms=NOW_MS
    )


def _recover(db: Database) -> object:
    return store.apply_recovery(db, store.plan_recovery(db), now_ms=NOW_MS)


def _clean_up(db: Database) -> object:
    plan = store.plan_retention(db, now_ms=NOW_MS)
    return store.apply_retention(db, plan, now_ms=NOW_MS, pause=lambda _: None, hold_ms=10_000)


WRITES: Final[dict[str, Write]] = {
    "accept": lambda db: store.accept_task(db, request={}, on_restart="retry", task_id="accepted", now_ms=NOW_MS),
    "accept with a key": lambda db: store.accept_task(
        db, request={}, on_restart="retry", task_id="keyed", idempotency_key="k", now_ms=NOW_MS
    ),
    "start": lambda db: store.start_task(db, "start", status="loading", attempt=1, now_ms=NOW_MS),
    "claim the next": lambda db: store.claim_next_task(db, now_ms=NOW_MS),
    "append one event": _append("one", "a"),
    "append fifty events": _append("fifty", *"a" * 50),
    "append a large event": _append("large", "x" * 300_000),
    "save a snapshot": lambda db: store.save_snapshot(db, "snapshot", {"at": 1}, attempt=1, now_ms=NOW_MS),
    "complete with a large response": lambda db: store.complete_task(db, "complete", _LARGE, attempt=1, now_ms=NOW_MS),
    "fail": lambda db: store.fail_task(db, "fail", code="odd", message="m", attempt=1, now_ms=NOW_MS),
    "cancel": lambda db: store.cancel_task(db, "cancel", now_ms=NOW_MS),
    "finish a cancel": lambda db: store.finish_cancel(db, "finish cancel", attempt=1, now_ms=NOW_MS),
    "set a value": lambda db: store.set_config(db, "k", 1, now_ms=NOW_MS),
    "register a model": lambda db: store.register_model(db, Path(__file__), name="m", model_id="m", now_ms=NOW_MS),
    "pair a client": lambda db: store.pair_client(db, name="c", scopes=["read"], client_id="c", now_ms=NOW_MS),
    "revoke a client": lambda db: store.revoke_client(db, "revoke", now_ms=NOW_MS),
    "recover": _recover,
    "clean up": _clean_up,
}
"""What each does, and the call. Recovery moves every task that is left; cleanup makes a checkpoint: they come last.

Not here is ``authenticate``: it lets a client in whatever the disk does.
"""

REFUSED: Final[dict[str, Write]] = {
    "accept an id again": lambda db: store.accept_task(db, request={}, on_restart=None, task_id="one", now_ms=NOW_MS),
    "append to a task that has ended": _append("old 0", "a"),
    "append nothing": lambda db: store.append_events(db, "one", [], attempt=1, now_ms=NOW_MS),
    "complete under an old attempt": lambda db: store.complete_task(db, "complete", {}, attempt=7, now_ms=NOW_MS),
    "start a running task": lambda db: store.start_task(db, "one", status="loading", attempt=1, now_ms=NOW_MS),
    "cancel what has ended": lambda db: store.cancel_task(db, "old 0", now_ms=NOW_MS),
    "cancel no task": lambda db: store.cancel_task(db, "none", now_ms=NOW_MS),
    "set a value without a key": lambda db: store.set_config(db, "", 1, now_ms=NOW_MS),
}
"""What is refused, or has nothing to write."""
