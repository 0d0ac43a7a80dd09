"""Retention (section 11.2): finished tasks go when they are older than the period, each whole; unfinished ones never.

What has expired by itself, responses and idempotency keys, goes in the same run.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from inspector.lmsp.retention import KEEP_KEY, LAST_RUN_KEY, RetentionPlan, cutoff_of, stored_period
from inspector.store.arguments import require_above_zero, require_function, require_kind, require_moment, require_whole
from inspector.store.config import write_config
from inspector.store.deleting import IN_DELETABLE, START, Expired, OldTasks, Sort, task_name
from inspector.store.errors import Busy, Refused, Unusable
from inspector.store.pacing import Pace
from inspector.store.writing import named_errors, reading, require_no_group, write_transaction

HOLD_MS: Final = 20.0
"""How long a batch aims to hold the write lock: the bar is 50 ms at the 99th percentile, and disks have their moods."""


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """What cleanup really deleted."""

    tasks: int
    events: int
    responses: int
    """Responses that went with their task; so too ``keys``."""
    keys: int
    expired_responses: int
    """Responses that went because their time was over, while their task stayed; so too ``expired_keys``."""
    expired_keys: int
    batches: int
    """Transactions that deleted something."""
    large: tuple[str, ...]
    """The ids of the tasks that were larger than a whole batch, and went alone."""
    longest_hold_ms: float
    """The longest that the write lock was held at a time, the commit included."""


def plan_retention(db: Database, *, now_ms: int, keep_ms: int | None = None) -> RetentionPlan:
    """Return what cleanup would delete at ``now_ms``, as of one moment. Nothing is written.

    A task goes that finished strictly longer than ``keep_ms`` milliseconds ago; None takes the period that
    ``service_config`` holds under ``retention.keep_ms``. Raises Refused where there is no period, or it is no whole
    number from 0 on.
    """
    require_moment(now_ms)
    if keep_ms is not None:
        require_whole("keep_ms", keep_ms, least=0)
    with reading(db) as conn:
        period_ms = _stored_period(conn) if keep_ms is None else keep_ms
        cutoff_ms = cutoff_of(now_ms, period_ms)
        rows = conn.execute(_PLAN, {"cutoff": cutoff_ms, "now": now_ms}).fetchall()
    ((tasks, events, responses, keys, unfinished, finished, expired_responses, expired_keys),) = rows
    return RetentionPlan(
        cutoff_ms=cutoff_ms,
        keep_ms=period_ms,
        tasks=tasks,
        events=events,
        responses=responses,
        keys=keys,
        kept_unfinished=unfinished,
        kept_recent=finished - tasks,
        expired_responses=expired_responses,
        expired_keys=expired_keys,
    )


_PLAN: Final = f"""
    WITH going AS (SELECT id FROM tasks WHERE finished_at < :cutoff AND {IN_DELETABLE})
    SELECT (SELECT count(*) FROM going),
           (SELECT count(*) FROM task_events WHERE task_id IN going),
           (SELECT count(*) FROM responses WHERE task_id IN going),
           (SELECT count(*) FROM idempotency_keys WHERE task_id IN going),
           (SELECT count(*) FROM tasks WHERE NOT {IN_DELETABLE}),
           (SELECT count(*) FROM tasks WHERE {IN_DELETABLE}),
           (SELECT count(*) FROM responses WHERE expires_at <= :now AND task_id NOT IN going),
           (SELECT count(*) FROM idempotency_keys WHERE expires_at <= :now AND task_id NOT IN going)
