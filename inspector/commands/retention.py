"""``retention``: what cleanup would delete, shown or done (section 11.2: finished tasks only)."""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click
from sqlite_utils import Database

from inspector.commands.arguments import database_argument, json_option, layout_option, mode_option, proof_option
from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone, Refused, unusable
from inspector.commands.opening import (
    DEADLINE_MS,
    layouts_of_others,
    opened_document,
    opened_lines,
    reading,
    require_readable,
    why_not_act_at_rest,
)
from inspector.commands.output import utc, write_error, write_json, write_lines
from inspector.commands.progress import ProgressLine
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.layout.opened import Mode, Opened
from inspector.layout.visible import visible
from inspector.lmsp.retention import InvalidPeriod, RetentionPlan, parse_period, period_text
from inspector.reading.errors import Unreadable
from inspector.reading.opening import look_at
from inspector.reading.requests import RetentionRequest
from inspector.store import Busy, NotOurs, RetentionResult, Unusable, apply_retention, plan_retention
from inspector.store import Refused as RefusedByRule
from inspector.store.connecting import close_unwritten, has_waiting_wal, open_for_action
from inspector.store.pragmas import set_pragma

_WAIT_MS: Final = 5_000
_TRY_MS: Final = 200
"""How long one batch waits for the lock at a time: beside a writer that never pauses the first looks come closest
together, and Ctrl+C is heard in between."""
_NO_PERIOD: Final = (
    "The database stores no period under retention.keep_ms, or none that is a whole number of milliseconds: "
    "say one with --keep, such as --keep 30d."
)
_DELETED: Final = ("tasks", "events", "responses", "keys", "expired_keys", "expired_responses")


