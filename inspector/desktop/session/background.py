"""Questions that walk over many rows: asked of a reader process of their own, which is nice to everybody else.

It is started when first needed, and again when it has ended. A window never waits for it.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Final

from inspector.desktop.session.launch import Target, launch_reader
from inspector.desktop.session.reader_link import ReaderGone, ReaderLink
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import Progress
from inspector.reading.command import reader_command
from inspector.reading.messages import GONE, Asked, Lost, Message, Progressed, Stop
from inspector.reading.requests import Request
from inspector.reading.wire import encode

log = logging.getLogger(__name__)

SILENT_S: Final = 20.0
"""How long a process may say nothing while it is asked something before it counts as hung."""

_NO_DEADLINE_MS: Final = 1 << 31
_TRIES: Final = 2

OnProgress = Callable[[Progress], None]


def target_of(how: Opened, layout: Path | None = None) -> Target:
    """Return what another process is started on for a file that is open like this: the private copy where there is one.

    ``layout`` is what it is read as, where that was chosen.
    """
    if how.copy_path is not None:
        return Target(Path(how.copy_path), layout=layout)
    return Target(Path(how.path), layout=layout, same_as=how.file)


def launch_background(target: Target) -> "Popen[bytes]":
    """Start a reader process for the background on ``target``."""
    return launch_reader(target, [*reader_command(), "--background"])


def launch_errand(target: Target) -> "Popen[bytes]":
    """Start a process for one long question about ``target``."""
    return launch_reader(target, [*reader_command(), "--errand"])


def read_from(how: Opened) -> tuple[str, Mode]:
    """Return which file is read, the private copy where there is one, and how: when that changes, so does the process.

    A copy is a file at rest to the other process: another copy would cost as much again.
    """
    return how.copy_path or how.path, how.mode


class BackgroundLink(ReaderLink):
    """The line to a process that takes long questions: their progress comes in, and word to stop goes out."""

    def __init__(self, process: "Popen[bytes]", on_lost: Callable[[], None], on_end: Callable[[str], None]) -> None:
        super().__init__(process, self._on_message, on_end)
        self._on_lost = on_lost
        self._has_opened = False
        self._told: dict[int, OnProgress] = {}
        self._heard_at_s = self._loop.time()

    async def ask_at_leisure(self, request: Request, on_progress: OnProgress | None) -> object:
        """Return the answer, however long it takes. Cancelled, the process is told to stop.

        Raises RequestFailed, and ReaderGone where the process ended or said nothing for long.
        """
        if not self.is_open:
            raise ReaderGone
        number, future = self._asked(request)
        if on_progress is not None:
            self._told[number] = on_progress
        asked_at_s = self._loop.time()
        try:
            while True:
                left_s = max(asked_at_s, self._heard_at_s) + SILENT_S - self._loop.time()
                done, _ = await asyncio.wait([future], timeout=max(0.0, left_s))
                if done:
                    return future.result()
                if left_s <= 0:
                    self._end("hung")
        finally:
            self._told.pop(number, None)
            self._waiting.pop(number, None)
            if not future.done() and self.is_open:
                self._send(encode(Stop(number)))

    def _asked(self, request: Request) -> "tuple[int, asyncio.Future[object]]":
        self._number += 1
        future = self._waiting[self._number] = self._loop.create_future()
        self._send(encode(Asked(self._number, request, _NO_DEADLINE_MS)))
        return self._number, future

    def _on_message(self, message: Message) -> None:
        self._heard_at_s = self._loop.time()
        match message:
            case Progressed(number=number, progress=progress):
                told = self._told.get(number)
                if told is not None:
                    told(progress)
            case Opened():
                self._has_opened = True
            case Lost(sentence=sentence):
                if sentence.startswith(GONE) or not self._has_opened:
                    # Another process would find no other file, and be refused what this one is.
                    self.refuse(sentence)
                self._on_lost()
            case _:
                log.debug("the background reader says %s", type(message).__name__)


class Background:
    """The process for long questions about one file, as far as there is one."""

    def __init__(self, launch: Callable[[], "Popen[bytes]"]) -> None:
        """``launch`` starts a process."""
        self._launch = launch
        self._link: BackgroundLink | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process id, or None where there is no process now."""
        return None if self._link is None else self._link.pid

    async def ask(self, request: Request, on_progress: OnProgress | None = None) -> object:
        """Return the answer to ``request``; a process that ends before it is there is replaced once.

        ``on_progress`` is told how far it has come; after a replacement from the start again. Raises RequestFailed and
        ReaderGone.
        """
        for left in reversed(range(_TRIES)):
            if self._link is None:
                self._link = BackgroundLink(self._launch(), self.restart, self._on_end)
            try:
                return await self._link.ask_at_leisure(request, on_progress)
            except ReaderGone:
                if not left or self._is_closed:
                    raise
        raise AssertionError("the last try returns or raises")

    def restart(self) -> None:
        """End the process. What is asked of it is asked of another one, unless that was its second try."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def close(self) -> None:
        """End the process. What is asked of it raises ReaderGone."""
        self._is_closed = True
        self.restart()

    def _on_end(self, why: str) -> None:
        log.info("the background reader %s", why)
        self._link = None
