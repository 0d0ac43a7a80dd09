"""What a database has of others, and what it lacks of a version of the layout (design 5).

The store writes to no file that differs, and the checker says why: both ask here.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping

from inspector.layout.native import Layout, foreign_triggers, missing_triggers, triggers_of
from inspector.layout.table_texts import Clauses, acting, lacking, tables_of


def differences(
    schema: Iterable[tuple[object, str, str | None]], layout: Layout
) -> Iterator[tuple[str, tuple[str, ...] | list[str]]]:
    """Give each way in which a database differs from the layout: what it does, in words, and the names it is about.

    ``schema`` has the type, the name and the text of each row of ``sqlite_schema``. Tables and columns more are no
    difference, and neither are indexes less: nothing that is written is lost by them.
    """
    rows = list(schema)
    triggers = triggers_of(rows)
    if foreign := foreign_triggers(triggers, layout.triggers):
        yield "carries triggers that are not the layout's own", foreign
    if missing := missing_triggers(triggers, layout.triggers):
        yield "lacks triggers of its layout", missing
    # Not by name alone: a view of that name would run code of others, and tables without their keys keep less.
    stored, own = tables_of(sql for _, _, sql in rows), _tables(layout.statements)
    if absent := lacking(stored, own):
        yield "lacks tables, columns or constraints of its layout", absent
    elif more := acting(stored, own):
        yield "carries constraints by which a write would change other rows, or nothing", more


@functools.cache
def _tables(statements: tuple[str, ...]) -> Mapping[str, Clauses]:
    return tables_of(statements)
