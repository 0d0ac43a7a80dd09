"""A database as it is open now: one connection in one mode, the shape of what it holds, and the guard of its files."""

import sqlite3
from collections.abc import Callable
from typing import Final, NamedTuple

from inspector.layout.opened import FileIdentity, LayoutKind, Mode, Opened
from inspector.lmsp.values import value
from inspector.reading.companions import Guard, guard_of
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import (
    BUSY,
    PASSING,
    STALE,
    SqliteTrouble,
    Unanswered,
    Unreadable,
    is_damage,
    primary_code,
    sentence_of,
)
from inspector.reading.last_moment import last_moment_ms
from inspector.reading.layouts import NATIVE_ONLY, Layouts
from inspector.reading.locked import sentence_on
from inspector.reading.main_file import lacking_pages
from inspector.reading.opening import Look, look_at, look_at_unpacked
from inspector.reading.private_copy import PrivateCopy
from inspector.reading.recognising import Shape, claims_of, recognise
from inspector.reading.salvage import unreadable_tables
from inspector.reading.whole_copies import copy_live
from inspector.reading.without_wal import Alone, alone

_TRIES: Final = 3
_OPENING_MS: Final = 5_000

_WITHOUT_SHM: Final = "mode=ro"
"""Of a live file whose -shm is not ours to read: SQLite then keeps an index of the -wal of its own."""

_OPTIONS: Final = {
    # readonly_shm, live as well: where the service closes at this very moment, SQLite finds no -shm and says so,
    # instead of making a new one. (An empty -wal may be left then: it counts as absent.)
    Mode.LIVE: "mode=ro&readonly_shm=1",
    Mode.RESTING: "mode=ro&immutable=1",
    Mode.CRASHED: "mode=ro&readonly_shm=1",
    Mode.COPY: "mode=ro",
}


@value
class _Moment:
    """When a database was recognised: as of which commit, at the earliest, and what it said of itself then."""

    version: int
    claims: tuple[int, ...]


class Source:
    """An open database. Made by :func:`open_source`."""

    def __init__(
        self,
        look: Look,
        connection: ReadConnection,
        shape: Shape,
        notes: tuple[str, ...],
        copy: PrivateCopy | None,
        layouts: Layouts,
        recognised_at: _Moment,
        last_moment_ms: int | None,
    ) -> None:
        self.look = look
        self.connection = connection
        self.shape = shape
        self.misfit: str | None = None
        """Why nothing can be read while its schema is as it is now; ``shape`` is then the one before."""
        self._recognised_at = recognised_at
        self._notes = notes
        self._copy = copy
        self._layouts = layouts
        self._last_moment_ms = last_moment_ms

    @property
    def mode(self) -> Mode:
        """How it is read."""
        return self.look.mode

    def opened(self, file: FileIdentity | None = None) -> Opened:
        """Return how the file was opened, for a person. ``file`` is the one that it is."""
        why_not_act = "It is read from a copy." if self.mode is Mode.COPY else self.misfit or self.shape.why_not_act
        misfit = () if self.misfit is None else (self.misfit,)
        return Opened(
            path=self.look.path,
            member=None if self.look.archive is None else self.look.archive.member,
            mode=self.mode,
            why=self.look.why,
            notes=(*self.look.notes, *self._notes, *misfit, *self.shape.misfits, *self.shape.notes),
            holder=None if self.look.holder is None else str(self.look.holder),
            layout=self.shape.kind,
            file=file,
            layout_name=None if self.shape.description is None else self.shape.description.name,
            missing=self.shape.missing,
            user_version=self.shape.user_version,
            sqlite_version=sqlite3.sqlite_version,
            may_act=why_not_act is None and self.shape.kind is LayoutKind.NATIVE,
            why_not_act=why_not_act,
            copy_path=None if self._copy is None else self._copy.path,
            modes=self.look.modes,
            faulty=self.look.faulty or bool(self._notes or self.shape.misfits) or self.misfit is not None,
            last_moment_ms=self._last_moment_ms,
        )

    @property
    def recognised(self) -> tuple[Shape, str | None]:
        """What it was recognised as, and why nothing can be read of it now."""
        return self.shape, self.misfit

    def recognise_again(self) -> bool:
        """Recognise anew what a service made another schema, version or application id of, and say whether one did.

        Costs a pragma where nothing was committed. Raises Unanswered and sqlite3.Error: then it is due at the next
        time.
        """
        if self.mode in (Mode.RESTING, Mode.COPY):
            return False
        # Before the rest: what is committed meanwhile shows again.
        version = self.connection.data_version()
        if version == self._recognised_at.version:
            return False
        claims = claims_of(self.connection)
        # A copy in memory is of one moment.
        is_another = claims != self._recognised_at.claims or bool(self.shape.misfits)
        if is_another:
            claims = self._recognise_anew()
        self._recognised_at = _Moment(version, claims)
        return is_another

    def _recognise_anew(self) -> tuple[int, ...]:
        """Return what it said of itself when it was recognised."""
        self.connection.common.clear()
        claims: tuple[int, ...] = ()
        for _ in range(_TRIES):
            claims = claims_of(self.connection)
            try:
                with self.connection.within(_OPENING_MS):
                    self.shape = recognise(self.connection, self.look.name, self._layouts)
                self.misfit = None
            except Unreadable as error:
                self.misfit = error.sentence
            except sqlite3.OperationalError:
                # A table may be renamed while it is looked at.
                if claims_of(self.connection) == claims:
                    raise
            if claims_of(self.connection) == claims:
                break
        return claims

    def guard_now(self) -> Guard:
        """Stat the file and its companions as they are at this moment."""
        return guard_of(self.look.path)

    def close(self) -> None:
        """Close the connection and remove the copy, if it was one. A second time does nothing."""
        self.connection.close()
        if self._copy is not None:
            self._copy.remove()


