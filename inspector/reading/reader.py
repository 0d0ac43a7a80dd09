"""The read side of one file in one object: it answers questions, says what has changed, and follows the file's modes.

For one thread of one process, which must hold no other connection to the file.
"""

import os
import sqlite3
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from inspector.layout.opened import FileIdentity, Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.layout.rows import TaskDetail
from inspector.reading.answers import answer_of
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.errors import (
    BUSY,
    STALE,
    Damaged,
    LockedOut,
    SqliteTrouble,
    Unanswered,
    Unreadable,
    is_damage,
    primary_code,
)
from inspector.reading.feed import Feed
from inspector.reading.following import LOCKS_EVERY_S, FollowedFile
from inspector.reading.layouts import NATIVE_ONLY, Layouts
from inspector.reading.locked import LockWatch, sentence_on
from inspector.reading.messages import Lost, Push
from inspector.reading.opening import Look
from inspector.reading.recognising import Shape
from inspector.reading.requests import Request, Watch

if TYPE_CHECKING:
    from inspector.layout.description import Description

_Read = TypeVar("_Read")

_LOOK_MS: Final = 2_000
_TRIES: Final = (2, 1, 0)
"""How many more there are after this one."""


class Reader:
    """One file, read. Made by :func:`open_reader`."""

    def __init__(self, file: FollowedFile, now_ms: Callable[[], int], wait: Callable[[float], None]) -> None:
        self._file = file
        self._now_ms = now_ms
        self._wait = wait
        self._feed = Feed()
        self._feed.start(file.source.connection, file.source.shape)
        self._taken_up = file.source
        self._opened = file.source.opened(file.identity)
        self._told_of = file.source, file.source.recognised
        self._pushes: list[Push] = []
        self._seen_version: Value = None
        self._in_trouble = False
        self._lock = LockWatch()
        self._told_of_loss = False

    @property
    def opened(self) -> Opened:
        """How the file is open now."""
        return self._opened

    @property
    def description(self) -> "Description | None":
        """The layout that the file is read as, where that is not the native one."""
        return self._file.source.shape.description

    @property
    def locked_out(self) -> str | None:
        """What is to be said of the lock that the last look or question met; None where it met none."""
        return self._lock.sentence

    def answer(self, request: Request, *, deadline_ms: int = 2_000) -> object:
        """Return the answer that the request names. Raises Unanswered with one sentence where there is none.

        LockedOut where another process keeps the file locked: a look says when that has passed.
        """
        if isinstance(request, Watch):
            self._feed.watch(request.task_ids)
            return None
        value = self.read(
            lambda connection, shape: answer_of(request, connection, shape, self._now_ms(), self._wait),
            deadline_ms=deadline_ms,
        )
        self._remember(value)
        return value

    def read(self, question: Callable[[ReadConnection, Shape], _Read], *, deadline_ms: int = 2_000) -> _Read:
        """Return what ``question`` reads; it may be asked more than once. Raises Unanswered with one sentence.

        What was read while a file at rest moved is thrown away, and the question asked anew. So is a question that a
        change of the schema came into.
        """
        try:
            value = self._read(question, deadline_ms)
        except LockedOut as error:
            self._pushes += self._lock.met(error.sentence, by_a_look=False)
            raise
        else:
            self._pushes += self._lock.passed()
            return value
        finally:
            self._say_what_became_of_the_file()

    def _read(self, question: Callable[[ReadConnection, Shape], _Read], deadline_ms: int) -> _Read:
        file = self._file
        for left in _TRIES:
            file.require_open()
            source = file.source
            try:
                source.recognise_again()
                if source.misfit is not None:
                    raise Unanswered(source.misfit)
                with source.connection.within(deadline_ms):
                    value = question(source.connection, source.shape)
                # Where nothing has moved since the file was opened, nothing had moved before the question either.
                if not file.has_moved():
                    return value
            except (UnicodeEncodeError, OverflowError) as error:
                raise Unanswered("No database can hold what was asked for.") from error
            except Unanswered:
                if not left or not file.has_moved():
                    raise
            except SqliteTrouble as error:
                if left and primary_code(error) == sqlite3.SQLITE_ERROR and source.recognise_again():
                    continue
                if not left or (primary_code(error) not in STALE and not file.has_moved()):
                    raise _unanswered(error, source.look) from error
            file.reopen(seen_changing=True)
        file.require_open()
        raise Unanswered(f"{self._file.source.look.name} keeps changing while it is read.")

    def look(self) -> tuple[Push, ...]:
        """Look once whether anything has changed, and return what there is to say, in order.

        On a file at rest that costs a few stats; on a live one a stat and a pragma, and about once a second the rest.
        """
        try:
            if self._file.is_followed() and not self._feed.is_behind(self._file.source.connection):
                self._in_trouble = False
                self._pushes += self._lock.passed()
                return self.take_pushes()
            if self._file.follow():
                self._say_what_became_of_the_file()
                self._take_changes()
                self._in_trouble = False
                self._pushes += self._lock.passed()
            elif self._file.waits_for is not None and self._file.waits_for_lock:
                self._pushes += self._lock.met(self._file.waits_for, by_a_look=True)
        except SqliteTrouble as error:
            if primary_code(error) in BUSY:
                look = self._file.source.look
                self._pushes += self._lock.met(sentence_on(error, look.name, look.path), by_a_look=True)
            else:
                self._get_over_trouble()
        except Unanswered:
            self._pushes.append(self._feed.fell_behind(self._now_ms()))
        self._say_what_became_of_the_file()
        return self.take_pushes()

    def is_written(self) -> bool:
        """Say whether another process has written to the database since this was asked last. False where none tells."""
        if self._file.source.mode is not Mode.LIVE or self._file.lost or self._file.waits_for:
            return False
        try:
            version = self._file.source.connection.value("PRAGMA data_version")
        except SqliteTrouble:
            return True
        before, self._seen_version = self._seen_version, version
        return before != version

    def take_pushes(self) -> tuple[Push, ...]:
        """Return what there is to say without a look: a change of mode that a question came upon, or the loss."""
        pushes, self._pushes = tuple(self._pushes), []
        return pushes

    def close(self) -> None:
        """Close the connection and remove the private copy, if there is one. A second time does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        """Give the reader itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _remember(self, value: object) -> None:
        if isinstance(value, TaskPage):
            self._feed.tell(value.tasks)
        elif isinstance(value, TaskDetail):
            self._feed.tell([value.task])

    def _take_changes(self) -> None:
        source = self._file.source
        if self._file.is_still and not self._feed.is_due:
            return
        with source.connection.within(_LOOK_MS):
            if not self._feed.is_behind(source.connection):
                return
            source.recognise_again()
            moved = None
            if source.misfit is None:
                moved = self._feed.changes(source.connection, source.shape, self._now_ms())
            else:
                self._feed.skip()
        self._file.changed()
        if self._file.has_moved():
            self._feed.forget_connection()
        self._say_opened()
        if moved is not None:
            self._pushes.append(moved)

    def _get_over_trouble(self) -> None:
        """Open the file anew after a look that failed; where that did not help, leave the damage to the questions."""
        if self._in_trouble:
            self._pushes.append(self._feed.fell_behind(self._now_ms()))
        else:
            self._in_trouble = True
            self._file.reopen()

    def _say_what_became_of_the_file(self) -> None:
        if self._file.lost is not None:
            if not self._told_of_loss:
                self._told_of_loss = True
                self._lock.passed()
                self._pushes.append(Lost(self._file.lost, self._now_ms()))
            return
        if self._file.source is not self._taken_up:
            self._taken_up = self._file.source
            self._feed.forget_connection()
        self._say_opened()

    def _say_opened(self) -> None:
        source = self._file.source
        if (source, source.recognised) == self._told_of:
            return
        self._told_of = source, source.recognised
        opened = source.opened(self._file.identity)
        if opened != self._opened:
            self._opened = opened
            self._pushes.append(opened)


