"""Whose layout a database has, and which of our columns are there.

A file may claim anything: only real tables count (a view named tasks can run for ever), VIRTUAL columns are never
selected (each row may cost seconds), and columns are taken by name, so that extra and missing ones do no harm.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from inspector.layout import native
from inspector.layout.opened import LayoutKind
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection, Reads, Row
from inspector.reading.errors import Unreadable, is_own_collation, primary_code, sentence_of
from inspector.reading.generated import is_stored, virtual_columns, virtual_sentence
from inspector.reading.layouts import NATIVE_ONLY, Layouts
from inspector.reading.orders import Orders, orders_of
from inspector.reading.values import integer, text

if TYPE_CHECKING:
    from inspector.layout.description import Description

_ROWID_NAMES: Final = ("rowid", "_rowid_", "oid")
_MOST_TRIGGERS: Final = 1_000


@lru_cache(maxsize=64)
def selected(columns: frozenset[str], wanted: tuple[str, ...]) -> str:
    """Return ``wanted`` as a list of columns for SQL, NULL standing in for those that are not among ``columns``."""
    return ", ".join(column if column in columns else f"NULL AS {column}" for column in wanted)


@value
class Table:
    """One table as far as we may read it."""

    name: str
    columns: frozenset[str]
    """In lower case; VIRTUAL and hidden ones are not among them."""
    rowid: str | None
    """What its rowid can be called, or None for a table WITHOUT ROWID."""
    is_ours: bool
    """Whether it was made by the native layout's own words: STRICT, with its CHECKs."""
    worked_out: frozenset[str] = frozenset()
    """Those of ``columns`` whose numbers nobody stored: places and counts, made of the rows that there are."""
    order: tuple[str, ...] = ()
    """What its rows stand in the order of, in SQL, where they have no numbers: its rowid, else its key."""

    def select(self, *wanted: str) -> str:
        """Return ``wanted`` as a list of columns, NULL standing in for those that are not there."""
        return selected(self.columns, wanted)

    def select_stored(self, *wanted: str) -> str:
        """Return the same, NULL standing in also for what was worked out."""
        return selected(self.columns - self.worked_out, wanted)


@value
class Shape:
    """What a database holds of our layout."""

    kind: LayoutKind
    user_version: int
    schema_version: int
    tasks: Table
    events: Table
    models: Table | None
    responses: Table | None
    config: Table | None
    keys: Table | None
    foreign_triggers: tuple[str, ...]
    missing_triggers: tuple[str, ...]
    orders: Orders
    notes: tuple[str, ...]
    description: "Description | None" = None
    """What it is read as, where that is not the native layout."""
    misfits: tuple[str, ...] = ()
    """What is wrong with indexes without which tables are read: a sentence each."""
    copied: frozenset[str] = frozenset()
    """The tables of another layout that are read from copies in memory for that, in lower case."""
    missing: tuple[tuple[str, str], ...] = ()
    """The parts of a description that are not to be had, each with the reason."""

    @property
    def why_not_act(self) -> str | None:
        """Why no action may write to a database of this shape, or None where one may."""
        if self.kind is LayoutKind.NEWER:
            return (
                f"Its layout is version {self.user_version}, newer than the version {native.USER_VERSION} known here."
            )
        if self.kind in (LayoutKind.OTHER, LayoutKind.UNKNOWN):
            return "This is not the native layout."
        if self.foreign_triggers:
            return "It carries triggers that are not the layout's own."
        if self.missing_triggers:
            return "Triggers of the native layout are missing from it."
        return None


def recognise(
    connection: ReadConnection, name: str, layouts: Layouts = NATIVE_ONLY, *, is_still: bool = False
) -> Shape:
    """Return the shape of the database, which ``name`` stands for.

    Read as the native layout where it has those tables, else as a layout that is known or can be guessed. Raises
    Unreadable where it is no LMSP service's, unless ``layouts`` take any tables. What the connection was made to read
    it as before is forgotten. Where nobody changes the file, which ``is_still`` says, tables are read without indexes
    that do not fit them (see misfits).
    """
    if connection.has_in_memory:
        from inspector.reading.in_memory import forget_in_memory  # noqa: PLC0415  as below

        forget_in_memory(connection)
    try:
        return _recognised(connection, name, layouts, is_still=is_still)
    except Unreadable as error:
        if not layouts.any_tables or layouts.asked_for is not None:
            if isinstance(error, _NoService):
                raise Unreadable(f"{error.sentence} {WHAT_TO_DO}") from error
            raise
        sentence = error.sentence
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        sentence = sentence_of(error, name)
        if not layouts.any_tables or layouts.asked_for is not None:
            if not is_own_collation(error):
                raise
            raise Unreadable(f"{sentence} {_ELSEWHERE}") from error
    from inspector.reading.mapped_shape import no_shape  # noqa: PLC0415  as below

    return no_shape(connection, sentence)


