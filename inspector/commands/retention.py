"""``retention``: what cleanup would delete, shown or done (section 11.2: finished tasks only)."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click
from sqlite_utils import Database

from inspector.commands.arguments import database_argument, json_option, mode_option
from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone, Refused
from inspector.commands.opening import DEADLINE_MS, opened_lines, reading
from inspector.commands.output import utc, write_json, write_lines
from inspector.layout.opened import Mode
from inspector.layout.visible import visible
from inspector.lmsp.retention import InvalidPeriod, RetentionPlan, parse_period, period_text
from inspector.reading.errors import Unreadable
from inspector.reading.opening import look_at
from inspector.reading.requests import RetentionRequest
from inspector.store import Busy, NotOurs, RetentionResult, Unusable, apply_retention, plan_retention
from inspector.store import Refused as RefusedByRule
from inspector.store.connecting import close_unwritten, has_waiting_wal, open_for_action

_WAIT_MS: Final = 5_000
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
@json_option
@mode_option
@click.pass_obj
def retention(
    clock: Clock, database: Path, keep_ms: int | None, applying: bool, as_json: bool, mode: Mode | None
) -> None:
    """Show what cleanup would delete: tasks that finished longer ago than the period, and what has expired.

    Unfinished tasks are never deleted. Without --apply it is a preview, and nothing is written.
    """
    if mode is not None and applying:
        raise click.UsageError("--mode is for the preview.")
    opened: list[str] = []
    result: RetentionResult | None = None
    if applying:
        plan, result = _applied(database, keep_ms, clock)
    else:
        with reading(database, mode, clock) as reader:
            answer = reader.answer(RetentionRequest(keep_ms), deadline_ms=DEADLINE_MS)
            opened = opened_lines(reader.opened)
        if not isinstance(answer, RetentionPlan):
            raise NotDone(_NO_PERIOD)
        plan = answer
    if as_json:
        write_json(_document(plan, result))
    else:
        write_lines(*_told(plan, result, database), *opened)


def _applied(path: Path, keep_ms: int | None, clock: Clock) -> tuple[RetentionPlan, RetentionResult]:
    try:
        look = look_at(path)
        if look.mode is Mode.COPY:
            raise Refused(f"Nothing is written to what is read from a copy. {look.why}")
        was_left_open = has_waiting_wal(path)
        db = open_for_action(path, wait_ms=_WAIT_MS)
        wrote = False
        try:
            now_ms = clock.now_ms()
            plan = _planned(db, now_ms, keep_ms)
            wrote = True
            result = apply_retention(db, plan, now_ms=now_ms, pause=clock.wait)
            wrote = result.batches > 0
            return plan, result
        finally:
            if was_left_open and not wrote:
                close_unwritten(db, path, wait_ms=_WAIT_MS)
            else:
                db.close()
    except (NotOurs, Busy) as error:
        raise Refused(error.sentence) from error
    except (Unreadable, Unusable) as error:
        raise NotDone(error.sentence) from error


def _planned(db: Database, now_ms: int, keep_ms: int | None) -> RetentionPlan:
    try:
        return plan_retention(db, now_ms=now_ms, keep_ms=keep_ms)
    except RefusedByRule as error:
        raise NotDone(_NO_PERIOD) from error


def _document(plan: RetentionPlan, result: RetentionResult | None) -> str:
    document: dict[str, object] = {name: getattr(result or plan, name) for name in _DELETED}
    document |= {name: getattr(plan, name) for name in ("kept_unfinished", "kept_recent", "keep_ms", "cutoff_ms")}
    if result is not None:
        document |= {"applied": True, "large": result.large}
    return json.dumps(document)


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
