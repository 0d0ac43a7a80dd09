"""Any table of a file as it is stored: what tables there are, their rows, and what a statement gives."""

from enum import StrEnum
from typing import TypeAlias

from inspector.lmsp.values import value

CELL_CHARS = 300
"""The most characters of one text in a row, and twice the most bytes of one blob."""

MOST_COLUMNS = 80
"""So many columns are read of a table, where they fit with its key into a row of what a connection gives, and shown of
what a statement gives."""

KeyPart: TypeAlias = int | float | bytes | tuple[bytes]
"""A part of a row's key: a number, a blob as its bytes, a text as its bytes in a tuple."""

RowKey: TypeAlias = tuple[KeyPart, ...]
"""The place of a row in its table: its rowid, or its primary key in a table WITHOUT ROWID."""


class Storage(StrEnum):
    """What a stored value is: one of SQLite's storage classes, or why it is not told."""

    NULL = "null"
    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BLOB = "blob"
    HIDDEN = "hidden"
    """A secret, which is never selected."""
    LEFT_OUT = "left_out"
    """In a column that is not read; the column says why."""
    UNREAD = "unread"
    """Larger than anything that is read here."""


@value
class StoredCell:
    """One value as it is stored."""

    storage: Storage
    text: str
    """All the digits of a number; the beginning of a text, bytes that are no UTF-8 escaped; a blob's first bytes in
    hexadecimal digits; empty for the others."""
    length: int
    """The bytes of a text or blob as stored, 0 for the others."""
    is_cut: bool = False
    """Whether ``text`` is only the beginning."""


@value
class StoredColumn:
    """One column of a table."""

    name: str
    declared: str
    """Its type as declared, which may be empty."""
    why_not: str | None = None
    """Why it is not read, or None where it is."""
    is_secret: bool = False
    """Whether its values are nobody's business."""


@value
class StoredTable:
    """One table of a file, or what has a name like one."""

    name: str
    kind: str
    """``table``, ``view`` or ``virtual``."""
    is_ours: bool
    """Whether its name is one of section 11.1."""
    columns: tuple[StoredColumn, ...]
    key: tuple[str, ...]
    """The columns of its key; one name of its rowid where it has one."""
    rows_at_most: int | None
    """No table of these rowids has more rows; None where nothing says how many there are."""
    why_not: str | None = None
    """Why its rows are not read, or None where they are."""
    columns_left_out: int = 0
    """How many columns there are behind the first ones, which alone are read."""


@value
class TableList:
    """The tables of a file, in the order of their names."""

    tables: tuple[StoredTable, ...]
    left_off: int
    """How many more there are."""
    read_at_ms: int


@value
class StoredRow:
    """One row; a cell for each column of its table."""

    key: RowKey
    cells: tuple[StoredCell, ...]


@value
class RowPage:
    """Rows that follow one another, in the order of their keys."""

    table: StoredTable
    rows: tuple[StoredRow, ...]
    more: bool
    """Whether there are others in the direction that was asked for."""
    broken: str | None
    """Where the file is damaged: one sentence on which rows cannot be read."""
    resumes_at: RowKey | None
    """From this key on rows can be read again, where that was found."""
    read_at_ms: int


@value
class StatementAnswer:
    """What one statement gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[StoredCell, ...], ...]
    more: bool
    """Whether it had given others."""
    took_ms: int
    read_at_ms: int
    columns_left_out: int = 0
    """How many more columns it has than were wanted."""
