"""A layout that is not ours as TEMP views on the connection that reads it, named as our tables.

Unqualified names lead to them first, so all questions are asked as of the native layout, and SQLite flattens most of
them to the file's own tables and indexes. Nothing of a description becomes SQL but quoted names and quoted texts.
"""

from collections.abc import Mapping
from typing import Final

from inspector.layout.description import COLUMNS, TIMES, Description, Part, TimeFormat
from inspector.layout.visible import shortened
from inspector.lmsp.values import value
from inspector.reading.generated import virtual_sentence
from inspector.reading.tables import quoted

NUMBER: Final = "_number"
"""The column of a view that stands for a rowid."""

NUL: Final = "\\x00"
"""What stands for a NUL in a line: SQLite ends a text of JSON there."""

_FIRST_S: Final = -62_135_596_800
_LAST_S: Final = 253_402_300_799
"""The years 1 to 9999 in Unix seconds: what is beyond them is told as it is stored, and is not divided."""

NATIVE_NAMES: Final = {"tasks": "tasks", "events": "task_events", "models": "models", "responses": "responses"}
"""The native table of each part of a description."""


@value
class Found:
    """A real table of the file, as far as it may be read."""

    name: str
    source: str
    """Where it is read, for a FROM."""
    columns: Mapping[str, str]
    """The name of each column as it is spelled, by its name in lower case; VIRTUAL ones are not among them."""
    rowid: str | None
    virtual: frozenset[str] = frozenset()
    """The VIRTUAL columns, in lower case."""
    order: tuple[str, ...] = ()
    """What its rows stand in the order of, in SQL: its rowid, else its key."""


@value
class View:
    """One view: the SELECT that makes it, the columns that are more than NULL, and whether it has NUMBER."""

    sql: str
    columns: frozenset[str]
    numbered: bool
    worked_out: frozenset[str] = frozenset()
    """Those of ``columns`` that stand for numbers which nobody stored."""
    order: tuple[str, ...] = ()
    """The columns, beside those, in whose order events without numbers stand; of lines what their table's rows do."""


def views_of(
    description: Description, tables: Mapping[str, Found], *, counts_events: bool = False
) -> tuple[dict[str, View], dict[str, str]]:
    """Return the views by the names of our tables, and for each part that cannot be had the reason.

    ``tables`` are those of the file by their names in lower case. A part without a table is an empty view.
    ``counts_events``: an index finds the events of a task, so that the last of them can be asked for in lists.
    """
    views: dict[str, View] = {}
    missing: dict[str, str] = {}
    parts = description.parts()
    for name, native in NATIVE_NAMES.items():
        part = parts.get(name)
        table = None if part is None else tables.get(part.table.lower())
        if part is None:
            missing[name] = f"The layout “{description.name}” has no {name}."
        elif table is None:
            missing[name] = f"There is no table {shortened(part.table)}."
        else:
            lacking = _lacking(part, table)
            if lacking:
                is_virtual = lacking[0].lower() in table.virtual
                no_column = f"The table {shortened(part.table)} has no column {shortened(lacking[0])}."
                missing[name] = virtual_sentence(part.table, lacking[0]) if is_virtual else no_column
            else:
                given = _last_seq(part, table, parts.get("events"), tables, counts_events) if name == "tasks" else {}
                views[native] = _view(name, part, table, given)
                continue
        if native in ("tasks", "task_events"):
            views[native] = _empty(COLUMNS[name])
    return views, missing


def fits(description: Description, tables: Mapping[str, Found]) -> bool:
    """Say whether every table and column that the description names is there."""
    return all(
        part.table.lower() in tables and not _lacking(part, tables[part.table.lower()])
        for part in description.parts().values()
    )


def _lacking(part: Part, table: Found) -> list[str]:
    named = [part.column("task_id") or "", part.lines] if part.lines else [theirs for _, theirs in part.columns]
    named += list(part.order)
    if part.feed not in (None, "rowid"):
        named.append(part.feed or "")
    return [each for each in named if each.lower() not in table.columns]


def _empty(columns: tuple[str, ...]) -> View:
    nothing = ", ".join(f"NULL AS {column}" for column in columns)
    return View(f"SELECT {nothing}, NULL AS {NUMBER} WHERE 0", frozenset(), numbered=False)


@value
class _Given:
    """SQL for a column that is told in another way than by a column of its table."""

    sql: str
    is_stored: bool
    """Whether its number is stored in another table; else it is worked out."""


