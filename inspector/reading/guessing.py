"""A layout guessed from names that are close to those of section 11.1, and from a look at a few values."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from inspector.layout.description import COLUMNS, TIMES, Description, Names, Part, TimeFormat
from inspector.lmsp.statuses import Status
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.errors import around_damage
from inspector.reading.generated import virtual_sentence
from inspector.reading.mapped_views import Found
from inspector.reading.tables import quoted
from inspector.reading.values import integer, text

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "tasks": (
        *(
            "tasks",
            "task",
            "jobs",
            "job",
            "runs",
            "run",
            "requests",
            "work_items",
            "generations",
            "queue",
            "lmsp_tasks",
        ),
        "job_queue",
    ),
    "events": (
        *("task_events", "task_event", "events", "event", "job_events", "run_events", "request_events", "task_log"),
        *("job_log", "run_log", "task_logs", "job_logs", "log", "logs", "history", "steps", "lmsp_events"),
    ),
    "models": ("models", "model", "model_files", "lmsp_models"),
    "responses": ("responses", "response", "results", "result", "outputs"),
}
_COLUMNS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "tasks": {
        "id": ("id", "task_id", "job_id", "run_id", "request_id", "uuid", "key"),
        "client_id": ("client", "owner", "user_id", "caller"),
        "model_id": ("model", "model_name"),
        "kind": ("type", "task_type", "job_type", "name"),
        "status": ("state", "phase", "task_status", "job_status"),
        "on_restart": ("restart_policy", "policy"),
        "last_seq": ("last_sequence", "event_count"),
        "attempt": ("attempts", "tries", "retries", "retry_count"),
        "error_code": ("error", "failure", "error_type"),
        "created_at": ("created", "enqueued_at", "queued_at", "submitted_at", "inserted_at", "added_at", "enqueued"),
        "started_at": ("started", "begun_at", "running_since"),
        "finished_at": ("finished", "completed_at", "ended_at", "done_at", "completed", "ended"),
        "updated_at": ("updated", "modified_at", "last_update"),
        "request": ("payload", "input", "args", "params", "body", "data"),
        "snapshot": ("checkpoint",),
        "error_message": ("message", "error_text", "traceback"),
    },
    "events": {
        "task_id": ("job_id", "run_id", "request_id", "task", "job", "run"),
        "seq": ("sequence", "seq_no", "seqno", "number", "n", "idx", "position"),
        "type": ("event", "kind", "name", "event_type"),
        "status": ("state", "new_status", "new_state"),
        "attempt": ("attempts", "tries"),
        "created_at": ("created", "at", "time", "ts", "timestamp", "occurred_at"),
        "data": ("payload", "body", "detail", "details", "json"),
    },
    "models": {
        "id": ("model_id", "name"),
        "name": ("title", "model"),
        "digest": ("sha256", "hash", "checksum"),
        "size_bytes": ("size", "bytes"),
        "path": ("file", "filename", "location"),
        "format": ("file_format",),
        "metadata": ("meta", "details"),
        "added_at": ("created_at", "created", "registered_at"),
    },
    "responses": {
        "id": ("response_id",),
        "task_id": ("job_id", "run_id", "request_id"),
        "body": ("output", "result", "data", "content"),
        "status": ("state",),
        "created_at": ("created", "at"),
        "expires_at": ("expires", "expiry"),
    },
}
_STATUS_WORDS: Final[Mapping[Status, tuple[str, ...]]] = {
    Status.QUEUED: ("queued", "pending", "waiting", "new", "created", "enqueued", "scheduled", "submitted"),
    Status.LOADING: ("loading", "preparing", "warming"),
    Status.RUNNING: (
        "running",
        "in_progress",
        "in progress",
        "started",
        "active",
        "processing",
        "working",
        "executing",
    ),
    Status.CANCELLING: ("cancelling", "canceling", "stopping", "aborting"),
    Status.COMPLETED: ("completed", "complete", "done", "success", "succeeded", "finished", "ok"),
    Status.FAILED: ("failed", "error", "errored", "failure", "crashed", "timeout"),
    Status.CANCELLED: ("cancelled", "canceled", "aborted", "killed", "stopped", "revoked"),
}
_MOST_STATUSES: Final = 50
_LOOKED_AT: Final = 1_000
_TIMES_LOOKED_AT: Final = 20
_KEYS_LOOKED_AT: Final = 20
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SECONDS_FROM: Final = 100_000_000
"""Numbers below it, in 1973, are no times of a service: tests and counters begin at 0."""

_SECONDS_BELOW: Final = 100_000_000_000
_MILLISECONDS_BELOW: Final = 100_000_000_000_000
_MICROSECONDS_BELOW: Final = 100_000_000_000_000_000
_NANOSECONDS_BELOW: Final = 9_000_000_000_000_000_000
"""In 2255. The largest integers stand for no time, but for what never comes."""

_UNITS: Final = (
    (_SECONDS_BELOW, TimeFormat.UNIX_S),
    (_MILLISECONDS_BELOW, TimeFormat.UNIX_MS),
    (_MICROSECONDS_BELOW, TimeFormat.UNIX_US),
    (_NANOSECONDS_BELOW, TimeFormat.UNIX_NS),
)


def guessed(connection: ReadConnection, tables: Mapping[str, Found]) -> Description | None:
    """Return what the tables look like, or None where none of them looks like one of tasks.

    Of several that do, the one is taken that the first events belong to, and of as many the one whose name comes
    first. Events are found by the name of their key: job_id, for jobs.
    """
    candidates = [each for name in _TABLES["tasks"] if (each := _named(connection, "tasks", tables, name)) is not None]
    if not candidates:
        return None
    logged = [(tasks, *log) for tasks in candidates if (log := _events_of(connection, tasks, tables)) is not None]
    parts = {"tasks": candidates[0]}
    if logged:
        tasks, events, _ = max(logged, key=lambda each: each[2])
        parts = {"tasks": tasks, "events": events}
    for name in ("models", "responses"):
        found = (_named(connection, name, tables, each) for each in _TABLES[name])
        part = next((each for each in found if each is not None), None)
        if part is not None:
            parts[name] = part
    return Description(name="guessed from its names", **parts)


def why_not_guessed(tables: Mapping[str, Found]) -> str:
    """Return a sentence on a table that would be one of tasks, were its id and status stored; empty for none."""
    for name in _TABLES["tasks"]:
        table = tables.get(name)
        needed = [] if table is None else [_stored_or_virtual(ours, table) for ours in ("id", "status")]
        if table is not None and all(needed):
            virtual = [each for each in needed if each in table.virtual]
            return virtual_sentence(table.name, virtual[0]) if virtual else ""
    return ""


def _stored_or_virtual(ours: str, table: Found) -> str:
    """Return the column that would be ``ours``, in lower case; empty for none."""
    candidates = (ours, *_COLUMNS["tasks"][ours])
    stored = next((each for each in candidates if each in table.columns), "")
    return stored or next((each for each in candidates if each in table.virtual), "")


def _named(connection: ReadConnection, part: str, tables: Mapping[str, Found], name: str) -> Part | None:
    table = tables.get(name)
    return None if table is None else _part(connection, part, table)


def _events_of(connection: ReadConnection, tasks: Part, tables: Mapping[str, Found]) -> tuple[Part, float] | None:
    """Return the events of these tasks, and which share of the first ones belongs to them.

    Their key is a task's, or one of just this table's rows. A table of events that are all of others comes last.
    """
    own = tasks.table.lower().removesuffix("s")
    others: tuple[Part, float] | None = None
    for name in _TABLES["events"]:
        events = _named(connection, "events", tables, name)
        key = "" if events is None else (events.column("task_id") or "").lower()
        if events is not None and key in ("task_id", "task", f"{own}_id", own):
            share = _share(connection, tasks, events)
            if share is None or share:
                return events, share or 0.0
            others = others or (events, 0.0)
    return others


def _share(connection: ReadConnection, tasks: Part, events: Part) -> float | None:
    """Return which share of the first keys of the events are ids of tasks; None where there are none.

    Without an index of the ids only the first tasks are looked at.
    """
    source, own = f"main.{quoted(tasks.table)}", quoted(tasks.column("id") or "")
    sql = (
        f"SELECT DISTINCT k FROM (SELECT {quoted(events.column('task_id') or '')} AS k "  # noqa: S608  quoted names
        f"FROM main.{quoted(events.table)} LIMIT ?) WHERE k IS NOT NULL LIMIT ?"
    )
    keys = [key for (key,) in _as_far_as_whole(connection, sql, _LOOKED_AT, _KEYS_LOOKED_AT)]
    if not keys:
        return None
    among = f"{own} IN ({', '.join('?' for _ in keys)})"
    plan = connection.rows(f"EXPLAIN QUERY PLAN SELECT 1 FROM {source} WHERE {among}", keys)  # noqa: S608  the same
    is_found = not any(text(step[3]).startswith("SCAN") for step in plan)
    first = f"SELECT {own} FROM {source}{f' WHERE {among}' if is_found else ''} LIMIT ?"  # noqa: S608  the same
    counted = f"SELECT count(DISTINCT {own}) FROM ({first}) WHERE {among}"  # noqa: S608  the same
    values = [*(keys if is_found else []), _LOOKED_AT, *keys]
    ((found,),) = _as_far_as_whole(connection, counted, *values) or [(0,)]
    return integer(found) / len(keys)


def _part(connection: ReadConnection, name: str, table: Found) -> Part | None:
    columns = tuple(_columns(name, table))
    ours = dict(columns)
    if not {"tasks": {"id", "status"}, "events": {"task_id"}, "models": {"id"}, "responses": {"task_id"}}[name] <= set(
        ours
    ):
        return None
    times = [theirs for each, theirs in columns if each in TIMES]
    status = ours.get("status")
    return Part(
        table=table.name,
        columns=columns,
        statuses=() if status is None else _statuses(connection, table, status),
        times=_times(connection, table, times),
        feed="rowid" if name == "events" and table.rowid is not None else None,
    )


def _columns(name: str, table: Found) -> Iterable[tuple[str, str]]:
    taken: set[str] = set()
    for ours in COLUMNS[name]:
        others = _COLUMNS[name].get(ours, ())
        for candidate in (ours, *others):
            if candidate in table.columns and candidate not in taken:
                taken.add(candidate)
                yield ours, table.columns[candidate]
                break


def _statuses(connection: ReadConnection, table: Found, column: str) -> Names:
    """Return the words among the first rows that stand for a status of the specification, where any is another word."""
    sql = (
        f"SELECT DISTINCT s FROM (SELECT {quoted(column)} AS s FROM main.{quoted(table.name)} LIMIT ?) "  # noqa: S608
        "WHERE typeof(s) = 'text' LIMIT ?"
    )
    words = {word: status.value for status, several in _STATUS_WORDS.items() for word in several}
    stored = [text(row[0]) for row in _as_far_as_whole(connection, sql, _LOOKED_AT, _MOST_STATUSES)]
    names = tuple((each, words[each.lower()]) for each in sorted(stored) if each.lower() in words)
    return () if all(found == status for found, status in names) else names


def _times(connection: ReadConnection, table: Found, columns: list[str]) -> TimeFormat:
    found = (times_in(connection, table, column) for column in columns)
    return next((each for each in found if each is not None), TimeFormat.UNIX_MS)


def times_in(connection: ReadConnection, table: Found, column: str) -> TimeFormat | None:
    """Return how most of the first times in a column look; of as many, the one that comes first decides.

    Text that begins with no date has no say. None where there are none, where most are no times of a service, and
    where damage is in the way.
    """
    if column not in table.columns.values():
        return None
    name = quoted(column)
    sql = (
        f"SELECT {name} FROM (SELECT {name} FROM main.{quoted(table.name)} LIMIT ?) "  # noqa: S608  quoted names
        f"WHERE {name} IS NOT NULL LIMIT ?"
    )
    values = [value for (value,) in _as_far_as_whole(connection, sql, _LOOKED_AT, _TIMES_LOOKED_AT)]
    looks = Counter(_look(value) for value in values if not isinstance(value, str) or _DATE.match(value))
    return looks.most_common(1)[0][0] if looks else None


def _look(value: Value) -> TimeFormat | None:
    if isinstance(value, str):
        return TimeFormat.ISO
    if isinstance(value, int | float) and abs(value) >= _SECONDS_FROM:
        return next((unit for below, unit in _UNITS if abs(value) < below), None)
    return None


def _as_far_as_whole(connection: ReadConnection, sql: str, *values: Value) -> list[Row]:
    """Return the rows, or none where damage is in the way: a guess needs none of them."""
    return around_damage(lambda: connection.rows(sql, values), list)
