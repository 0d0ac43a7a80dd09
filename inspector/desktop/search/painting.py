"""How what a hit holds is painted: the text that was found is bold and underlined, and always seen."""

from typing import Final, NamedTuple

from PySide6.QtCore import QObject, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from inspector.desktop.widgets.cells import TextDelegate, dim_color
from inspector.desktop.widgets.drawing import Face, draw_left
from inspector.desktop.widgets.row_cells import Cell, Ink

_MOST_KEPT: Final = 2_048
_LEAST_BEFORE: Final = 3
"""What stands before the text may take the third part of a narrow cell."""


class Pieces(NamedTuple):
    """An excerpt as it fits a width: what stands before the text, the text itself, and what follows."""

    before: str
    text: str
    after: str


class ExcerptDelegate(TextDelegate):
    """An excerpt with a mark in it. Where it is cut, the marked part stays."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent=parent)
        self._pieces: dict[tuple[str, tuple[int, int], int], Pieces] = {}
        self._faces: tuple[Face, Face] | None = None

    def paint_cell(self, painter: QPainter, room: QRect, cell: Cell, ink: Ink) -> None:
        if cell.mark is None:
            super().paint_cell(painter, room, cell, ink)
            return
        around = dim_color(cell.dim, ink.tokens)
        pieces = self.pieces(cell.text, cell.mark, room.width(), ink.ui, ink.ui_bold)
        left = draw_left(painter, room, pieces.before, ink.ui, around)
        marked = room.adjusted(left, 0, 0, 0)
        taken = draw_left(painter, marked, pieces.text, ink.ui_bold, ink.tokens.text)
        draw_left(painter, room.adjusted(left + taken, 0, 0, 0), pieces.after, ink.ui, around)
        high, above = ink.ui_bold.high, ink.ui_bold.above
        line = QRectF(marked.x(), room.y() + (room.height() - high) / 2 + above + 2, taken, max(1.0, 1.0 / ink.ratio))
        painter.fillRect(line, ink.tokens.text)

    def pieces(self, text: str, mark: tuple[int, int], width: int, plain: Face, bold: Face) -> Pieces:
        """Return what of ``text`` fits ``width`` pixels: of what stands around the mark only what leaves it room."""
        if self._faces != (plain, bold) or len(self._pieces) >= _MOST_KEPT:
            self._faces = plain, bold
            self._pieces.clear()
        key = text, mark, width
        kept = self._pieces.get(key)
        if kept is None:
            kept = self._pieces[key] = _cut(text, mark, width, plain, bold)
        return kept


def _cut(text: str, mark: tuple[int, int], width: int, plain: Face, bold: Face) -> Pieces:
    before, marked, after = text[: mark[0]], text[mark[0] : mark[1]], text[mark[1] :]
    wide_before, wide_after = plain.metrics.horizontalAdvance(before), plain.metrics.horizontalAdvance(after)
    wide = bold.metrics.horizontalAdvance(marked)
    if wide_before + wide + wide_after <= width:
        return Pieces(before, marked, after)
    wanted = max(width // _LEAST_BEFORE, width - wide - wide_after)
    before_room = max(0, min(wide_before, wanted, width - wide))
    if before_room < wide_before:
        before = plain.metrics.elidedText(before, Qt.TextElideMode.ElideLeft, before_room)
    rest = width - plain.metrics.horizontalAdvance(before)
    if wide > rest:
        marked = bold.metrics.elidedText(marked, Qt.TextElideMode.ElideRight, rest)
    rest -= bold.metrics.horizontalAdvance(marked)
    return Pieces(before, marked, plain.metrics.elidedText(after, Qt.TextElideMode.ElideRight, max(0, rest)))