class _NoService(Unreadable):
    """It is no service's, as far as its names tell."""


WHAT_TO_DO: Final = (
    "The commands tasks, events and export read it by a description (--layout FILE); tables shows any table."
)
"""What a refusal of a file of no layout that is known ends with."""

_ELSEWHERE: Final = "Its other tables can be read: the commands tables and sql do, and so does the view Tables."


def _recognised(connection: ReadConnection, name: str, layouts: Layouts, *, is_still: bool) -> Shape:
    tables = {table: table_of(connection, table) for table in native.TABLES}
    if layouts.asked_for is None and _has_native_names(tables):
        shape = _native_shape(connection, tables)
        if shape.kind is LayoutKind.OTHER and layouts.folders:
            from inspector.reading.mapped_shape import shape_of_other_times  # noqa: PLC0415  as below

            other = shape_of_other_times(connection, name, layouts, is_still=is_still)
            if other is not None:
                return other
        return _fitting(connection, shape) if is_still else shape
    # Most files are of the native layout, and a reader stands before the first page: what others need is not loaded.
    from inspector.reading.mapped_shape import mapped_shape  # noqa: PLC0415

    mapped = mapped_shape(connection, name, layouts, is_still=is_still)
    if mapped is not None:
        return mapped
    tasks, events = tables["tasks"], tables["task_events"]
    if tasks is None or events is None:
        lacking = "tasks" if tasks is None else "task_events"
        if connection.is_damaged:
            raise Unreadable(_DAMAGED.format(name, lacking))
        raise _NoService(f"{name} is an SQLite database, but not of an LMSP service: {_lack(connection, lacking)}.")
    for table, columns in ((tasks, ("id", "status")), (events, ("task_id", "seq"))):
        if connection.is_damaged and not table.columns:
            raise Unreadable(_DAMAGED.format(name, table.name))
        _require(connection, table, columns, name)
    shape = _native_shape(connection, tables)
    return _fitting(connection, shape) if is_still else shape


def _fitting(connection: ReadConnection, shape: Shape) -> Shape:
    from inspector.reading.misfits import without_misfits  # noqa: PLC0415  no live file needs it

    return without_misfits(connection, shape)


_DAMAGED: Final = "{} is incomplete or damaged: in what can be understood of its schema {} is missing."


def _has_native_names(tables: Mapping[str, Table | None]) -> bool:
    """Say whether the tables that matter have the native names, with what makes a task and an event."""
    tasks, events = tables["tasks"], tables["task_events"]
    return (
        tasks is not None
        and events is not None
        and {"id", "status"} <= tasks.columns
        and {"task_id", "seq"} <= events.columns
    )


def _native_shape(connection: ReadConnection, tables: Mapping[str, Table | None]) -> Shape:
    application_id = integer(connection.value("PRAGMA application_id"))
    user_version = integer(connection.value("PRAGMA user_version"))
    schema_version = integer(connection.value("PRAGMA schema_version"))
    tasks, events = tables["tasks"], tables["task_events"]
    if tasks is None or events is None:
        raise TypeError("asked only where both are there")
    triggers = {
        text(trigger): text(sql)
        for trigger, sql in connection.rows(
            f"SELECT name, sql FROM {connection.schema} WHERE type NOT IN {native.NO_TRIGGERS} LIMIT ?",  # noqa: S608
            [_MOST_TRIGGERS],
        )
    }
    kind = LayoutKind.OTHER
    if application_id == native.APPLICATION_ID and user_version > native.USER_VERSION:
        kind = LayoutKind.NEWER
    elif (
        application_id == native.APPLICATION_ID
        and user_version == native.USER_VERSION
        and tasks.is_ours
        and events.is_ours
    ):
        kind = LayoutKind.NATIVE
    orders = orders_of(connection, tasks.columns)
    return Shape(
        kind=kind,
        user_version=user_version,
        schema_version=schema_version,
        tasks=tasks,
        events=events,
        models=tables["models"],
        responses=tables["responses"],
        config=tables["service_config"],
        keys=tables["idempotency_keys"],
        foreign_triggers=native.foreign_triggers(triggers),
        missing_triggers=native.missing_triggers(triggers),
        orders=orders,
        notes=(*_notes(kind, user_version, tasks, events), *orders.notes),
    )


