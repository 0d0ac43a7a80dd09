"""The marked part of an excerpt is always seen, and told by more than its colour."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from inspector.desktop.search.painting import ExcerptDelegate
from inspector.desktop.widgets.drawing import fixed_face, ui_face
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.row_cells import Cell, Ink

pytestmark = pytest.mark.usefixtures("qapp")

TEXT = f"{'before ' * 20}needle{' after' * 20}"
MARK = (140, 146)


@given(width=st.integers(0, 2_000))
def test_whatever_the_width_the_mark_stays_as_long_as_there_is_room_for_it(width: int) -> None:
    plain, bold = ui_face(), ui_face(bold=True)
    before, text, after = ExcerptDelegate().pieces(TEXT, MARK, width, plain, bold)

    wide = plain.metrics.horizontalAdvance
    if width >= bold.metrics.horizontalAdvance("needle") + wide("…"):
        assert text == "needle"
    assert wide(before) + bold.metrics.horizontalAdvance(text) + wide(after) <= max(width, wide("…"))
    if before != TEXT[: MARK[0]]:
        assert before in ("", "…") or before.startswith("…")


def test_what_fits_is_not_cut() -> None:
    pieces = ExcerptDelegate().pieces("a needle b", (2, 8), 1_000, ui_face(), ui_face(bold=True))
    assert pieces == ("a ", "needle", " b")


def painted(cell: Cell) -> QImage:
    image = QImage(400, 24, QImage.Format.Format_ARGB32)
    tokens = tokens_of(QApplication.palette())
    image.fill(tokens.base)
    painter = QPainter(image)
    ink = Ink(tokens, 1.0, ui_face(), ui_face(bold=True), fixed_face())
    ExcerptDelegate().paint_cell(painter, QRect(8, 0, 380, 23), cell, ink)
    painter.end()
    return image


def dark_columns(image: QImage, row: int, color: QColor) -> int:
    return sum(image.pixelColor(x, row) == color for x in range(image.width()))


def test_the_mark_is_underlined() -> None:
    color = tokens_of(QApplication.palette()).text
    wide = ui_face(bold=True).metrics.horizontalAdvance("mmmmmm")
    cell = Cell("xx mmmmmm xx", dim=1, mark=(3, 9))
    assert any(dark_columns(painted(cell), row, color) == wide for row in range(24))
    plain = cell._replace(mark=None)
    assert not any(dark_columns(painted(plain), row, color) >= wide for row in range(24))


def test_what_is_hidden_is_painted_as_plain_words() -> None:
    assert painted(Cell("hidden", dim=2)) != painted(Cell("", dim=2))
