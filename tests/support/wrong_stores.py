"""Stores that break one rule each: the suite has to notice."""

from types import SimpleNamespace
from typing import Any

from inspector import store
from inspector.lmsp.cancelling import CancelOutcome, CancelResult

_REST = {name: getattr(store, name) for name in store.__all__}


def _cancel_task(db: Any, task_id: str, *, now_ms: int) -> CancelResult:  # noqa: ANN401, ARG001
    return CancelResult(task_id, CancelOutcome.CANCELLED, "cancelled", 2)


def _accept_task(db: Any, *, idempotency_key: str | None = None, **wanted: Any) -> store.Accepted:  # noqa: ANN401, ARG001
    return store.accept_task(db, **wanted)


def _complete_task(db: Any, task_id: str, response: Any, *, attempt: int, **wanted: Any) -> store.Written:  # noqa: ANN401, ARG001
    task = store.find_task(db, task_id)
    return store.complete_task(db, task_id, response, attempt=task.attempt if task else 1, **wanted)


deaf = SimpleNamespace(**{**_REST, "cancel_task": _cancel_task})
"""Says that a task is cancelled, and writes nothing."""

forgetful = SimpleNamespace(**{**_REST, "accept_task": _accept_task})
"""Takes an idempotency key and forgets it."""

generous = SimpleNamespace(**{**_REST, "complete_task": _complete_task})
"""Lets a worker of any attempt complete a task."""
