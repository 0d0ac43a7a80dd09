"""A mutant of the store without its fence: a worker writes, whatever attempt it has, as if it were the task's.

Nothing else is missing, so that every state is one that a sound store may come to. Only whoever compares what an old
worker was told with what it should have been told sees it.
"""

import functools
from collections.abc import Callable
from typing import Any

from sqlite_utils import Database

from inspector import store


def __getattr__(name: str) -> Any:  # noqa: ANN401  what the store has
    return _RULES[name] if name in _RULES else getattr(store, name)


def _unfenced(rule: Callable[..., store.Written]) -> Callable[..., store.Written]:
    @functools.wraps(rule)
    def call(db: Database, task_id: str, *args: Any, attempt: int, **kwargs: Any) -> store.Written:  # noqa: ANN401
        while True:
            task = store.find_task(db, task_id)
            current = attempt if task is None else task.attempt
            try:
                return rule(db, task_id, *args, attempt=current, **kwargs)._replace(attempt=attempt)
            except store.Refused:
                # Recovery may have raised it just now.
                again = store.find_task(db, task_id)
                if again is None or again.attempt == current:
                    raise

    return call


_RULES = {
    name: _unfenced(getattr(store, name))
    for name in ("append_events", "complete_task", "fail_task", "finish_cancel", "save_snapshot", "start_task")
}