def open_source(
    path: str,
    mode: Mode | None,
    *,
    was_live: bool = False,
    seen_changing: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
    may_copy: bool = True,
    layouts: Layouts = NATIVE_ONLY,
) -> Source:
    """Look at the file, open it as fits and recognise what is in it. Raises Unreadable with one sentence.

    Never call it while this process has a connection to the file (see opening).
    """
    for left in reversed(range(_TRIES)):
        look = look_at(path, mode, was_live=was_live, seen_changing=seen_changing)
        if look.mode is Mode.COPY and not may_copy:
            raise Unreadable(f"{look.name} can be read from a copy only, and another one is not made.")
        try:
            return _open(look, should_stop, layouts)
        except Unanswered as error:
            raise Unreadable(f"{look.name} cannot be read: its schema takes too long.") from error
        except SqliteTrouble as error:
            # A service may have opened or closed it in between: then another mode fits.
            if left and (primary_code(error) in STALE | BUSY or guard_of(look.path) != look.guard):
                continue
            sentence = _with_notes(look, _why_not(look, error), is_damaged=_may_be_damage(error))
            code = primary_code(error)
            raise Unreadable(sentence, may_pass=code in PASSING, is_locked=code in BUSY) from error
    raise AssertionError("the last try returns or raises")


def _why_not(look: Look, error: Exception) -> str:
    if look.may_read_shm or primary_code(error) != sqlite3.SQLITE_CANTOPEN:
        return sentence_on(error, look.name, look.path)
    return f"{look.name} cannot be read: there is no permission for {look.name}-shm, and a process has the file open."


def _may_be_damage(error: Exception) -> bool:
    return is_damage(error) or primary_code(error) in (None, sqlite3.SQLITE_NOTADB)


def _is_ours_without_wal(look: Look) -> bool:
    """Say whether the file itself is marked as a service's: where no tasks are in it, its -wal made it another one."""
    return look.has_wal and look.archive is None and look.is_marked


def _with_notes(look: Look, sentence: str, *, is_damaged: bool) -> str:
    """Return why nothing can be read with what the look found to be missing: that may well be the cause."""
    return " ".join([sentence, *look.notes, *(look.other_wal if is_damaged else ())])