"""  # noqa: S608  literals of ours


def _stored_period(conn: sqlite3.Connection) -> int:
    rows = conn.execute("SELECT value FROM service_config WHERE key = ?", (KEEP_KEY,)).fetchall()
    if not rows:
        raise Refused(f"No retention period is known: store one in milliseconds under {KEEP_KEY}, or pass keep_ms.")
    period_ms = stored_period(rows[0][0])
    if period_ms is None:
        raise Refused(f"{KEEP_KEY} holds no whole number of milliseconds from 0 on: correct it, or pass keep_ms.")
    return period_ms


def apply_retention(
    db: Database,
    plan: RetentionPlan,
    *,
    now_ms: int,
    hold_ms: float = HOLD_MS,
    proceed: Callable[[], bool] = lambda: True,
    patient: Callable[[], bool] = lambda: False,
    deleted: Callable[["RetentionResult"], object] = lambda _: None,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], object] = time.sleep,
) -> RetentionResult:
    """Delete what finished before the plan's cutoff, oldest first, and then what has expired at ``now_ms``.

    It may run beside a service at work, in many short transactions. Each aims at holding the write lock for ``hold_ms``
    milliseconds, its commit included; then ``pause`` leaves it free for as many seconds as it was held. A task goes
    whole, with its events, its response and its keys, in one transaction, and is looked at once more under the lock: of
    the plan only the cutoff is used. One that is larger than a batch goes alone and is named in the result. Before each
    batch ``proceed`` is asked; False ends the run.

    Where another process has held the lock for as long as the connection waits for one, nothing of the batch was
    written, and ``patient`` is asked: True tries the same batch again, for as long as it says so, and False, which is
    the default, ends the run with Busy. ``deleted`` is told after each batch what has gone in all: whoever stops the
    run by an exception knows it from there.

    Each transaction also stores ``retention.last_run`` in ``service_config``, an object of ``at`` (``now_ms``),
    ``cutoff_ms``, ``batches`` and the counts of this run so far. Cleanup writes no event: a reader starts its counts
    anew when this value moves. So a run that finds nothing to delete writes nothing at all.

    Killed at any moment, each task is wholly there or wholly gone, and another run goes on. Raises Busy where another
    process held the lock too long, and Unusable where the disk fails or is full (deleting needs room too): the batch at
    hand has then changed nothing, and those before it stand.
    """
    require_no_group(db)
    require_kind("plan", plan, RetentionPlan, "a plan, as plan_retention returns it")
    require_moment(now_ms)
    require_above_zero("hold_ms", hold_ms)
    named = {"proceed": proceed, "patient": patient, "deleted": deleted, "monotonic": monotonic, "pause": pause}
    for name, function in named.items():
        require_function(name, function)
    run = _Run(db, plan, now_ms, Pace(hold_ms), monotonic, pause, patient, deleted)
    sorts: tuple[Sort, ...] = (
        OldTasks(plan.cutoff_ms),
        Expired("responses", now_ms),
        Expired("idempotency_keys", now_ms),
    )
    try:
        with reading(db) as conn:
            _require_foreign_keys(conn)
        with _checkpoints_apart(db.conn):
            for sort in sorts:
                if not run.delete(sort, proceed):
                    break
    except Unusable as error:
        raise _told(error, run) from (error.__cause__ or error)
    return run.result()


def _require_foreign_keys(conn: sqlite3.Connection) -> None:
    if conn.execute("PRAGMA foreign_keys").fetchall() != [(1,)]:
        raise RuntimeError("Foreign keys are off on this connection: tasks would go without what is theirs.")


@contextmanager
def _checkpoints_apart(conn: sqlite3.Connection) -> Iterator[None]:
    """Let no commit of the block make a checkpoint: nobody waits for one, so it is no part of a held lock."""
    with named_errors():
        ((pages,),) = conn.execute("PRAGMA wal_autocheckpoint").fetchall()
        conn.execute("PRAGMA wal_autocheckpoint = 0").fetchall()
    try:
        yield
    finally:
        with suppress(sqlite3.Error):
            conn.execute(f"PRAGMA wal_autocheckpoint = {pages:d}").fetchall()


def _told(error: Unusable, run: "_Run") -> Unusable:
    """Return what to raise for an error: what a person can do, and what was done before it."""
    done = f"the {run.counts['tasks']:,} tasks deleted before it stay deleted" if run.batches else "nothing was changed"
    code = getattr(error.__cause__, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_FULL:
        return Unusable(
            "The disk is full, and deleting needs room too: free some, or move the database to a larger disk, then run "
            f"this again; {done}."
        )
    if isinstance(error, Busy):
        return Busy(
            f"Another process held the database for too long, so the cleanup ended early: run it again; {done}."
        )
    return Unusable(f"{error.sentence.removesuffix('.')}; {done}." if run.batches else error.sentence)


class _Run:
    """One run of cleanup: what it has deleted so far, and how fast that goes."""

    def __init__(
        self,
        db: Database,
        plan: RetentionPlan,
        now_ms: int,
        pace: Pace,
        monotonic: Callable[[], float],
        pause: Callable[[float], object],
        patient: Callable[[], bool],
        deleted: Callable[[RetentionResult], object],
    ) -> None:
        self.counts = dict.fromkeys(_COUNTED, 0)
        self.batches = 0
        self._large: list[str] = []
        self._longest_s = 0.0
        self._db = db
        self._cutoff_ms = plan.cutoff_ms
        self._now_ms = now_ms
        self._pace = pace
        self._monotonic = monotonic
        self._pause = pause
        self._patient = patient
        self._deleted = deleted

    def result(self) -> RetentionResult:
        """Return what was done."""
        return RetentionResult(
            **self.counts, batches=self.batches, large=tuple(self._large), longest_hold_ms=self._longest_s * 1000
        )

    def delete(self, sort: Sort, proceed: Callable[[], bool]) -> bool:
        """Delete all rows of a sort in batches, and say whether nobody wanted an end before."""
        found = self._weighed(sort)
        batch: deque[_Going] = deque()
        while proceed():
            self._fill(batch, found)
            if not batch:
                return True
            self._write(sort, batch)
        return False

    def _weighed(self, sort: Sort) -> Iterator["_Going"]:
        place = START
        while True:
            with named_errors():
                page = sort.page(self._db.conn, place)
            for _, rowid in page:
                with named_errors():
                    pieces = sort.weigh(self._db.conn, rowid)
                if pieces is not None:
                    yield _Going(rowid, pieces)
            if not page:
                return
            # Never the same row twice: what could not go is left to another run.
            place = page[-1]

    def _fill(self, batch: deque["_Going"], found: Iterator["_Going"]) -> None:
        """Weigh rows until there are enough for one batch: no more is read than soon goes."""
        cost_ms = sum(self._pace.cost_ms(going.pieces) for going in batch)
        while cost_ms <= self._pace.budget_ms and (going := next(found, None)):
            batch.append(going)
            cost_ms += self._pace.cost_ms(going.pieces)

    def _write(self, sort: Sort, batch: deque["_Going"]) -> None:
        """Delete the first rows of ``batch`` in one transaction: as many as its time allows, and one at least."""
        whole = batch.copy()
        try:
            self._write_once(sort, batch)
        except Busy:
            if not self._patient():
                raise
            # Nothing of it was written, wherever the lock was missed: the same rows are looked at again.
            batch.clear()
            batch.extend(whole)

    def _write_once(self, sort: Sort, batch: deque["_Going"]) -> None:
        budget_ms = self._pace.budget_ms
        is_large = self._pace.cost_ms(batch[0].pieces) > budget_ms
        name = None
        gone = dict.fromkeys(_COUNTED, 0)
        pieces = 0
        with write_transaction(self._db) as conn:
            began_s = self._monotonic()
            if is_large:
                name = task_name(conn, batch[0].rowid)
            while batch:
                going = batch.popleft()
                for counted, number in sort.delete(conn, going.rowid).items():
                    gone[counted] += number
                pieces += going.pieces
                worked_s = self._monotonic() - began_s
                if is_large or (batch and 1000 * worked_s + self._pace.cost_ms(batch[0].pieces) > budget_ms):
                    break
            wrote = any(gone.values())
            if wrote:
                self._note(conn, gone)
        held_s = self._monotonic() - began_s
        self._pace.learn(pieces, 1000 * worked_s, 1000 * (held_s - worked_s))
        if wrote:
            self._count(gone)
            self._longest_s = max(self._longest_s, held_s)
        if name is not None and gone["tasks"]:
            self._large.append(name)
        if wrote:
            self._deleted(self.result())
        with suppress(sqlite3.Error):
            # One that fails is made good by a later one, as those at a commit are.
            self._db.conn.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._pause(held_s)

    def _note(self, conn: sqlite3.Connection, gone: dict[str, int]) -> None:
        run: dict[str, int] = {"at": self._now_ms, "cutoff_ms": self._cutoff_ms, "batches": self.batches + 1}
        run |= {counted: number + gone[counted] for counted, number in self.counts.items()}
        write_config(conn, LAST_RUN_KEY, run, now_ms=self._now_ms)

    def _count(self, gone: dict[str, int]) -> None:
        self.batches += 1
        for counted, number in gone.items():
            self.counts[counted] += number


@dataclass(frozen=True, slots=True)
class _Going:
    """A row that is to go, and what that costs in pieces."""

    rowid: int
    pieces: int


_COUNTED: Final = ("tasks", "events", "responses", "keys", "expired_responses", "expired_keys")
