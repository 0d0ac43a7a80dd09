"""Which rows go and which come when a list becomes another one: what a table needs to change without a reset.

Linear in the rows: thousands of tasks can be left over, and under a service at work the list is made anew several times
a second.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

Run = tuple[int, int]
"""The first and the last row of neighbours."""


@dataclass(frozen=True, slots=True)
class RowEdits:
    """First the rows that go, then those that come; what is left keeps its order."""

    removed: tuple[Run, ...]
    """In rows of the old list, from the bottom up, so that each run still has its numbers when its turn comes."""
    inserted: tuple[Run, ...]
    """In rows of the new list, from the top down."""


def row_edits(old: Sequence[Hashable], new: Sequence[Hashable]) -> RowEdits:
    """Return the edits that make the keys ``old`` into the keys ``new``; no key stands twice in either.

    A key that stands before one it stood behind is taken away and put in anew.
    """
    place_of = {key: place for place, key in enumerate(new)}
    kept: set[Hashable] = set()
    gone = []
    last = -1
    for row, key in enumerate(old):
        place = place_of.get(key, -1)
        if place > last:
            last = place
            kept.add(key)
        else:
            gone.append(row)
    come = [row for row, key in enumerate(new) if key not in kept]
    return RowEdits(tuple(reversed(list(runs(gone)))), tuple(runs(come)))


def runs(rows: Iterable[int]) -> Iterable[Run]:
    """Yield the runs of neighbours in rising ``rows``."""
    first = last = None
    for row in rows:
        if first is None or last is None or row != last + 1:
            if first is not None and last is not None:
                yield first, last
            first = row
        last = row
    if first is not None and last is not None:
        yield first, last
