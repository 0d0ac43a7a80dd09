"""The shape of a database whose layout is not ours, by a description of it that fits, or by a guess."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from inspector.layout.description import TIMES, Description, TimeFormat
from inspector.layout.opened import LayoutKind
from inspector.layout.visible import shortened
from inspector.reading.connection import SCHEMA, ReadConnection
from inspector.reading.errors import Unreadable
from inspector.reading.generated import is_stored, is_virtual
from inspector.reading.guessing import guessed, times_in, why_not_guessed
from inspector.reading.in_memory import copied, copy_of, define_views
from inspector.reading.layouts import Layouts
from inspector.reading.mapped_views import NUMBER, Found, View, fits, views_of
from inspector.reading.orders import orders_of
from inspector.reading.recognising import WHAT_TO_DO, Shape, Table, order_of, rowid_name
from inspector.reading.repeated_ids import repeated_ids
from inspector.reading.tables import quoted
from inspector.reading.values import integer, text


def mapped_shape(connection: ReadConnection, name: str, layouts: Layouts, *, is_still: bool = False) -> Shape | None:
    """Return the shape of the database called ``name`` by a description, or None where none fits.

    Where one could not be used, it is the one that might have fitted: then a file that none fits is one without
    tasks, which says so. Raises Unreadable where the one that was asked for has no tasks here, and instead of that
    shape where ``layouts`` do not take any tables. ``is_still`` as in :func:`recognise`.
    """
    shape, unusable = _mapped(connection, name, layouts, is_still=is_still)
    # Of a damaged schema more can be said than that no layout fits what is left of it.
    if shape is not None or connection.schema != SCHEMA:
        return shape
    why = why_not_guessed(found_tables(connection)) if layouts.folders else ""
    if not unusable and not why:
        return None
    sentence = f"{name} is an SQLite database, but of no layout that is known."
    if why:
        sentence = f"{name} is an SQLite database, but cannot be read as an LMSP service's: {why}"
    if not layouts.any_tables:
        raise Unreadable(" ".join((sentence, *unusable, *([] if why else [WHAT_TO_DO]))))
    return no_shape(connection, sentence, *unusable)


def _mapped(
    connection: ReadConnection, name: str, layouts: Layouts, *, is_still: bool
) -> tuple[Shape | None, tuple[str, ...]]:
    """Return the shape by a description that fits, and a sentence on each that could not be used before it."""
    found = found_tables(connection)
    description = layouts.asked_for
    unusable: tuple[str, ...] = ()
    if description is None:
        description, unusable = _fitting(layouts, found)
    is_guess = description is None
    if description is None and layouts.folders:
        description = guessed(connection, found)
    if description is None:
        return None, unusable
    notes = list(unusable)
    misfits = _copied_misfits(connection, description, found) if is_still else {}
    for misfit in misfits:
        found[misfit] = replace(found[misfit], source=copied(found[misfit].name))
    views, missing = views_of(description, found, counts_events=_finds_events(connection, description, found))
    if layouts.asked_for is not None and "tasks" in missing:
        raise Unreadable(f"{name} is not of the layout “{description.name}”: {missing['tasks']}")
    notes.append(f"Read as the layout “{description.name}”. Actions are off for this file.")
    if is_guess:
        notes.append(_guess(description))
    notes += [sentence for part, sentence in missing.items() if part in description.parts() or part == "events"]
    notes += _unnamed(description, found)
    if description.tasks is not None and "tasks" not in missing:
        table = found[description.tasks.table.lower()]
        notes += repeated_ids(connection, table.name, table.columns[(description.tasks.column("id") or "").lower()])
    shape = _viewed(connection, views, missing, description, tuple(notes))
    sentences = tuple(sentence for several in misfits.values() for sentence in several)
    return replace(shape, misfits=sentences, copied=frozenset(misfits)), unusable


def _copied_misfits(
    connection: ReadConnection, description: Description, found: Mapping[str, Found]
) -> dict[str, tuple[str, ...]]:
    """Copy those of the tables into memory that have an index which does not fit; return what is wrong with each."""
    from inspector.reading.misfits import can_be_compared, copied_if_misfit  # noqa: PLC0415  no live file needs it

    if not can_be_compared(connection):
        return {}
    named = {part.table.lower() for part in description.parts().values()} & found.keys()
    tables = {name: found[name] for name in sorted(named)}
    said = {
        name: copied_if_misfit(connection, table.name, copy_of(table.name), table.rowid)
        for name, table in tables.items()
    }
    return {name: sentences for name, sentences in said.items() if sentences}


def _fitting(layouts: Layouts, found: Mapping[str, Found]) -> tuple[Description | None, tuple[str, ...]]:
    """Return the first known description that fits, and a sentence on each before it that cannot be used."""
    unusable = []
    for each in layouts.known():
        if isinstance(each, str):
            unusable.append(each)
        elif fits(each, found):
            return each, tuple(unusable)
    return None, tuple(unusable)


def shape_of_other_times(connection: ReadConnection, name: str, layouts: Layouts, *, is_still: bool) -> Shape | None:
    """Return the shape of a database with our names for its tables but times of its own; None where they are ours."""
    tasks = found_tables(connection).get("tasks")
    if tasks is None or times_in(connection, tasks, "created_at") in (None, TimeFormat.UNIX_MS):
        return None
    return _mapped(connection, name, layouts, is_still=is_still)[0]


def _viewed(
    connection: ReadConnection,
    views: Mapping[str, View],
    missing: Mapping[str, str],
    description: Description | None,
    notes: tuple[str, ...],
) -> Shape:
    define_views(connection, {name: view.sql for name, view in views.items()})
    tables = {
        name: Table(
            name,
            view.columns,
            NUMBER if view.numbered else None,
            is_ours=False,
            worked_out=view.worked_out,
            order=view.order,
        )
        for name, view in views.items()
    }
    orders = orders_of(connection, tables["tasks"].columns)
    return Shape(
        kind=LayoutKind.OTHER if description is not None else LayoutKind.UNKNOWN,
        user_version=integer(connection.value("PRAGMA user_version")),
        schema_version=integer(connection.value("PRAGMA schema_version")),
        tasks=tables["tasks"],
        events=tables["task_events"],
        models=tables.get("models"),
        responses=tables.get("responses"),
        config=None,
        keys=None,
        foreign_triggers=(),
        missing_triggers=(),
        orders=orders,
        notes=(*notes, *orders.notes) if description is not None else notes,
        description=description,
        missing=tuple(missing.items()),
    )


def _finds_events(connection: ReadConnection, description: Description, found: Mapping[str, Found]) -> bool:
    """Say whether an index finds the events of one task."""
    events = description.events
    table = None if events is None else found.get(events.table.lower())
    task = None if events is None or table is None else table.columns.get((events.column("task_id") or "").lower())
    if table is None or task is None:
        return False
    plan = connection.rows(
        f"EXPLAIN QUERY PLAN SELECT count(*) FROM {table.source} WHERE {quoted(task)} = ''"  # noqa: S608
    )
    return all(not text(step[3]).startswith("SCAN") for step in plan)


def _guess(description: Description) -> str:
    """Say what was guessed."""
    parts = [f"{name} in {shortened(part.table)} (times as {part.times})" for name, part in description.parts().items()]
    zones = " UTC is assumed for ISO times that tell no offset." if _has_iso_times(description) else ""
    saved = "The command layout --save writes it into a file that can be corrected."
    return f"Guessed: {', '.join(parts)}.{zones} {saved}"


def _has_iso_times(description: Description) -> bool:
    parts = description.parts().values()
    return any(part.times is TimeFormat.ISO and any(ours in TIMES for ours, _ in part.columns) for part in parts)


def _unnamed(description: Description, found: Mapping[str, Found]) -> list[str]:
    """Say which tables, and which columns of those that are read, the layout does not name."""
    used: dict[str, set[str]] = {}
    for part in description.parts().values():
        names = {theirs.lower() for _, theirs in part.columns} | {each.lower() for each in part.order}
        used.setdefault(part.table.lower(), set()).update(names, {(part.lines or part.feed or "").lower()})
    others = [shortened(table.name) for name, table in found.items() if name not in used]
    columns = [
        f"{shortened(found[name].name)}.{shortened(spelled)}"
        for name, named in used.items() if name in found
        for column, spelled in found[name].columns.items() if column not in named
    ]  # fmt: skip
    return [
        f"Not in the layout, to be seen under Tables: {', '.join(names[:_MOST_NAMED])}{_and_more(names)}."
        for names in (others, columns)
        if names
    ]


def _and_more(names: list[str]) -> str:
    return f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""


def no_shape(connection: ReadConnection, *sentences: str) -> Shape:
    """Return the shape of a database in which nothing was recognised, which the first of ``sentences`` says."""
    return _viewed(connection, *views_of(_NOTHING, {}), None, sentences)


_MOST_NAMED: Final = 8

_NOTHING: Final = Description("none that is known")

_MOST_TABLES: Final = 500


def found_tables(connection: ReadConnection) -> dict[str, Found]:
    """Return the real tables of the file by their names in lower case, the first 500 of them."""
    names = connection.rows(
        f"SELECT name FROM {connection.schema} "  # noqa: S608  ours
        "WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%' LIMIT ?",
        [_MOST_TABLES],
    )
    found = {}
    for (stored,) in names:
        name = text(stored)
        described = connection.rows(f"PRAGMA main.table_xinfo({quoted(name)})")
        columns = {text(row[1]).lower(): text(row[1]) for row in described if is_stored(row[6])}
        rowid = rowid_name(connection, f"main.{quoted(name)}", frozenset(columns))
        virtual = frozenset(text(row[1]).lower() for row in described if is_virtual(row[6]))
        found[name.lower()] = Found(name, f"main.{quoted(name)}", columns, rowid, virtual, order_of(rowid, described))
    return found
