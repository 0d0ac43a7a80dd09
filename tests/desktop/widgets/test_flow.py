import pytest
from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.flow import FlowLayout
from inspector.desktop.widgets.strips import Strip
from tests.desktop.widgets.pages import Pages


class Block(QWidget):
    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self._size = QSize(width, height)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802 # Qt's own
        return self._size


def filled(qtbot: QtBot, *sizes: tuple[int, int]) -> tuple[QWidget, FlowLayout]:
    page = QWidget()
    qtbot.addWidget(page)
    flow = FlowLayout(page, gap=8, line_gap=6)
    for width, height in sizes:
        flow.addWidget(Block(width, height))
    page.show()
    return page, flow


def places(flow: FlowLayout) -> list[QRect]:
    found = [flow.itemAt(index) for index in range(flow.count())]
    return [item.geometry() for item in found if item is not None]


@pytest.mark.parametrize(
    ("width", "height", "lines"),
    [(316, 20, 1), (315, 46, 2), (208, 46, 2), (100, 72, 3), (40, 72, 3)],
)
def test_a_full_line_goes_on_in_the_next(qtbot: QtBot, width: int, height: int, lines: int) -> None:
    _, flow = filled(qtbot, (100, 20), (100, 20), (100, 20))

    flow.setGeometry(QRect(0, 0, width, height))

    assert flow.heightForWidth(width) == height
    assert len({place.y() for place in places(flow)}) == lines
    assert all(place.size() == QSize(100, 20) for place in places(flow))


def test_margins_count_and_what_is_hidden_does_not(qtbot: QtBot) -> None:
    page, flow = filled(qtbot, (100, 20), (100, 20), (100, 20))
    flow.setContentsMargins(QMargins(12, 6, 12, 6))
    assert flow.sizeHint() == QSize(340, 32)

    hidden = flow.itemAt(1)
    assert hidden is not None
    widget = hidden.widget()
    assert widget is not None
    widget.hide()

    assert flow.sizeHint() == QSize(232, 32)
    assert flow.heightForWidth(232) == 32
    flow.setGeometry(QRect(0, 0, 232, 32))
    assert [places(flow)[at].topLeft().toTuple() for at in (0, 2)] == [(12, 6), (120, 6)]
    assert page.isVisible()


def test_lower_widgets_stand_in_the_middle_of_their_line(qtbot: QtBot) -> None:
    _, flow = filled(qtbot, (50, 30), (50, 10))

    flow.setGeometry(QRect(0, 0, 300, 30))

    assert [place.y() for place in places(flow)] == [0, 10]


def test_an_empty_one_needs_nothing(qtbot: QtBot) -> None:
    _, flow = filled(qtbot)

    assert flow.heightForWidth(100) == 0
    assert flow.itemAt(0) is None
    assert flow.takeAt(3) is None
    assert flow.sizeHint() == QSize(0, 0)


def test_a_strip_that_wraps_cuts_nothing_at_any_width(qtbot: QtBot, pages: Pages) -> None:
    strip = Strip(height=36, wraps=True)
    flow = FlowLayout(strip, gap=8)
    flow.setContentsMargins(12, 6, 12, 6)
    for _ in range(6):
        flow.addWidget(Block(90, 24))
    pages.show(strip, 900)
    assert strip.height() == 36

    for width, lines in ((700, 1), (320, 2), (120, 6), (500, 2)):
        strip.window().resize(width, 500)
        qtbot.waitUntil(lambda: strip.width() == width)  # noqa: B023 # waited for at once
        qtbot.waitUntil(lambda: strip.height() == strip.heightForWidth(strip.width()))
        assert len({place.y() for place in places(flow)}) == lines
        assert max(place.bottom() for place in places(flow)) <= strip.height() - 6


def test_the_height_follows_what_is_hidden_and_what_comes(qtbot: QtBot) -> None:
    _, flow = filled(qtbot, (100, 20), (100, 20))
    assert flow.heightForWidth(210) == 20
    late = Block(100, 30)
    flow.addWidget(late)
    late.show()
    assert flow.heightForWidth(210) == 56
    late.hide()
    assert flow.heightForWidth(210) == 20
