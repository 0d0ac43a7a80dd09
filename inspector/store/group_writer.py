"""The group writer: many producers, one thread that writes, one durable commit for all that waits (design 8).

A commit with ``synchronous=FULL`` waits for the disk. Producers that wait for the same commit share its price; each is
answered after it, so that what was answered is as durable as by a call of its own.
"""

import asyncio
import functools
import os
import queue
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

from sqlite_utils import Database

from inspector.lmsp.cancelling import CancelOutcome, CancelResult
from inspector.store.accepting import accept_task
from inspector.store.appending import append_events
from inspector.store.arguments import LARGEST, require_function, require_whole
from inspector.store.cancel import cancel_task
from inspector.store.config import set_config
from inspector.store.connecting import open_group_database
from inspector.store.errors import Busy, Unusable
from inspector.store.finishing import complete_task, fail_task, finish_cancel
from inspector.store.paths import path_of
from inspector.store.snapshots import save_snapshot
from inspector.store.starting import claim_next_task, start_task
from inspector.store.writing import GroupDatabase, group_transaction

_P = ParamSpec("_P")
_R = TypeVar("_R")

MOST_CALLS: Final = 512
"""The most calls in one transaction: others that write wait no longer than one group takes."""

_WAIT_MS: Final = 10_000


@dataclass(slots=True, eq=False)
class _Call:
    """One call of a producer: what to run, who waits for it, and what came of it."""

    rule: Callable[[Database], object]
    waiting: asyncio.Future[Any]
    result: object = None
    error: BaseException | None = None

    def answer(self) -> None:
        """Tell the producer, on its own loop; one that was cancelled waits no longer."""
        if self.waiting.done():
            return
        if self.error is None:
            self.waiting.set_result(self.result)
        else:
            self.waiting.set_exception(self.error)


def _in_group(
    rule: Callable[Concatenate[Database, _P], _R],
) -> Callable[Concatenate["GroupWriter", _P], asyncio.Future[_R]]:
    """Return the rule as a method of the writer: with the same arguments, answered after its group's commit."""

    @functools.wraps(rule)
    def method(self: "GroupWriter", /, *args: _P.args, **kwargs: _P.kwargs) -> asyncio.Future[_R]:
        return self.call(rule, *args, **kwargs)

    return method


