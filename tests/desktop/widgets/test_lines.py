from collections.abc import Callable

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.flow import FlowLayout
from inspector.desktop.widgets.key_values import KeyValue, KeyValues
from inspector.desktop.widgets.lines import HairLine, PaneSplitter, frame, line_above, line_below, line_right
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.palette import LIGHT
from inspector.desktop.widgets.strips import Strip
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import blank, seen

RED, WHITE = QColor("red"), QColor("white")


@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0])
@pytest.mark.usefixtures("app")
def test_a_line_is_one_pixel_of_the_screen_within_its_edge(ratio: float) -> None:
    picture = blank(30, 30, ratio)
    painter = QPainter(picture)
    rect = QRectF(5, 5, 20, 20)
    for draw in (line_above, line_below, line_right):
        draw(painter, rect, RED)
    painter.end()
    image = picture.toImage()
    first, last, middle = round(5 * ratio), round(25 * ratio) - 1, round(15 * ratio)

    down = [y for y in range(image.height()) if image.pixelColor(middle, y) == RED]
    across = [x for x in range(image.width()) if image.pixelColor(x, middle) == RED]
    assert down == [first, last]
    assert across == [last]


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(("width", "pixels"), [(1.0, 1), (2.0, 2)])
@pytest.mark.usefixtures("app")
def test_a_frame_lies_within_its_box(ratio: float, width: float, pixels: int) -> None:
    picture = blank(30, 30, ratio)
    painter = QPainter(picture)
    frame(painter, QRectF(5, 5, 20, 20), RED, width)
    painter.end()
    image = picture.toImage()
    middle = round(15 * ratio)
    thick = 1 if width == 1.0 else round(pixels * ratio)

    across = [x for x in range(image.width()) if image.pixelColor(x, middle) != WHITE]
    first, last = round(5 * ratio), round(25 * ratio) - 1
    assert across == [*range(first, first + thick), *range(last + 1 - thick, last + 1)]


@pytest.mark.parametrize(("edge", "tone"), [(False, "line"), (True, "edge")])
def test_a_line_between_parts_is_one_pixel_high(pages: Pages, edge: bool, tone: str) -> None:
    line = pages.show(HairLine(edge=edge), 300)

    assert (line.width(), line.height()) == (300, 1)
    assert seen(line).pixelColor(150, 0) == LIGHT.tone(tone)
    assert HairLine(Qt.Orientation.Vertical).sizeHint().width() == 1


def test_panes_meet_at_a_line_and_do_not_vanish(pages: Pages) -> None:
    splitter = PaneSplitter()
    for _ in range(2):
        pane = QWidget()
        pane.setMinimumSize(50, 200)
        splitter.addWidget(pane)
    pages.show(splitter, 400)
    splitter.setSizes([400, 0])
    left = splitter.sizes()[0]

    assert splitter.sizes()[1] >= 50
    assert seen(splitter).pixelColor(left, 100) == LIGHT.edge
    assert splitter.width() == sum(splitter.sizes()) + 1


def chips() -> QWidget:
    strip = Strip(height=36, wraps=True)
    flow = FlowLayout(strip)
    for word in ("queued", "loading", "running", "cancelling"):
        flow.addWidget(Chip(word, status=word))
    return strip


def values() -> QWidget:
    made = KeyValues()
    made.show_columns([[KeyValue("Model", "llama")], [KeyValue("Client", "notes")], [KeyValue("Attempt", "1")]])
    return made


@pytest.mark.parametrize(
    "make", [chips, values, lambda: MessageBar("info", "Not cancelled: it finished first.", "Nothing was written.")]
)
def test_a_pane_that_was_pushed_small_still_shows_its_strips_whole(
    pages: Pages, qtbot: QtBot, make: Callable[[], QWidget]
) -> None:
    splitter = PaneSplitter(Qt.Orientation.Vertical)
    pane = QWidget()
    column = QVBoxLayout(pane)
    column.setContentsMargins(0, 0, 0, 0)
    strip = make()
    column.addWidget(strip)
    splitter.addWidget(pane)
    splitter.addWidget(QWidget())
    splitter.setMinimumHeight(500)
    pages.show(splitter, 900)
    splitter.setSizes([1, 499])
    low = strip.heightForWidth(900)

    splitter.window().resize(160, 700)

    qtbot.waitUntil(lambda: strip.width() <= 200)
    qtbot.waitUntil(lambda: strip.height() == strip.heightForWidth(strip.width()) > low)
