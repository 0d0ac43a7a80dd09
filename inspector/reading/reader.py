"""The read side of one file in one object: it answers questions, says what has changed, and follows the file's modes.

For one thread of one process, which must hold no other connection to the file.
"""

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from inspector.layout.opened import Mode, Opened
from inspector.reading.answers import answer_of
from inspector.reading.companions import Guard
from inspector.reading.errors import BUSY, STALE, SqliteTrouble, Unanswered, Unreadable, primary_code, sentence_of
from inspector.reading.feed import Feed
from inspector.reading.holders import holders_listed
from inspector.reading.locks import ANY_USE, WAL_OPEN
from inspector.reading.messages import Lost, Moved, Push
from inspector.reading.requests import Request, Watch
from inspector.reading.source import Source, open_source

_LOCKS_EVERY_S: Final = 1.0
_LOCKS_IN_VAIN_EVERY_S: Final = 10.0
_QUIET_S: Final = 30.0
_SAME_TICK_MS: Final = 100
_LOOK_MS: Final = 2_000
_TRIES: Final = 3


class Reader:
    """One file, read. Made by :func:`open_reader`."""

    def __init__(
        self,
        source: Source,
        *,
        mode: Mode | None,
        now_ms: Callable[[], int],
        should_stop: Callable[[], bool],
        locks_every_s: float,
    ) -> None:
        self._source = source
        self._mode = mode
        self._now_ms = now_ms
        self._should_stop = should_stop
        self._locks_every_s = locks_every_s
        self._guard = source.look.guard
        self._identity = source.look.guard.identity
        self._feed = Feed()
        self._feed.start(source.connection, source.shape)
        self._opened = source.opened()
        self._pushes: list[Push] = []
        self._lost: str | None = None
        self._in_trouble = False
        now = time.monotonic()
        self._ask_locks_at = now + locks_every_s
        self._changed_at = now
        self._reopen_at = self._settling_at(now)

    @property
    def opened(self) -> Opened:
        """How the file is open now."""
        return self._opened

    def answer(self, request: Request, *, deadline_ms: int = 2_000) -> object:
        """Return the answer that the request names. Raises Unanswered with one sentence where there is none.

        An answer during which a file at rest moved is thrown away, and the question asked anew.
        """
        if isinstance(request, Watch):
            self._feed.watch(request.task_ids)
            return None
        for left in reversed(range(_TRIES)):
            self._require_open()
            try:
                if not self._has_moved():
                    with self._source.connection.within(deadline_ms):
                        value = answer_of(request, self._source.connection, self._source.shape, self._now_ms())
                    if not self._has_moved():
                        return value
            except SqliteTrouble as error:
                if not left or (primary_code(error) not in STALE and not self._has_moved()):
                    raise Unanswered(sentence_of(error, self._source.look.name)) from error
            self._reopen(seen_changing=True)
        self._require_open()
        raise Unanswered(f"{self._source.look.name} keeps changing while it is read.")

    def look(self) -> tuple[Push, ...]:
        """Look once whether anything has changed, and return what there is to say, in order.

        On a file at rest that costs a few stats, else one pragma; a lock is asked for about once a second.
        """
        if self._lost is None:
            try:
                self._follow()
                if self._lost is None:
                    self._take_changes()
                    self._in_trouble = False
            except SqliteTrouble as error:
                if primary_code(error) not in BUSY:
                    self._get_over_trouble()
            except Unanswered:
                self._fall_behind()
            except Unreadable as error:
                self._lose(error.sentence)
        return self.take_pushes()

    def take_pushes(self) -> tuple[Push, ...]:
        """Return what there is to say without a look: a change of mode that a question came upon, or the loss."""
        pushes, self._pushes = tuple(self._pushes), []
        return pushes

    def close(self) -> None:
        """Close the connection and remove the private copy, if there is one. A second time does nothing."""
        self._source.close()

    def __enter__(self) -> Self:
        """Give the reader itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _take_changes(self) -> None:
        source = self._source
        with source.connection.within(_LOOK_MS):
            if not self._feed.is_behind(source.connection):
                return
            if source.recognise_again():
                self._say_opened()
            moved = self._feed.changes(source.connection, source.shape, self._now_ms())
        self._changed_at = time.monotonic()
        if self._has_moved():
            self._feed.forget_connection()
        elif moved is not None:
            self._pushes.append(moved)

    def _get_over_trouble(self) -> None:
        """Open the file anew after a look that failed; where that does not help, leave the damage to the questions."""
        if self._in_trouble:
            self._fall_behind()
        else:
            self._in_trouble = True
            self._reopen()

    def _follow(self) -> None:
        """Notice what became of the file itself, and of who has it open."""
        guard = self._source.guard_now()
        now = time.monotonic()
        if self._source.mode is not Mode.COPY and (loss := self._loss(guard)):
            self._lose(loss)
        elif self._source.mode is Mode.COPY:
            if self._mode is None and guard != self._guard:
                self._reopen()
        elif self._source.mode is Mode.RESTING and guard != self._guard:
            self._reopen(seen_changing=True)
        elif self._reopen_at is not None and now >= self._reopen_at:
            self._reopen()
            self._reopen_at = None
        elif self._source.mode is not Mode.RESTING and now >= self._ask_locks_at:
            self._ask_locks(now)

    def _loss(self, guard: Guard) -> str | None:
        if guard.main is None:
            return "The file is gone. It was removed."
        if guard.identity != self._identity:
            return "The file is gone. It was replaced by another one."
        return "The file is gone. It was emptied." if guard.main.size == 0 else None

    def _ask_locks(self, now: float) -> None:
        look = self._source.look
        held = holders_listed(f"{look.path}-shm", WAL_OPEN) if look.wal else holders_listed(look.path, ANY_USE)
        before = self._source.mode
        self._ask_locks_at = now + self._locks_every_s
        if look.wal:
            changed = not held if before is Mode.LIVE else held is None or bool(held)
        else:
            changed = not held and now - self._changed_at > _QUIET_S
        if changed:
            self._reopen()
            if self._lost is None and self._source.mode is before:
                self._ask_locks_at = now + max(self._locks_every_s, _LOCKS_IN_VAIN_EVERY_S)

    def _has_moved(self) -> bool:
        return self._source.mode is Mode.RESTING and self._source.guard_now() != self._guard

    def _reopen(self, *, seen_changing: bool = False) -> None:
        """Close, look at the file anew, and open it as fits now. Ends as lost where it cannot be opened any more."""
        before = self._source
        before.close()
        try:
            self._source = open_source(
                before.look.path,
                self._mode if self._mode is Mode.COPY else None,
                was_live=before.mode is Mode.LIVE,
                seen_changing=seen_changing,
                should_stop=self._should_stop,
            )
        except Unreadable as error:
            self._lose(error.sentence)
            return
        if self._source.look.guard.identity != self._identity:
            self._lose("The file is gone. It was replaced by another one.")
            return
        self._guard = self._source.look.guard
        self._feed.forget_connection()
        self._reopen_at = self._settling_at(time.monotonic())
        self._changed_at = time.monotonic()
        self._say_opened()

    def _say_opened(self) -> None:
        opened = self._source.opened()
        if opened != self._opened:
            self._opened = opened
            self._pushes.append(opened)

    def _settling_at(self, now: float) -> float | None:
        """Say when to open a file at rest once more: within one tick of the clock a second write leaves no trace."""
        newest_ms = self._guard.newest_ns // 1_000_000
        fresh = self._source.mode is Mode.RESTING and abs(self._now_ms() - newest_ms) <= _SAME_TICK_MS
        return now + _SAME_TICK_MS / 1000 if fresh else None

    def _lose(self, sentence: str) -> None:
        self._source.close()
        self._lost = sentence
        self._pushes.append(Lost(sentence, self._now_ms()))

    def _require_open(self) -> None:
        if self._lost is not None:
            raise Unanswered(self._lost)

    def _fall_behind(self) -> None:
        self._feed.skip()
        self._pushes.append(Moved((), (), 0, 0, fell_behind=True, cleaned=False, read_at_ms=self._now_ms()))


def open_reader(
    path: str | os.PathLike[str],
    *,
    mode: Mode | None = None,
    now_ms: Callable[[], int],
    should_stop: Callable[[], bool] = lambda: False,
    locks_every_s: float = _LOCKS_EVERY_S,
) -> Reader:
    """Open the database at ``path`` for reading, as fits or as ``mode`` says. Raises Unreadable with one sentence.

    ``should_stop`` ends what is running when it answers True; ``locks_every_s`` is how often the system is asked
    whether a service still has the file open.
    """
    source = open_source(os.fspath(path), mode, should_stop=should_stop)
    try:
        return Reader(source, mode=mode, now_ms=now_ms, should_stop=should_stop, locks_every_s=locks_every_s)
    except SqliteTrouble as error:
        source.close()
        raise Unreadable(sentence_of(error, source.look.name)) from error
    except Unanswered as error:
        source.close()
        raise Unreadable(error.sentence) from error
    except BaseException:
        source.close()
        raise
