from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem, QToolTip
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.cells import (
    BOLD_ROLE,
    DIM_LEAST,
    DIM_ROLE,
    DISPLAY_ROLE,
    ICON_ROLE,
    NOTE_ROLE,
    PROGRESS_ROLE,
    STATUS_ROLE,
    TIP_ROLE,
    WARN_ROLE,
    WARN_STRONG,
    CellDelegate,
    EventTypeDelegate,
    FixedDelegate,
    NumberDelegate,
    StateDelegate,
    TextDelegate,
)
from inspector.desktop.widgets.drawing import LONGEST, one_line, ui_face
from inspector.desktop.widgets.palette import LIGHT
from inspector.desktop.widgets.table import DenseTable
from tests.desktop.widgets.pictures import blank, has_color

DELEGATES = [StateDelegate, NumberDelegate, TextDelegate, FixedDelegate, EventTypeDelegate]
ODD = [
    None,
    "",
    " ",
    "\n\t\r",
    "two\nlines",
    "<b>bold</b><img src=x>",
    "a&b &amp;",
    "\u202eabc",
    "\ud800",
    "\x00\x1b[2J",
    "e\u0301" * 400,
    "عربي " * 50,
    "x" * 2_000_000,
    "response.",
    "response.response.",
    12,
    -1.5,
    2**63,
    True,
    b"bytes",
    [1, 2],
]


class OneCell(QAbstractTableModel):
    """One cell that gives what it was made with."""

    def __init__(self, values: dict[int, Any]) -> None:
        super().__init__()
        self.values = values

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802 # Qt's own
        return 0 if parent.isValid() else 1

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802 # Qt's own
        return 0 if parent.isValid() else 1

    def data(self, _: QModelIndex | QPersistentModelIndex, role: int = DISPLAY_ROLE) -> Any:  # noqa: ANN401 # any row
        return self.values.get(role)


def painted(
    kind: Callable[[], CellDelegate], values: dict[int, Any], width: int = 160, height: int = 25, ratio: float = 1.0
) -> QImage:
    """Return the picture of a cell, with four pixels around it that must stay white."""
    model = OneCell(values)
    picture = blank(width + 8, height + 8, ratio)
    painter = QPainter(picture)
    option = QStyleOptionViewItem()
    option.rect = QRect(4, 4, width, height)
    kind().paint(painter, option, model.index(0, 0))
    painter.end()
    return picture.toImage().convertToFormat(QImage.Format.Format_RGB32)


def width_of(delegate: CellDelegate, values: dict[int, Any]) -> int:
    """Return how wide the delegate would like the cell to be."""
    model = OneCell(values)
    return delegate.content_width(model.index(0, 0))


