"""What the processes of a stress run have in common: the clock, the store in their hands, and the book they keep."""

import asyncio
import json
import random
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, Protocol, TypeVar

from sqlite_utils import Database

from inspector.checks.findings import Checked, Finding, Severity
from inspector.lmsp.events import implied_status
from tests.support.store_invariants import checked_parts
from tests.support.subject import store

_P = ParamSpec("_P")
_R = TypeVar("_R")

WAIT_MS: Final = 30_000
SAID_EVERY: Final = 200
"""So many transitions of one process are told to the one that started it at a time."""


class Hands(Protocol):
    """A way to call the store's rules."""

    def __call__(
        self, rule: Callable[Concatenate[Database, _P], _R], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Awaitable[_R]:
        """Let the rule run, and return what it returns after its commit."""


@asynccontextmanager
async def hands_on(path: Path, *, grouped: bool) -> AsyncIterator[Hands]:
    """Open the database for writing: directly, or through a group writer."""
    if grouped:
        async with store.open_group_writer(path, wait_ms=WAIT_MS) as writer:
            yield writer.call
        return
    with closing(store.open_service_database(path, wait_ms=WAIT_MS)) as db:

        async def call(rule: Callable[Concatenate[Database, _P], _R], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            await asyncio.sleep(0)  # the word to stop is heard between two calls
            return rule(db, *args, **kwargs)

        yield call


def say(**word: object) -> None:
    """Tell the process that started this one."""
    sys.stdout.write(json.dumps(word) + "\n")
    sys.stdout.flush()


class Book:
    """What one process was told by the store, a line each; and how often each thing happened to it."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("w", encoding="utf-8")
        self.tally: Counter[str] = Counter()

    def wrote(
        self, task_id: str, seq: int, event_type: str, status: str, attempt: int, *, key: str = "", first: bool = True
    ) -> None:
        """Note an event that a call of this process has written; ``key`` and ``first`` are those of an acceptance."""
        self._line("wrote" if first else "replayed", task_id, seq, event_type, status, attempt, key)
        if first and implied_status(event_type) is not None:
            self.tally["transitions"] += 1
            if self.tally["transitions"] % SAID_EVERY == 0:
                say(word="moved", transitions=SAID_EVERY)

    def seen(self, task_id: str, seq: int, status: str) -> None:
        """Note that a call was told of an event that brought the task into this status."""
        self._line("seen", task_id, seq, "", status, 0, "")

    def missed(self, task_id: str) -> None:
        """Note that a call was told that there is no such task."""
        self._line("missed", task_id, 0, "", "", 0, "")

    def kept(self, task_id: str, attempt: int, number: int) -> None:
        """Note a snapshot that was saved: the one of this number, of this attempt."""
        self._line("kept", task_id, number, "", "", attempt, "")

    def _line(self, *columns: object) -> None:
        self._file.write("\t".join(map(str, columns)) + "\n")

    def close(self) -> None:
        """Write out what is noted."""
        self._file.close()


class Run:
    """What a role needs: the store, the clock, the word to stop, chance, and its book.

    Time is the number of events that were ever written. It stands nowhere else, so a process that waits for the lock
    writes with a time of long ago: the clock steps back as it does between machines.
    """

    def __init__(
        self, path: Path, folder: Path, hands: Hands, stop: asyncio.Event, rng: random.Random, book: Book
    ) -> None:
        self.folder = folder
        self.rng = rng
        self.book = book
        self._hands = hands
        self._stop = stop
        self._conn = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=WAIT_MS / 1000)

    def goes_on(self) -> bool:
        """Say whether nobody has told this process to stop."""
        return not self._stop.is_set()

    def rows(self, sql: str, *parameters: object) -> list[tuple[str, ...]]:
        """Look at the database."""
        return self._conn.execute(sql, parameters).fetchall()

    def now_ms(self) -> int:
        """Return the time."""
        ((now,),) = self._conn.execute("SELECT coalesce(max(id), 0) FROM task_events").fetchall()
        return int(now)

    def queued(self) -> int:
        """Return how many tasks wait for a worker."""
        ((number,),) = self._conn.execute("SELECT count(*) FROM tasks WHERE status = 'queued'").fetchall()
        return int(number)

    def check(self) -> tuple[list[Finding], Checked]:
        """Return what the checker finds to be broken as of one moment, and what it has looked at."""
        self._conn.execute("BEGIN")
        try:
            findings, checked = checked_parts(self._conn)
        finally:
            self._conn.execute("ROLLBACK")
        return [found for found in findings if found.severity is Severity.ERROR], checked

    async def pause(self, seconds: float) -> None:
        """Wait for the word to stop, but not longer."""
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return

    async def until(self, moment: int) -> None:
        """Wait until it is this late, or for the word to stop."""
        while self.goes_on() and self.now_ms() < moment:
            await self.pause(0.01)

    async def __call__(
        self, rule: Callable[Concatenate[Database, _P], _R], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _R:
        """Call a rule of the store, and again where others held the lock too long."""
        while True:
            try:
                return await self._hands(rule, *args, **kwargs)
            except store.Busy:
                self.book.tally["busy"] += 1

    def close(self) -> None:
        """Let go of the database."""
        self._conn.close()
