"""``sql``: one statement that only reads, in a process that is killed when its time is over."""

import json
from pathlib import Path

import click

from inspector.commands.arguments import (
    RealNumber,
    StoredId,
    database_argument,
    json_option,
    mode_option,
    proof_option,
)
from inspector.commands.clock import Clock
from inspector.commands.opening import layouts_of_others, opened_document, opened_lines, reading
from inspector.commands.output import write_json, write_lines
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.commands.stored_values import json_rows, row_lines
from inspector.layout.opened import Mode
from inspector.layout.tables import StatementAnswer
from inspector.reading.child import answer_in_child
from inspector.reading.requests import StatementRequest


@click.command()
@database_argument
@click.argument("statement", metavar="SQL", type=StoredId())
@click.option(
    "--limit", metavar="N", type=click.IntRange(1, 1_000), default=1_000, show_default=True, help="At most N rows."
)
@click.option(
    "--seconds",
    metavar="S",
    type=RealNumber(1, 3_600),
    default=10.0,
    show_default=True,
    help="After so long it is ended.",
)
@json_option
@mode_option
@proof_option
@click.pass_obj
def sql(
    clock: Clock,
    database: Path,
    statement: str,
    limit: int,
    seconds: float,
    as_json: bool,
    mode: Mode | None,
    proving: bool,
) -> None:
    """Run one statement in SQL that only reads DB, and print its rows.

    Secrets are NULL in it. While it runs, checkpoints of a service that has the file open wait for it.
    """
    proof = Proof(database, mode, clock) if proving else None
    with reading(database, mode, clock, layouts=layouts_of_others(None, any_tables=True)) as reader:
        opened = reader.opened
        path = opened.copy_path or opened.path
        same_as = opened.file if opened.copy_path is None else None
        answer = answer_in_child(path, StatementRequest(statement, limit), within_s=seconds, same_as=same_as)
    if not isinstance(answer, StatementAnswer):
        raise TypeError("a statement is not answered like this")
    if as_json:
        write_json(
            f'{{"columns": {json.dumps(answer.columns)},\n"rows": {json_rows(answer.rows)},\n'
            f'"more": {json.dumps(answer.more)}, "took_ms": {answer.took_ms},\n'
            f'"opened": {json.dumps(opened_document(opened))}{proof_document(proof)}}}'
        )
        return
    count = f"{len(answer.rows):,} {'row' if len(answer.rows) == 1 else 'rows'}"
    more = "; there are more" if answer.more else ""
    told = [f"{count} in {answer.took_ms:,} ms{more}.", *opened_lines(opened), *proof_lines(proof)]
    write_lines(*row_lines(answer.columns, answer.rows), *told)
