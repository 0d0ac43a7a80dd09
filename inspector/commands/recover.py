"""``recover``: what a restart does to the unfinished tasks, shown, done, or done on a copy (section 11.3)."""

import json
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import (
    FilePath,
    database_argument,
    json_option,
    layout_option,
    mode_option,
    proof_option,
)
from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone, Refused, unusable
from inspector.commands.holding import holders_by_descriptor, holders_by_lock_and_descriptor
from inspector.commands.opening import (
    asked,
    damage_document,
    damage_lines,
    layouts_of_others,
    opened_document,
    opened_lines,
    reading,
    require_readable,
    why_not_act_at_rest,
)
from inspector.commands.output import NO_STATUS, NOTHING, write_json, write_lines
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.commands.table import Column, aligned, terminal_width
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import Leftovers
from inspector.layout.visible import visible
from inspector.lmsp.recovery import RecoveryPlan, RecoveryStep, plan_recovery
from inspector.reading.copying import NotCopied, copy_database
from inspector.reading.errors import Unreadable
from inspector.reading.holders import Holder
from inspector.reading.opening import look_at
from inspector.reading.requests import LeftoversRequest
from inspector.store import Busy, NotOurs, Unusable, apply_recovery
from inspector.store import Refused as RefusedByRule
from inspector.store import plan_recovery as plan_in
from inspector.store.connecting import open_for_action

_WAIT_MS: Final = 5_000
_COLUMNS: Final = (
    Column("TASK"),
    Column("FOUND"),
    Column("POLICY", gives_way=True),
    Column("AFTER"),
    Column("EVENT"),
    Column("ATTEMPT", right=True),
    Column("WARNING", gives_way=True),
)


@click.command()
@database_argument
@click.option("--apply", "applying", is_flag=True, help="Do it. Refused while another process has the file open.")
@click.option("--to", "copy", metavar="COPY", type=FilePath(), help="Do it on a copy, which is made at this path.")
@json_option
@mode_option
@layout_option
@proof_option
@click.pass_obj
def recover(
    clock: Clock,
    database: Path,
    applying: bool,
    copy: Path | None,
    as_json: bool,
    mode: Mode | None,
    layout: Path | None,
    proving: bool,
) -> None:
    """Show what a service does with the unfinished tasks when it starts.

    Without --apply and --to it is a preview, and nothing is written.
    """
    if applying and copy is not None:
        raise click.UsageError("--apply and --to exclude each other.")
    if mode is not None and (applying or copy is not None):
        raise click.UsageError("--mode is for the preview.")
    if layout is not None and (applying or copy is not None):
        raise click.UsageError("--layout is for the preview: only the native layout is written to.")
    if proving and (applying or copy is not None):
        raise click.UsageError("--proof is for the preview.")
    proof = Proof(database, mode, clock) if proving else None
    opened: Opened | None = None
    damage: list[str] = []
    if applying:
        plan = _applied(database, clock)
        told = f"Applied to {visible(str(database))}"
    elif copy is not None:
        plan = _applied_to_copy(database, copy, clock)
        told = f"Applied to the copy {visible(str(copy))}"
    else:
        with reading(database, mode, clock, layouts=layouts_of_others(layout)) as reader:
            left = asked(reader, LeftoversRequest(), Leftovers)
            plan = plan_recovery(left.tasks)
            damage = [left.damage] if left.damage else []
            opened = reader.opened
        told = "Preview, nothing is written"
    if as_json:
        write_json(_document(plan, opened, damage_document(damage) + proof_document(proof)))
    else:
        how = opened_lines(opened) if opened else ()
        write_lines(*_listing(plan, told), *damage_lines(damage), *how, *proof_lines(proof))