class Period(click.ParamType[int]):
    """A period such as 30d, in milliseconds."""

    name = "period"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the milliseconds, or refuse what is no period."""
        if isinstance(value, int):
            return value
        try:
            return parse_period(str(value))
        except InvalidPeriod as error:
            self.fail(error.sentence, param, ctx)


@click.command()
@database_argument
@click.option(
    "--keep",
    "keep_ms",
    metavar="PERIOD",
    type=Period(),
    help="How long finished tasks are kept: 30d, 2w, 12h, 45m, 90s, 500ms. Without it, what the database stores.",
)
@click.option("--apply", "applying", is_flag=True, help="Delete it; also beside a service at work.")
@click.option(
    "--wait",
    "wait_ms",
    metavar="PERIOD",
    type=Period(),
    help="With --apply: give up when others hold the database for so long at a time. Without it, wait until Ctrl+C.",
)
@json_option
@mode_option
@layout_option
@proof_option
@click.pass_obj
def retention(
    clock: Clock,
    database: Path,
    keep_ms: int | None,
    applying: bool,
    wait_ms: int | None,
    as_json: bool,
    mode: Mode | None,
    layout: Path | None,
    proving: bool,
) -> None:
    """Show what cleanup would delete: tasks that finished longer ago than the period, and what has expired.

    Unfinished tasks are never deleted. Without --apply it is a preview, and nothing is written. With it, Ctrl+C ends
    the cleanup between two batches, and what was deleted stays deleted.
    """
    if mode is not None and applying:
        raise click.UsageError("--mode is for the preview.")
    if layout is not None and applying:
        raise click.UsageError("--layout is for the preview: only the native layout is written to.")
    if wait_ms is not None and not applying:
        raise click.UsageError("--wait is for --apply.")
    if proving and applying:
        raise click.UsageError("--proof is for the preview.")
    proof = Proof(database, mode, clock) if proving else None
    opened: Opened | None = None
    result: RetentionResult | None = None
    if applying:
        plan, result = _applied(database, keep_ms, wait_ms, clock)
    else:
        with reading(database, mode, clock, layouts=layouts_of_others(layout)) as reader:
            answer = reader.answer(RetentionRequest(keep_ms), deadline_ms=DEADLINE_MS)
            opened = reader.opened
        if not isinstance(answer, RetentionPlan):
            raise NotDone(_NO_PERIOD)
        plan = answer
    if as_json:
        write_json(_document(plan, result, opened, proof))
    else:
        how = () if opened is None else opened_lines(opened)
        write_lines(*_told(plan, result, database), *how, *proof_lines(proof))


def _applied(
    path: Path, keep_ms: int | None, wait_ms: int | None, clock: Clock
) -> tuple[RetentionPlan, RetentionResult]:
    try:
        look = look_at(path)
        if look.mode is Mode.COPY:
            raise Refused(f"Nothing is written to what is read from a copy. {look.why}")
        if (why_not := why_not_act_at_rest(look, path, clock)) is not None:
            raise Refused(why_not)
        was_left_open = has_waiting_wal(path)
        db = open_for_action(path, wait_ms=_WAIT_MS)
        wrote = False
        try:
            now_ms = clock.now_ms()
            plan = _planned(db, now_ms, keep_ms)
            wrote = True
            result = _cleaned(db, plan, now_ms, _Watch(plan, wait_ms), clock)
            wrote = result.batches > 0
            return plan, result
        finally:
            if was_left_open and not wrote:
                close_unwritten(db, path, wait_ms=_WAIT_MS)
            else:
                db.close()
    except NotOurs as error:
        require_readable(path, clock)
        raise Refused(error.sentence) from error
    except Busy as error:
        raise Refused(error.sentence) from error
    except Unreadable as error:
        raise NotDone(error.sentence) from error
    except Unusable as error:
        raise unusable(path, error.sentence) from error


def _cleaned(db: Database, plan: RetentionPlan, now_ms: int, watch: "_Watch", clock: Clock) -> RetentionResult:
    set_pragma(db.conn, "busy_timeout", str(_TRY_MS), _TRY_MS)
    try:
        return apply_retention(db, plan, now_ms=now_ms, pause=clock.wait, patient=watch.patient, deleted=watch.deleted)
    except (KeyboardInterrupt, SystemExit):
        watch.clear()
        write_error(watch.ended())
        raise
    finally:
        watch.clear()


class _Watch:
    """What a person at the terminal sees of a cleanup, and how long it waits where others leave it no room."""

    def __init__(self, plan: RetentionPlan, wait_ms: int | None) -> None:
        self._plan = plan
        self._wait_ms = wait_ms
        self._done: RetentionResult | None = None
        self._line = ProgressLine()
        self._waits_since_s: float | None = None
        self._has_told = False

    def deleted(self, result: RetentionResult) -> None:
        """Take in what has gone, and show it."""
        self._done = result
        self._waits_since_s = None
        self._line.tell(f"{result.tasks:,} of {_many(self._plan.tasks, 'task')} deleted")

    def patient(self) -> bool:
        """Say whether to try again, where a batch has waited in vain; the first time a person is told."""
        now_s = time.monotonic()
        if self._waits_since_s is None:
            self._waits_since_s = now_s - _TRY_MS / 1000
        if self._wait_ms is not None and 1000 * (now_s - self._waits_since_s) >= self._wait_ms:
            return False
        if not self._has_told:
            self._has_told = True
            self.clear()
            write_error("Others write to the database without a pause: waiting for a moment between; Ctrl+C ends this.")
        return True

    def ended(self) -> str:
        """Return what to tell where it was ended before its time."""
        if self._done is None:
            return "Ended before anything was deleted."
        return (
            f"Ended early: {_many(self._done.tasks, 'task')} of {self._plan.tasks:,} were deleted and stay so; "
            "run it again to go on."
        )

    def clear(self) -> None:
        """Leave no line of progress."""
        self._line.clear()


def _planned(db: Database, now_ms: int, keep_ms: int | None) -> RetentionPlan:
    try:
        return plan_retention(db, now_ms=now_ms, keep_ms=keep_ms)
    except RefusedByRule as error:
        raise NotDone(_NO_PERIOD) from error


def _document(plan: RetentionPlan, result: RetentionResult | None, opened: Opened | None, proof: Proof | None) -> str:
    document: dict[str, object] = {name: getattr(result or plan, name) for name in _DELETED}
    document |= {name: getattr(plan, name) for name in ("kept_unfinished", "kept_recent", "keep_ms", "cutoff_ms")}
    if result is not None:
        document |= {"applied": True, "large": result.large}
    if opened is not None:
        document["opened"] = opened_document(opened)
    return f"{json.dumps(document)[:-1]}{proof_document(proof)}}}"


def _told(plan: RetentionPlan, result: RetentionResult | None, path: Path) -> Iterable[str]:
    counted = result or plan
    since = f"finished before {utc(plan.cutoff_ms)}, longer than {period_text(plan.keep_ms)} ago"
    start = "Preview, nothing is written" if result is None else f"Applied to {visible(str(path))}"
    if counted.tasks:
        yield (
            f"{start}: {_many(counted.tasks, 'task')} that {since}, with {_many(counted.events, 'event')}, "
            f"{_many(counted.responses, 'response')} and {_many(counted.keys, 'idempotency key')}."
        )
    else:
        yield f"{start}: no task {since}."
    if counted.expired_responses or counted.expired_keys:
        yield (
            f"Expired, of other tasks: {_many(counted.expired_responses, 'response')} and "
            f"{_many(counted.expired_keys, 'idempotency key')}."
        )
    yield f"Kept: {plan.kept_unfinished:,} unfinished and {_many(plan.kept_recent, 'finished task')}."
    if result is not None and result.large:
        names = ", ".join(visible(task_id) for task_id in result.large)
        yield f"Larger than a whole batch, and deleted alone: {names}."


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