class GroupWriter:
    """Runs the store's rules for many producers of one event loop; made by :func:`open_group_writer`.

    Calls are carried out in the order in which they were made, so that the order of one task's calls is kept. Each is
    answered, or told why it was refused, after the commit that its group shares; a rule's refusal reaches its own
    caller alone. Where the disk or another process does not let the group be written, all of its callers are told, and
    nothing of it was changed.

    A call is made also where nobody awaits its future. One that is cancelled before its turn is not made; later, it may
    be, and nobody is told: give an accept an idempotency key, and wait for a claim without a limit of time, or shield
    it. What is passed is not copied: leave a request or a response as it is until the answer.
    """

    def __init__(self, path: str | os.PathLike[str], *, wait_ms: int, most_calls: int) -> None:
        self._path = path
        self._wait_ms = wait_ms
        self._most_calls = most_calls
        self._gathered: list[_Call] = []
        self._is_open = False

    accept_task = _in_group(accept_task)
    append_events = _in_group(append_events)
    claim_next_task = _in_group(claim_next_task)
    complete_task = _in_group(complete_task)
    fail_task = _in_group(fail_task)
    finish_cancel = _in_group(finish_cancel)
    save_snapshot = _in_group(save_snapshot)
    set_config = _in_group(set_config)
    start_task = _in_group(start_task)

    async def cancel_task(self, task_id: str, *, now_ms: int) -> CancelResult:
        """Ask a task to stop, as the function does: a database that another process holds is an outcome here too."""
        try:
            return await self.call(cancel_task, task_id, now_ms=now_ms)
        except Busy as error:
            return CancelResult(task_id, CancelOutcome.BUSY, None, None, error.sentence)

    def call(
        self, rule: Callable[Concatenate[Database, _P], _R], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> asyncio.Future[_R]:
        """Let ``rule``, a function of the store that is one short transaction, take part in the next group.

        Those that take their time (recovery, cleanup, registering a model) are refused: they would hold the lock for
        all. Raises Unusable where the writer is not open, and RuntimeError outside the event loop that opened it.
        """
        if not self._is_open:
            raise Unusable(
                "The group writer is not open, or was closed: it is used within async with; nothing was changed."
            )
        require_function("rule", rule)
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("A group writer belongs to the event loop that opened it.")
        waiting: asyncio.Future[_R] = self._loop.create_future()
        if not self._gathered:
            # Producers that were answered together ask again together: hand them over together, as one group.
            self._loop.call_soon(self._hand_over)
        self._gathered.append(_Call(lambda db: rule(db, *args, **kwargs), waiting))
        return waiting

    def _hand_over(self) -> None:
        if self._gathered:
            self._queue.put(self._gathered)
            self._gathered = []

    async def __aenter__(self) -> Self:
        """Open the database in the writing thread. Raises what :func:`open_service_database` raises."""
        if self._is_open:
            raise RuntimeError("The group writer is open already.")
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[Sequence[_Call] | None] = queue.SimpleQueue()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        opened: asyncio.Future[None] = self._loop.create_future()
        threading.Thread(target=self._write, args=(opened,), name="group writer").start()
        try:
            await opened
        except BaseException:
            self._queue.put(None)
            await self._ended
            raise
        self._is_open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write and answer what was asked for until now, and close the database."""
        self._is_open = False
        self._hand_over()
        self._queue.put(None)
        await asyncio.shield(self._ended)

    def _write(self, opened: asyncio.Future[None]) -> None:
        try:
            db = open_group_database(self._path, wait_ms=self._wait_ms)
        except BaseException as error:
            self._tell(_fail, opened, error)
        else:
            self._tell(_succeed, opened)
            try:
                for group in self._groups():
                    _carry_out(db, group)
                    self._tell(_answer, group)
            finally:
                db.close()
        finally:
            self._tell(_succeed, self._ended)

    def _tell(self, what: Callable[..., None], *about: object) -> None:
        # A loop that was closed meanwhile has nobody left to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what, *about)

    def _groups(self) -> Iterator[list[_Call]]:
        """Give what waits, a group at a time, until the writer is closed and nothing is left."""
        waiting: list[_Call] = []
        closing = False
        while waiting or not closing:
            if not waiting:
                closing = not self._take(waiting, block=True)
            while not closing and len(waiting) < self._most_calls and not self._queue.empty():
                closing = not self._take(waiting, block=False)
            group, waiting = waiting[: self._most_calls], waiting[self._most_calls :]
            if group:
                yield group

    def _take(self, waiting: list[_Call], *, block: bool) -> bool:
        """Add what was handed over; say whether there can be more."""
        handed = self._queue.get(block)
        waiting.extend(handed or ())
        return handed is not None


def open_group_writer(
    path: str | os.PathLike[str], *, wait_ms: int = _WAIT_MS, most_calls: int = MOST_CALLS
) -> GroupWriter:
    """Return a writer for ``async with``, which opens the database as :func:`open_service_database` does.

    At its end everything that was asked for has been written and answered. At most ``most_calls`` calls share one
    transaction; Refused where that is less than one.
    """
    file = path_of(path)
    require_whole("wait_ms", wait_ms, least=-LARGEST)
    require_whole("most_calls", most_calls, least=1)
    return GroupWriter(file, wait_ms=wait_ms, most_calls=most_calls)


def _carry_out(db: GroupDatabase, group: Sequence[_Call]) -> None:
    """Run the calls in one transaction, and note with each what its caller is to be told."""
    try:
        with group_transaction(db):
            for call in group:
                if call.waiting.cancelled():
                    continue
                try:
                    call.result = _done(call.rule(db))
                except BaseException as error:
                    # Whatever it is, its own caller is told, and the thread goes on for the others.
                    call.error = _tellable(error)
                    if not db.conn.in_transaction:
                        # SQLite has undone the whole group: nothing of it may be answered, nor go on.
                        raise
    except BaseException as error:
        for call in group:
            call.error = _own(error)


def _done(result: object) -> object:
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError("A rule is a function: a coroutine would run on the loop, outside its group.")
    return result


def _tellable(error: BaseException) -> BaseException:
    """Return the error as a future takes it: a StopIteration would end whoever awaits it, as if all were well."""
    if not isinstance(error, StopIteration):
        return error
    told = RuntimeError("A rule raised StopIteration.")
    told.__cause__ = error
    return told


def _own(error: BaseException) -> BaseException:
    """Return an error for one of many callers: an exception that two of them raise would mix their tracebacks."""
    if isinstance(error, Unusable):
        own = type(error)(error.sentence)
        own.__cause__ = error.__cause__
        return own
    return _tellable(error)


def _answer(group: Sequence[_Call]) -> None:
    for call in group:
        call.answer()


def _succeed(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


def _fail(waiting: asyncio.Future[None], error: BaseException) -> None:
    if not waiting.done():
        waiting.set_exception(error)
