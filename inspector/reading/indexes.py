"""Which indexes of a table do not fit it: SQLite reads on through them without a word, and answers wrongly."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from inspector.layout.visible import visible
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import SqliteTrouble, around_damage, is_damage
from inspector.reading.tables import quoted
from inspector.reading.values import integer, text

_LONGEST_LINE: Final = 300
_NAMED_INDEX: Final = re.compile(r"\bindex (.+)$")


def said_of_table(connection: ReadConnection, table: str, *, full: bool) -> list[str]:
    """Return what SQLite's own check says of a table and its indexes, the ``full`` one or the quick one."""
    pragma = "integrity_check" if full else "quick_check"
    try:
        # Of main: what a table is read as may be a TEMP view of its name.
        rows = connection.rows(f"PRAGMA main.{pragma}({quoted(table)})")
    except SqliteTrouble as error:
        if not is_damage(error):
            raise
        return ["it cannot come to its end"]
    lines = [line for (found,) in rows for line in text(found).splitlines()]
    return [
        visible(line)[:_LONGEST_LINE].rstrip(".")
        for line in lines
        if line != "ok" and not line.startswith("*** in database")
    ]


def indexes_named(said: Sequence[str]) -> list[str]:
    """Return the indexes that :func:`said_of_table` tells of, each once."""
    found = (_NAMED_INDEX.search(line) for line in said)
    return list(dict.fromkeys(each[1] for each in found if each is not None))


@value
class RowCounts:
    """How many rows a table and its indexes hold; None for what cannot be read to its end."""

    table: int | None
    indexes: Mapping[str, int | None]
    """By the names of those that are of all rows; none where the table cannot be read to its end."""

    @property
    def wrong(self) -> list[str]:
        """The indexes that do not hold as many rows as the table."""
        return [name for name, rows in self.indexes.items() if rows != self.table]


def row_counts(connection: ReadConnection, table: str) -> RowCounts:
    """Count the rows of a table, and those of each of its indexes."""
    source = f"main.{quoted(table)}"
    whole = _counted(connection, f"SELECT count(*) FROM {source} NOT INDEXED")  # noqa: S608  a quoted name
    if whole is None:
        return RowCounts(None, {})
    listed = connection.rows(f"PRAGMA main.index_list({quoted(table)})")
    names = [text(name) for _, name, _, _, is_partial in listed if not integer(is_partial)]
    # Not count(*): SQLite answers that from the index that it likes best.
    by = f"SELECT sum(1) FROM {source} INDEXED BY"  # noqa: S608  a quoted name
    return RowCounts(whole, {name: _counted(connection, f"{by} {quoted(name)}") for name in names})


def _counted(connection: ReadConnection, sql: str) -> int | None:
    return around_damage(lambda: integer(connection.value(sql)), lambda: None)


def misfit_sentence(index: str, table: str) -> str:
    """Say that a table is read without an index that does not fit it."""
    return f"Index {visible(index)} on {visible(table)} is damaged: the table is read without it."


def damaged_index_sentence(index: str, table: str) -> str:
    """Say what a damaged index leads to."""
    return f"Index {visible(index)} on {visible(table)} is damaged: counts and orders that use it may be wrong."
