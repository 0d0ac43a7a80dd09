"""Where the rows of a damaged table can be read again, by their rowids."""

from collections.abc import Callable
from typing import Final

_LAST_ROWID: Final = (1 << 63) - 1


def first_readable(reads: Callable[[int], tuple[bool, bool]], behind: int) -> int | None:
    """Return the first rowid above ``behind`` from which on rows can be read, or None: in steps that double, halved.

    ``reads`` says of a rowid whether no damage is met from it on, and whether a row is there.
    """
    bad, step = behind, 1
    good = behind
    while good == bad:
        candidate = min(behind + step, _LAST_ROWID)
        if reads(candidate)[0]:
            good = candidate
        elif candidate == _LAST_ROWID:
            return None
        else:
            bad = good = candidate
        step *= 2
    while good - bad > 1:
        middle = (bad + good) // 2
        if reads(middle)[0]:
            good = middle
        else:
            bad = middle
    return good if reads(good)[1] else None
