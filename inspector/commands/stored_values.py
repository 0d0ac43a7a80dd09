"""Stored values of any table, for a person and as typed JSON: every digit, and nothing taken for what it is not."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from inspector.commands.table import Column, aligned, terminal_width
from inspector.layout.tables import Storage, StoredCell
from inspector.layout.visible import visible

_WORDS: Final = {
    Storage.NULL: "NULL",
    Storage.HIDDEN: "(hidden)",
    Storage.LEFT_OUT: "(not read)",
    Storage.UNREAD: "(too large)",
}


def words_of(cell: StoredCell) -> str:
    """Return a value on one line for a person; what was cut ends with its length."""
    if cell.storage in _WORDS:
        return _WORDS[cell.storage]
    text = f"x'{cell.text}'" if cell.storage is Storage.BLOB else visible(cell.text)
    return f"{text}.. ({cell.length:,} bytes)" if cell.is_cut else text


def json_of(cell: StoredCell) -> str:
    """Return a value as JSON: a number with its digits, a text as a string.

    An object stands for what JSON has no word for: a blob, a text that was cut, what is hidden or not read, an infinite
    number.
    """
    match cell.storage:
        case Storage.NULL:
            return "null"
        case Storage.INTEGER:
            return cell.text
        case Storage.REAL:
            return json.dumps({"real": cell.text}) if "n" in cell.text else cell.text
        case Storage.TEXT:
            return json.dumps({"text": cell.text, "length": cell.length} if cell.is_cut else cell.text)
        case Storage.BLOB:
            return json.dumps({"blob": cell.text, "length": cell.length})
        case _:
            return json.dumps({cell.storage.value: True})


def json_rows(rows: Iterable[Sequence[StoredCell]]) -> str:
    """Return rows as a JSON array of arrays, one row a line."""
    listed = ",\n ".join(f"[{', '.join(map(json_of, row))}]" for row in rows)
    return f"[{listed}]"


def row_lines(columns: Sequence[str], rows: Sequence[Sequence[StoredCell]]) -> list[str]:
    """Return rows as aligned lines under the names of their columns; numbers stand at the right."""
    cells = [[words_of(cell) for cell in row] for row in rows]
    numbers = (Storage.INTEGER, Storage.REAL, Storage.NULL)
    made = [
        Column(
            visible(name),
            right=bool(rows) and all(row[at].storage in numbers for row in rows),
            gives_way=True,
        )
        for at, name in enumerate(columns)
    ]
    return aligned(made, cells, terminal_width())
