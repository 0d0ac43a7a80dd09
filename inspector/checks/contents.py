"""The values of all rows: SQLite finds those that are doubtful, which are then read one at a time.

Nothing but doubtful values is carried out of SQLite, so that millions of events cost little, and no more than the start
of one text is held at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from inspector.checks.content_rules import JSON_COLUMNS
from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of, is_late
from inspector.checks.rule import Tally, quoted
from inspector.checks.rulebook import ALL_CAN_BE_READ, VALUES_ARE_SMALL, Rulebook
from inspector.checks.tables import BELOW_ALL, JSON, LARGE_BYTES, LARGE_METADATA_BYTES, SIZE, Tables, quoted_name
from inspector.checks.values import Event, Stored, Task
from inspector.layout import native
from inspector.lmsp.retention import KEEP_KEY
from inspector.reading.connection import Reads, Row, Value, decoded
from inspector.reading.errors import SqliteTrouble, Unanswered, is_too_big, require_behind
from inspector.reading.values import integer, text, text_or_none

_COLUMNS_AT_ONCE: Final = 12
"""An expression of SQLite is not deep without end."""
_LABEL_CHARS: Final = 300

_NAMES: Final[dict[str, tuple[str | None, str | None, str]]] = {
    "tasks": ("id", None, "Its {}"),
    "task_events": ("task_id", "seq", "The {} of its event {}"),
    "responses": ("task_id", None, "The {} of its response"),
    "idempotency_keys": ("task_id", None, "The {} of its idempotency key"),
    "models": (None, "id", "The {} of model {}"),
    "clients": (None, "id", "The {} of client {}"),
    "service_config": (None, "key", "The {} of the configuration {}"),
}
"""For each table the column with the id of a task, the one that tells its rows apart, and what a value is called."""

_TOLD_BY_THEIR_TYPE: Final = {"tasks": frozenset(Task._fields), "task_events": frozenset(Event._fields)}
_SIZED: Final = frozenset({"responses", "idempotency_keys", "clients", "service_config"})
"""The tables whose large values nobody else tells of."""

# json_valid takes a NUL for the end of a text, Python does not.
_NO_JSON: Final = "typeof({0}) = 'text' AND (NOT json_valid({0}) OR instr({0}, char(0)) > 0)"
_NO_HEX: Final = "typeof({0}) = 'text' AND (length(CAST({0} AS BLOB)) <> {1} OR substr({0}, {2}) GLOB '*[^0-9a-f]*')"
_DOUBTS: Final = {
    "clients.scopes": "typeof({0}) = 'text'",
    "clients.token_hash": _NO_HEX.format("{0}", 64, 1),
    "idempotency_keys.request_digest": f"{_NO_HEX.format('{0}', 71, 8)} OR {{0}} NOT GLOB 'sha256:*'",
}
"""When a value is to be read, beside that of a column with JSON."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """Some columns of one table, and for each the condition in SQL that makes a value of it doubtful."""

    columns: tuple[str, ...]
    conditions: tuple[str, ...]


def check_contents(
    ask: Callable[[Callable[[Reads], Any]], Any], tables: Tables, book: Rulebook, rows_at_once: int
) -> Iterator[list[Finding]]:
    """Give what is found in each table, with an empty list for each range of rows on the way."""
    for table in native.TABLES:
        if table in tables.by_name and (scans := _scans(tables, table)):
            yield from _Walk(ask, tables, book, table, scans).parts(rows_at_once)


class _Walk:
    """The walk over the values of one table, by rowid."""

    def __init__(
        self,
        ask: Callable[[Callable[[Reads], Any]], Any],
        tables: Tables,
        book: Rulebook,
        table: str,
        scans: list[_Scan],
    ) -> None:
        self._ask = ask
        self._tables = tables
        self._book = book
        self._table = table
        self._scans = scans
        self._tallies: dict[object, Tally] = {}
        self._unread: list[Finding] = []

    def parts(self, rows_at_once: int) -> Iterator[list[Finding]]:
        question = partial(_next_rows, tables=self._tables, table=self._table)
        after = BELOW_ALL
        try:
            # What is written after the start is left out: a service may be faster than this.
            last = self._ask(partial(_last_row, tables=self._tables, table=self._table))
            while rows := self._ask(partial(question, after=after, upto=last, most=rows_at_once)):
                require_behind(rows[-1], after, "rows")
                self._take(after, rows)
                after = rows[-1]
                yield []
        except (*SqliteTrouble, Unanswered) as error:
            sentence = f"The values of the table {self._table} cannot be read. {damage_of(error)}"
            self._unread.append(ALL_CAN_BE_READ.finding(None, sentence))
        yield [finding for tally in self._tallies.values() for finding in tally.findings()] + self._unread

    def _take(self, after: int, rows: list[int]) -> None:
        for rowid, column in self._doubtful(after, rows):
            try:
                stored, task_id = self._ask(
                    partial(_stored, tables=self._tables, table=self._table, rowid=rowid, column=column)
                )
            except (*SqliteTrouble, Unanswered) as error:
                self._cannot_read(rowid, damage_of(error))
                continue
            if stored is None:
                continue
            owner = rowid if _NAMES[self._table][0] is None else task_id
            tally = self._tallies.setdefault(owner, Tally(task_id))
            if stored.size is not None and stored.size <= stored.limit:
                tally.ask(self._book.content, stored)
            elif self._table in _SIZED or stored.kind == "blob":
                tally.add(VALUES_ARE_SMALL, f"{stored.name} is larger than {stored.limit >> 20} MiB.")

    def _doubtful(self, after: int, rows: list[int]) -> Iterator[tuple[int, str]]:
        """Give the values that are to be read; where a range cannot be asked about as one, row by row."""
        for scan in self._scans:
            try:
                yield from self._ask(
                    partial(_doubtful_of, tables=self._tables, table=self._table, scan=scan, after=after, last=rows[-1])
                )
            except (*SqliteTrouble, Unanswered) as error:
                if not is_late(error):
                    damage_of(error)
                for rowid in rows:
                    try:
                        yield from self._ask(
                            partial(_doubtful_in, tables=self._tables, table=self._table, scan=scan, rowid=rowid)
                        )
                    except (*SqliteTrouble, Unanswered) as damage:
                        self._cannot_read(rowid, damage_of(damage))

    def _cannot_read(self, rowid: int, damage: str) -> None:
        sentence = f"Row {rowid} of the table {self._table} cannot be read. {damage}"
        self._unread.append(ALL_CAN_BE_READ.finding(None, sentence))


def _scans(tables: Tables, table: str) -> list[_Scan]:
    names = sorted(tables.by_name[table].columns)
    told = [(name, " OR ".join(f"({part})" for part in _conditions(tables, table, name))) for name in names]
    asked = [(name, condition) for name, condition in told if condition]
    some = [asked[start : start + _COLUMNS_AT_ONCE] for start in range(0, len(asked), _COLUMNS_AT_ONCE)]
    return [_Scan(tuple(name for name, _ in part), tuple(condition for _, condition in part)) for part in some]


def _conditions(tables: Tables, table: str, name: str) -> Iterator[str]:
    need = f"{table}.{name}"
    column = f"{table}.{quoted_name(name)}"
    if table != "models" and name not in _TOLD_BY_THEIR_TYPE.get(table, ()):
        yield f"typeof({column}) = 'blob'"
    if table in _SIZED:
        yield f"coalesce({SIZE.format(column)} > {_limit(need)}, 0)"
    if need in JSON_COLUMNS and tables.has(JSON):
        yield _NO_JSON.format(column)
    if need in _DOUBTS and tables.has(need):
        yield _DOUBTS[need].format(column)
    if need == "service_config.value" and tables.has("service_config.key"):
        yield f"service_config.key = '{KEEP_KEY}'"


def _limit(need: str) -> int:
    return LARGE_METADATA_BYTES if need == "clients.scopes" else LARGE_BYTES


def _last_row(reads: Reads, tables: Tables, table: str) -> int:
    rows = reads.rows(f"SELECT max({tables.rowid(table)}) FROM {table}")  # noqa: S608  names of ours
    found = rows[0][0]
    return found if isinstance(found, int) else BELOW_ALL


def _next_rows(reads: Reads, tables: Tables, table: str, after: int, upto: int, most: int) -> list[int]:
    rowid = tables.rowid(table)
    rows = reads.rows(
        f"SELECT {rowid} FROM {table} WHERE {rowid} > ? AND {rowid} <= ? ORDER BY {rowid} LIMIT ?",  # noqa: S608
        [after, upto, most],
    )
    return [integer(found) for (found,) in rows]


def _doubtful_of(reads: Reads, tables: Tables, table: str, scan: _Scan, after: int, last: int) -> list[tuple[int, str]]:
    rowid = tables.rowid(table)
    rows = reads.rows(
        f"""
        SELECT {rowid}, {", ".join(scan.conditions)} FROM {table}
        WHERE {rowid} > ? AND {rowid} <= ? AND ({" OR ".join(scan.conditions)})""",  # noqa: S608  quoted names
        [after, last],
    )
    return [
        (integer(at), name) for at, *doubts in rows for name, doubt in zip(scan.columns, doubts, strict=True) if doubt
    ]


def _doubtful_in(reads: Reads, tables: Tables, table: str, scan: _Scan, rowid: int) -> list[tuple[int, str]]:
    """Return the doubtful values of one row, with those that are too large to be asked about."""
    found = []
    for name, condition in zip(scan.columns, scan.conditions, strict=True):
        sql = f"SELECT 1 FROM {table} WHERE {tables.rowid(table)} = ? AND ({condition})"  # noqa: S608  quoted names
        rows = _rows_that_fit(reads, sql, [rowid])
        if rows is None or rows:
            found.append((rowid, name))
    return found


def _stored(reads: Reads, tables: Tables, table: str, rowid: int, column: str) -> tuple[Stored | None, str | None]:
    """Return one value, None where its row is gone, and the id of the task that it belongs to."""
    task, label, name = _NAMES[table]
    with reads.one_moment():
        task_id = None if task is None else text_or_none(_short(reads, tables, table, rowid, task))
        told = None if label is None else _short(reads, tables, table, rowid, label)
        called = name.format(column, quoted(told))
        need = f"{table}.{column}"
        value = f"{table}.{quoted_name(column)}"
        owner = None if told is None else text(told)
        rows = _rows_that_fit(
            reads,
            f"""
            SELECT typeof({value}), {SIZE.format(value)},
                   CASE WHEN typeof({value}) = 'text' AND {SIZE.format(value)} <= {_limit(need)}
                        THEN substr(CAST({value} AS BLOB), 1, {LARGE_METADATA_BYTES}) END
            FROM {table} WHERE {tables.rowid(table)} = ?""",  # noqa: S608  quoted names
            [rowid],
        )
    if rows is None:
        return Stored(need, called, owner, "", None, _limit(need), None), task_id
    if not rows:
        return None, task_id
    kind, size, start = rows[0]
    # Of a long text the start is enough: SQLite has said already that the whole is no JSON.
    readable = kind == "text" and integer(size) <= _limit(need)
    # The start of an empty one is NULL.
    found = decoded(start if isinstance(start, bytes) else b"") if readable else None
    return Stored(need, called, owner, text(kind), integer(size), _limit(need), found), task_id


def _short(reads: Reads, tables: Tables, table: str, rowid: int, name: str) -> Value:
    column = tables.column(f"{table}.{name}", "NULL")
    sql = f"""
        SELECT CASE typeof({column}) WHEN 'text' THEN substr({column}, 1, {_LABEL_CHARS})
                                     WHEN 'integer' THEN {column} END
        FROM {table} WHERE {tables.rowid(table)} = ?"""  # noqa: S608  names of ours
    rows = _rows_that_fit(reads, sql, [rowid])
    return rows[0][0] if rows else None


def _rows_that_fit(reads: Reads, sql: str, parameters: list[Value]) -> list[Row] | None:
    """Return the rows of a statement, or None where a value of them is too large to be read."""
    try:
        return reads.rows(sql, parameters)
    except SqliteTrouble as error:
        if not is_too_big(error):
            raise
    return None