def ink(image: QImage, *, beside: set[str] | None = None) -> list[int]:
    """Return the columns within the cell in which something else than the ground is drawn."""
    grounds = {QColor("white").name(), LIGHT.line.name()} | (beside or set())
    return [x for x in range(image.width()) if any(image.pixelColor(x, y).name() not in grounds for y in range(5, 28))]


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("kind", DELEGATES)
@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:16])
@pytest.mark.parametrize("width", [0, 3, 20, 160])
def test_odd_values_are_painted_within_the_cell(kind: type[CellDelegate], value: object, width: int) -> None:
    values = {DISPLAY_ROLE: value, STATUS_ROLE: "odd", NOTE_ROLE: value, WARN_ROLE: 1, DIM_ROLE: 1}
    image = painted(kind, values, width)

    inside = ink(image)
    assert all(4 <= x < 4 + width for x in inside)
    assert width_of(kind(), values) >= 0


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("kind", DELEGATES)
def test_a_text_that_does_not_fit_is_cut_and_still_padded(kind: type[CellDelegate]) -> None:
    image = painted(kind, {DISPLAY_ROLE: "W" * 300}, 100)

    columns = ink(image)
    assert min(columns) >= 4 + 7
    assert max(columns) < 4 + 100 - 7


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_hairline_is_one_pixel_of_the_screen(ratio: float) -> None:
    image = painted(TextDelegate, {DISPLAY_ROLE: ""}, ratio=ratio)
    column = [image.pixelColor(image.width() // 2, y) for y in range(image.height())]

    assert [y for y, color in enumerate(column) if color == LIGHT.line] == [round(29 * ratio) - 1]


@pytest.mark.usefixtures("app")
def test_the_shape_carries_the_colour_and_the_word_does_not() -> None:
    image = painted(StateDelegate, {DISPLAY_ROLE: "failed", STATUS_ROLE: "failed"})

    assert has_color(image.copy(0, 0, 30, 33), LIGHT.state("failed"))
    assert not has_color(image.copy(32, 0, 130, 33), LIGHT.state("failed"))
    assert has_color(image.copy(32, 0, 130, 33), LIGHT.text)


@pytest.mark.usefixtures("app")
def test_a_state_without_a_status_has_a_word_only() -> None:
    with_shape = painted(StateDelegate, {DISPLAY_ROLE: "queued", STATUS_ROLE: "queued"})
    without = painted(StateDelegate, {DISPLAY_ROLE: "queued"})

    assert min(ink(without)) < min(ink(with_shape.copy(28, 0, 140, 33))) + 28


@pytest.mark.usefixtures("app")
def test_numbers_stand_at_the_right_and_end_at_the_same_place() -> None:
    ends = {max(ink(painted(NumberDelegate, {DISPLAY_ROLE: text}))) for text in ("1 s", "17.3 s", "1,204 s")}

    assert len(ends) == 1
    assert ends.pop() in range(4 + 160 - 8 - 3, 4 + 160 - 8)


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("width", [120, 90, 60, 40, 24])
def test_a_warning_stands_before_the_number_and_in_the_cell_at_every_width(width: int) -> None:
    image = painted(NumberDelegate, {DISPLAY_ROLE: "38.2 s", WARN_ROLE: WARN_STRONG}, width)

    amber = [x for x in range(image.width()) if has_color(image.copy(x, 4, 1, 25), LIGHT.warn_fg)]
    assert amber
    assert min(amber) >= 4
    assert max(amber) < 4 + width


@pytest.mark.usefixtures("app")
def test_a_strong_warning_is_bold() -> None:
    widths = [
        width_of(NumberDelegate(), {DISPLAY_ROLE: "38.2 s", **more})
        for more in ({WARN_ROLE: WARN_STRONG}, {WARN_ROLE: 1}, {BOLD_ROLE: True}, {})
    ]

    assert widths == sorted(set(widths), reverse=True)


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(("dim", "tone"), [(None, "text"), (1, "text2"), (True, "text2"), (DIM_LEAST, "text3")])
@pytest.mark.parametrize("kind", [TextDelegate, NumberDelegate, StateDelegate, FixedDelegate])
def test_what_is_dimmed_is_in_the_colour_of_its_step(kind: type[CellDelegate], dim: object, tone: str) -> None:
    image = painted(kind, {DISPLAY_ROLE: "IIII HHHH", DIM_ROLE: dim})

    assert has_color(image, LIGHT.tone(tone))
    assert not any(has_color(image, LIGHT.tone(other)) for other in {"text", "text2", "text3"} - {tone})


@pytest.mark.usefixtures("app")
def test_a_column_may_have_a_tone_of_its_own() -> None:
    image = painted(lambda: TextDelegate(tone="text2"), {DISPLAY_ROLE: "IIII"})

    assert has_color(image, LIGHT.text2)
    assert not has_color(image, LIGHT.text)


@pytest.mark.usefixtures("app")
def test_a_note_stands_after_the_text_in_the_captions_colour() -> None:
    with_note = painted(TextDelegate, {DISPLAY_ROLE: "IIII", NOTE_ROLE: "IIII"})
    without = painted(TextDelegate, {DISPLAY_ROLE: "IIII"})

    assert has_color(with_note, LIGHT.text2)
    assert not has_color(without, LIGHT.text2)
    assert max(ink(with_note)) > max(ink(without)) + 5


@pytest.mark.usefixtures("app")
def test_what_events_have_in_common_recedes() -> None:
    image = painted(EventTypeDelegate, {DISPLAY_ROLE: "response.created", NOTE_ROLE: "seq 2"}, 260)
    edge = 4 + 8 + width_of(FixedDelegate(), {DISPLAY_ROLE: "response."})

    assert has_color(image.copy(0, 0, edge, 33), LIGHT.text3)
    assert not has_color(image.copy(0, 0, edge, 33), LIGHT.text)
    assert has_color(image.copy(edge, 0, 100, 33), LIGHT.text)
    assert not has_color(painted(EventTypeDelegate, {DISPLAY_ROLE: "service.started"}, 260), LIGHT.text3)


@pytest.mark.usefixtures("app")
def test_an_icon_or_a_progress_stands_before_the_text() -> None:
    icon = painted(TextDelegate, {DISPLAY_ROLE: "match", ICON_ROLE: ("file-match", "completed")})
    bar = painted(TextDelegate, {DISPLAY_ROLE: "43 %", PROGRESS_ROLE: 0.43})

    assert has_color(icon.copy(0, 0, 28, 33), LIGHT.state("completed"))
    accent = [x for x in range(bar.width()) if bar.pixelColor(x, 16) == LIGHT.accent]
    assert min(accent) == 4 + 8
    assert abs(len(accent) - 0.43 * 84) <= 1


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("fraction", [-1, 0, 1, 7, float("inf")])
def test_a_progress_stays_in_its_bar(fraction: float) -> None:
    bar = painted(TextDelegate, {DISPLAY_ROLE: "", PROGRESS_ROLE: fraction})

    assert all(4 + 8 <= x < 4 + 8 + 84 for x in ink(bar))


@pytest.mark.usefixtures("app")
def test_an_id_is_cut_in_the_middle_since_both_ends_tell() -> None:
    image = painted(FixedDelegate, {DISPLAY_ROLE: "l" * 3 + "W" * 60 + "l" * 3}, 120)
    other = painted(FixedDelegate, {DISPLAY_ROLE: "l" * 3 + "W" * 60 + "i" * 3}, 120)

    assert image != other, "the end is seen"


@pytest.mark.usefixtures("app")
def test_huge_texts_are_cut_before_they_are_measured() -> None:
    assert len(one_line("x" * 10**7)) == LONGEST + 1
    assert one_line(None) == ""
    assert one_line(7) == "7"
    width = width_of(TextDelegate(), {DISPLAY_ROLE: "W" * 10**7})
    assert width <= ui_face().metrics.horizontalAdvance("W" * (LONGEST + 2))


@pytest.fixture
def tips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What tooltips were given to show."""
    given: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _owner=None: given.append(text))
    return given


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("values", "width", "shown"),
    [
        ({DISPLAY_ROLE: "short"}, 160, ""),
        (
            {DISPLAY_ROLE: "<b>long</b> " * 5},
            60,
            '<p style="white-space:pre-wrap">' + "&lt;b&gt;long&lt;/b&gt; " * 5 + "</p>",
        ),
        ({DISPLAY_ROLE: "short", TIP_ROLE: "a<br>b"}, 160, '<p style="white-space:pre-wrap">a&lt;br&gt;b</p>'),
    ],
)
def test_a_cut_text_is_whole_in_the_tooltip_and_plain(
    qtbot: QtBot, tips: list[str], values: dict[int, str], width: int, shown: str
) -> None:
    table = DenseTable()
    qtbot.addWidget(table)
    model = OneCell(values)
    model.setParent(table)
    table.setModel(model)
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, width, 25)
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), QPoint(1, 1))

    assert TextDelegate(parent=table).helpEvent(event, table, option, model.index(0, 0))
    assert tips == [shown]


def test_a_row_of_cells_is_as_high_as_its_font_asks(app: QApplication) -> None:
    model = OneCell({DISPLAY_ROLE: "x"})
    index = model.index(0, 0)
    plain = TextDelegate().sizeHint(QStyleOptionViewItem(), index)
    font = app.font()
    font.setPixelSize(30)
    app.setFont(font)

    assert TextDelegate().sizeHint(QStyleOptionViewItem(), index).height() > plain.height() >= 24