def _view(name: str, part: Part, table: Found, given: Mapping[str, _Given]) -> View:
    """Return the view of a part."""
    if part.lines is not None:
        return _lines_view(part, table)
    selected = []
    for ours in COLUMNS[name]:
        theirs = part.column(ours)
        stored = None if theirs is None else quoted(table.columns[theirs.lower()])
        if stored is None and ours in given:
            selected.append(f"{given[ours].sql} AS {ours}")
        else:
            selected.append(f"{_converted(part, ours, stored)} AS {ours}")
    is_log = name == "events"
    number = _feed(part, table) if is_log else table.rowid
    order = {f"_order_{at}": each for at, each in enumerate(_order(part, table) if is_log else ())}
    selected += [f"{each} AS {column}" for column, each in order.items()]
    stored_columns = frozenset(dict(part.columns))
    columns = stored_columns.union(given, ["seq"] if is_log else [])
    sql = f"SELECT {', '.join(selected)}, {number or 'NULL'} AS {NUMBER} FROM {table.source} AS t"  # noqa: S608  quoted names
    elsewhere = {ours for ours, found in given.items() if found.is_stored}
    worked_out = columns - stored_columns - elsewhere
    return View(sql, columns, numbered=number is not None, worked_out=worked_out, order=tuple(order))


def _order(part: Part, table: Found) -> tuple[str, ...]:
    """Return what events without numbers stand in the order of: the described columns, else how they were written."""
    if part.order:
        return (*(quoted(table.columns[each.lower()]) for each in part.order), *table.order)
    seq, feed = part.column("seq"), _feed(part, table)
    if seq is not None and table.rowid is None:
        # Nothing tells how they were written; numbers that are stored as texts rise as numbers.
        return (f"CAST({quoted(table.columns[seq.lower()])} AS NUMERIC)", *table.order)
    return table.order if feed in (None, table.rowid) else (feed or "", *table.order)


def _last_seq(
    tasks: Part, table: Found, events: Part | None, tables: Mapping[str, Found], counts_events: bool
) -> dict[str, _Given]:
    """Return the number of a task's last event, else how many events it has, where that can be told in a list."""
    log = None if events is None else tables.get(events.table.lower())
    if events is None or log is None or _lacking(events, log):
        return {}
    if events.lines is not None:
        if log.name != table.name:
            return {}
        lines = f"json_array_length({_array_of_lines(quoted(log.columns[events.lines.lower()]))})"
        return {"last_seq": _Given(lines, is_stored=False)}
    if not counts_events:
        return {}
    seq = events.column("seq")
    counted = "count(*)" if seq is None else f"max(e.{quoted(log.columns[seq.lower()])})"
    task = quoted(log.columns[(events.column("task_id") or "").lower()])
    own = quoted(table.columns[(tasks.column("id") or "").lower()])
    sql = (
        f"(SELECT {counted} FROM {log.source} AS e "  # noqa: S608  quoted names
        f"WHERE e.{task} = t.{own})"
    )
    return {"last_seq": _Given(sql, is_stored=seq is not None)}


def _feed(part: Part, table: Found) -> str | None:
    if part.feed is None:
        return None
    return table.rowid if part.feed == "rowid" else quoted(table.columns[part.feed.lower()])


def _lines_view(part: Part, table: Found) -> View:
    task = quoted(table.columns[(part.column("task_id") or "").lower()])
    log = f"t.{quoted(table.columns[(part.lines or '').lower()])}"
    selected = [f"t.{task} AS task_id", "e.key + 1 AS seq", *line_columns(part)[1:]]
    columns = frozenset({"task_id", "seq", "data", *(ours for ours, _ in part.columns)})
    sql = (
        f"SELECT {', '.join(selected)}, NULL AS {NUMBER} FROM {table.source} AS t, "  # noqa: S608  the same
        f"json_each({_array_of_lines(log)}) AS e WHERE e.value <> ''"
    )
    return View(sql, columns, numbered=False, worked_out=frozenset({"seq"}), order=table.order)


def line_columns(part: Part) -> list[str]:
    """Return SQL for the columns of an event from its number on, of the line ``e.value``; the last is its data."""
    selected = []
    for ours in COLUMNS["events"][1:]:
        key = part.column(ours)
        if ours == "data":
            selected.append("e.value AS data")
        elif key is None:
            selected.append(f"NULL AS {ours}")
        else:
            path = quoted_text("$." + _path_key(key))
            stored = f"CASE WHEN json_valid(e.value) THEN json_extract(e.value, {path}) END"
            selected.append(f"{_converted(part, ours, f'({stored})')} AS {ours}")
    return selected


