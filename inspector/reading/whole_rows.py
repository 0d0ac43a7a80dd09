"""Whole tables, page by page in the order of their row numbers, around damage: what an export goes through.

By the numbers alone and without an index: so each row comes once, also one whose id another row has, or whose task is
not there.
"""

import sqlite3
from collections.abc import Mapping
from typing import Final

from inspector.layout.pages import PAGE_ROWS
from inspector.layout.rows import TOO_LARGE, EventRow, ModelRow, ResponseRow, StoredText, TaskDetail
from inspector.layout.whole import Part, PartEnd, PartEnds, WholePage
from inspector.lmsp.values import value
from inspector.reading.connection import LONGEST_VALUE, ReadConnection, Row, StoredBytes, Value, decoded
from inspector.reading.details import event_of
from inspector.reading.errors import SqliteTrouble, around_damage, is_damage, is_too_big
from inspector.reading.model_list import model_row
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table
from inspector.reading.requests import WHOLE_PAGE_BYTES, WholePageRequest
from inspector.reading.rowids import first_readable
from inspector.reading.salvage import UNREADABLE
from inspector.reading.shown_ids import shown_id
from inspector.reading.task_rows import task_row
from inspector.reading.values import integer, integer_or_none, odd_ones, stored_text, text, text_or_none, untold

_BEFORE_ALL: Final = -(1 << 63)

_LONGEST_BLOB: Final = 4 << 20
"""Of a longer one the first half of this is told."""

_SHORT: Final[Mapping[Part, tuple[str, ...]]] = {
    Part.TASKS: TASK_COLUMNS,
    Part.EVENTS: ("task_id", "seq", "type", "status", "attempt", "created_at"),
    Part.RESPONSES: ("id", "task_id", "client_id", "model_id", "status", "created_at", "expires_at"),
    Part.MODELS: ("id", "name", "digest", "size_bytes", "path", "format", "metadata", "added_at"),
}
_TEXTS: Final[Mapping[Part, tuple[str, ...]]] = {
    Part.TASKS: ("request", "snapshot", "error_message"),
    Part.EVENTS: ("data",),
    Part.RESPONSES: ("body",),
    Part.MODELS: (),
}
"""What can be long, and is secret: it stands behind the others."""


def part_ends(connection: ReadConnection, shape: Shape) -> PartEnds:
    """Return where the tables end, as of one moment."""
    by_task = _events_by_task(shape)
    with connection.one_moment():
        ends = tuple(
            PartEnd(part, None if by_task and part is Part.EVENTS else _last(connection, table))
            for part in Part
            if (table := _table(shape, part)) is not None
        )
    return PartEnds(ends, by_task)


def whole_page(connection: ReadConnection, shape: Shape, request: WholePageRequest) -> WholePage:
    """Return the next rows of a table. Raises sqlite3.Error for anything but damage."""
    table = _table(shape, request.part)
    if table is None:
        return WholePage((), None)
    asked = _Asked(table, request)
    found = _numbered(connection, asked) if table.rowid is not None else _counted(connection, asked)
    rows = tuple(_made(request.part, row, request.texts, table) for row in found.rows)
    return WholePage(rows, found.after, found.damage)


def _events_by_task(shape: Shape) -> bool:
    # Of a layout of others the order of a task's log is known, and not always one of all events.
    return shape.events.rowid is None or shape.description is not None


def _table(shape: Shape, part: Part) -> Table | None:
    match part:
        case Part.MODELS:
            return shape.models
        case Part.TASKS:
            return shape.tasks
        case Part.RESPONSES:
            return shape.responses
        case Part.EVENTS:
            return shape.events


def _last(connection: ReadConnection, table: Table) -> int | None:
    if table.rowid is None:
        return None
    sql = f"SELECT max({table.rowid}) FROM {table.name} NOT INDEXED"  # noqa: S608  names of ours
    return around_damage(lambda: integer(connection.value(sql)), lambda: None)


@value
class _Found:
    rows: list[Row]
    """The number first, a text as its bytes."""
    after: int | None
    damage: str = ""


class _Asked:
    """What is read of a table, and where."""

    def __init__(self, table: Table, request: WholePageRequest) -> None:
        self.table = table
        self.after = request.after
        self.up_to = request.up_to
        self.short = _SHORT[request.part]
        self.texts = _TEXTS[request.part]
        self.with_texts = request.texts
        shown = [column if request.texts else f"({column} IS NOT NULL)" for column in self.texts]
        there = [
            expression if column in table.columns else "NULL"
            for column, expression in zip(self.texts, shown, strict=True)
        ]
        self.columns = ", ".join([table.select(*self.short), *there])

    def from_number(self, start: int, limit: int) -> tuple[str, dict[str, Value]]:
        """Return the statement for the rows from a number on."""
        number = self.table.rowid
        bound = "" if self.up_to is None else f"AND {number} <= :up_to"
        sql = (
            f"SELECT {number}, {self.columns} FROM {self.table.name} NOT INDEXED "  # noqa: S608  names of ours
            f"WHERE {number} >= :start {bound} ORDER BY {number} LIMIT :limit"
        )
        values: dict[str, Value] = {"start": start, "limit": limit}
        return sql, values if self.up_to is None else values | {"up_to": self.up_to}


