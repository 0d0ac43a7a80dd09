"""``cancel``: ask one task to stop, and say how that ended."""

import json
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import database_argument, json_option, task_argument
from inspector.commands.clock import Clock
from inspector.commands.ending import REFUSED, NotDone, unusable
from inspector.commands.opening import require_readable, why_not_act_at_rest
from inspector.commands.output import write_error, write_json, write_lines
from inspector.layout.opened import Mode
from inspector.layout.visible import visible
from inspector.lmsp.cancelling import CancelOutcome
from inspector.reading.errors import Unreadable
from inspector.reading.opening import look_at
from inspector.store import CancelResult, Unusable, cancel_in_file

_WAIT_MS: Final = 5_000
_DONE: Final = frozenset({CancelOutcome.CANCELLED, CancelOutcome.CANCELLING})


@click.command()
@database_argument
@task_argument
@json_option
@click.pass_context
def cancel(ctx: click.Context, database: Path, task_id: str, as_json: bool) -> None:
    """Ask task TASK to stop, and say how that ended.

    Exit status: 0 when it is cancelled or being cancelled by this, 2 where DB is no database of a service, 1 otherwise.
    """
    result = _cancelled(database, task_id, ctx.ensure_object(Clock))
    done = result.outcome in _DONE
    if as_json:
        write_json(_document(result))
    elif done:
        write_lines(visible(_sentence(result)))
    else:
        write_error(_sentence(result))
    ctx.exit(0 if done else REFUSED)


def _cancelled(path: Path, task_id: str, clock: Clock) -> CancelResult:
    """Cancel as the window and a service do, after the look that keeps actions off a copy."""
    try:
        look = look_at(path)
        if look.mode is Mode.COPY:
            reason = f"Nothing is written to what is read from a copy. {look.why}"
            return CancelResult(task_id, CancelOutcome.REFUSED, None, None, reason)
        why_not = why_not_act_at_rest(look, path, clock)
        if why_not is not None:
            return CancelResult(task_id, CancelOutcome.REFUSED, None, None, why_not)
        result = cancel_in_file(path, task_id, now_ms=clock.now_ms(), wait_ms=_WAIT_MS)
    except Unreadable as error:
        raise NotDone(error.sentence) from error
    except Unusable as error:
        raise unusable(path, error.sentence) from error
    if result.outcome is CancelOutcome.REFUSED:
        require_readable(path, clock)
    return result


def _document(result: CancelResult) -> str:
    document = {
        "task_id": result.task_id,
        "outcome": result.outcome,
        "status": result.status,
        "seq": result.seq,
    }
    if result.reason is not None:
        document["reason"] = result.reason
    return json.dumps(document)


def _sentence(result: CancelResult) -> str:
    match result.outcome:
        case CancelOutcome.CANCELLED:
            told = "Cancelled. It was queued and no worker held it, so this is final."
        case CancelOutcome.CANCELLING:
            told = "Cancelling. Its worker will see it at its next write."
        case CancelOutcome.ALREADY_CANCELLING:
            told = f"Already being cancelled{_since(result)}. No second event was written."
        case CancelOutcome.ALREADY_FINISHED:
            told = f"Not cancelled: it finished first. It is {result.status}{_since(result)}. Nothing was written."
        case CancelOutcome.NOT_FOUND:
            told = "There is no such task in this database. Nothing was written."
        case CancelOutcome.BUSY:
            told = f"Busy, nothing changed. Another process held the database for the {_WAIT_MS // 1000} s we waited."
        case CancelOutcome.REFUSED:
            told = f"Not cancelled. {result.reason}"
    return f"{result.task_id}: {told}"


def _since(result: CancelResult) -> str:
    return "" if result.seq is None else f" since event {result.seq}"
