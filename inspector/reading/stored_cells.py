"""Stored values as cells: every digit, the beginning of what is long, nothing that is not there."""

from typing import Final

from inspector.layout.tables import CELL_CHARS, KeyPart, Storage, StoredCell, StoredColumn
from inspector.reading.connection import StoredBytes, Value, decoded
from inspector.reading.values import exact, without_half_character

_WIDEST: Final = 4
"""No character takes more bytes."""

HIDDEN: Final = StoredCell(Storage.HIDDEN, "", 0)
LEFT_OUT: Final = StoredCell(Storage.LEFT_OUT, "", 0)
UNREAD: Final = StoredCell(Storage.UNREAD, "", 0)
_NULL: Final = StoredCell(Storage.NULL, "", 0)


def cell_of(value: Value, length: int | None = None, most: int = CELL_CHARS) -> StoredCell:
    """Return ``value``, a text as StoredBytes, as a cell; ``length`` where it is only the first bytes of so many.

    At most ``most`` characters of a text are in it, and half as many bytes of a blob.
    """
    if value is None:
        return _NULL
    if isinstance(value, int):
        return StoredCell(Storage.INTEGER, str(value), 0)
    if isinstance(value, float):
        return StoredCell(Storage.REAL, exact(value), 0)
    if isinstance(value, str):
        value = StoredBytes(value.encode("utf-8", "surrogateescape"))
    whole = len(value) if length is None else length
    if not isinstance(value, StoredBytes):
        return StoredCell(Storage.BLOB, value[: most // 2].hex(), whole, whole > most // 2)
    start = value[: most * _WIDEST]
    shown = decoded(start if len(start) == whole else without_half_character(start))
    return StoredCell(Storage.TEXT, shown[:most], whole, len(start) < whole or len(shown) > most)


def cell_of_column(column: StoredColumn) -> StoredCell:
    """Return what stands for each value of a column that is not read."""
    return HIDDEN if column.is_secret else LEFT_OUT


def key_part(value: Value) -> KeyPart:
    """Return ``value`` as a part of a key that goes over the wire; a text keeps its bytes."""
    if isinstance(value, StoredBytes):
        return (bytes(value),)
    if isinstance(value, (int, float, bytes)):
        return value
    return 0  # a primary key holds no NULL