class _Taken:
    """Rows one by one, until they are a page."""

    def __init__(self, behind: int) -> None:
        self.rows: list[Row] = []
        self.goes_back = False
        """Whether a number did not rise: SQLite follows a damaged tree also in a circle."""
        self._bytes = 0
        self._behind = behind

    def take(self, row: Row) -> bool:
        """Take a row, and say whether there is room for another one."""
        number = integer(row[0])
        if number < self._behind:
            self.goes_back = True
            return False
        self._behind = number + 1
        self.rows.append(row)
        self._bytes += sum(len(each) for each in row if isinstance(each, bytes))
        return self._bytes < WHOLE_PAGE_BYTES

    @property
    def is_full(self) -> bool:
        """Whether it ended because there was no more room."""
        return self._bytes >= WHOLE_PAGE_BYTES or len(self.rows) >= PAGE_ROWS


def _numbered(connection: ReadConnection, asked: _Asked) -> _Found:
    start = _BEFORE_ALL if asked.after is None else asked.after + 1
    taken = _Taken(start)
    trouble = _read(connection, asked, start, PAGE_ROWS, taken)
    if taken.rows:
        more = trouble is not None or taken.goes_back or taken.is_full
        return _Found(taken.rows, integer(taken.rows[-1][0]) if more else None)
    if trouble is None and not taken.goes_back:
        return _Found([], None)
    # The driver reads a row ahead: the first one may well be whole.
    taken = _Taken(start)
    trouble = _read(connection, asked, start, 1, taken)
    if taken.rows:
        return _Found(taken.rows, integer(taken.rows[0][0]))
    if trouble is None and not taken.goes_back:
        # A cleanup took it meanwhile.
        return _Found([], None)
    if trouble is not None and is_too_big(trouble):
        row = _value_by_value(connection, asked, start)
        return _Found([row], integer(row[0])) if row else _Found([], None)
    return _behind_damage(connection, asked, start)


def _read(connection: ReadConnection, asked: _Asked, start: int, limit: int, taken: _Taken) -> Exception | None:
    """Give the rows from ``start`` on to ``taken``; return the damage, or the value that is too large, behind them."""
    sql, values = asked.from_number(start, limit)
    try:
        connection.each(sql, values, taken.take, longest=LONGEST_VALUE)
    except SqliteTrouble as error:
        if not (is_damage(error) or is_too_big(error)):
            raise
        return error
    return None


def _behind_damage(connection: ReadConnection, asked: _Asked, start: int) -> _Found:
    def reads(number: int) -> tuple[bool, bool]:
        taken = _Taken(number)
        trouble = _read(connection, asked, number, 1, taken)
        if taken.goes_back or (trouble is not None and not is_too_big(trouble)):
            return False, False
        return True, bool(taken.rows) or trouble is not None

    again = first_readable(reads, start)
    until = "on" if again is None else f"to {again - 1:,}"
    since = "the first one" if start == _BEFORE_ALL else f"number {start:,}"
    name = asked.table.name
    damage = f"Rows of the table {name} from {since} {until} cannot be read: the file is damaged there."
    return _Found([], None if again is None else again - 1, damage)


def _value_by_value(connection: ReadConnection, asked: _Asked, start: int) -> Row:
    """Return the first row from ``start`` on, one of whose values is too large to be read as a whole; () for none."""
    table, number = asked.table, asked.table.rowid
    first = f"SELECT {number} FROM {table.name} NOT INDEXED WHERE {number} >= ? ORDER BY {number} LIMIT 1"  # noqa: S608
    at = integer_or_none(connection.value(first, [start]))
    if at is None:
        return ()
    found: list[Value] = [at]
    for column in (*asked.short, *asked.texts):
        if column not in table.columns:
            found.append(None)
            continue
        shown = f"({column} IS NOT NULL)" if column in asked.texts and not asked.with_texts else column
        sql = f"SELECT {shown} FROM {table.name} NOT INDEXED WHERE {number} = ?"  # noqa: S608  names of ours
        taken = _One()
        try:
            connection.each(sql, [at], taken.take)
        except SqliteTrouble as error:
            if not (is_damage(error) or is_too_big(error)):
                raise
            if is_damage(error):
                taken.value = StoredBytes(UNREADABLE.encode())
            elif column in asked.texts:
                taken.value = _start(connection, table, column, at)
            else:
                taken.value = StoredBytes(TOO_LARGE.encode())
        found.append(taken.value)
    return tuple(found)


