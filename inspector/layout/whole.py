"""Rows of whole tables with all that is stored in them, for what goes through a database from one end to the other."""

from enum import StrEnum

from inspector.layout.rows import EventRow, ModelRow, ResponseRow, TaskDetail
from inspector.lmsp.values import value


class Part(StrEnum):
    """The tables that can be gone through."""

    MODELS = "models"
    TASKS = "tasks"
    RESPONSES = "responses"
    EVENTS = "events"


@value
class PartEnd:
    """Where one of the tables ends at a moment."""

    part: Part
    last: int | None
    """The number of its newest row, 0 where it has none; None where its rows have no numbers, or none can be read."""


@value
class PartEnds:
    """Where the tables end, all as of one moment. A part that is not in the file is not in it."""

    ends: tuple[PartEnd, ...]
    by_task: bool
    """Whether the events can be had task by task only: this layout has no number that orders all of them."""


@value
class WholePage:
    """Rows of one table, in the order of their numbers."""

    rows: tuple[TaskDetail | EventRow | ResponseRow | ModelRow, ...]
    """Of the part that was asked for. A task's response is not in its TaskDetail: it has a table of its own."""
    after: int | None
    """Where the next page begins; None where there is none."""
    damage: str = ""
    """Which rows cannot be read, in one sentence; empty where all of the page could be."""
