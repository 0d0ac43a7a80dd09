"""Ids of tasks that are missing, or stand in more than one row: in a layout of others nothing need keep them apart."""

from contextlib import suppress
from typing import Final

from inspector.layout.visible import shortened, visible
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import TookTooLong, around_damage
from inspector.reading.tables import quoted
from inspector.reading.values import integer, text

_LOOKED_AT: Final = 10_000
"""So many rows are looked at: a few milliseconds, however many there are."""
_MOST_MS: Final = 100
"""Where an id stands behind a large value in each row, nothing is told: the file is to be opened soon."""


def repeated_ids(connection: ReadConnection, table: str, column: str) -> tuple[str, ...]:
    """Return a sentence each where ids stand in several rows of ``table``, and where rows have none.

    Repeated ones are not looked for where the column is the key, or a UNIQUE index keeps its values apart.
    """
    with suppress(TookTooLong), connection.within(_MOST_MS):
        return around_damage(
            lambda: (*_repeated(connection, table, column), *_missing(connection, table, column)), tuple
        )
    return ()


def _repeated(connection: ReadConnection, table: str, column: str) -> tuple[str, ...]:
    if _is_unique(connection, table, column.lower()):
        return ()
    name = quoted(column)
    found = connection.rows(
        f"SELECT min(id), count(*), max(rows) FROM (SELECT id, count(*) AS rows FROM "  # noqa: S608  quoted names
        f"(SELECT {name} AS id FROM main.{quoted(table)} LIMIT ?) WHERE id IS NOT NULL GROUP BY id HAVING rows > 1)",
        [_LOOKED_AT],
    )
    stored, many, most = found[0]
    if not integer(many):
        return ()
    rows = f"{integer(most):,} rows"
    several = f"1 id stands in {rows}" if many == 1 else f"{integer(many):,} ids stand in up to {rows} each"
    where = f"{shortened(visible(table))}.{shortened(visible(column))}"
    return (
        f"Ids repeat: in {where} {several} (“{shortened(visible(text(stored)))}” is one; at most {_LOOKED_AT:,} rows "
        "were looked at). A long list may leave some of such rows out; their details are those of one row, and their "
        "events those of all. The Tables view shows each row. If another column tells them apart, name it as id in a "
        "layout (layout --save, --layout).",
    )


def _missing(connection: ReadConnection, table: str, column: str) -> tuple[str, ...]:
    found = connection.value(
        f"SELECT count(*) FROM (SELECT {quoted(column)} AS id FROM main.{quoted(table)} LIMIT ?) WHERE id IS NULL",  # noqa: S608
        [_LOOKED_AT],
    )
    if not integer(found):
        return ()
    rows = "1 row holds" if found == 1 else f"{integer(found):,} rows hold"
    return (
        f"Ids are missing: in {shortened(visible(table))}.{shortened(visible(column))} {rows} NULL (at most "
        f"{_LOOKED_AT:,} rows were looked at). Nothing leads to the texts and events of such a task, and a long list "
        "may leave some out. The Tables view shows each row.",
    )


def _is_unique(connection: ReadConnection, table: str, column: str) -> bool:
    described = connection.rows(f"PRAGMA main.table_xinfo({quoted(table)})")
    key = [text(row[1]).lower() for row in described if integer(row[5])]
    if key == [column]:
        return True
    for _, name, is_unique, _, is_partial in connection.rows(f"PRAGMA main.index_list({quoted(table)})"):
        if is_unique and not is_partial:
            parts = connection.rows(f"PRAGMA main.index_xinfo({quoted(text(name))})")
            if [text(part[2]).lower() for part in parts if part[5]] == [column]:
                return True
    return False
