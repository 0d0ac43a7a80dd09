"""What a file has of the seven tables, and the statements that read it; what it lacks is read as nothing."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from inspector.checks.values import Event, Task
from inspector.layout import native
from inspector.lmsp.events import EventType
from inspector.reading.connection import LONGEST_VALUE, SCHEMA, Reads
from inspector.reading.errors import OWN_COLLATION, is_own_collation
from inspector.reading.recognising import Table, table_of
from inspector.reading.values import text

LARGE_BYTES: Final = LONGEST_VALUE
"""Above this a text is no text that a service keeps, and nothing here reads it."""

BELOW_ALL: Final = -(1 << 63)
"""Where a walk by rowid starts."""

LARGE_METADATA_BYTES: Final = 1 << 20
"""Above this a text among the models is no metadata."""

_ERROR_CHARS: Final = 64 << 10

JSON: Final = "json_valid"
"""What stands among the columns that a rule needs where it needs SQLite's JSON functions."""

_OURS_ALONE: Final = frozenset({"task_events.id", "idempotency_keys.request_digest", "clients.token_hash"})
"""Columns whose form is our choice: elsewhere the id of an event may be anything, only ours orders what happened."""

SIZE: Final = "octet_length({})" if sqlite3.sqlite_version_info >= (3, 43) else "length(CAST({} AS BLOB))"
"""The bytes of a value. Newer SQLite tells it without reading them."""

_LARGE_COLUMNS: Final = {"tasks": ("request", "snapshot", "error_message"), "task_events": ("data",)}


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one file that can be read by rowid, by name."""

    by_name: Mapping[str, Table]
    has_json: bool = True
    """Whether this SQLite was built with its JSON functions."""
    whole_schema: bool = True
    """Whether all of the schema can be read: a table behind damage counts as missing."""
    own_collations: frozenset[str] = frozenset()
    """The tables, and each ``table.column``, that are not read: their text is sorted as only their program can."""

    def has(self, need: str) -> bool:
        """Say whether ``table.column`` can be read as what it is in the native layout."""
        return self.why_not(need) is None

    def why_not(self, need: str) -> str | None:
        """Return why ``table.column`` cannot be read as what it is in the native layout, or None where it can."""
        if need == JSON:
            return None if self.has_json else "SQLite was built without its JSON functions here."
        name, _, column = need.partition(".")
        if name in self.own_collations:
            return f"The table {name} {OWN_COLLATION}."
        if need in self.own_collations:
            return f"The column {need} {OWN_COLLATION}."
        table = self.by_name.get(name)
        if table is None:
            return f"There is no table {name} with rowids in this file."
        if column not in table.columns:
            return f"There is no column {need} in this file."
        if need in _OURS_ALONE and not table.is_ours:
            return f"The table {name} is not made by the native layout."
        return None

    def column(self, need: str, missing: str) -> str:
        """Return the column ``table.column`` for a statement in which the table has its name, or what stands for it."""
        return need if self.has(need) else missing

    def rowid(self, name: str) -> str:
        """Return what the rowid of the table is called."""
        return f"{name}.{self.by_name[name].rowid}"

    def size_above(self, name: str) -> str:
        """Return an expression that is 1 where a large column of the table is above the agreed size."""
        columns = [f"{name}.{column}" for column in _LARGE_COLUMNS[name] if self.has(f"{name}.{column}")]
        tests = [f"coalesce({SIZE.format(column)} > {LARGE_BYTES}, 0)" for column in columns]
        return " OR ".join(tests) or "0"


def read_tables(reads: Reads) -> Tables:
    """Return what the file has. A table WITHOUT ROWID counts as missing: no range of it can be named."""
    found: dict[str, Table] = {}
    own: set[str] = set()
    for name in native.TABLES:
        table = table_of(reads, name)
        if table is None or table.rowid is None:
            continue
        columns = set() if table.is_ours else _own_collations(reads, table)
        if not table.is_ours and _has_index_of_own(reads, name):
            own.add(name)
            continue
        own.update(f"{name}.{column}" for column in columns)
        found[name] = replace(table, columns=table.columns - columns)
    return Tables(found, has_json=_has_json(reads), whole_schema=reads.schema == SCHEMA, own_collations=frozenset(own))


def _own_collations(reads: Reads, table: Table) -> set[str]:
    """Return the columns that cannot be compared with a text, since only the file's program knows how."""
    own = set()
    for column in table.columns:
        try:
            reads.rows(f"SELECT 1 FROM main.{table.name} WHERE {quoted_name(column)} = '' LIMIT 0")  # noqa: S608
        except sqlite3.OperationalError as error:
            if not is_own_collation(error):
                raise
            own.add(column)
    return own


_COLLATIONS: Final = frozenset({"BINARY", "NOCASE", "RTRIM"})
"""Those that every SQLite knows."""