def _applied(path: Path, clock: Clock) -> RecoveryPlan:
    """Recover in place, as the one service that starts."""
    try:
        look = look_at(path)
        holders = holders_by_lock_and_descriptor(Path(look.path))
    except Unreadable as error:
        raise NotDone(error.sentence) from error
    except OSError as error:
        # Gone between the look and the question who has it open.
        raise NotDone(f"{path.name} cannot be looked at: {error.strerror}.") from error
    _refuse_while_held(path, holders)
    if look.mode is Mode.COPY:
        raise Refused(f"Nothing is written to what is read from a copy. {look.why} --to makes a copy of its own.")
    if (why_not := why_not_act_at_rest(look, path, clock)) is not None:
        raise Refused(why_not)
    return _recovered(path, clock, alone=True, told=path)


def _applied_to_copy(path: Path, copy: Path, clock: Clock) -> RecoveryPlan:
    try:
        copy_database(path, copy)
    except (Unreadable, NotCopied) as error:
        raise NotDone(error.sentence) from error
    try:
        return _recovered(copy, clock, alone=False, told=path)
    except BaseException:
        for made in (copy, Path(f"{copy}-wal"), Path(f"{copy}-shm"), Path(f"{copy}-journal")):
            made.unlink(missing_ok=True)
        raise


def _recovered(path: Path, clock: Clock, *, alone: bool, told: Path) -> RecoveryPlan:
    """Recover the file at ``path``; what cannot be done is said of the one that was ``told``, whose copy it may be."""
    try:
        db = open_for_action(path, wait_ms=_WAIT_MS)
        try:
            if alone:
                # A service that started since the first look; by now its locks may not be asked for.
                _refuse_while_held(path, holders_by_descriptor(path))
            return apply_recovery(db, plan_in(db), now_ms=clock.now_ms()).applied
        finally:
            db.close()
    except NotOurs as error:
        require_readable(told, clock)
        raise Refused(error.sentence) from error
    except (Busy, RefusedByRule) as error:
        raise Refused(error.sentence) from error
    except Unusable as error:
        raise unusable(told, error.sentence) from error


def _refuse_while_held(path: Path, holders: tuple[Holder, ...]) -> None:
    if holders:
        names = ", ".join(str(holder) for holder in holders)
        have = "has" if len(holders) == 1 else "have"
        raise Refused(f"{names} {have} {path.name} open: recovery belongs to the one service that starts.")


def _document(plan: RecoveryPlan, opened: Opened | None, proof: str) -> str:
    """Return the plan as JSON. Without ``opened`` it was applied."""
    steps = ",\n ".join(json.dumps(_step_document(step)) for step in plan.steps)
    ending = ', "applied": true' if opened is None else f',\n"opened": {json.dumps(opened_document(opened))}{proof}'
    return f'{{"tasks": [{steps}],\n"counts": {json.dumps(plan.counts())}{ending}}}'


def _step_document(step: RecoveryStep) -> dict[str, object]:
    return {
        "task_id": step.task_id,
        "found": step.found,
        "policy": step.policy,
        "target": step.target,
        "event": step.event,
        "error_code": step.error_code,
        "warnings": step.warnings,
    }


def _listing(plan: RecoveryPlan, told: str) -> list[str]:
    if not plan.steps:
        return [f"{told}: no task is left over."]
    sums = ", ".join(f"{visible(status) or NO_STATUS} {number:,}" for status, number in plan.counts().items())
    return [
        *aligned(_COLUMNS, [_cells(step) for step in plan.steps], terminal_width()),
        f"{told}: {len(plan.steps):,} left over; afterwards {sums}.",
    ]


def _cells(step: RecoveryStep) -> list[str]:
    return [
        visible(step.task_id),
        visible(step.found),
        visible(step.policy or "-"),
        visible(step.target),
        step.event or "-",
        _attempt(step),
        "; ".join(warning.sentence for warning in step.warnings),
    ]


def _attempt(step: RecoveryStep) -> str:
    if step.known_attempt is None:
        return NOTHING
    return f"{step.known_attempt} -> {step.known_next_attempt}" if step.raises_attempt else str(step.known_attempt)
