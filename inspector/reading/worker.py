"""The reader process for the background: it takes the steps of long questions, and stops one as soon as it is told.

It is nice to everybody else, reads in short steps only, and ends by itself when nothing is asked of it for a while.
"""

import os
import select
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from inspector.reading.errors import TookTooLong, Unanswered
from inspector.reading.jobs import job_of
from inspector.reading.line import StopSignal, send
from inspector.reading.messages import Answer, Asked, Failed, Lost, Message, Progressed, Stop
from inspector.reading.reader import Reader
from inspector.reading.requests import Request, StatementRequest
from inspector.reading.steps import Job, rest_s
from inspector.reading.wire import Decoder, TooLarge, WireError

NICENESS: Final = 19

IDLE_S: Final = 30.0
"""After so long without a question the process ends: what it holds, somebody else can use."""

_AT_WORK_S: Final = 1.0
"""For so long after a write a service counts as writing."""

TELLS_EVERY_S: Final = 0.1
"""How often a question tells how far it is; what it finds is told at once."""

_CHUNK: Final = 1 << 16
_STEP_MS: Final = 5_000


class Pace:
    """When the next step may begin: at once while nobody writes, after a rest while a service does."""

    def __init__(self, is_written: Callable[[], bool]) -> None:
        """``is_written`` says whether a service has written since it was asked last."""
        self._is_written = is_written
        self._written_at = float("-inf")
        self.next_at = 0.0

    def stepped(self, began: float, ended: float) -> None:
        """Take note of a step, by time.monotonic."""
        if self._is_written():
            self._written_at = ended
        if ended - self._written_at < _AT_WORK_S:
            self.next_at = ended + rest_s(ended - began)


class Worker:
    """Takes questions, and a step of each in turn."""

    def __init__(
        self, reader: Reader, source: int, output: int, stop: StopSignal, now_ms: Callable[[], int], idle_s: float
    ) -> None:
        self._reader = reader
        self._input = source
        self._output = output
        self._stop = stop
        self._now_ms = now_ms
        self._idle_s = idle_s
        self._decoder = Decoder()
        self._tasks: deque[_Task] = deque()
        self._pace = Pace(reader.is_written)

    def serve(self) -> None:
        """Serve until the input ends, the process is told to stop, the file is lost, or nothing was asked for long."""
        self._send(self._reader.opened)
        while not self._stop.is_set() and self._take_in():
            began = time.monotonic()
            if self._tasks and began >= self._pace.next_at:
                if not self._step(self._tasks[0]):
                    return
                self._pace.stepped(began, time.monotonic())

    def _take_in(self) -> bool:
        """Take in what has come, waiting while there is nothing to do, and say whether there is reason to go on."""
        wait_s = max(0.0, self._pace.next_at - time.monotonic()) if self._tasks else self._idle_s
        ready, _, _ = select.select([self._input, self._stop.wakes], [], [], wait_s)
        if self._input not in ready:
            return bool(self._tasks)
        chunk = os.read(self._input, _CHUNK)
        for message in self._decoder.feed(chunk):
            match message:
                case Asked(number=number, request=request, deadline_ms=deadline_ms):
                    self._tasks.append(_Task(number, request, deadline_ms))
                case Stop(number=number):
                    self._drop(number)
                case _:
                    raise WireError(f"A {type(message).__name__} is no question.")
        return bool(chunk)

    def _drop(self, number: int) -> None:
        self._tasks = deque(task for task in self._tasks if task.number != number)

    def _step(self, task: "_Task") -> bool:
        """Take one step of ``task``, which then waits for the others. Say whether the file can still be read."""
        self._tasks.rotate(-1)
        try:
            done, value = self._next(task)
            if done:
                self._send(Answer(task.number, value))
        except Unanswered as error:
            done = True
            self._send(Failed(task.number, error.sentence, took_too_long=isinstance(error, TookTooLong)))
        except TooLarge:
            done = True
            self._send(Failed(task.number, "The answer is too large to be shown."))
        if done:
            self._drop(task.number)
        pushes = self._reader.take_pushes()
        for push in pushes:
            self._send(push)
        return not any(isinstance(push, Lost) for push in pushes)

    def _next(self, task: "_Task") -> tuple[bool, object]:
        """Return whether the answer is there, and the answer."""
        if task.job is None:
            task.job = job_of(task.request, self._reader.read, self._now_ms)
        if task.job is None:
            # A statement is one step, however long: its process is there for nothing else.
            deadline_ms = task.deadline_ms if isinstance(task.request, StatementRequest) else _STEP_MS
            return True, self._reader.answer(task.request, deadline_ms=deadline_ms)
        try:
            progress = next(task.job)
        except StopIteration as ended:
            return True, ended.value
        if progress.hits or time.monotonic() >= task.tells_at:
            task.tells_at = time.monotonic() + TELLS_EVERY_S
            self._send(Progressed(task.number, progress))
        return False, None

    def _send(self, message: Message) -> None:
        send(self._output, message, self._stop)


class _Task:
    def __init__(self, number: int, request: Request, deadline_ms: int) -> None:
        self.number = number
        self.deadline_ms = deadline_ms
        self.request = request
        self.job: Job | None = None
        self.tells_at = 0.0
