"""One row for a CSV file: plain numbers, texts as stored, and nothing that a spreadsheet would run.

A spreadsheet takes a cell for a formula by its first character, also where it is quoted (faults.md T17): before a text
that begins so stands an apostrophe. Lossless is the export in lines of JSON: here a text that begins with an apostrophe
by itself cannot be told from one that got it, nor an empty text from none.
"""

from collections.abc import Sequence
from typing import Final

from inspector.handover.cells import Cell, LargeText, TakenOut

REDACTED: Final = "(redacted)"
"""Stands for a value that was taken out. No stored text that stays in such a column looks like it."""

_STARTS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_row(cells: Sequence[Cell]) -> list[str]:
    """Return the cells as texts: empty for what is not there."""
    return [_text(cell) for cell in cells]


def _text(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case int():
            return str(cell)
        case TakenOut():
            return REDACTED
        case LargeText(stored=stored):
            return guarded(stored.text)
        case str():
            return guarded(cell)


def guarded(text: str) -> str:
    """Return a text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text
