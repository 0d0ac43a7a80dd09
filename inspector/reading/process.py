"""The reader process: questions come in on one pipe, answers and changes go out on another.

It lives as long as the session that started it: it ends by itself when its input ends, and at SIGTERM. It polls by
itself, and says only what has changed.
"""

import os
import select
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from inspector.layout.opened import FileIdentity, Mode
from inspector.reading.errors import TookTooLong, Unanswered, Unreadable
from inspector.reading.holders import call_this_process_a_reader
from inspector.reading.layouts import NATIVE_ONLY, Layouts
from inspector.reading.line import StopSignal, send
from inspector.reading.locked import BackOff, LockWatch
from inspector.reading.messages import Answer, Asked, Failed, Lost, Message
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import Watch
from inspector.reading.wire import Decoder, TooLarge, WireError
from inspector.reading.worker import IDLE_S, NICENESS, Worker

EXIT_UNREADABLE: Final = 2
EXIT_BAD_WIRE: Final = 3

_CHUNK: Final = 1 << 16
_FASTEST_MS: Final = 20


def run(
    path: str,
    mode: Mode | None,
    now_ms: Callable[[], int],
    *,
    background: bool = False,
    layouts: Layouts = NATIVE_ONLY,
    same_as: FileIdentity | None = None,
) -> int:
    """Serve the file at ``path`` on standard input and output, and return the exit status.

    The first message is Opened, or Lost where the file cannot be read at all, or Locked: then Unlocked and one of the
    others come once another process keeps it locked no longer. ``background``: take the steps of long questions, watch
    nothing, make no copy of the file, and wait for no lock. ``layouts``: what it may be read as beside the native one.
    ``same_as``: which file has to lie there.
    """
    call_this_process_a_reader()
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints by accident must not get among the messages
    stop = StopSignal()
    opening = partial(
        open_reader,
        path,
        mode=mode,
        now_ms=now_ms,
        should_stop=stop.is_set,
        wait=stop.wait,
        may_copy=not background,
        layouts=layouts,
        same_as=same_as,
    )
    try:
        reader = opening() if background else _opened_when_free(opening, sys.stdin.fileno(), output, stop)
    except Unreadable as error:
        with suppress(BrokenPipeError):
            send(output, Lost(error.sentence, now_ms()), stop)
        return EXIT_UNREADABLE
    if reader is None:
        return 0
    with reader, suppress(BrokenPipeError):
        try:
            if background:
                # Not before: where all cores are busy, it would take seconds to be loaded.
                os.nice(NICENESS)
                Worker(reader, sys.stdin.fileno(), output, stop, now_ms, IDLE_S).serve()
            else:
                _Service(reader, sys.stdin.fileno(), output, stop).serve()
        except WireError as error:
            sys.stderr.write(f"{error}\n")
            return EXIT_BAD_WIRE
    return 0


def _opened_when_free(opening: Callable[[], Reader], source: int, output: int, stop: StopSignal) -> Reader | None:
    """Return what ``opening`` opens, as soon as no other process keeps the file locked.

    None where nobody waits for it any more. What was asked meanwhile is left in the pipe. Raises Unreadable for
    anything but a lock.
    """
    back_off, lock = BackOff(), LockWatch()
    nobody = select.poll()
    nobody.register(source, 0)
    nobody.register(stop.wakes, select.POLLIN)
    while True:
        try:
            reader = opening()
            told: tuple[Message, ...] = lock.passed()
        except Unreadable as error:
            if not error.is_locked:
                raise
            reader, told = None, lock.met(error.sentence, by_a_look=False)
        with suppress(BrokenPipeError):
            for message in told:
                send(output, message, stop)
        if reader is not None or nobody.poll(back_off.rest_s() * 1000):
            return reader


def refuse(sentence: str, at_ms: int) -> int:
    """Say on standard output that no file can be read at all, and return the exit status."""
    with suppress(BrokenPipeError):
        send(sys.stdout.fileno(), Lost(sentence, at_ms), StopSignal())
    return EXIT_UNREADABLE


class _Service:
    def __init__(self, reader: Reader, source: int, output: int, stop: StopSignal) -> None:
        self._reader = reader
        self._input = source
        self._output = output
        self._stop = stop
        self._decoder = Decoder()
        self._every_s: float | None = Watch().every_ms / 1000  # type: ignore[operator]
        self._look_at = time.monotonic()
        self._back_off = BackOff()
        self._tries_at = self._look_at

    def serve(self) -> None:
        self._send(self._reader.opened)
        while not self._stop.is_set():
            ready, _, _ = select.select([self._input, self._stop.wakes], [], [], self._wait_s())
            if self._stop.is_set():
                return
            if self._input in ready:
                chunk = os.read(self._input, _CHUNK)
                if not chunk:
                    return
                for message in self._decoder.feed(chunk):
                    self._answer(message)
            if self._every_s is not None and time.monotonic() >= self._look_at:
                self._look_at = time.monotonic() + self._every_s
                for push in self._reader.look():
                    self._send(push)
                self._leave_alone_if_locked()

    def _wait_s(self) -> float | None:
        return None if self._every_s is None else max(0.0, self._look_at - time.monotonic())

    def _answer(self, message: Message) -> None:
        if not isinstance(message, Asked):
            raise WireError(f"A {type(message).__name__} is no question.")
        if isinstance(message.request, Watch):
            every_ms = message.request.every_ms
            self._every_s = None if every_ms is None else max(every_ms, _FASTEST_MS) / 1000
            self._look_at = max(time.monotonic(), self._tries_at)
        elif (sentence := self._reader.locked_out) is not None and time.monotonic() < self._tries_at:
            # Each question would wait for the lock, and those behind it for that.
            self._send(Failed(message.number, sentence))
            return
        try:
            value = self._reader.answer(message.request, deadline_ms=message.deadline_ms)
            self._send(Answer(message.number, value))
        except Unanswered as error:
            self._send(Failed(message.number, error.sentence, took_too_long=isinstance(error, TookTooLong)))
        except TooLarge:
            self._send(Failed(message.number, "The answer is too large to be shown."))
        for push in self._reader.take_pushes():
            self._send(push)
        if not isinstance(message.request, Watch):
            self._leave_alone_if_locked()

    def _leave_alone_if_locked(self) -> None:
        """Take the next look or question only after a while where a lock kept this one out, else as it comes."""
        if self._reader.locked_out is None:
            self._back_off.reset()
            return
        self._tries_at = time.monotonic() + self._back_off.rest_s()
        self._look_at = max(self._look_at, self._tries_at)

    def _send(self, message: Message) -> None:
        send(self._output, message, self._stop)
