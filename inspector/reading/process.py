"""The reader process: questions come in on one pipe, answers and changes go out on another.

It lives as long as the session that started it: it ends by itself when its input ends, and at SIGTERM. It polls by
itself, and says only what has changed.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

from inspector.layout.opened import Mode
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.holders import READER_NAME
from inspector.reading.messages import Answer, Asked, Failed, Lost, Message
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import Watch
from inspector.reading.wire import Decoder, TooLarge, WireError, encode

EXIT_UNREADABLE: Final = 2
EXIT_BAD_WIRE: Final = 3

_CHUNK: Final = 1 << 16
_FASTEST_MS: Final = 20


def run(path: str, mode: Mode | None, now_ms: Callable[[], int]) -> int:
    """Serve the file at ``path`` on standard input and output, and return the exit status.

    The first message is Opened, or Lost where the file cannot be read at all.
    """
    with suppress(OSError):
        Path("/proc/self/comm").write_text(READER_NAME, encoding="ascii")
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints by accident must not get among the messages
    stop = _StopSignal()
    try:
        reader = open_reader(path, mode=mode, now_ms=now_ms, should_stop=stop.is_set)
    except Unreadable as error:
        with suppress(BrokenPipeError):
            _send(output, Lost(error.sentence, now_ms()), stop)
        return EXIT_UNREADABLE
    with reader, suppress(BrokenPipeError):
        try:
            _Service(reader, sys.stdin.fileno(), output, stop).serve()
        except WireError as error:
            sys.stderr.write(f"{error}\n")
            return EXIT_BAD_WIRE
    return 0


class _StopSignal:
    """SIGTERM as something that a select waits for and that a running query asks about."""

    def __init__(self) -> None:
        self._stopped = False
        self.wakes, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the session, which then ends us

    def is_set(self) -> bool:
        return self._stopped

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        self._stopped = True


class _Service:
    def __init__(self, reader: Reader, source: int, output: int, stop: _StopSignal) -> None:
        self._reader = reader
        self._input = source
        self._output = output
        self._stop = stop
        self._decoder = Decoder()
        self._every_s: float | None = Watch().every_ms / 1000  # type: ignore[operator]
        self._look_at = time.monotonic()

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

    def _wait_s(self) -> float | None:
        return None if self._every_s is None else max(0.0, self._look_at - time.monotonic())

    def _answer(self, message: Message) -> None:
        if not isinstance(message, Asked):
            raise WireError(f"A {type(message).__name__} is no question.")
        if isinstance(message.request, Watch):
            every_ms = message.request.every_ms
            self._every_s = None if every_ms is None else max(every_ms, _FASTEST_MS) / 1000
            self._look_at = time.monotonic()
        try:
            value = self._reader.answer(message.request, deadline_ms=message.deadline_ms)
            self._send(Answer(message.number, value))
        except Unanswered as error:
            self._send(Failed(message.number, error.sentence))
        except TooLarge:
            self._send(Failed(message.number, "The answer is too large to be shown."))
        for push in self._reader.take_pushes():
            self._send(push)

    def _send(self, message: Message) -> None:
        _send(self._output, message, self._stop)


def _send(output: int, message: Message, stop: _StopSignal) -> None:
    """Write a message as fast as it is taken; at a stop its rest is dropped, since nobody waits for it any more."""
    left = memoryview(encode(message))
    os.set_blocking(output, False)
    while left and not stop.is_set():
        _, ready, _ = select.select([stop.wakes], [output], [])
        if ready:
            left = left[os.write(output, left) :]
