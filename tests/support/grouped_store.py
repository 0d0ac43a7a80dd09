"""A store whose every rule goes through the group writer: for the suite, another implementation (see ``subject``).

A database here is a plain one for whatever looks at it, and a group writer beside it on a loop of its own; a rule is
called like a function and waits for its group's commit.
"""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlite_utils import Database

from inspector import store

_P = ParamSpec("_P")
_R = TypeVar("_R")


class GroupedDatabase(Database):
    """A database with a group writer beside it, which is closed with it."""

    def __init__(self, conn: sqlite3.Connection, path: str | os.PathLike[str], wait_ms: int) -> None:
        super().__init__(conn, execute_plugins=False)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loop of a group writer")
        self._thread.start()
        self.writer = store.open_group_writer(path, wait_ms=wait_ms)
        try:
            self.wait_for(self.writer.__aenter__())
        except BaseException:
            self._stop()
            raise

    def wait_for(self, work: Coroutine[Any, Any, _R]) -> _R:
        """Run the work on the writer's loop and return what it returns."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    def through_the_writer(self, rule: Callable[[Database], _R]) -> _R:
        """Let the rule take part in a group, and wait for its commit."""

        async def call() -> _R:
            return await self.writer.call(rule)

        return self.wait_for(call())

    def close(self) -> None:
        """Close the writer and the database; twice is once."""
        if self._thread.is_alive():
            self.wait_for(self.writer.__aexit__(None, None, None))
            self._stop()
        super().close()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def open_service_database(path: str | os.PathLike[str], *, wait_ms: int = 10_000) -> Database:
    """Open a database as the store does, with a group writer beside it."""
    db = store.open_service_database(path, wait_ms=wait_ms)
    try:
        return GroupedDatabase(db.conn, path, wait_ms)
    except BaseException:
        db.close()
        raise


def cancel_task(db: Database, task_id: str, *, now_ms: int) -> store.CancelResult:
    """Cancel through the writer, as the store does."""
    if not isinstance(db, GroupedDatabase):
        return store.cancel_task(db, task_id, now_ms=now_ms)
    return db.wait_for(db.writer.cancel_task(task_id, now_ms=now_ms))


def _grouped(rule: Callable[Concatenate[Database, _P], _R]) -> Callable[Concatenate[Database, _P], _R]:
    def call(db: Database, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if not isinstance(db, GroupedDatabase):
            return rule(db, *args, **kwargs)
        return db.through_the_writer(lambda grouped: rule(grouped, *args, **kwargs))

    return call


_RULES = {
    name: _grouped(getattr(store, name))
    for name in (
        "accept_task",
        "append_events",
        "claim_next_task",
        "complete_task",
        "fail_task",
        "finish_cancel",
        "pair_client",
        "authenticate",
        "revoke_client",
        "save_snapshot",
        "set_config",
        "start_task",
    )
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  what the store has
    return _RULES[name] if name in _RULES else getattr(store, name)
