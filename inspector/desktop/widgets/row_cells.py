"""What a row of a large table shows, all of it at once: so a frame asks a model once for a row, not for each cell.

What a model gives like this is what its ``data()`` gives under the roles of ``cells.py``, which everybody else goes on
asking: a reader of the screen, a tooltip, a test.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from inspector.desktop.widgets.drawing import Face, fixed_face, ui_face
from inspector.desktop.widgets.palette import Tokens


class Cell(NamedTuple):
    """One cell, ready to be painted."""

    text: str
    status: str | None = None
    """The status as stored, whose shape stands before the word; None for no shape."""
    warn: int = 0
    """As under ``WARN_ROLE``."""
    dim: int = 0
    """As under ``DIM_ROLE``."""
    flash_at_ms: int | None = None
    """As under ``FLASH_ROLE``."""
    mark: tuple[int, int] | None = None
    """Where the marked part of the text begins and ends."""


class RowCells(Protocol):
    """A model that knows what a whole row shows."""

    def row_cells(self, row: int) -> Sequence[Cell]:
        """Return what ``row`` shows in each column. Costs nothing for a row that was asked for before."""
        ...


class Ink(NamedTuple):
    """What the cells of one frame are painted with, looked up once."""

    tokens: Tokens
    ratio: float
    """The device pixel ratio."""
    ui: Face
    ui_bold: Face
    fixed: Face

    @classmethod
    def of(cls, tokens: Tokens, ratio: float) -> "Ink":
        """Return the ink for a painter of this ratio."""
        return cls(tokens, ratio, ui_face(), ui_face(bold=True), fixed_face())
