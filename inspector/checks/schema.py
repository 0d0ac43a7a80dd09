"""The layout of a database that says it is ours: whole, and without triggers of others (design 5).

The store writes to no other: a trigger of others runs with each write, and without the foreign keys cleanup leaves
behind what belongs to a task.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of
from inspector.checks.rulebook import ALL_CAN_BE_READ, LAYOUT_IS_WHOLE, Rulebook
from inspector.layout import native
from inspector.layout.comparing import differences
from inspector.layout.native import Layout
from inspector.reading.connection import Reads
from inspector.reading.errors import SqliteTrouble, Unanswered
from inspector.reading.values import text

_MOST_ROWS: Final = 10_000
_TEXT_CHARS: Final = 100_000
_MOST_NAMED: Final = 10
_NAME_CHARS: Final = 200

Schema: TypeAlias = list[tuple[str, str, str | None]]
"""Type, name and text of what a database has."""


def check_schema(ask: Callable[[Callable[[Reads], Any]], Any], book: Rulebook) -> list[Finding]:
    """Return what a database of a known version of the native layout has of others, and what it lacks of its own.

    One of another layout, or of a newer version, is not asked.
    """
    if LAYOUT_IS_WHOLE not in book.walk:
        return []
    try:
        layout, schema = ask(_read)
    except (*SqliteTrouble, Unanswered) as error:
        return [ALL_CAN_BE_READ.finding(None, f"Its layout cannot be read. {damage_of(error)}")]
    if layout is None:
        return []
    return [
        LAYOUT_IS_WHOLE.finding(None, f"It {what}: {_listed(names)}: the store writes nothing to such a file.")
        for what, names in differences(schema, layout)
    ]


def _read(reads: Reads) -> tuple[Layout | None, Schema]:
    with reads.one_moment():
        if reads.rows("PRAGMA application_id") != [(native.APPLICATION_ID,)]:
            return None, []
        ((version,),) = reads.rows("PRAGMA user_version")
        layout = native.LAYOUTS.get(version) if isinstance(version, int) else None
        return (None, []) if layout is None else (layout, _schema(reads))


def _schema(reads: Reads) -> Schema:
    rows = reads.rows(f"""
        SELECT type, name, substr(sql, 1, {_TEXT_CHARS}) FROM {reads.schema}
        WHERE type NOT IN ('index', 'view') LIMIT {_MOST_ROWS}""")  # noqa: S608  ours
    return [(text(kind), text(name), None if sql is None else text(sql)) for kind, name, sql in rows]


def _listed(names: tuple[str, ...] | list[str]) -> str:
    told = ", ".join(name[:_NAME_CHARS] for name in names[:_MOST_NAMED])
    return told if len(names) <= _MOST_NAMED else f"{told} and {len(names) - _MOST_NAMED:,} more"
