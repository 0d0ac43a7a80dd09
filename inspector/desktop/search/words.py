"""What the columns say of a hit. Pure: the moment that decides what is today is passed in."""

from datetime import tzinfo
from enum import IntEnum
from typing import Final

from inspector.desktop.widgets.cells import DIM_LEAST
from inspector.desktop.widgets.row_cells import Cell
from inspector.desktop.widgets.words import NOTHING, clock_time, grouped
from inspector.layout.pages import EventHit
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.events import implied_status

_SHOWN_CHARACTERS: Final = 300
_BLANKS: Final = str.maketrans("\n\r\t", "   ")
_DIM: Final = 1

HIDDEN: Final = "hidden"


class HitColumn(IntEnum):
    """The columns of the hits, from the left."""

    TIME = 0
    TASK = 1
    SEQ = 2
    TYPE = 3
    DATA = 4


HEADINGS: Final = ("Time", "Task", "Seq", "Type", "Data")


def hit_cells(hit: EventHit, today_ms: int | None, zone: tzinfo, *, is_covered: bool) -> tuple[Cell, ...]:
    """Return what each column shows; what the event holds only where it is not covered."""
    return (
        Cell(or_as_stored(clock_time(hit.created_at, today_ms, zone), hit.as_stored("created_at")), dim=_DIM),
        Cell(visible(hit.task_id[:_SHOWN_CHARACTERS])),
        Cell(number_words(hit.told("seq"), grouped, NOTHING)),
        # The shape of the status that the event brought, where it brought one.
        Cell(visible(hit.type[:_SHOWN_CHARACTERS]), implied_status(hit.type)),
        Cell(HIDDEN, dim=DIM_LEAST) if is_covered else excerpt_cell(hit),
    )


def excerpt_cell(hit: EventHit) -> Cell:
    """Return what stands around the text, on one line, the text marked."""
    end = hit.match_at + hit.match_length
    before, text, after = (
        visible(part.translate(_BLANKS))
        for part in (hit.excerpt[: hit.match_at], hit.excerpt[hit.match_at : end], hit.excerpt[end:])
    )
    # Where data begins or ends is not told; that of nearly all events is an object.
    if hit.match_at and not before.startswith(("{", "[")):
        before = f"…{before}"
    if after and not after.endswith(("}", "]")):
        after = f"{after}…"
    mark = (len(before), len(before) + len(text)) if text else None
    return Cell(before + text + after, dim=_DIM, mark=mark)
