"""Rows of text in aligned columns, as wide as what they hold, or as the terminal."""

import itertools
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_GAP: Final = "  "
_NARROWEST: Final = 8
"""A column that gives way keeps at least this much of its text."""
_WIDEST: Final = 200
"""Of so many characters of a cell the others in its column are aligned by: one id may be longer than all rows."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its word, and how it behaves."""

    word: str
    right: bool = False
    """Numbers stand at the right edge."""
    gives_way: bool = False
    """Whether the column is cut where the terminal is narrower than the table."""
    at_least: int = 0
    """The width that the column has also where its rows are shorter: more rows may follow."""


def terminal_width() -> int | None:
    """Return the columns of the terminal that standard output is, or None where it is no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None if sys.stdout.isatty() else None
    except (AttributeError, OSError, ValueError):
        # Closed before the start (None), or a stream without a file: no terminal.
        return None


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int | None) -> tuple[int, ...]:
    """Return the width of each column for these rows. Only those that give way are narrowed to fit into ``limit``.

    What is longer than 200 characters widens its column by those alone, and its own line by the rest.
    """
    widths = [
        max(column.at_least, cells_of(column.word), *(cells_of(row[at][:_WIDEST]) for row in rows), 0)
        for at, column in enumerate(columns)
    ]
    if limit is None:
        return tuple(widths)

    def narrowed(most: int) -> tuple[int, ...]:
        return tuple(
            min(width, most) if column.gives_way else width for column, width in zip(columns, widths, strict=True)
        )

    # The widest give way first, down to one common width.
    room = limit - len(_GAP) * (len(columns) - 1)
    fitting = (narrowed(most) for most in range(max(widths), _NARROWEST, -1))
    return next((tried for tried in fitting if sum(tried) <= room), narrowed(_NARROWEST))


def line_of(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str], limit: int | None) -> str:
    """Return one row of visible text as a line: aligned, cut where a column gave way, never wider than ``limit``."""
    parts = []
    for column, width, cell in zip(columns, widths, cells, strict=True):
        text = cell if limit is None or not column.gives_way else cut(cell, width)
        space = " " * (width - cells_of(text[:_WIDEST]))
        parts.append(space + text if column.right else text + space)
    line = _GAP.join(parts).rstrip()
    return line if limit is None else cut(line, limit)


def aligned(columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int | None) -> list[str]:
    """Return the words of the columns and the rows as lines."""
    widths = widths_of(columns, rows, limit)
    words = [column.word for column in columns]
    return [line_of(columns, widths, cells, limit) for cells in itertools.chain([words], rows)]


def cells_of(text: str) -> int:
    """Return how many cells of a terminal the text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def cut(text: str, width: int) -> str:
    """Return as much of the text as stands in ``width`` cells; where it is cut it ends with two dots."""
    if all(used <= width for used in _running_cells(text)):
        return text
    room = width - 2
    kept = list(itertools.takewhile(lambda used: used[1] <= room, zip(text, _running_cells(text), strict=True)))
    return "".join(character for character, _ in kept) + ".."[:width]


def _running_cells(text: str) -> Iterable[int]:
    return itertools.accumulate(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
