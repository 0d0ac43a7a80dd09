"""From an id as it is shown back to what is stored: a file of others may keep its ids as numbers or blobs.

No text looks like NULL or a blob: such a one is shown in quotes. Where a text is stored that looks like a number, that
text is meant. All of it is found by an index on the ids, where there is one. Nothing leads to a task whose id is NULL,
or is no UTF-8, which is shown escaped.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from inspector.layout.rows import NO_ID
from inspector.reading.connection import MOST_VARIABLES, ReadConnection, Value
from inspector.reading.recognising import Table
from inspector.reading.values import text

Span = tuple[Value, Value]
"""The least and the greatest of some values."""

_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")
_REAL: Final = re.compile(r"-?[0-9]+\.[0-9]+(e[+-][0-9]+)?|-?Inf")
_BLOB: Final = re.compile(r"x'(?P<pairs>([0-9a-f]{2})*)(?P<rest>'|…'|[0-9a-f]?|…)")
_LEAST: Final = -(1 << 63)
_GREATEST: Final = (1 << 63) - 1
_DIGITS: Final = 1e-14
"""A REAL is shown with 15 digits, and may differ from what they say by this part of it."""

_FIRST: Final = ("N", "x", "'")
_BEHIND_BLOB: Final = b"\xff" * 64
_MOST_ALIKE: Final = 64


_NOT_A_TEXT: Final = re.compile(r"NULL|x'.*|'.*'", re.DOTALL)
"""A text is put in quotes that would be taken for NULL, for a blob or its start, or for a text in quotes."""


def shown_id(stored: Value, table: Table) -> str:
    """Return how an id is shown that ``table`` holds, so that it is found again by it. In a table of ours as it is."""
    if table.is_ours:
        return text(stored)
    if stored is None:
        return NO_ID
    if isinstance(stored, str) and is_in_quotes(stored):
        return "'" + stored.replace("'", "''") + "'"
    return text(stored)


def is_in_quotes(stored: str) -> bool:
    """Say whether an id that is this text is shown in quotes."""
    return stored[:1] in _FIRST and _NOT_A_TEXT.fullmatch(stored) is not None


def _text_in_quotes(shown: str) -> str | None:
    """Return the text that is shown as this, in quotes; None where it is none of those."""
    inner = shown[1:-1].replace("''", "'")
    in_quotes = len(shown) > 1 and shown[0] == shown[-1] == "'" and is_in_quotes(inner)
    return inner if in_quotes else None


def spans(shown: str) -> list[Span]:
    """Return where the numbers and blobs stand that are shown as this; some others may stand there too.

    Of the start of a blob also those that begin so.
    """
    if _INTEGER.fullmatch(shown):
        number = int(shown)
        return [(number, number)] if _LEAST <= number <= _GREATEST else []
    if _REAL.fullmatch(shown):
        real = float(shown)
        least, greatest = sorted((real * (1 - _DIGITS), real * (1 + _DIGITS)))
        return [(least, greatest)]
    blob = _BLOB.fullmatch(shown)
    if blob:
        start = bytes.fromhex(blob["pairs"])
        return [(start, start if blob["rest"] == "'" else start + _BEHIND_BLOB)]
    return []


def stored_id(connection: ReadConnection, table: Table, column: str, shown: str) -> Value:
    """Return the id in ``column`` that is shown as this: the text itself, else a number or a blob that is there.

    The text also where nothing is found; None, which equals nothing, for the id that is NULL. In a table of ours all
    ids are texts, and nothing is asked.
    """
    if table.is_ours:
        return shown
    if shown == NO_ID:
        return None
    quoted = _text_in_quotes(shown)
    if quoted is not None:
        return quoted
    apart = spans(shown)
    if not apart:
        return shown
    same = f"SELECT 1 FROM {table.name} WHERE {column} = ? LIMIT 1"  # noqa: S608  names of ours
    if not is_in_quotes(shown) and connection.rows(same, [shown]):
        return shown
    sql = f"SELECT {column} FROM {table.name} WHERE {column} BETWEEN ? AND ? LIMIT {_MOST_ALIKE}"  # noqa: S608  ours
    found = (stored for span in apart for (stored,) in connection.rows(sql, span))
    return next((stored for stored in found if shown_id(stored, table) == shown), shown)


def other_ids(connection: ReadConnection, table: Table, column: str, shown: Sequence[str]) -> Iterator[Value]:
    """Give what is no plain text in ``column`` and shown as one of these. Nothing of a table of ours.

    Those that are spelled out are given also where they are not there.
    """
    for each in () if table.is_ours else shown:
        quoted = _text_in_quotes(each)
        if quoted is not None:
            yield quoted
        for least, greatest in spans(each):
            if least == greatest:
                yield least
            else:
                stored = stored_id(connection, table, column, each)
                if stored != each:
                    yield stored


def in_portions(ids: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Give ``ids`` as many at a time as one statement takes.

    The last one again and again: so there are few statements, which stay prepared.
    """
    for start in range(0, len(ids), MOST_VARIABLES):
        some = ids[start : start + MOST_VARIABLES]
        places = min(1 << (len(some) - 1).bit_length(), MOST_VARIABLES)
        yield [*some, *[some[-1]] * (places - len(some))]
