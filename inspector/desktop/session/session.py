"""One open database, from opening to closing, as the window sees it."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar, cast

from PySide6.QtCore import QObject, Signal

from inspector.desktop.session.acting import Acting, acting_on, cancel_in_file
from inspector.desktop.session.background import (
    Background,
    OnProgress,
    launch_background,
    launch_errand,
    read_from,
    target_of,
)
from inspector.desktop.session.file_lock import FileLock
from inspector.desktop.session.launch import DEADLINE_MS, Launched, Target, launch_reader
from inspector.desktop.session.reader_link import ReaderGone, ReaderLink, RequestFailed, refused
from inspector.layout.opened import Opened
from inspector.lmsp.cancelling import CancelOutcome, CancelResult
from inspector.reading.messages import Locked, Lost, Message, Moved, Unlocked
from inspector.reading.requests import ProofRequest, Question, Request, TaskPageRequest, Watch

log = logging.getLogger(__name__)

POLL_EVERY_MS: Final = 100
"""How often the reader looks for changes while the window is seen."""
POLL_HIDDEN_MS: Final = 1_000

AT_ONCE_MS: Final = 20
"""How long a question for the background is tried in the reader, so that a small file needs no other process."""

GIVES_UP_AFTER: Final = 3
"""How many readers may end on one file within :data:`GIVES_UP_WITHIN_S` before it counts as lost."""
GIVES_UP_WITHIN_S: Final = 30.0

LOST: Final = "The file cannot be read any more."
"""The answer to whatever is asked of a file that was lost: another one may lie at its path."""

Answer = TypeVar("Answer")


class Session(QObject):
    """One file in one reader process; a reader that dies or hangs is replaced, with the same file.

    Once the file is lost nothing opens its path any more, until :meth:`open` does: whatever is asked raises
    RequestFailed with :data:`LOST`, and no action may write.

    Requests are awaited on the GUI thread's asyncio loop; answers and signals arrive there too. No connection to the
    file is held in this process, but for the moment of an action.

    Signals:
        opened: the file was opened, is now read in another way, or can be read again after a lock; carries the
            ``Opened``.
        could_not_open: carries one sentence for the user; nothing can be asked until another :meth:`open`.
        moved: something was committed; carries the ``Moved``.
        lost: the file cannot be read any more; carries one sentence and the moment in Unix milliseconds.
        reader_replaced: a reader died or hung and another one took its place.
        pause_changed: carries whether nothing is read now.
        acting_changed: carries the ``Acting``: whether tasks can be cancelled here now.
    """

    opened = Signal(object)
    could_not_open = Signal(str)
    moved = Signal(object)
    lost = Signal(str, object)
    reader_replaced = Signal()
    pause_changed = Signal(bool)
    acting_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link: ReaderLink | None = None
        self._target: Target | None = None
        self._how: Opened | None = None
        self._shown: tuple[str, ...] = ()
        self._paused = False
        self._hidden = False
        self._is_lost = False
        self._is_opening = False
        self.lock = FileLock(self)
        self._allowed = False
        self._read_at_ms: int | None = None
        self._replaced_at: list[float] = []
        self._background: Background | None = None
        self._takes_long: set[type] = set()
        self._errands: set[Background] = set()
        self._work: set[asyncio.Task[None]] = set()
        # Python's own thread, not one of Qt's: the loop's default has threads that Python knows nothing of.
        self._actions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="action")

    @property
    def how(self) -> Opened | None:
        """How the file is open now, or None before it is."""
        return self._how

    @property
    def target(self) -> Target | None:
        """The file that was asked for last."""
        return self._target

    @property
    def _layout(self) -> Path | None:
        return None if self._target is None else self._target.layout

    @property
    def read_at_ms(self) -> int | None:
        """When something was last read, in Unix milliseconds, or None before that."""
        return self._read_at_ms

    @property
    def acting(self) -> Acting:
        """Whether tasks can be cancelled here now, and why not."""
        return acting_on(self._how, allowed=self._allowed, why_lost=LOST if self._is_lost else None)

    @property
    def reader_pid(self) -> int | None:
        """The process id of the reader, or None where there is none now."""
        return None if self._link is None else self._link.pid

    @property
    def background_pid(self) -> int | None:
        """The process id of the reader for long questions, or None where there is none now."""
        return None if self._background is None else self._background.pid

    @property
    def is_paused(self) -> bool:
        """Whether nothing at all is read."""
        return self._paused

    @property
    def is_lost(self) -> bool:
        """Whether the file went away under the reader; what is shown is the last that was read."""
        return self._is_lost

    def open(self, target: Target, launched: Launched | None = None) -> None:
        """Open ``target`` instead of what was open. ``launched`` is its reader, where one was started already."""
        self.close()
        self._target = target
        if self._paused:
            self._paused = False
            self.pause_changed.emit(False)
        self._allowed = False
        self._read_at_ms = None
        self._replaced_at.clear()
        self._start(target, launched)

    async def first_answers(self, within_s: float) -> None:
        """Wait for the answers to what the reader was asked when it was launched; for so long at most."""
        if self._link is not None:
            await self._link.answered_before(within_s)

    def close(self) -> None:
        """End the reader. What was asked raises ReaderGone; no signal follows."""
        self._is_lost = False
        self.lock.forget()
        if self._link is not None:
            self._link.close()
            self._link = None
        self._close_others()
        self._how = None

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        """Run ``work`` beside the window, quietly ending when the reader goes or the request fails."""
        task = asyncio.get_running_loop().create_task(self._quietly(work))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        # Cancelled before its first step, it would otherwise be missed as one that nobody awaited.
        task.add_done_callback(lambda _task: work.close())

    async def ended(self) -> None:
        """Cancel what :meth:`spawn` still runs, and wait for it. The session is of no further use."""
        for task in self._work:
            task.cancel()
        if self._work:
            await asyncio.wait(self._work, timeout=1)
        self._actions.shutdown(wait=False)

    def ask(self, request: Question[Answer], *, deadline_ms: int = DEADLINE_MS) -> asyncio.Future[Answer]:
        """Ask the reader now, and return its answer to be.

        That raises RequestFailed with the reader's sentence, and ReaderGone where no reader can answer now.
        """
        if self._is_lost:
            return cast("asyncio.Future[Answer]", refused(asyncio.get_running_loop(), RequestFailed(LOST)))
        if self.lock.sentence is not None and self._is_opening:
            failed = RequestFailed(self.lock.sentence)
            return cast("asyncio.Future[Answer]", refused(asyncio.get_running_loop(), failed))
        if self._link is None:
            return cast("asyncio.Future[Answer]", refused(asyncio.get_running_loop(), ReaderGone()))
        asked = self._link.ask(cast("Request", request), deadline_ms=deadline_ms)
        if not isinstance(request, Watch):
            asked.add_done_callback(self._on_answer)
        return cast("asyncio.Future[Answer]", asked)

    async def ask_in_background(self, request: Question[Answer], on_progress: OnProgress | None = None) -> Answer:
        """Return the answer to a question that may walk over many rows, however long that takes.

        Where few rows answer it the reader does, else a process of its own, which is nice to everybody else.
        ``on_progress`` is told how far that has come. Cancelling the wait ends the walk. Raises RequestFailed and
        ReaderGone as :meth:`ask` does.
        """
        self.require_file()
        if self._background is None:
            raise ReaderGone
        if not isinstance(request, TaskPageRequest) and type(request) not in self._takes_long:
            try:
                return await self.ask(request, deadline_ms=AT_ONCE_MS)
            except RequestFailed as failed:
                if not failed.took_too_long:
                    raise
            self._takes_long.add(type(request))
        answer = await self._background.ask(cast("Request", request), on_progress)
        self._read_at_ms = _now_ms()
        return cast("Answer", answer)

    async def run_errand(self, request: Question[Answer], on_progress: OnProgress | None = None) -> Answer:
        """Return the answer to a question that reads all of the file, from a process of its own, nice to everybody.

        Hashes are those of the file itself; what else is asked, of the private copy where there is one. Cancelling the
        wait ends the process, as :meth:`close` does. Raises RequestFailed and ReaderGone as :meth:`ask` does.
        """
        self.require_file()
        if self._how is None:
            raise ReaderGone
        target = target_of(self._how)
        if isinstance(request, ProofRequest):
            target = Target(Path(self._how.path), same_as=self._how.file)
        errand = Background(partial(launch_errand, target))
        self._errands.add(errand)
        try:
            return cast("Answer", await errand.ask(cast("Request", request), on_progress))
        finally:
            self._errands.discard(errand)
            errand.close()

    def require_file(self) -> None:
        """Raise RequestFailed where the file was lost: who is about to open its path would open another one."""
        if self._is_lost:
            raise RequestFailed(LOST)

    def watch(self, task_ids: tuple[str, ...]) -> None:
        """Say which tasks are on screen: they are read again whenever something was committed."""
        if task_ids != self._shown:
            self._shown = task_ids
            self._send_watch()

    def pause(self) -> None:
        """Read nothing until :meth:`resume`."""
        self._set_paused(True)

    def resume(self) -> None:
        """Read again; everything since the pause is caught up."""
        self._set_paused(False)

    def set_hidden(self, hidden: bool) -> None:
        """Look less often while nobody sees the window."""
        if hidden != self._hidden:
            self._hidden = hidden
            self._send_watch()

    def allow_actions(self, allowed: bool) -> None:
        """Take the user's word that this file, which no service has open, may be written by an action."""
        self._allowed = allowed
        self.acting_changed.emit(self.acting)

    async def cancel_task(self, task_id: str) -> CancelResult:
        """Cancel a task over a connection of its own, opened and closed for this.

        Every outcome comes as a value, also one that could not be tried: then nothing was changed.
        """
        acting = self.acting
        if self._how is None or not acting.may_act:
            return CancelResult(task_id, CancelOutcome.REFUSED, None, None, acting.why_not)
        if self.lock.sentence is not None:
            return CancelResult(task_id, CancelOutcome.BUSY, None, None, self.lock.sentence)
        path, needs_service = Path(self._how.path), not acting.needs_allowance
        cancel = partial(
            cancel_in_file, path, task_id, now_ms=_now_ms(), needs_service=needs_service, same_as=self._how.file
        )
        return await asyncio.get_running_loop().run_in_executor(self._actions, cancel)

    def _on_answer(self, answered: asyncio.Future[object]) -> None:
        if not answered.cancelled() and answered.exception() is None:
            self._read_at_ms = _now_ms()

    def _set_paused(self, paused: bool) -> None:
        if paused != self._paused:
            self._paused = paused
            self._send_watch()
            self.pause_changed.emit(paused)

    def _send_watch(self) -> None:
        if self._link is not None and self._link.is_open:
            every_ms = None if self._paused else POLL_HIDDEN_MS if self._hidden else POLL_EVERY_MS
            self.spawn(self._ask_watch(Watch(self._shown, every_ms)))

    async def _ask_watch(self, watch: Watch) -> None:
        await self.ask(watch)

    def _start(self, target: Target, launched: Launched | None = None) -> None:
        reader = launched or Launched(launch_reader(target))
        self._is_opening = True
        self._link = ReaderLink(reader.process, self._on_push, self._on_end, reader.asked)

    def _on_push(self, message: Message) -> None:
        match message:
            case Opened():
                if self._how is None or read_from(self._how) != read_from(message):
                    self._read_in_background_from(message)
                self._how = message
                self._is_opening = False
                self.lock.lift()
                if self._read_at_ms is None:
                    self._read_at_ms = _now_ms()
                self._send_watch()
                self.opened.emit(message)
                self.acting_changed.emit(self.acting)
            case Moved():
                self._read_at_ms = message.read_at_ms
                self.moved.emit(message)
            case Lost(sentence=sentence, at_ms=at_ms):
                self._on_lost(sentence, at_ms)
            case Locked(sentence=sentence):
                if self._is_opening and self._link is not None:
                    # It takes no question before it has opened the file.
                    self._link.refuse(sentence)
                self.lock.meet(sentence)
            case Unlocked():
                self.lock.lift()
                if not self._is_opening:
                    self.opened.emit(self._how)
            case _:
                log.warning("a message of unknown type from the reader: %s", type(message).__name__)

    def _read_in_background_from(self, how: Opened) -> None:
        if self._background is not None:
            self._background.close()
        self._background = Background(partial(launch_background, target_of(how, self._layout)))
        self._takes_long.clear()

    def _on_lost(self, sentence: str, at_ms: int) -> None:
        self.lock.lift()
        if self._how is None:
            self.close()
            self.could_not_open.emit(sentence)
        else:
            self._is_lost = True
            self._close_others()
            self.lost.emit(sentence, at_ms)
            self.acting_changed.emit(self.acting)

    def _close_others(self) -> None:
        """End every process on the file but the reader: each one would be replaced by one on the same path."""
        if self._background is not None:
            self._background.close()
            self._background = None
        for errand in tuple(self._errands):
            errand.close()
        self._takes_long.clear()

    def _on_end(self, why: str) -> None:
        log.info("the reader %s", why)
        self._link = None
        if self._how is None:
            self.could_not_open.emit("The reader process ended before it could open the file.")
            return
        if self._is_lost or self._target is None:
            return
        now = time.monotonic()
        self._replaced_at = [at for at in self._replaced_at if now - at < GIVES_UP_WITHIN_S]
        if len(self._replaced_at) >= GIVES_UP_AFTER:
            self._on_lost("The reader ended again and again on this file.", _now_ms())
            return
        self._replaced_at.append(now)
        # It may have ended just because of what became of the file.
        self._start(replace(self._target, same_as=self._how.file))
        self.reader_replaced.emit()

    async def _quietly(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except ReaderGone:
            log.debug("asked of a reader that is gone")
        except RequestFailed as failed:
            log.info("not answered: %s", failed.sentence)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
