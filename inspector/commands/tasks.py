"""``tasks``: the tasks of a database, newest first."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import (
    StoredId,
    database_argument,
    json_option,
    layout_option,
    mode_option,
    proof_option,
)
from inspector.commands.clock import Clock
from inspector.commands.opening import (
    asked,
    damage_document,
    damage_lines,
    layouts_of_others,
    opened_document,
    opened_lines,
    reading,
)
from inspector.commands.output import NO_STATUS, NOTHING, utc, write_json, write_lines
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.commands.table import Column, aligned, terminal_width
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import PAGE_ROWS, Counts, TaskFilter, TaskKey, TaskPage
from inspector.layout.rows import TaskRow
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.statuses import Status
from inspector.reading.errors import Unanswered
from inspector.reading.reader import Reader
from inspector.reading.requests import CountsRequest, TaskPageRequest

_FIRST_KEYS: Final = ("id", "status", "model_id", "client_id", "on_restart", "last_seq", "created_at")
_COLUMNS: Final = (
    Column("TASK"),
    Column("STATUS"),
    Column("CREATED"),
    Column("SEQ", right=True),
    Column("MODEL", gives_way=True),
    Column("ERROR", gives_way=True),
    Column("CLIENT", gives_way=True),
    Column("POLICY", gives_way=True),
    Column("UPDATED"),
)
"""What a narrow terminal cuts off stands last."""


@click.command()
@database_argument
@click.option(
    "--status",
    "statuses",
    metavar="S",
    multiple=True,
    type=click.Choice([status.value for status in Status]),
    help="Only tasks in this status; may be given more than once.",
)
@click.option("--model", "model_id", metavar="M", type=StoredId(), help="Only tasks for the model of this id.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=100, show_default=True, help="At most N tasks."
)
@json_option
@mode_option
@layout_option
@proof_option
@click.pass_obj
def tasks(
    clock: Clock,
    database: Path,
    statuses: tuple[str, ...],
    model_id: str | None,
    limit: int,
    as_json: bool,
    mode: Mode | None,
    layout: Path | None,
    proving: bool,
) -> None:
    """List tasks, newest first.

    The counts are those of the whole database, whatever is listed.
    """
    wanted = TaskFilter(statuses=frozenset(statuses), model_id=model_id)
    proof = Proof(database, mode, clock) if proving else None
    with reading(database, mode, clock, layouts=layouts_of_others(layout)) as reader:
        rows, damage = _newest(reader, wanted, limit)
        counts = _counted(reader, damage)
        opened = reader.opened
    if as_json:
        write_json(_document(rows, counts, damage, opened, proof_document(proof)))
    else:
        write_lines(*_listing(rows, counts), *damage_lines(damage), *opened_lines(opened), *proof_lines(proof))


def _newest(reader: Reader, wanted: TaskFilter, limit: int) -> tuple[list[TaskRow], list[str]]:
    """Return the tasks, and what of them cannot be read."""
    rows: list[TaskRow] = []
    damage: list[str] = []
    after: TaskKey | None = None
    while len(rows) < limit:
        request = TaskPageRequest(wanted, after=after, limit=min(PAGE_ROWS, limit - len(rows)))
        page = asked(reader, request, TaskPage)
        rows += page.tasks
        if page.damage and page.damage not in damage:
            damage.append(page.damage)
        if not page.more or not page.tasks:
            break
        last = page.tasks[-1]
        after = TaskKey(last.created_at, last.id)
    return rows, damage


def _counted(reader: Reader, damage: list[str]) -> Counts | None:
    """Return the counts, or None where something is in the way, which ``damage`` then says."""
    try:
        found = asked(reader, CountsRequest(), Counts)
    except Unanswered as error:
        damage.append(f"The tasks are not counted: {error.sentence}")
        return None
    if found.damage and found.damage not in damage:
        damage.append(found.damage)
    return found


def _document(rows: list[TaskRow], counts: Counts | None, damage: list[str], opened: Opened, proof: str) -> str:
    listed = ",\n ".join(json.dumps(_task_document(row)) for row in rows)
    return (
        f'{{"tasks": [{listed}],\n'
        f'"counts": {json.dumps(None if counts is None else _in_order(counts))},\n'
        f'"opened": {json.dumps(opened_document(opened))}{damage_document(damage)}{proof}}}'
    )


def _task_document(row: TaskRow) -> dict[str, object]:
    """Return the fields of a task; what is stored where a column of numbers holds something else is text.

    What the file does not tell is None.
    """
    return {name: row.told(name) for name in (*_FIRST_KEYS, *(each.name for each in fields(TaskRow)))}


def _in_order(counts: Counts) -> dict[str, int]:
    """Return the counts in the order of the specification's statuses; what is none of them stands behind."""
    known = [status.value for status in Status]
    rest = sorted(set(counts.by_status) - set(known))
    return {status: counts.by_status[status] for status in [*known, *rest] if counts.by_status.get(status)}


def _listing(rows: list[TaskRow], counts: Counts | None) -> list[str]:
    limit = terminal_width()
    if counts is None:
        return [*aligned(_COLUMNS, [_cells(row) for row in rows], limit), f"{len(rows):,} tasks."]
    sums = ", ".join(f"{visible(status) or NO_STATUS} {number:,}" for status, number in _in_order(counts).items())
    if not counts.tasks:
        return ["No tasks yet."]
    if not rows:
        return [f"No task matches. All tasks: {sums}."]
    return [
        *aligned(_COLUMNS, [_cells(row) for row in rows], limit),
        f"{len(rows):,} of {counts.tasks:,} tasks: {sums}.",
    ]


def _cells(row: TaskRow) -> list[str]:
    return [
        visible(row.id),
        visible(row.status) or NO_STATUS,
        or_as_stored(utc(row.created_at), row.as_stored("created_at")),
        number_words(row.told("last_seq"), str, NOTHING),
        visible(row.model_id or "-"),
        visible(row.error_code or "-"),
        visible(row.client_id or "-"),
        visible(row.on_restart or "-"),
        or_as_stored(utc(row.updated_at), row.as_stored("updated_at")),
    ]