def _open(look: Look, should_stop: Callable[[], bool], layouts: Layouts) -> Source:
    copy = None
    notes: list[str] = []
    path = look.path
    try:
        if look.mode is Mode.COPY:
            copy = PrivateCopy()
            look, more = _fill(copy, look, should_stop)
            notes += more
            path = copy.path
        # Before the connection: closing another one would drop its locks.
        has_own_wal = look.has_wal and look.holder is None and look.mode is not Mode.LIVE
        own = alone(path, look.name, layouts, should_stop=should_stop) if has_own_wal else Alone()
        options = _OPTIONS[look.mode] if look.may_read_shm or look.mode is not Mode.LIVE else _WITHOUT_SHM
        connection, allowed = connect(path, options, should_stop=should_stop)
        try:
            with connection.within(_OPENING_MS):
                moment = _Moment(connection.data_version(), claims_of(connection))
                shape = recognise(connection, look.name, layouts, is_still=look.mode is not Mode.LIVE)
                unread = unreadable_tables(connection, shape)
                last_ms = None if look.mode is Mode.LIVE else last_moment_ms(connection, shape)
                is_damaged = bool(unread) or allowed.damage
                is_damaged |= shape.kind is LayoutKind.UNKNOWN and _is_ours_without_wal(look)
                if not own.is_left_in(connection, shape):
                    notes.append(f"Nothing of what {look.name} holds by itself is there with its -wal.")
                    is_damaged = True
                if copy is not None and not allowed.damage:
                    checked = _check(connection, look.name)
                    notes += checked.notes
                    is_damaged |= checked.is_damaged
                elif look.wal and look.mode is not Mode.RESTING and (pages := lacking_pages(connection, path)):
                    notes.append(f"{look.name} was cut off: {pages:,} of its pages cannot be read.")
                    is_damaged = True
        except Unreadable as error:
            connection.close()
            is_damaged = connection.is_damaged or _is_ours_without_wal(look)
            sentence = _with_notes(look, error.sentence, is_damaged=is_damaged)
            raise Unreadable(sentence, may_pass=error.may_pass, is_locked=error.is_locked) from error
        except BaseException:
            connection.close()
            raise
    except BaseException as error:
        if copy is not None:
            copy.remove()
        if look.archive is not None and isinstance(error, (*SqliteTrouble, Unreadable)):
            # What went wrong in the archive may well be why. Unpacked again, it would be the same.
            sentence = error.sentence if isinstance(error, Unreadable) else sentence_of(error, look.name)
            raise Unreadable(" ".join([*notes, sentence])) from error
        raise
    notes += [f"Nothing of the table {table} can be read: the file is damaged." for table in unread]
    if allowed.functions:
        notes.append("Its schema calls functions that SQLite takes for unsafe; it is read all the same.")
    if allowed.damage:
        notes.append(f"{look.name} is incomplete or damaged: what can still be read is shown.")
    if is_damaged:
        notes += look.other_wal
    return Source(look, connection, shape, tuple(notes), copy, layouts, moment, last_ms)


def _fill(copy: PrivateCopy, look: Look, should_stop: Callable[[], bool]) -> tuple[Look, list[str]]:
    notes: list[str] = []
    if look.archive is not None:
        # Most readers never meet one.
        from inspector.reading.unpacking import unpack  # noqa: PLC0415

        unpacked = unpack(look.archive, copy.path, should_stop=should_stop)
        look = look_at_unpacked(look, copy.path, unpacked.name, unpacked.why)
        copy.settle(hot=look.hot_journal)
        notes += unpacked.notes
    elif look.holder is not None:
        copy_live(look.path, copy.path)
    else:
        copy.fill(look.path, look.name, hot=look.hot_journal, should_stop=should_stop)
    if look.hot_journal and look.holder is None:
        nothing = (
            f"The -journal beside {look.name} is damaged at its beginning: nothing of it was rolled back in the copy."
        )
        notes.append("An unfinished transaction was rolled back in the copy." if look.rolls_back else nothing)
    return look, notes


class _Checked(NamedTuple):
    notes: tuple[str, ...] = ()
    is_damaged: bool = False


def _check(connection: ReadConnection, name: str) -> _Checked:
    """Run SQLite's own check on a copy: nothing else announces that a file was copied while it was written."""
    damaged = _Checked((f"{name} is damaged: what can still be read is shown.",), is_damaged=True)
    try:
        found = connection.rows("PRAGMA quick_check(1)")
    except Unanswered:
        return _Checked((f"{name} is too large for a check on opening.",))
    except SqliteTrouble:
        return damaged
    return _Checked() if found == [("ok",)] else damaged
