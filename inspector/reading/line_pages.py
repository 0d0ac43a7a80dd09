"""Pages of events that are the lines of one column: the column is read and cut, not taken apart for each page.

SQL has no other way to a line than through all lines before it, so a long log would cost its square.
"""

import json
import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from inspector.layout.description import Part
from inspector.layout.rows import EventRow, StoredText
from inspector.lmsp.values import value
from inspector.reading.connection import LONGEST_VALUE, ReadConnection, Row, Value
from inspector.reading.details import PREVIEW_BYTES, event_of
from inspector.reading.errors import is_too_big
from inspector.reading.in_memory import copied
from inspector.reading.mapped_views import NUL, line_columns
from inspector.reading.recognising import Shape, Table
from inspector.reading.shown_ids import stored_id
from inspector.reading.tables import quoted
from inspector.reading.values import stored_text

_MOST_BYTES: Final = 4 * LONGEST_VALUE
"""Of the lines of one task, where they stand in several rows."""


def lines_of(shape: Shape) -> Part | None:
    """Return the part of a description by which this file's events are lines of a column; None where they are not."""
    events = None if shape.description is None else shape.description.events
    return None if events is None or events.lines is None or "events" in dict(shape.missing) else events


def line_log(connection: ReadConnection, shape: Shape, part: Part, task_id: str) -> "LineLog | None":
    """Return a task's log: the lines of its row, or of its rows one after the other. None where they are too many."""
    source = copied(part.table) if part.table.lower() in shape.copied else f"main.{quoted(part.table)}"
    table = Table(source, shape.events.columns, None, is_ours=False)
    task, log = quoted(part.column("task_id") or ""), quoted(part.lines or "")
    key = stored_id(connection, table, task, task_id)
    order = f"ORDER BY {', '.join(shape.events.order)}" if shape.events.order else ""
    texts: list[bytes] = []
    size = 0

    def take(row: Row) -> bool:
        nonlocal size
        if isinstance(row[0], bytes):
            texts.append(row[0])
            size += len(row[0])
        return size <= _MOST_BYTES

    try:
        connection.each(f"SELECT CAST({log} AS TEXT) FROM {table.name} WHERE {task} = ? {order}", [key], take)  # noqa: S608
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
        return None
    return None if size > _MOST_BYTES else LineLog(connection, shape.events, part, task_id, lines_in(b"\n".join(texts)))


@value
class LineLog:
    """A log whose events are lines (see places.LogByPlaces); those that are empty are none, and have no place."""

    connection: ReadConnection
    events: Table
    part: Part
    task_id: str
    lines: tuple[bytes, ...]

    def page(self, bound: int | None, *, forward: bool, limit: int) -> tuple[list[EventRow], bool]:
        """Return the events, and whether there are others behind the bound."""
        every = len(self.lines)
        if forward:
            first = min(max(bound or 0, 0), every)
            end, is_behind = min(first + limit, every), first > 0
        else:
            end = every if bound is None else min(max(bound - 1, 0), every)
            first, is_behind = max(end - limit, 0), end < every
        events = []
        for place, line, told in self._read(first, end):
            row = (None, *told, line[:PREVIEW_BYTES], len(line))
            events.append(event_of(self.task_id, row, self.events, place))
        return events if forward else events[::-1], is_behind

    def ticks(self, after: int, limit: int) -> list[Row]:
        """Return place, type, status and time of the events behind the place ``after``."""
        return [(place, kind, status, at) for place, _, (_, kind, status, _, at) in self._read(after, after + limit)]

    def data(self, place: int, limit: int) -> StoredText | None:
        """Return the first ``limit`` bytes of a line; None where there is no such place."""
        if not 0 < place <= len(self.lines):
            return None
        line = _with_nul(self.lines[place - 1])
        return stored_text(line[:limit], len(line))

    def _read(self, first: int, end: int) -> Iterator[tuple[int, bytes, Row]]:
        """Give the lines from this index on, each with its place and its seq, type, status, attempt and time."""
        lines = [_with_nul(line) for line in self.lines[first:end]]
        if not lines:
            return
        # Bytes that are no UTF-8 pass through both as they are, and JSON takes them for letters.
        texts = json.dumps([line.decode("utf-8", "surrogateescape") for line in lines], ensure_ascii=False)
        given: Value = texts.encode("utf-8", "surrogateescape")
        sql = f"SELECT {', '.join(line_columns(self.part))} FROM json_each(CAST(? AS TEXT)) AS e ORDER BY e.key"  # noqa: S608
        rows = self.connection.rows(sql, [given])
        for place, (line, row) in enumerate(zip(lines, rows, strict=True), first + 1):
            yield place, line, row[:-1]


@lru_cache(maxsize=1)
def lines_in(text: bytes) -> tuple[bytes, ...]:
    """Return the lines that are not empty. Of the last text they are known: a log is mostly read page by page."""
    return tuple(filter(None, text.split(b"\n")))


def _with_nul(line: bytes) -> bytes:
    return line.replace(b"\0", NUL.encode())
