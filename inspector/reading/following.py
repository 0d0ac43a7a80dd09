"""One file over time: which mode fits it now, when it must be opened anew, and when it is lost.

A live one whose service ends becomes resting or crashed, a resting or crashed one that a service opens becomes live,
each at a look; a file at rest that moved is never answered from.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from inspector.layout.opened import FileIdentity, Mode
from inspector.reading.companions import Guard, Watched, guard_of, is_shorter, was_written
from inspector.reading.errors import LockedOut, SqliteTrouble, Unanswered, Unreadable
from inspector.reading.header import CHANGES, HEADER_BYTES, first_bytes, missing_bytes
from inspector.reading.holders import holders_listed, holders_of
from inspector.reading.identity import REPLACED, WRITTEN_OVER, identity_of, loss_of, require_same, require_there
from inspector.reading.layouts import NATIVE_ONLY, Layouts
from inspector.reading.live_companions import KILL_IT
from inspector.reading.locks import ANY_USE, WAL_OPEN
from inspector.reading.main_file import CUT, OVERWRITTEN, MainFile
from inspector.reading.messages import GONE
from inspector.reading.opening import Look
from inspector.reading.rewritten import begins_another, first_page, newest_event
from inspector.reading.source import open_source

LOCKS_EVERY_S: Final = 1.0
_LOCKS_IN_VAIN_EVERY_S: Final = 10.0
_QUIET_S: Final = 30.0
_SAME_TICK_MS: Final = 100


class FollowedFile:
    """An open file whose source is replaced by one of another mode when that fits better."""

    def __init__(
        self,
        path: str,
        mode: Mode | None,
        *,
        now_ms: Callable[[], int],
        should_stop: Callable[[], bool],
        locks_every_s: float,
        may_copy: bool,
        layouts: Layouts = NATIVE_ONLY,
        same_as: FileIdentity | None = None,
    ) -> None:
        """Open the file. Raises Unreadable with one sentence, also where it is not the file ``same_as``."""
        self._wished = mode
        self._now_ms = now_ms
        self._should_stop = should_stop
        self._locks_every_s = locks_every_s
        self._may_copy = may_copy
        self._layouts = layouts
        if same_as is not None:
            require_same(path, same_as)
        self.source = open_source(path, mode, should_stop=should_stop, may_copy=may_copy, layouts=layouts)
        self.lost: str | None = None
        """Why nothing can be read any more."""
        self.waits_for: str | None = None
        """Why nothing can be read at this moment."""
        self.waits_for_lock = False
        """Whether that is a lock of another process."""
        self._identity = self.source.look.guard.identity
        self.identity = same_as or identity_of(self.source.look.guard, self.source.look.counts)
        """Which file it is, as it was first opened."""
        if same_as is not None:
            self._require_still(same_as)
        self._main: MainFile | None = None
        self._take_up()

    def _require_still(self, same_as: FileIdentity) -> None:
        """Raise Unreadable where the file was replaced while it was opened: either one may have been."""
        try:
            require_there(self.source.look.path, same_as)
        except Unreadable:
            self.source.close()
            raise

    @property
    def is_still(self) -> bool:
        """Whether what is read cannot change without being opened anew."""
        return self.source.mode in (Mode.RESTING, Mode.COPY)

    def require_open(self) -> None:
        """Raise Unanswered where nothing can be read, after one more try where that may have passed.

        LockedOut where another process keeps it locked.
        """
        if self.waits_for is not None:
            self.reopen()
        if self.lost is not None:
            raise Unanswered(self.lost)
        if self.waits_for is not None:
            raise (LockedOut if self.waits_for_lock else Unanswered)(self.waits_for)

    def has_moved(self) -> bool:
        """Say whether a file that is read as one at rest has been written to: what was read of it does not count."""
        return self._watched is not None and self._watched.has_changed()

    def is_followed(self) -> bool:
        """Say whether a file that a service is at work on needs no other look than at what is in it.

        So it is for most of a second after :meth:`follow`, as long as it is there. A file at rest is followed by its
        guard at each look.
        """
        return (
            self.source.mode is Mode.LIVE
            and time.monotonic() < self._ask_locks_at
            and self._reopen_at is None
            and self.lost is None
            and self.waits_for is None
            and self._main is not None
            and not self._main.has_moved()
        )

    def follow(self) -> bool:
        """Notice what became of the file and of who has it open, and say whether it can be read now.

        Costs a few stats; about once a second the system is asked for locks.
        """
        if self.lost is None:
            self._follow(self.source.guard_now(), time.monotonic())
        return self.lost is None and self.waits_for is None

    def changed(self) -> None:
        """Take note that the database has changed: in rollback-journal mode that is what shows a service at work."""
        self._changed_at = time.monotonic()

    def reopen(self, *, seen_changing: bool = False) -> None:
        """Close, look at the file anew, and open it as fits now. It is lost where it cannot be opened any more."""
        before = self.source
        harm = None if self._main is None else self._main.harm_unasked()
        self.close()
        if harm is not None:
            self.lose(f"{GONE} {harm}")
            return
        if before.mode is Mode.RESTING and (harm := self._harm_at_rest(before.look)) is not None:
            self.lose(harm)
            return
        # What was only touched is read anew too; but a process writes to it where a transaction was counted.
        seen_changing = seen_changing and (before.mode is not Mode.RESTING or self._count_of_changes() != self._changes)
        try:
            self.source = open_source(
                before.look.place,
                self._wished if self._wished is Mode.COPY else None,
                was_live=before.mode is Mode.LIVE,
                seen_changing=seen_changing,
                should_stop=self._should_stop,
                may_copy=self._may_copy,
                layouts=self._layouts,
            )
        except Unreadable as error:
            if error.may_pass:
                self.waits_for, self.waits_for_lock = error.sentence, error.is_locked
            else:
                # A file that was open and went away is gone, whoever came upon that first: a look or a question.
                self.lose(loss_of(before.look.path, before.guard_now(), self._identity) or error.sentence)
            return
        self.waits_for, self.waits_for_lock = None, False
        if self.source.look.guard.identity != self._identity:
            self.lose(REPLACED)
        elif self._newest is not None and self._newest.is_denied(self.source.connection, self.source.shape):
            self.lose(WRITTEN_OVER)
        else:
            self._take_up()

    def lose(self, sentence: str) -> None:
        """Give the file up."""
        self.close()
        self.lost = sentence

    def close(self) -> None:
        """Close the connection and remove the copy, if there is one. A second time does nothing."""
        self.source.close()
        if self._main is not None:
            self._main.close()
            self._main = None

    def _take_up(self) -> None:
        now = time.monotonic()
        look = self.source.look
        self._guard = look.guard
        # Not beside a connection that holds locks: closing the file would drop them. At rest it holds none.
        self._changes = self._count_of_changes() if look.mode is Mode.RESTING else b""
        self._first_page = self._committed_first_page() if look.mode is Mode.RESTING else b""
        self._watched = Watched(look.path, look.guard) if look.mode is Mode.RESTING else None
        self._main = _main_file(look.path) if look.mode in (Mode.LIVE, Mode.CRASHED) else None
        if self._main is not None and not look.wal:
            with suppress(*SqliteTrouble):
                self._main.settle(self.source.connection)
        self._take_newest_event()
        self._changed_at = now
        self._ask_locks_at = now + self._locks_every_s
        # Within one tick of the file system's clock a second write leaves no trace: then look once more after it.
        newest_ms = self._guard.newest_ns // 1_000_000
        fresh = self.source.mode is Mode.RESTING and abs(self._now_ms() - newest_ms) <= _SAME_TICK_MS
        self._reopen_at = now + _SAME_TICK_MS / 1000 if fresh else None

    def _follow(self, guard: Guard, now: float) -> None:
        mode = self.source.mode
        loss = loss_of(self.source.look.path, guard, self._identity)
        if mode is Mode.COPY:
            # A copy outlives its original. One made for want of a better way is given up when its original moves.
            if self.waits_for is not None or (self._wished is None and guard != self._guard and loss is None):
                self.reopen()
        elif loss is not None:
            self.lose(loss)
        elif self.waits_for is not None:
            self.reopen()
        elif mode is Mode.RESTING and guard != self._guard:
            self.reopen(seen_changing=True)
        elif self._reopen_at is not None and now >= self._reopen_at:
            self.reopen()
            self._reopen_at = None
        elif mode is not Mode.RESTING and guard.wal is None and self._guard.wal is not None:
            # Beside our connection no service removes it as it ends.
            self.lose(f"The -wal of {self.source.look.name} was removed, and what stood in it cannot be read any more.")
        elif mode is Mode.CRASHED and was_written(guard.wal, self._guard.wal):
            self._take_up_changed_wal(is_shorter=is_shorter(guard.wal, self._guard.wal))
        elif mode is Mode.LIVE and self._main is not None and self._main.wal_is_cut():
            look = self.source.look
            under = look.holder or "a process"
            self.lose(f"The -wal of {look.name} was cut off under {under}, and what stood there is lost. {KILL_IT}")
        elif mode is not Mode.RESTING and _other_companions(guard, self._guard):
            self.reopen()
        elif self._was_written_over():
            return
        elif mode is not Mode.RESTING and now >= self._ask_locks_at:
            self._ask_locks(now)

    def _take_up_changed_wal(self, *, is_shorter: bool) -> None:
        """Open the file anew: most likely a service has taken it up. Only such a one may make the -wal shorter."""
        self.reopen()
        if is_shorter and self.lost is None and self.source.mode is not Mode.LIVE:
            said = f"The -wal of {self.source.look.name} was cut off, and what stood behind cannot be read any more."
            self.lose(said)

    def _committed_first_page(self) -> bytes:
        """Return the first page as a transaction left it; nothing where somebody has written to the file meanwhile."""
        look = self.source.look
        first = first_page(look.path)
        return first if guard_of(look.path) == look.guard else b""

    def _take_newest_event(self) -> None:
        source = self.source
        is_rewritten = source.mode is Mode.RESTING or (source.mode is Mode.LIVE and not source.look.wal)
        self._newest = newest_event(source.connection, source.shape) if is_rewritten else None

    def _is_denied(self) -> bool:
        """Say whether the file that is open holds other events than it did, and take note of its newest one."""
        source = self.source
        denied = self._newest is not None and self._newest.is_denied(source.connection, source.shape)
        self._take_newest_event()
        return denied

    def _harm_at_rest(self, look: Look) -> str | None:
        """Say what became of the file, which was at rest, where no service did that. Not beside a connection to it."""
        if self._begins_another():
            return WRITTEN_OVER
        # One that writes may come to its end last, and holds a lock until then.
        is_cut = not look.faulty and missing_bytes(look.path) and not holders_of(look.path) and missing_bytes(look.path)
        return f"{GONE} {CUT}" if is_cut else None

    def _begins_another(self) -> bool:
        """Say whether the file, which was at rest, begins otherwise now. Not beside a connection to it."""
        path = self.source.look.path
        if not self._first_page or guard_of(path).identity != self._identity:
            return False
        # Twice: what is written this very moment may be read in part.
        return all(begins_another(first_page(path), self._first_page) for _ in range(2))

    def _count_of_changes(self) -> bytes:
        """Return by what SQLite counts the transactions on the file in rollback-journal mode."""
        return first_bytes(self.source.look.path, HEADER_BYTES)[CHANGES]

    def _was_written_over(self) -> bool:
        """Look at the main file where it was written to; the file is lost where no service did that."""
        if self._main is None or not self._main.has_moved():
            return False
        harm, is_shorter = self._main.look(self.source.connection)
        if harm is None and not self.source.look.wal and self._is_denied():
            harm = OVERWRITTEN
        if harm is not None:
            self.lose(f"{GONE} {harm}")
        elif is_shorter:
            self.reopen()
        return harm is not None or is_shorter

    def _ask_locks(self, now: float) -> None:
        self._ask_locks_at = now + self._locks_every_s
        if not self._is_held_otherwise(now):
            return
        self.reopen()
        # Who had it open may have gone meanwhile, or another one come: that is followed as before.
        if self.lost is None and self.source.mode is not Mode.COPY and self._is_held_otherwise(now):
            # The list of locks does not tell here what opening does.
            self._ask_locks_at = now + max(self._locks_every_s, _LOCKS_IN_VAIN_EVERY_S)

    def _is_held_otherwise(self, now: float) -> bool:
        """Say whether others have the file open than those that were found as it was opened, as far as is listed."""
        look = self.source.look
        if look.wal:
            held = holders_listed(f"{look.path}-shm", WAL_OPEN)
            return look.holder not in (held or ()) if look.mode is Mode.LIVE else held is None or bool(held)
        return not holders_listed(look.path, ANY_USE) and now - self._changed_at > _QUIET_S


def _main_file(path: str) -> MainFile | None:
    try:
        return MainFile(path)
    except OSError:
        # It went away under our hands: the next look says so.
        return None


def _other_companions(guard: Guard, earlier: Guard) -> bool:
    """Say whether there is another -wal or -shm now, or none: the one that is read then tells nothing new for ever."""
    pairs = ((guard.wal, earlier.wal), (guard.shm, earlier.shm))
    return any(before and (now is None or now.inode != before.inode) for now, before in pairs)
