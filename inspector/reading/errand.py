"""A process for one long question that cannot be divided into steps of milliseconds: a check, or hashes, of a file.

It is nice to everybody else. It ends as soon as its input does, or when it is told to stop, wherever it is: it makes
no copy and leaves nothing behind.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, NoReturn

from inspector.layout.opened import FileIdentity
from inspector.layout.pages import Progress
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.health import health_steps
from inspector.reading.holders import call_this_process_a_reader
from inspector.reading.identity import require_there
from inspector.reading.layouts import Layouts
from inspector.reading.messages import Answer, Asked, Failed, Message, Progressed
from inspector.reading.proof import touch_steps
from inspector.reading.reader import open_reader
from inspector.reading.requests import HealthRequest, ProofRequest, Request
from inspector.reading.steps import Job
from inspector.reading.wire import Decoder, WireError, encode
from inspector.reading.worker import NICENESS

EXIT_BAD_WIRE: Final = 3

_ANY_TABLES: Final = Layouts(any_tables=True)
_CHUNK: Final = 1 << 16
_TELLS_EVERY_S: Final = 0.1
_ALIVE_EVERY_S: Final = 1.0
"""How often it says how far it is while one read goes on and on: a process that says nothing counts as hung."""


def run_errand(path: str, now_ms: Callable[[], int], same_as: FileIdentity | None = None) -> int:
    """Answer one question about the file at ``path`` on standard input and output; return the exit status.

    Where another file than ``same_as`` lies there by now, that is the answer.
    """
    call_this_process_a_reader()
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints by accident must not get among the messages
    try:
        asked = _first_question(sys.stdin.fileno())
    except WireError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_BAD_WIRE
    if asked is None:
        return 0
    os.nice(NICENESS)
    line = _Line(output, asked.number)
    threading.Thread(target=_watch, args=(sys.stdin.fileno(), line), daemon=True).start()
    try:
        line.send(Answer(asked.number, _answer(path, asked.request, now_ms, line, same_as)))
    except (Unanswered, Unreadable) as error:
        line.send(Failed(asked.number, error.sentence))
    return 0


def _first_question(source: int) -> Asked | None:
    decoder = Decoder()
    while chunk := os.read(source, _CHUNK):
        for message in decoder.feed(chunk):
            if isinstance(message, Asked) and isinstance(message.request, HealthRequest | ProofRequest):
                return message
            raise WireError("This is no errand.")
    return None


def _answer(
    path: str, request: Request, now_ms: Callable[[], int], line: "_Line", same_as: FileIdentity | None
) -> object:
    if isinstance(request, HealthRequest):
        with open_reader(path, now_ms=now_ms, may_copy=False, layouts=_ANY_TABLES, same_as=same_as) as reader:
            return _walked(health_steps(request, reader, now_ms()), line)
    try:
        if same_as is not None:
            # No more: what was written to it is what the hashes are to tell.
            require_there(path, same_as)
        return _walked(touch_steps(path, now_ms), line)
    except OSError as error:
        raise Unanswered(f"The files cannot be hashed: {error.strerror}.") from error


def _walked(steps: Job, line: "_Line") -> object:
    while True:
        try:
            line.tell(next(steps))
        except StopIteration as ended:
            return ended.value


class _Line:
    """The way out, for the thread that works and the one that says so."""

    def __init__(self, output: int, number: int) -> None:
        self._output = output
        self._number = number
        self._lock = threading.Lock()
        self._progress = Progress(0, None)
        self._tells_at = 0.0

    def tell(self, progress: Progress) -> None:
        """Take note of how far it is, and say so if that was not said a moment ago."""
        self._progress = progress
        if time.monotonic() >= self._tells_at:
            self.tell_again()

    def tell_again(self) -> None:
        """Say how far it is."""
        self._tells_at = time.monotonic() + _TELLS_EVERY_S
        self.send(Progressed(self._number, self._progress))

    def send(self, message: Message) -> None:
        """Write a message. Where nobody reads any more, the process ends."""
        left = memoryview(encode(message))
        with self._lock:
            try:
                while left:
                    left = left[os.write(self._output, left) :]
            except OSError:
                _end()


def _watch(source: int, line: _Line) -> None:
    """End the process when its input ends, or says anything more: that it may stop."""
    while True:
        ready, _, _ = select.select([source], [], [], _ALIVE_EVERY_S)
        if ready:
            _end()
        line.tell_again()


def _end() -> NoReturn:
    os._exit(0)