def _notes(kind: LayoutKind, user_version: int, tasks: Table, events: Table) -> tuple[str, ...]:
    notes = []
    if kind is LayoutKind.NEWER:
        notes.append(
            f"The layout is version {user_version}; version {native.USER_VERSION} is known here. "
            "What is known of it is shown. Actions are off for this file."
        )
    if kind is LayoutKind.OTHER:
        notes.append(
            "This is not the native layout. Tasks and events are shown as far as they were recognised. "
            "Actions are off for this file."
        )
    missing = [
        f"{table.name}.{column}" for table, columns in ((tasks, TASK_COLUMNS), (events, EVENT_COLUMNS))
        for column in columns if column not in table.columns
    ]  # fmt: skip
    if missing:
        notes.append(f"Not in this layout, and shown as empty: {', '.join(missing)}.")
    return tuple(notes)


TASK_COLUMNS: Final = (
    *("id", "client_id", "model_id", "kind", "status", "on_restart", "snapshot_seq", "last_seq", "attempt"),
    *("error_code", "created_at", "started_at", "finished_at", "updated_at"),
)
"""What a list shows of a task, in the order of TaskRow."""

EVENT_COLUMNS: Final = ("task_id", "seq", "type", "status", "attempt", "created_at", "data")


def claims_of(connection: Reads) -> tuple[int, ...]:
    """Return the numbers that a database says of itself: where one of them is another, it is to be recognised anew."""
    pragmas = ("schema_version", "user_version", "application_id")
    return tuple(integer(connection.rows(f"PRAGMA {pragma}")[0][0]) for pragma in pragmas)


def table_of(connection: Reads, name: str) -> Table | None:
    """Return the table of this name, one of ours, as far as it may be read; None where there is no such table."""
    found = connection.rows(
        f"SELECT sql FROM {connection.schema} WHERE type = 'table' AND lower(name) = ? AND rootpage > 0",  # noqa: S608
        [name],
    )
    if not found:
        return None
    sql = text(found[0][0])
    described = connection.rows(f"PRAGMA main.table_xinfo({name})")
    columns = frozenset(text(row[1]).lower() for row in described if is_stored(row[6]))
    rowid = rowid_name(connection, f"main.{name}", columns)
    if f"{sql};" in native.DDL:
        return Table(name, columns, rowid, is_ours=True)
    # Numbers that are stored as texts rise as numbers.
    by_number = ("CAST(seq AS NUMERIC)",) if rowid is None and "seq" in columns else ()
    return Table(name, columns, rowid, is_ours=False, order=(*by_number, *order_of(rowid, described)))


def order_of(rowid: str | None, described: Sequence[Row]) -> tuple[str, ...]:
    """Return what the rows of a table stand in the order of: its rowid, else its key, as ``table_xinfo`` tells it."""
    if rowid is not None:
        return (rowid,)
    from inspector.reading.tables import quoted  # noqa: PLC0415  few tables are without a rowid

    key = sorted((integer(row[5]), text(row[1])) for row in described if integer(row[5]))
    return tuple(quoted(name) for _, name in key)


def rowid_name(connection: Reads, name: str, columns: frozenset[str]) -> str | None:
    """Return what the rowid of the table ``name``, as SQL writes it, can be called; None without one."""
    for candidate in _ROWID_NAMES:
        if candidate not in columns:
            try:
                connection.rows(f"SELECT {candidate} FROM {name} LIMIT 0")  # noqa: S608  names of ours
            except sqlite3.OperationalError:
                return None
            return candidate
    return None


def _lack(connection: ReadConnection, table: str) -> str:
    if connection.rows(f"SELECT 1 FROM {connection.schema} WHERE lower(name) = ?", [table]):  # noqa: S608  ours
        return f"its {table} is no table of its own"
    return f"it has no table {table}"


def _require(connection: ReadConnection, table: Table, columns: tuple[str, ...], name: str) -> None:
    for column in columns:
        if column not in table.columns:
            if column in virtual_columns(connection, table.name):
                why = virtual_sentence(table.name, column)
                raise Unreadable(f"{name} is an SQLite database, but cannot be read as an LMSP service's: {why}")
            raise _NoService(
                f"{name} is an SQLite database, but not of an LMSP service: "
                f"its table {table.name} has no column {column} of its own."
            )
