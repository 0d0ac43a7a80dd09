"""A filter of tasks as SQL. It passes exactly the rows for which ``TaskFilter.passes`` is true."""

from inspector.layout.pages import TEXT_COLUMNS, TaskFilter, ascii_lower
from inspector.reading.connection import Value
from inspector.reading.recognising import Table
from inspector.reading.values import BLOB_BYTES_SHOWN


def conditions(wanted: TaskFilter, tasks: Table, *, statuses: bool = True) -> tuple[list[str], dict[str, Value]]:
    """Return the conditions that ``wanted`` sets, to be joined by AND, and their named parameters.

    ``statuses`` False leaves out the one about the status, for a caller who asks status by status.
    """
    found: list[str] = []
    values: dict[str, Value] = {}
    if statuses and wanted.statuses:
        names = [f"status_{at}" for at in range(len(wanted.statuses))]
        values.update(zip(names, sorted(wanted.statuses), strict=True))
        found.append(f"status IN ({', '.join(f':{name}' for name in names)})")
    if wanted.model_id is not None:
        found.append("model_id = :model_id" if "model_id" in tasks.columns else "0")
        values["model_id"] = wanted.model_id
    if wanted.text:
        columns = [_shown(column, tasks) for column in TEXT_COLUMNS if column in tasks.columns]
        found.append("(" + " OR ".join(f"instr(lower({column}), :text) > 0" for column in columns) + ")")
        values["text"] = ascii_lower(wanted.text)
    return found, values


def where(found: list[str]) -> str:
    """Return a WHERE clause of these conditions; empty where there are none."""
    return f"WHERE {' AND '.join(found)}" if found else ""


def _shown(column: str, tasks: Table) -> str:
    """Return what a row shows of ``column``: in a table of ours that is the column itself."""
    if tasks.is_ours:
        return column
    more = f"CASE WHEN length({column}) > {BLOB_BYTES_SHOWN} THEN '…' ELSE '' END"
    blob = f"'x''' || hex(substr({column}, 1, {BLOB_BYTES_SHOWN})) || {more} || ''''"
    return f"CASE typeof({column}) WHEN 'blob' THEN {blob} ELSE {column} END"
