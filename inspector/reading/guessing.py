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
        *("job_queue", "taskmeta"),
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
        "finished_at": ("finished", "completed_at", "ended_at", "done_at", "date_done", "completed", "ended"),
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
_FAMILY: Final = ("tasks", "task", "jobs", "job", "runs", "taskmeta")
"""Names of tables of tasks that may have a word of the service's own before them, as in llm_tasks."""

_WORD_BEGINS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_STATUS_WORDS: Final[Mapping[Status, tuple[str, ...]]] = {
    Status.QUEUED: ("queued", "pending", "waiting", "new", "created", "enqueued", "scheduled", "submitted", "retry"),
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
    plain = _plainly(tables)
    candidates = [
        (each, word, before)
        for word, before in _names_of_tasks(plain)
        if (each := _named(connection, "tasks", plain, before + word)) is not None
    ]
    if not candidates:
        return None
    logged = [
        (tasks, before, *log)
        for tasks, word, before in candidates
        if (log := _events_of(connection, tasks, plain, word, before)) is not None
    ]
    tasks, _, before = candidates[0]
    parts = {"tasks": tasks}
    if logged:
        tasks, before, events, _ = max(logged, key=lambda each: each[3])
        parts = {"tasks": tasks, "events": events}
    for name in ("models", "responses"):
        found = (_named(connection, name, plain, each) for each in _names_of(name, before))
        part = next((each for each in found if each is not None), None)
        if part is not None:
            parts[name] = part
    return Description(name="guessed from its names", **parts)


def why_not_guessed(tables: Mapping[str, Found]) -> str:
    """Return a sentence on a table that would be one of tasks, were its id and status stored; empty for none."""
    plain = _plainly(tables)
    for word, before in _names_of_tasks(plain):
        table = plain.get(before + word)
        needed = [] if table is None else [_stored_or_virtual(ours, table) for ours in ("id", "status")]
        if table is not None and all(needed):
            virtual = [each for each in needed if each in table.virtual]
            return virtual_sentence(table.name, virtual[0]) if virtual else ""
    return ""


def _stored_or_virtual(ours: str, table: Found) -> str:
    """Return the column that would be ``ours``, in lower case; empty for none."""
    candidates = (ours, *_COLUMNS["tasks"][ours])
    known = _plain_columns(table)
    stored = next((known[each] for each in candidates if each in known), "")
    return stored or next((each for each in candidates if each in table.virtual), "")


def _plain(name: str) -> str:
    """Return a name as words in lower case with a _ between them: taskEvents is task_events."""
    return _WORD_BEGINS.sub("_", name).replace("-", "_").replace(" ", "_").lower()


def _plainly(tables: Mapping[str, Found]) -> dict[str, Found]:
    """Return the tables by their plain names; of several with the same one the first."""
    found: dict[str, Found] = {}
    for table in tables.values():
        found.setdefault(_plain(table.name), table)
    return found


def _names_of_tasks(plain: Mapping[str, Found]) -> list[tuple[str, str]]:
    """Return the names that tables of tasks may have: a word for tasks, and what stands before it."""
    named = [(word, "") for word in _TABLES["tasks"]]
    own = [(word, name.removesuffix(word)) for word in _FAMILY for name in plain if name.endswith(f"_{word}")]
    return named + own


def _names_of(part: str, before: str) -> Iterable[str]:
    """Return the names that a table of this part may have, first those that begin like that of the tasks."""
    return dict.fromkeys([*(before + word for word in _TABLES[part]), *_TABLES[part]])


def _plain_columns(table: Found) -> dict[str, str]:
    """Return the columns, in lower case, by their plain names, and without what the table's begins with.

    So llm_job_state of llm_jobs is job_state and state too.
    """
    found = {_plain(spelled): column for column, spelled in table.columns.items()}
    words = _plain(table.name).removesuffix("s").split("_")
    for count in range(1, len(words) + 1):
        own = f"{'_'.join(words[:count])}_"
        for name, column in [*found.items()]:
            if name.startswith(own):
                found.setdefault(name.removeprefix(own), column)
    return found


def _named(connection: ReadConnection, part: str, tables: Mapping[str, Found], name: str) -> Part | None:
    table = tables.get(name)
    return None if table is None else _part(connection, part, table)


def _events_of(
    connection: ReadConnection, tasks: Part, tables: Mapping[str, Found], word: str, before: str
) -> tuple[Part, float] | None:
    """Return the events of these tasks, and which share of the first ones belongs to them.

    ``word`` and ``before`` make the plain name of the tasks. The key of their events is a task's, or one of just this
    table's rows. A table of events that are all of others comes last.
    """
    owns = ("task", word.removesuffix("s"), (before + word).removesuffix("s"))
    others: tuple[Part, float] | None = None
    for name in _names_of("events", before):
        events = _named(connection, "events", tables, name)
        key = "" if events is None else _plain(events.column("task_id") or "")
        if events is not None and key.removesuffix("_id") in owns:
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
    known = _plain_columns(table)
    taken: set[str] = set()
    for ours in COLUMNS[name]:
        others = _COLUMNS[name].get(ours, ())
        column = next((known[each] for each in (ours, *others) if known.get(each) not in (None, *taken)), None)
        if column is not None:
            taken.add(column)
            yield ours, table.columns[column]


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
