"""The layout of a database that says it is ours: whole, and without triggers of others (design 5).

The store writes to no other: a trigger of others runs with each write, and without the foreign keys cleanup leaves
behind what belongs to a task.
"""

import functools
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, Final

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of
from inspector.checks.rulebook import ALL_CAN_BE_READ, LAYOUT_IS_WHOLE, Rulebook
from inspector.checks.values import Schema
from inspector.layout import native
from inspector.layout.native import Layout
from inspector.reading.connection import Reads, Row
from inspector.reading.errors import SqliteTrouble, Unanswered
from inspector.reading.values import text

_MOST_TRIGGERS: Final = 1_000
_TRIGGER_CHARS: Final = 100_000
_MOST_NAMED: Final = 10
_NAME_CHARS: Final = 200


def check_schema(ask: Callable[[Callable[[Reads], Any]], Any], book: Rulebook) -> list[Finding]:
    """Return what a database of a known version of the native layout has of others, and what it lacks of its own.

    One of another layout, or of a newer version, is not asked.
    """
    if LAYOUT_IS_WHOLE not in book.walk:
        return []
    try:
        layout, found = ask(_read)
    except (*SqliteTrouble, Unanswered) as error:
        return [ALL_CAN_BE_READ.finding(None, f"Its layout cannot be read. {damage_of(error)}")]
    if layout is None:
        return []
    return [
        LAYOUT_IS_WHOLE.finding(None, f"{sentence}: the store writes nothing to such a file.")
        for sentence in layout_is_whole(found, schema_of(layout))
    ]


def layout_is_whole(found: Schema, own: Schema) -> Iterator[str]:
    """Say what ``found`` has of others, and what it lacks of its ``own``. More columns and indexes do no harm."""
    if foreign := native.foreign_triggers(found.triggers, own.triggers):
        yield f"It carries triggers that are not the layout's own: {_listed(foreign)}"
    for what, absent in (
        ("triggers", native.missing_triggers(found.triggers, own.triggers)),
        ("columns", own.columns - found.columns),
        ("foreign keys", own.foreign_keys - found.foreign_keys),
        ("unique columns", own.unique - found.unique),
    ):
        if absent:
            yield f"It lacks {what} of its layout: {_listed(sorted(absent))}"


@functools.cache
def schema_of(layout: Layout) -> Schema:
    """Return what a database of this layout has."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in layout.statements:
            conn.execute(statement)
        return _schema(lambda sql: conn.execute(sql).fetchall())
    finally:
        conn.close()


def _read(reads: Reads) -> tuple[Layout | None, Schema | None]:
    with reads.one_moment():
        if reads.rows("PRAGMA application_id") != [(native.APPLICATION_ID,)]:
            return None, None
        ((version,),) = reads.rows("PRAGMA user_version")
        layout = native.LAYOUTS.get(version) if isinstance(version, int) else None
        return (None, None) if layout is None else (layout, _schema(reads.rows))


def _schema(rows: Callable[[str], list[Row]]) -> Schema:
    triggers = rows(f"""
        SELECT name, substr(sql, 1, {_TRIGGER_CHARS}) FROM sqlite_schema WHERE type = 'trigger'
        LIMIT {_MOST_TRIGGERS}""")  # noqa: S608  numbers
    columns, foreign_keys, unique = set(), set(), set()
    for (table,) in rows("SELECT lower(name) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"):
        # A name of others is never put into a statement.
        if table not in native.TABLES:
            continue
        columns |= {f"{table}.{text(row[1])}" for row in rows(f"PRAGMA table_xinfo({table})") if not row[6]}
        foreign_keys |= {
            f"{table}.{text(at)} to {text(to).lower()}.{text(column)}, on delete {text(on_delete).lower()}"
            for _, _, to, at, column, _, on_delete, _ in rows(f"PRAGMA foreign_key_list({table})")
        }
        unique |= {
            f"{table} ({', '.join(text(row[2]) for row in rows(f'PRAGMA index_xinfo({index})') if row[5])})"
            for index in _unique_indexes(rows, str(table))
        }
    return Schema(
        {text(name): text(sql) for name, sql in triggers},
        frozenset(columns),
        frozenset(foreign_keys),
        frozenset(unique),
    )


def _unique_indexes(rows: Callable[[str], list[Row]], table: str) -> Iterator[str]:
    for _, name, is_unique, origin, is_partial in rows(f"PRAGMA index_list({table})"):
        # Those that the table itself makes have names that SQLite gives.
        if is_unique and not is_partial and origin in ("u", "pk"):
            yield text(name)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    told = ", ".join(name[:_NAME_CHARS] for name in names[:_MOST_NAMED])
    return told if len(names) <= _MOST_NAMED else f"{told} and {len(names) - _MOST_NAMED:,} more"
