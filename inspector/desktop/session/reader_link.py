"""The line to one reader process: numbered requests out, answers and pushes in, on the asyncio loop."""

import asyncio
import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Final

from inspector.reading.messages import Answer, Asked, Failed, Message
from inspector.reading.requests import Request
from inspector.reading.wire import Decoder, WireError, encode

GRACE_MS: Final = 2_000
"""How long after its deadline a request may stay unanswered before the reader counts as hung, unless said otherwise."""

_CHUNK = 1 << 16
_STOPS_WITHIN_S = 2.0


class RequestFailed(Exception):
    """The reader could not answer; ``sentence`` says why, for a person."""

    def __init__(self, sentence: str, *, took_too_long: bool = False) -> None:
        """``took_too_long`` says that it would be answered if there were more time."""
        super().__init__(sentence)
        self.sentence = sentence
        self.took_too_long = took_too_long


class ReaderGone(Exception):
    """The reader ended or was given up before it answered."""


class ReaderLink:
    """One reader process, from its start to its end. A dead or hung one is not revived: make another link.

    ``on_push`` gets every message that is no answer. ``on_end`` is called once, when the process has ended or was given
    up without :meth:`close`, with one word on why for the log.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        on_push: Callable[[Message], None],
        on_end: Callable[[str], None],
        asked: Sequence[Request] = (),
    ) -> None:
        """Take over ``process``, which was sent the requests ``asked`` already, numbered from 1."""
        if process.stdin is None or process.stdout is None:
            raise ValueError("a reader is spoken to over pipes")
        self._process = process
        self._on_push = on_push
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._decoder = Decoder()
        self._waiting: dict[int, asyncio.Future[object]] = {
            number: self._loop.create_future() for number, _ in enumerate(asked, start=1)
        }
        self._number = len(asked)
        self._asked_before = dict(zip(asked, self._waiting, strict=True))
        self._outgoing = bytearray()
        self._in = process.stdin.fileno()
        self._out = process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._writing = False
        self._ended = False
        self._loop.add_reader(self._out, self._on_readable)

    @property
    def pid(self) -> int:
        """The process id of the reader."""
        return self._process.pid

    @property
    def is_open(self) -> bool:
        """Whether requests can still be answered."""
        return not self._ended

    def ask(self, request: Request, *, deadline_ms: int, grace_ms: int = GRACE_MS) -> asyncio.Future[object]:
        """Send ``request`` now, before whatever else the loop has to do, and return its answer to be.

        That raises RequestFailed with the reader's sentence, or ReaderGone when the reader ends first. A reader that
        says nothing until ``grace_ms`` after the deadline is killed.
        """
        if self._ended:
            return refused(self._loop, ReaderGone())
        number = self._asked_before.pop(request, None)
        if number is None:
            self._number += 1
            number = self._number
            self._waiting[number] = self._loop.create_future()
            self._send(encode(Asked(number, request, deadline_ms)))
        future = self._waiting[number]
        hung = self._loop.call_later((deadline_ms + grace_ms) / 1000, self._end, "hung")

        def forget(_done: asyncio.Future[object]) -> None:
            hung.cancel()
            self._waiting.pop(number, None)

        future.add_done_callback(forget)
        return future

    async def answered_before(self, within_s: float) -> None:
        """Wait until what was asked before this link is answered, or can not be any more; for so long at most."""
        futures = [self._waiting[number] for number in self._asked_before.values()]
        if futures:
            await asyncio.wait(futures, timeout=within_s)

    def refuse(self, sentence: str) -> None:
        """Answer what was asked and is not answered yet with this sentence: the reader does not, or not soon."""
        for number, future in self._waiting.items():
            if number not in self._asked_before.values() and not future.done():
                future.set_exception(RequestFailed(sentence))
                take_note(future)

    def close(self) -> None:
        """End the reader: it stops at the end of its input. It is killed if it does not stop soon."""
        self._end(None)

    def kill(self) -> None:
        """End the reader at once, whatever it is busy with."""
        if not self._ended:
            self._process.kill()
        self._end(None)

    def _send(self, data: bytes) -> None:
        self._outgoing += data
        if not self._writing:
            self._flush()

    def _flush(self) -> None:
        try:
            while self._outgoing:
                written = os.write(self._in, self._outgoing)
                del self._outgoing[:written]
        except BlockingIOError:
            if not self._writing:
                self._writing = True
                self._loop.add_writer(self._in, self._flush)
            return
        except OSError:
            # The end of the process is noticed, and told, where its output ends.
            self._outgoing.clear()
        if self._writing:
            self._writing = False
            self._loop.remove_writer(self._in)

    def _on_readable(self) -> None:
        if self._ended:
            return
        try:
            chunk = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._end("ended")
            return
        try:
            messages = self._decoder.feed(chunk)
        except WireError:
            self._end("garbled")
            return
        for message in messages:
            # What a message set off may have closed this link.
            if self.is_open:
                self._deliver(message)

    def _deliver(self, message: Message) -> None:
        match message:
            case Answer(number=number, value=value):
                future = self._waiting.get(number)
                if future is not None and not future.done():
                    future.set_result(value)
            case Failed(number=number, sentence=sentence, took_too_long=took_too_long):
                future = self._waiting.get(number)
                if future is not None and not future.done():
                    future.set_exception(RequestFailed(sentence, took_too_long=took_too_long))
                    take_note(future)
            case _:
                self._on_push(message)

    def _end(self, why: str | None) -> None:
        if self._ended:
            return
        self._ended = True
        self._loop.remove_reader(self._out)
        if self._writing:
            self._loop.remove_writer(self._in)
        for number, future in list(self._waiting.items()):
            if number in self._asked_before.values():
                future.cancel()  # nobody has taken it up, and nobody misses it
            elif not future.done():
                future.set_exception(ReaderGone())
                take_note(future)
        if why is not None:
            self._process.kill()
        # The process is waited for beside the loop: the window goes on, and the interpreter still sees it end.
        threading.Thread(target=_reap, args=(self._process,), name="reader-end").start()
        if why is not None:
            self._on_end(why)


def refused(loop: asyncio.AbstractEventLoop, why: RequestFailed | ReaderGone) -> asyncio.Future[object]:
    """Return the answer to what nobody can be asked: it raises ``why``."""
    future: asyncio.Future[object] = loop.create_future()
    future.set_exception(why)
    take_note(future)
    return future


def take_note(failed: asyncio.Future[object]) -> None:
    """Take notice: whoever waited may be cancelled before the loop comes to it, and nobody is to read of it."""
    failed.exception()


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Close the ends of the line, which tells the reader to stop, and wait for it; kill it if it does not."""
    for end in (process.stdin, process.stdout):
        if end is not None:
            with contextlib.suppress(OSError):
                end.close()
    try:
        process.wait(timeout=_STOPS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
