"""A filter of tasks as SQL. It passes exactly the rows for which ``TaskFilter.passes`` is true."""

from typing import Final

from inspector.layout.pages import TEXT_COLUMNS, TaskFilter, ascii_lower
from inspector.reading.connection import Value
from inspector.reading.recognising import Table
from inspector.reading.values import BLOB_BYTES_SHOWN

_MAY_STAND_FOR_ANOTHER_CLASS: Final = tuple("0123456789+-.xI")
"""How a number or a blob begins when it is shown as text."""


def conditions(wanted: TaskFilter, tasks: Table) -> tuple[list[str], dict[str, Value]]:
    """Return the conditions that ``wanted`` sets, to be joined by AND, and their named parameters."""
    found = [*of_status(wanted, tasks), *of_model(wanted, tasks), *of_text(wanted, tasks)]
    return found, values_of(wanted)


def values_of(wanted: TaskFilter) -> dict[str, Value]:
    """Return the named parameters of all conditions of ``wanted``."""
    values: dict[str, Value] = {f"status_{at}": status for at, status in enumerate(sorted(wanted.statuses))}
    if wanted.model_id is not None:
        values["model_id"] = wanted.model_id
    if wanted.text:
        values["text"] = ascii_lower(wanted.text)
    return values


def of_status(wanted: TaskFilter, tasks: Table) -> list[str]:
    """Return the conditions about the status."""
    if not wanted.statuses:
        return []
    return _is_any("status", {f"status_{at}": status for at, status in enumerate(sorted(wanted.statuses))}, tasks)


def of_each_status(wanted: TaskFilter, tasks: Table) -> list[str]:
    """Return a condition for each wanted status, which an index on it serves; none where no index would."""
    found = []
    for at, status in enumerate(sorted(wanted.statuses)):
        needed = _is_any("status", {f"status_{at}": status}, tasks)
        if not (tasks.is_ours or len(needed) == 2):
            return []
        found.append(" AND ".join(needed))
    return found


def of_model(wanted: TaskFilter, tasks: Table) -> list[str]:
    """Return the conditions about the model."""
    if wanted.model_id is None:
        return []
    return _is_any("model_id", {"model_id": wanted.model_id}, tasks) if "model_id" in tasks.columns else ["0"]


def of_text(wanted: TaskFilter, tasks: Table) -> list[str]:
    """Return the condition about the text, which no index serves."""
    if not wanted.text:
        return []
    columns = [_shown(column, tasks) for column in TEXT_COLUMNS if column in tasks.columns]
    return ["(" + " OR ".join(f"instr(lower({column}), :text) > 0" for column in columns) + ")"]


def where(found: list[str]) -> str:
    """Return a WHERE clause of these conditions; empty where there are none."""
    return f"WHERE {' AND '.join(found)}" if found else ""


def _is_any(column: str, words: dict[str, str], tasks: Table) -> list[str]:
    """Return the conditions under which ``column`` shows one of ``words``, parameter names to values.

    In a table that is not ours a column may compare in other ways than by its characters; what it shows decides, and
    the column itself stands beside that for the sake of its index, where no other storage class can show the same.
    """
    names = ", ".join(f":{name}" for name in words)
    # One word by itself: only then SQLite sees that an index has the rows in the order of a page.
    by_index = f"{column} = {names}" if len(words) == 1 else f"{column} IN ({names})"
    if tasks.is_ours:
        return [by_index]
    by_text = f"{_shown(column, tasks)} IN ({names})"
    odd = any(word == "" or word.startswith(_MAY_STAND_FOR_ANOTHER_CLASS) for word in words.values())
    return [by_text] if odd else [by_index, by_text]


def _shown(column: str, tasks: Table) -> str:
    """Return what a row shows of ``column``: in a table of ours that is the column itself."""
    if tasks.is_ours:
        return column
    more = f"CASE WHEN length({column}) > {BLOB_BYTES_SHOWN} THEN '…' ELSE '' END"
    blob = f"'x''' || lower(hex(substr({column}, 1, {BLOB_BYTES_SHOWN}))) || {more} || ''''"
    nothing = "WHEN 'null' THEN ''" if column in ("id", "status") else ""
    return f"CASE typeof({column}) WHEN 'blob' THEN {blob} {nothing} ELSE CAST({column} AS TEXT) END"