def _has_index_of_own(reads: Reads, table: str) -> bool:
    """Say whether an index of the table is in an order that only the file's program knows: SQLite may choose it."""
    return any(
        text(row[4]).upper() not in _COLLATIONS
        for index in reads.rows(f"PRAGMA main.index_list({table})")
        for row in reads.rows(f"PRAGMA main.index_xinfo({quoted_name(text(index[1]))})")
    )


def _has_json(reads: Reads) -> bool:
    try:
        return reads.rows("SELECT json_valid('{}')") == [(1,)]
    except sqlite3.OperationalError:
        return False


def quoted_name(name: str) -> str:
    """Return the name of a column, whatever it holds, as a statement takes it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Statements:
    """What reads one range of tasks: rowids above the first parameter, up to the second, at most the third."""

    tasks: str
    """In the order of Task."""
    events: str | None
    """In the order of Event: by task, then by sequence number."""
    log: str | None
    """One task's events (its rowid) behind a sequence number and an event's rowid, at most the fourth parameter."""
    odd: str | None
    """The events of one task (its rowid) whose sequence number is no integer, at most the second parameter."""
    responses: str | None
    """The rowid of the task, status, client and model; no third parameter."""
    keys: str | None
    """The rowid of the task, and the client; no third parameter."""


def statements_for(tables: Tables, *, sizes: bool = True) -> Statements:
    """Return the statements for these tables; without ``sizes`` no large column is touched."""
    column = tables.column
    task_rowid = tables.rowid("tasks")
    within = f"{task_rowid} > ? AND {task_rowid} <= ?"
    has_log = tables.has("task_events.task_id") and tables.has("task_events.seq")
    events = _event_columns(tables, sizes=sizes) if has_log else ""
    joined = "FROM tasks CROSS JOIN task_events ON task_events.task_id = tasks.id"
    event_rowid = tables.rowid("task_events") if has_log else ""
    responses = keys = None
    if tables.has("responses.task_id"):
        fields = ", ".join(column(f"responses.{name}", "NULL") for name in ("status", "client_id", "model_id"))
        responses = f"""
            SELECT {task_rowid}, {fields}
            FROM tasks CROSS JOIN responses ON responses.task_id = tasks.id
            WHERE {within} ORDER BY 1"""  # noqa: S608  names of ours
    if tables.has("idempotency_keys.task_id"):
        keys = f"""
            SELECT {task_rowid}, {column("idempotency_keys.client_id", "NULL")}
            FROM tasks CROSS JOIN idempotency_keys ON idempotency_keys.task_id = tasks.id
            WHERE {within} ORDER BY 1"""  # noqa: S608  names of ours
    return Statements(
        tasks=f"""
            SELECT {_task_columns(tables, sizes=sizes)}
            FROM tasks WHERE {within} ORDER BY {task_rowid} LIMIT ?""",  # noqa: S608  names of ours
        events=f"""
            SELECT {events} {joined}
            WHERE {within} ORDER BY {task_rowid}, task_events.seq, {event_rowid} LIMIT ?"""
        if has_log
        else None,
        log=f"""
            SELECT {events} {joined}
            WHERE {task_rowid} = ? AND typeof(task_events.seq) = 'integer'
                  AND (task_events.seq, {event_rowid}) > (?, ?)
            ORDER BY task_events.seq, {event_rowid} LIMIT ?"""
        if has_log
        else None,
        odd=f"""
            SELECT {events} {joined}
            WHERE {task_rowid} = ? AND typeof(task_events.seq) <> 'integer' LIMIT ?"""
        if has_log
        else None,
        responses=responses,
        keys=keys,
    )


def _task_columns(tables: Tables, *, sizes: bool) -> str:
    missing = {"last_seq": "0", "attempt": "0", "created_at": "0", "updated_at": "0"}
    special = {
        "rowid": tables.rowid("tasks"),
        "has_snapshot": "tasks.snapshot IS NOT NULL" if tables.has("tasks.snapshot") else "0",
        "is_large": tables.size_above("tasks") if sizes else "0",
    }
    return ", ".join(
        special.get(name) or tables.column(f"tasks.{name}", missing.get(name, "NULL")) for name in Task._fields
    )


def _event_columns(tables: Tables, *, sizes: bool) -> str:
    missing = {"type": "''", "status": "''", "attempt": "0", "created_at": "0"}
    error = "NULL"
    if sizes and tables.has("task_events.type") and tables.has("task_events.data"):
        error = (
            f"CASE WHEN task_events.type = '{EventType.FAILED}' AND typeof(task_events.data) = 'text'"
            f" THEN substr(task_events.data, 1, {_ERROR_CHARS}) END"
        )
    special = {
        "task": tables.rowid("tasks"),
        "id": tables.rowid("task_events"),
        "error": error,
        "is_large": tables.size_above("task_events") if sizes else "0",
    }
    return ", ".join(
        special.get(name) or tables.column(f"task_events.{name}", missing.get(name, "NULL")) for name in Event._fields
    )
