"""``health``: what SQLite's own check finds in a file, a table at a time, and what can be read all the same."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from inspector.commands.arguments import database_argument, json_option, mode_option, proof_option
from inspector.commands.clock import Clock
from inspector.commands.ending import REFUSED
from inspector.commands.opening import layouts_of_others, opened_document, opened_lines, reading
from inspector.commands.output import write_json, write_lines
from inspector.commands.progress import ProgressLine
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.layout.health import Health, TableHealth
from inspector.layout.opened import Mode, Opened
from inspector.layout.visible import visible
from inspector.reading.health import health_steps
from inspector.reading.reader import Reader
from inspector.reading.requests import HealthRequest


@click.command()
@database_argument
@click.option("--full", is_flag=True, help="Compare each index with its table too; takes several times as long.")
@json_option
@mode_option
@proof_option
@click.pass_obj
def health(clock: Clock, database: Path, full: bool, as_json: bool, mode: Mode | None, proving: bool) -> None:
    """Say what of the file can be read, a table at a time, and which index gives wrong answers.

    Exit status 1 where something is damaged. A file that a service has open is not checked, since its checkpoints would
    wait: --mode copy checks a copy of it.
    """
    proof = Proof(database, mode, clock) if proving else None
    progress = ProgressLine()
    try:
        with reading(database, mode, clock, layouts=layouts_of_others(None, any_tables=True)) as reader:
            found = _checked(reader, HealthRequest(full), clock, progress)
            opened = reader.opened
    finally:
        progress.clear()
    if as_json:
        write_json(_document(found, opened, proof_document(proof)))
    else:
        write_lines(*_listing(found), *opened_lines(opened), *proof_lines(proof))
    if found.is_damaged:
        raise click.exceptions.Exit(REFUSED)


def _checked(reader: Reader, request: HealthRequest, clock: Clock, progress: ProgressLine) -> Health:
    steps = health_steps(request, reader, clock.now_ms())
    while True:
        try:
            at = next(steps)
        except StopIteration as ended:
            found: Health = ended.value
            return found
        progress.tell(f"Checking table {at.done + 1} of {at.of}")


def _listing(found: Health) -> list[str]:
    lines = [line for table in found.tables for line in _lines(table)]
    damaged = sum(bool(table.notes) for table in found.tables)
    one = len(found.tables) == 1
    tables = "1 table" if one else f"{len(found.tables):,} tables"
    compared = "each index that can be read" if damaged else "each index"
    checked = f"{compared} was compared with its table" if found.full else "--full compares the indexes too"
    if damaged:
        ending = f"{damaged:,} of {tables} {'is' if damaged == 1 else 'are'} damaged"
    elif found.schema:
        ending = f"The {tables} that {'is' if one else 'are'} left {'is' if one else 'are'} sound"
    elif found.unchecked:
        sound = "" if not found.tables else ", sound" if one else ", all sound"
        ending = f"{tables} {'was' if one else 'were'} checked{sound}; what was not is named above"
    else:
        ending = f"{tables}, {'sound' if one else 'all sound'}"
    schema = [found.schema] if found.schema else []
    return [*lines, *schema, *found.unchecked, f"{ending}; {checked}."]


def _lines(table: TableHealth) -> list[str]:
    if not table.notes:
        return [f"{visible(table.table)}: sound"]
    said = [f"  {line}" for line in table.said]
    return [f"{visible(table.table)}: {' '.join(table.notes)}", *said]


def _document(found: Health, opened: Opened, proof: str) -> str:
    listed = ",\n ".join(json.dumps(asdict(table)) for table in found.tables)
    return (
        f'{{"damaged": {json.dumps(found.is_damaged)}, "full": {json.dumps(found.full)},\n'
        f'"tables": [{listed}],\n"unchecked": {json.dumps(found.unchecked)}, "schema": {json.dumps(found.schema)},\n'
        f'"opened": {json.dumps(opened_document(opened))}{proof}}}'
    )