def _array_of_lines(log: str) -> str:
    """Return SQL for an array of JSON whose texts are the lines of ``log``, each as stored, broken ones as well."""
    # No character of control is left within a text of JSON: one of them can stand for a backslash meanwhile.
    array = f"json_quote(rtrim(CAST({log} AS TEXT), char(10)))"
    for stored, instead in (
        ("'\\\\'", "char(1)"),
        ("'\\n'", "'\",\"'"),
        ("'\\u0000'", f"char(1) || {quoted_text(NUL[1:])}"),
        ("char(1)", "'\\\\'"),
    ):
        array = f"replace({array}, {stored}, {instead})"
    return f"CASE WHEN coalesce({log}, '') = '' THEN '[]' ELSE '[' || {array} || ']' END"


def _path_key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else '"' + key.replace('"', "") + '"'


def _converted(part: Part, ours: str, stored: str | None) -> str:
    if stored is None:
        return "NULL"
    if ours == "status" and part.statuses:
        whens = " ".join(f"WHEN {quoted_text(found)} THEN {quoted_text(status)}" for found, status in part.statuses)
        return f"CASE CAST({stored} AS TEXT) {whens} ELSE {stored} END"
    if ours in TIMES:
        return _time(part, stored)
    return stored


def _time(part: Part, stored: str) -> str:
    """Return SQL for Unix milliseconds; what is no time of the format stays as it is stored, a number as its text."""
    match part.times:
        case TimeFormat.UNIX_MS:
            return stored
        case TimeFormat.UNIX_S:
            whole, real = f"{stored} * 1000", f"CAST(round({stored} * 1000.0) AS INTEGER)"
            fits = _is_within(stored, 1)
        case TimeFormat.UNIX_US:
            whole, real = f"{stored} / 1000", f"CAST({stored} / 1000 AS INTEGER)"
            fits = _is_within(stored, 1_000_000)
        case TimeFormat.UNIX_NS:
            whole, real = f"{stored} / 1000000", f"CAST({stored} / 1000000 AS INTEGER)"
            fits = _is_within(stored, 1_000_000_000)
        case TimeFormat.ISO:
            return _iso(part, stored)
    kind = f"typeof({stored})"
    is_time = f"{kind} IN ('integer', 'real') AND {fits}"
    converted = f"CASE {kind} WHEN 'integer' THEN {whole} ELSE {real} END"
    return f"CASE WHEN {is_time} THEN {converted} ELSE {_as_stored(stored)} END"


def _is_within(stored: str, a_second: int) -> str:
    """Return SQL for whether a number is in the calendar; ``a_second`` is how many of its units are one."""
    # SQLite takes a number beyond its integers for a REAL: so do the limits in nanoseconds, and each integer is within.
    last = f"{_LAST_S}.999" if a_second == 1 else str((_LAST_S + 1) * a_second - 1)
    return f"{stored} BETWEEN {_FIRST_S * a_second} AND {last}"


def _iso(part: Part, stored: str) -> str:
    day = (
        f"CASE WHEN {stored} GLOB '*Z' OR {stored} GLOB '*[+-][0-9][0-9]:[0-9][0-9]' THEN {stored} "
        f"WHEN {stored} GLOB '*:*[+-][0-9][0-9][0-9][0-9]' "
        f"THEN substr({stored}, 1, length({stored}) - 2) || ':' || substr({stored}, -2) "
        f"WHEN length({stored}) = 10 THEN {stored} || 'T00:00{part.zone}' "
        f"ELSE {stored} || {quoted_text(part.zone)} END"
    )
    since = f"CAST(round((julianday({day}) - 2440587.5) * 86400000.0) AS INTEGER)"
    # SQLite takes 30 February for 1 March. Without the zero days older ones do not even notice.
    is_day = f"date(substr({stored}, 1, 10), '+0 days') = substr({stored}, 1, 10)"
    is_text = f"typeof({stored}) = 'text'"
    # An offset can lead out of the calendar on its first and its last day.
    is_edge = f"substr({stored}, 1, 10) NOT BETWEEN '0001-01-02' AND '9999-12-30'"
    is_beyond = f"{is_edge} AND {since} NOT BETWEEN {_FIRST_S * 1_000} AND {_LAST_S * 1_000 + 999}"
    told = f"CASE WHEN {is_beyond} THEN {stored} ELSE coalesce({since}, {stored}) END"
    return f"CASE WHEN {is_text} AND {is_day} THEN {told} ELSE {_as_stored(stored)} END"


def _as_stored(stored: str) -> str:
    """Return SQL for what is no time: a number as its text, so that it is not taken for milliseconds."""
    return f"CASE WHEN typeof({stored}) IN ('integer', 'real') THEN CAST({stored} AS TEXT) ELSE {stored} END"


def quoted_text(text: str) -> str:
    """Return ``text`` as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"
