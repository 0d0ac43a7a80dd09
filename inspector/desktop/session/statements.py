"""Statements that somebody typed: each in a reader process for nothing else, which is killed to stop what it runs.

It is started by the first one, and ends by itself when none came for a while.
"""

import logging
from collections.abc import Callable
from subprocess import Popen
from typing import Final

from inspector.desktop.session.background import BackgroundLink, launch_background, target_of
from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.layout.tables import StatementAnswer
from inspector.reading.requests import StatementRequest

log = logging.getLogger(__name__)

MOST_MS: Final = 10_000
"""How long a statement may run: then it is told to end, and killed where it does not hear that."""

_HEARS_WITHIN_MS: Final = 1_000
"""How long it may take to hear it: its process counts from when it has begun, which is a little later."""


class Statements:
    """Runs statements on the file of a session, one at a time."""

    def __init__(
        self, session: Session, launch: Callable[[Target], "Popen[bytes]"] = launch_background, most_ms: int = MOST_MS
    ) -> None:
        """``launch`` starts a process on a file; a statement may run for ``most_ms``."""
        self._session = session
        self._launch = launch
        self._most_ms = most_ms
        self._link: BackgroundLink | None = None
        self._target: Target | None = None
        self._ended_as = ""

    @property
    def most_s(self) -> float:
        """How long a statement may run, in seconds."""
        return self._most_ms / 1_000

    @property
    def pid(self) -> int | None:
        """The process id, or None where there is no process now."""
        return None if self._link is None else self._link.pid

    async def run(self, request: StatementRequest) -> StatementAnswer:
        """Return what the statement gives. Cancelling the wait leaves it running: :meth:`stop` ends it.

        Raises RequestFailed with one sentence, also where the file was lost, and ReaderGone where it was stopped or no
        file is open.
        """
        self._session.require_file()
        how = self._session.how
        if how is None:
            raise ReaderGone
        target = target_of(how)
        if target != self._target:
            self.stop()
        if self._link is None:
            self._target = target
            self._link = BackgroundLink(self._launch(target), self.stop, self._on_end)
        self._ended_as = ""
        try:
            answer = await self._link.ask(request, deadline_ms=self._most_ms, grace_ms=_HEARS_WITHIN_MS)
        except (RequestFailed, ReaderGone) as error:
            if self._ended_as == "hung" or (isinstance(error, RequestFailed) and error.took_too_long):
                sentence = f"This took longer than {self.most_s:g} s and was stopped."
                raise RequestFailed(sentence, took_too_long=True) from None
            raise
        if not isinstance(answer, StatementAnswer):
            raise TypeError("a statement is not answered like this")
        return answer

    def stop(self) -> None:
        """End what runs, at once; the next statement gets another process."""
        if self._link is not None:
            self._link.kill()
            self._link = None

    def _on_end(self, why: str) -> None:
        log.info("the reader for statements %s", why)
        self._ended_as = why
        self._link = None
