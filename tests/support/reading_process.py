"""A reader process as a session would start it, and the messages that it sends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from inspector.reading.messages import Answer, Asked, Failed, Message
from inspector.reading.requests import Request
from inspector.reading.wire import Decoder, encode

ROOT = Path(__file__).parents[2]
HANG_S = 20.0

M = TypeVar("M")


class ReaderProcess:
    """The process. Use it through :func:`reader_on`."""

    def __init__(self, path: Path, *options: str, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inspector.reading", *options, "--", os.fsdecode(path)],
            cwd=ROOT,
            env=os.environ | (environment or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._decoder = Decoder()
        self._received: list[Message] = []
        self._number = 0

    def ask(self, request: Request, *, deadline_ms: int = 10_000) -> object:
        """Ask, and return the answer's value or the Failed itself; what is pushed meanwhile is kept for later."""
        self._number += 1
        number = self._number
        self.send(encode(Asked(number, request, deadline_ms)))
        waiting: list[Message] = []
        while True:
            message = self.receive()
            if isinstance(message, Answer | Failed) and message.number == number:
                self._received = waiting + self._received
                return message.value if isinstance(message, Answer) else message
            waiting.append(message)

    def send(self, data: bytes) -> None:
        """Write bytes to its input."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self) -> Message:
        """Return its next message. Raises EOFError where its output has ended."""
        assert self.process.stdout is not None
        while not self._received:
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise EOFError
            self._received += self._decoder.feed(chunk)
        return self._received.pop(0)

    def until(self, kind: type[M], fits: Callable[[M], bool] = lambda _message: True) -> M:
        """Return its next message of this kind that fits, and pass over the others."""
        while True:
            message = self.receive()
            if isinstance(message, kind) and fits(message):
                return message

    def end(self) -> tuple[int, str]:
        """Close its input, and return its exit status and what it said on standard error."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait until it has ended by itself, and return its exit status and what it said on standard error."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        status = self.process.wait(HANG_S)
        if self.process.stderr.closed:
            return status, ""
        said = self.process.stderr.read().decode()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        return status, said


@contextmanager
def reader_on(path: Path, *options: str, environment: dict[str, str] | None = None) -> Iterator[ReaderProcess]:
    """Start a reader on ``path``; it is ended at the end, if the test did not end it before."""
    reader = ReaderProcess(path, *options, environment=environment)
    try:
        yield reader
    finally:
        if reader.process.poll() is None:
            reader.process.send_signal(signal.SIGKILL)
        reader.ended()
