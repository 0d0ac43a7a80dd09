"""``tables``: every table of a database, or the rows of one as they are stored."""

import json
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import StoredId, database_argument, json_option, mode_option, proof_option
from inspector.commands.clock import Clock
from inspector.commands.ending import Refused
from inspector.commands.opening import asked, layouts_of_others, opened_document, opened_lines, reading
from inspector.commands.output import write_json, write_lines
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.commands.stored_values import json_rows, row_lines
from inspector.commands.table import Column, aligned, cut, terminal_width
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import PAGE_ROWS
from inspector.layout.tables import RowKey, RowPage, StoredRow, StoredTable, TableList
from inspector.layout.visible import LONGEST_NAME, shortened, some_of, visible
from inspector.reading.reader import Reader
from inspector.reading.requests import TableRowsRequest, TablesRequest

_COLUMNS: Final = (
    Column("TABLE", gives_way=True),
    Column("ROWS AT MOST", right=True),
    Column("KIND"),
    Column("LMSP"),
    Column("COLUMNS", gives_way=True),
)


_MOST_OF_COLUMNS: Final = 1_000
"""So many cells of the names of a table's columns stand in one line."""

_MOST_NAMED: Final = 8
"""So many columns are named that are not read."""


@click.command()
@database_argument
@click.argument("name", metavar="[TABLE]", required=False, type=StoredId())
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=100, show_default=True, help="At most N rows."
)
@json_option
@mode_option
@proof_option
@click.pass_obj
def tables(
    clock: Clock, database: Path, name: str | None, limit: int, as_json: bool, mode: Mode | None, proving: bool
) -> None:
    """List every table of DB, or the rows of TABLE in the order of its key.

    Secrets are hidden. Long values are cut, and say how long they are.
    """
    proof = Proof(database, mode, clock) if proving else None
    with reading(database, mode, clock, layouts=layouts_of_others(None, any_tables=True)) as reader:
        found = asked(reader, TablesRequest(), TableList)
        if name is not None and name not in {table.name for table in found.tables} and not found.left_off:
            raise Refused(f"There is no table {shortened(name)} in this database.")
        pages = [] if name is None else _pages(reader, name, limit)
        opened = reader.opened
    if name is None:
        _write_tables(found, opened, proof, as_json=as_json)
    else:
        _write_rows(pages, opened, proof, as_json=as_json)


def _pages(reader: Reader, name: str, limit: int) -> list[RowPage]:
    """Return pages with ``limit`` rows in all; behind damage reading goes on where that is possible."""
    pages: list[RowPage] = []
    key: RowKey | None = None
    inclusive = False
    left = limit
    while left > 0:
        request = TableRowsRequest(name, key, inclusive=inclusive, limit=min(PAGE_ROWS, left))
        page = asked(reader, request, RowPage)
        pages.append(page)
        left -= len(page.rows)
        if page.more:
            key, inclusive = page.rows[-1].key, False
        elif page.resumes_at is not None:
            key, inclusive = page.resumes_at, True
        else:
            break
    return pages


def _write_tables(found: TableList, opened: Opened, proof: Proof | None, *, as_json: bool) -> None:
    if as_json:
        listed = ",\n ".join(json.dumps(_table_document(table)) for table in found.tables)
        write_json(
            f'{{"tables": [{listed}],\n"left_off": {found.left_off},\n'
            f'"opened": {json.dumps(opened_document(opened))}{proof_document(proof)}}}'
        )
        return
    more = [f"{found.left_off:,} more are not listed."] if found.left_off else []
    lines = aligned(_COLUMNS, [_cells(table) for table in found.tables], terminal_width())
    reasons = sorted({table.why_not for table in found.tables if table.why_not is not None})
    write_lines(*lines, *more, *reasons, *opened_lines(opened), *proof_lines(proof))


def _table_document(table: StoredTable) -> dict[str, object]:
    return {
        "name": table.name,
        "kind": table.kind,
        "lmsp": table.is_ours,
        "rows_at_most": table.rows_at_most,
        "key": table.key,
        "why_not": table.why_not,
        "columns": [
            {"name": column.name, "declared": column.declared, "why_not": column.why_not} for column in table.columns
        ],
    }


def _cells(table: StoredTable) -> list[str]:
    return [
        cut(visible(table.name), LONGEST_NAME),
        "-" if table.rows_at_most is None else f"{table.rows_at_most:,}",
        table.kind,
        "yes" if table.is_ours else "no",
        cut(visible(", ".join(column.name for column in table.columns)), _MOST_OF_COLUMNS) or "-",
    ]


def _write_rows(pages: list[RowPage], opened: Opened, proof: Proof | None, *, as_json: bool) -> None:
    table = pages[-1].table
    rows: list[StoredRow] = [row for page in pages for row in page.rows]
    cells = [row.cells for row in rows]
    damage = [page.broken for page in pages if page.broken is not None]
    more = pages[-1].more
    if as_json:
        write_json(
            f'{{"table": {json.dumps(_table_document(table))},\n"rows": {json_rows(cells)},\n'
            f'"more": {json.dumps(more)}, "damage": {json.dumps(damage)},\n'
            f'"opened": {json.dumps(opened_document(opened))}{proof_document(proof)}}}'
        )
        return
    count = f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'}{'; there are more' if more else ''}."
    listing = row_lines([column.name for column in table.columns], cells) if rows else []
    told = [*_left_out(table), *map(visible, damage), *opened_lines(opened), *proof_lines(proof)]
    write_lines(*listing, count, *told)


def _left_out(table: StoredTable) -> list[str]:
    """Return which columns are not read and why, a line for each reason; of secrets it says so in the cells."""
    names: dict[str, list[str]] = {}
    for column in table.columns:
        if column.why_not is not None and not column.is_secret:
            names.setdefault(column.why_not, []).append(column.name)
    return [f"Not read: {visible(_some(those))}. {why_not}" for why_not, those in names.items()]


def _some(names: list[str]) -> str:
    return some_of([*map(shortened, names[:_MOST_NAMED])], len(names))