class _One:
    """The only value of the only row."""

    value: Value = None

    def take(self, row: Row) -> bool:
        """Take it."""
        self.value = row[0]
        return True


class _Start(bytes):
    """The first bytes of a text that is too large."""

    whole = 0
    """How many it has."""


def _start(connection: ReadConnection, table: Table, column: str, number: int) -> _Start:
    try:
        start, whole = connection.blob_slice(table.name, column, number, LONGEST_VALUE - 1)
    except sqlite3.Error:
        # Of a view no value can be opened by itself.
        start, whole = b"", LONGEST_VALUE
    cut = _Start(start)
    cut.whole = whole
    return cut


def _counted(connection: ReadConnection, asked: _Asked) -> _Found:
    """Return the next rows of a table whose rows have no numbers: behind as many as were had."""
    had = asked.after or 0
    sql = f"SELECT 0, {asked.columns} FROM {asked.table.name} LIMIT :limit OFFSET :had"  # noqa: S608  names of ours
    rows: list[Row] = []
    size = 0

    def take(row: Row) -> bool:
        nonlocal size
        rows.append(row)
        size += sum(len(each) for each in row if isinstance(each, bytes))
        return size < WHOLE_PAGE_BYTES

    damage = ""
    try:
        connection.each(sql, {"limit": PAGE_ROWS, "had": had}, take)
    except SqliteTrouble as error:
        if not (is_damage(error) or is_too_big(error)):
            raise
        if not rows:
            why = "a value is too large" if is_too_big(error) else "the file is damaged there"
            damage = f"Rows of the table {asked.table.name} behind the first {had:,} cannot be read: {why}."
        return _Found(rows, had + len(rows) if rows else None, damage)
    more = size >= WHOLE_PAGE_BYTES or len(rows) == PAGE_ROWS
    return _Found(rows, had + len(rows) if more else None)


def _plain(given: Value) -> Value:
    return decoded(given) if isinstance(given, StoredBytes) else given


def _text(given: Value, with_texts: bool) -> tuple[Value, Value]:
    """Return the start and the length of a text; of one that was not read (1) that more of it is there."""
    if not with_texts:
        return (b"", 1) if given else (None, None)
    if isinstance(given, _Start):
        return bytes(given), given.whole
    if isinstance(given, bytes) and not isinstance(given, StoredBytes):
        return _blob(given)
    return given, len(given) if isinstance(given, bytes) else None


def _blob(stored: bytes) -> tuple[Value, Value]:
    """Return a blob where a text belongs, and its length: all of it, as SQL writes one, so that it is no JSON."""
    if len(stored) > _LONGEST_BLOB:
        return f"x'{stored[: _LONGEST_BLOB // 2].hex()}…'".encode(), len(stored) * 2
    shown = f"x'{stored.hex()}'".encode()
    return shown, len(shown)


def _made(part: Part, row: Row, with_texts: bool, table: Table) -> TaskDetail | EventRow | ResponseRow | ModelRow:
    """Return the row as what it is a row of: whatever it holds, this never raises."""
    number, *rest = row
    short = tuple(map(_plain, rest[: len(_SHORT[part])]))
    texts = [_text(each, with_texts) for each in rest[len(short) :]]
    match part:
        case Part.TASKS:
            request, snapshot, error_message = (stored_text(*each) for each in texts)
            return TaskDetail(task_row(short, table), request, snapshot, error_message, None)
        case Part.EVENTS:
            return event_of(
                None if short[0] is None else shown_id(short[0], table), (number, *short[1:], *texts[0]), table
            )
        case Part.RESPONSES:
            return _response(short, stored_text(*texts[0]), table)
        case Part.MODELS:
            return model_row(short)


def _response(row: Row, body: StoredText | None, table: Table) -> ResponseRow:
    response_id, task_id, client, model, status, created, expires = row
    return ResponseRow(
        id=text(response_id),
        task_id=shown_id(task_id, table),
        client_id=text_or_none(client),
        model_id=text_or_none(model),
        status=text(status),
        body=body or StoredText("", 0),
        created_at=integer_or_none(created),
        expires_at=integer_or_none(expires),
        odd=odd_ones((("created_at", created), ("expires_at", expires)))
        + untold((("task_id", task_id), ("body", "" if body else None))),
    )
