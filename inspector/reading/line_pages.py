"""Pages of events that are the lines of one column: the column is read and cut, not taken apart for each page.

SQL has no other way to a line than through all lines before it, so a long log would cost its square.
"""

import json
import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, islice

from inspector.layout.description import Part
from inspector.layout.rows import EventRow
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection
from inspector.reading.details import PREVIEW_BYTES, event_of
from inspector.reading.errors import is_too_big
from inspector.reading.mapped_views import NUL, line_columns
from inspector.reading.recognising import Shape
from inspector.reading.shown_ids import stored_id
from inspector.reading.tables import quoted


@value
class LinesAsked:
    """Which events: the first ``limit`` of a task after a number, or the last before it; without one from an end on."""

    task_id: str
    bound: int | None
    forward: bool
    limit: int


def lines_of(shape: Shape) -> Part | None:
    """Return the part of a description by which this file's events are lines of a column; None where they are not."""
    events = None if shape.description is None else shape.description.events
    return None if events is None or events.lines is None or "events" in dict(shape.missing) else events


def line_page(
    connection: ReadConnection, shape: Shape, part: Part, asked: LinesAsked
) -> tuple[list[EventRow], bool] | None:
    """Return the events, and whether there are others behind the bound.

    None where a task's lines stand in several rows, or are more than SQLite hands out.
    """
    table = replace(shape.events, name=f"main.{quoted(part.table)}")
    task, log = quoted(part.column("task_id") or ""), quoted(part.lines or "")
    key = stored_id(connection, table, task, asked.task_id)
    try:
        found = connection.rows(f"SELECT CAST({log} AS TEXT) FROM {table.name} WHERE {task} = ? LIMIT 2", [key])  # noqa: S608
    except sqlite3.DataError as error:
        if not is_too_big(error):
            raise
        return None
    if len(found) > 1:
        return None
    text = str(found[0][0] or "").rstrip("\n") if found else ""
    ends = ends_of(text)
    places = list(islice(_places(ends, asked), asked.limit))
    lines = [text[ends[at] + at : ends[at + 1] + at].replace("\0", NUL) for at in places]
    sql = f"SELECT {', '.join(line_columns(part))} FROM json_each(?) AS e ORDER BY e.key"  # noqa: S608  quoted names
    rows = connection.rows(sql, [json.dumps(lines, ensure_ascii=False)]) if lines else []
    events = []
    for at, line, (*told, _) in zip(places, lines, rows, strict=True):
        data = line.encode()
        events.append(event_of(asked.task_id, (None, at + 1, *told, data[:PREVIEW_BYTES], len(data)), shape.events))
    return events, _is_behind(ends, asked)


@lru_cache(maxsize=1)
def ends_of(text: str) -> "array[int]":
    """Return how many characters stand in the lines before each line, and in all; line ends are not counted.

    Of the last text that was asked for it is known: a log is mostly read page by page.
    """
    return array("I", accumulate(map(len, text.split("\n")), initial=0))


def _places(ends: "array[int]", asked: LinesAsked) -> Iterator[int]:
    """Give the places, from 0 on, of the lines that are not empty, from the bound on."""
    last = len(ends) - 1
    if asked.forward:
        at = 0 if asked.bound is None else min(max(asked.bound, 0), last)
        while (at := bisect_right(ends, ends[at]) - 1) < last:
            yield at
            at += 1
    else:
        at = last if asked.bound is None else min(max(asked.bound - 1, 0), last)
        while (at := bisect_left(ends, ends[at]) - 1) >= 0:
            yield at


def _is_behind(ends: "array[int]", asked: LinesAsked) -> bool:
    if asked.bound is None:
        return False
    last = len(ends) - 1
    if asked.forward:
        return ends[min(max(asked.bound, 0), last)] > 0
    return ends[last] > ends[min(max(asked.bound - 1, 0), last)]
