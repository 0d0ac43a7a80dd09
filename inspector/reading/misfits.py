"""Tables with indexes that do not fit them: where the file is small and at rest, they are read from copies in memory.

SQLite follows such an index without a word, to too few rows or to others. The table itself tells of each, so a copy of
it, indexed anew, answers every question rightly and as fast.
"""

import sqlite3
from contextlib import suppress
from dataclasses import replace
from typing import Final

from inspector.reading.connection import ReadConnection
from inspector.reading.errors import TookTooLong, around_damage
from inspector.reading.in_memory import copy_table
from inspector.reading.indexes import indexes_named, misfit_sentence, row_counts, said_of_table
from inspector.reading.orders import orders_of
from inspector.reading.recognising import Shape
from inspector.reading.values import integer

LARGEST_FILE_BYTES: Final = 16 << 20
"""Of the files whose indexes are compared with their tables on opening: some tens of milliseconds."""

_MOST_MS: Final = 500


def without_misfits(connection: ReadConnection, shape: Shape) -> Shape:
    """Return the shape of a file of our names, its tables of tasks and events copied into memory where they need it."""
    if not can_be_compared(connection):
        return shape
    misfits = [
        sentence
        for table in (shape.tasks, shape.events)
        for sentence in copied_if_misfit(connection, table.name, table.name, table.rowid)
    ]
    if not misfits:
        return shape
    return replace(shape, misfits=tuple(misfits), orders=orders_of(connection, shape.tasks.columns))


def can_be_compared(connection: ReadConnection) -> bool:
    """Say whether the file is small enough for its indexes to be compared with its tables on opening."""
    pages, size = (integer(connection.value(f"PRAGMA {name}")) for name in ("page_count", "page_size"))
    return pages * size <= LARGEST_FILE_BYTES


def copied_if_misfit(connection: ReadConnection, table: str, copy: str, rowid: str | None) -> tuple[str, ...]:
    """Copy a table into memory, named ``copy``, if an index leads to too few or to other rows; return what is wrong.

    Nothing where all fit, where SQLite itself notices what is wrong with an index, and where rows of the table are
    lost: what its indexes know of them is then worth more. ``rowid`` is what the table calls its rowid.
    """
    # Rows of a damaged table can lead in a circle: a number that comes again is refused by the copy.
    with suppress(TookTooLong, sqlite3.IntegrityError), connection.within(_MOST_MS):
        return around_damage(lambda: _copied(connection, table, copy, rowid), tuple)
    return ()


def _copied(connection: ReadConnection, table: str, copy: str, rowid: str | None) -> tuple[str, ...]:
    said = said_of_table(connection, table, full=True)
    if not said:
        return ()
    counts = row_counts(connection, table)
    if counts.table is None or any(rows is not None and rows > counts.table for rows in counts.indexes.values()):
        return ()
    broken = {name for name, rows in counts.indexes.items() if rows is None}
    misfits = [name for name in dict.fromkeys((*counts.wrong, *indexes_named(said))) if name not in broken]
    if misfits:
        copy_table(connection, table, copy, rowid)
    return tuple(misfit_sentence(index, table) for index in misfits)