def _unanswered(error: Exception, look: Look) -> Unanswered:
    is_locked = primary_code(error) in BUSY
    trouble = LockedOut if is_locked else Damaged if is_damage(error) else Unanswered
    return trouble(sentence_on(error, look.name, look.path))


def open_reader(
    path: str | os.PathLike[str],
    *,
    mode: Mode | None = None,
    now_ms: Callable[[], int],
    should_stop: Callable[[], bool] = lambda: False,
    wait: Callable[[float], None] = lambda _seconds: None,
    locks_every_s: float = LOCKS_EVERY_S,
    may_copy: bool = True,
    layouts: Layouts = NATIVE_ONLY,
    same_as: FileIdentity | None = None,
) -> Reader:
    """Open the database at ``path`` for reading, as fits or as ``mode`` says. Raises Unreadable with one sentence.

    ``should_stop`` ends what is running when it answers True. ``wait`` waits for some seconds: between the steps of a
    long question, so that a service that writes can begin its -wal anew. ``locks_every_s`` is how often the system is
    asked whether a service still has the file open. Without ``may_copy`` a file that only a copy can be read of is not.
    ``layouts``: what it may be read as beside the native layout. ``same_as``: which file has to lie there.
    """
    file = FollowedFile(
        os.fspath(path),
        mode,
        now_ms=now_ms,
        should_stop=should_stop,
        locks_every_s=locks_every_s,
        may_copy=may_copy,
        layouts=layouts,
        same_as=same_as,
    )  # fmt: skip
    try:
        return Reader(file, now_ms, wait)
    except SqliteTrouble as error:
        file.close()
        look = file.source.look
        raise Unreadable(sentence_on(error, look.name, look.path), is_locked=primary_code(error) in BUSY) from error
    except Unanswered as error:
        file.close()
        raise Unreadable(error.sentence) from error
    except BaseException:
        file.close()
        raise
