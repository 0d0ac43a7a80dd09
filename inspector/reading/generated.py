"""Generated columns: those that are stored are read as any other column, and the others are named and not read.

SQLite writes the value of a STORED one into the row, and reads it from there: its expression is neither evaluated nor
looked at, whatever functions it calls. That of a VIRTUAL one is evaluated for each row that is read, and takes as long
as the file wants.
"""

from typing import Final

from inspector.layout.visible import shortened
from inspector.reading.connection import VIRTUAL, Reads, Value
from inspector.reading.values import text

_PLAIN: Final = 0
_STORED: Final = 3
"""What ``PRAGMA table_xinfo`` calls a column beside VIRTUAL; 1 is a hidden one of a virtual table."""


def is_stored(hidden: Value) -> bool:
    """Say whether the values of a column are stored; ``hidden`` is what ``table_xinfo`` calls it."""
    return hidden in (_PLAIN, _STORED)


def is_virtual(hidden: Value) -> bool:
    """Say whether the values of a column are worked out at each read."""
    return hidden == VIRTUAL


def virtual_columns(connection: Reads, table: str) -> frozenset[str]:
    """Return the VIRTUAL columns of a table, in lower case; ``table`` is its name as SQL writes it."""
    described = connection.rows(f"PRAGMA main.table_xinfo({table})")
    return frozenset(text(row[1]).lower() for row in described if is_virtual(row[6]))


def virtual_sentence(table: str, column: str) -> str:
    """Say why a column that was looked for is not read."""
    return (
        f"The column {shortened(column)} of the table {shortened(table)} is a VIRTUAL one: its values are worked out "
        "at each read, however long that takes, and are not read."
    )
