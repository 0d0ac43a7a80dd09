from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QStyleHintReturn, QStyleOption, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.busy_line import BusyLine
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.motion import wants_motion
from inspector.desktop.widgets.palette import LIGHT
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import seen


class Still(QProxyStyle):
    """A style under a desktop that asks for less motion."""

    def styleHint(  # noqa: N802 # Qt's own
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returned: QStyleHintReturn | None = None,
    ) -> int:
        if hint is QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return super().styleHint(hint, option, widget, returned)


@pytest.fixture
def still(app: QApplication) -> Iterator[None]:
    app.setStyle(Still("Fusion"))
    yield
    app.setStyle("Fusion")


@pytest.mark.usefixtures("app")
def test_a_desktop_lets_things_move_by_default() -> None:
    assert wants_motion()


@pytest.mark.usefixtures("still")
def test_where_less_motion_is_asked_for_nothing_fades() -> None:
    clock = FlashClock(now_ms=lambda: 1_500)

    assert not wants_motion()
    assert [clock.strength(at) for at in (1_000, 501, 500)] == [1.0, 1.0, 0.0]


def test_where_less_motion_is_asked_for_the_busy_line_stands(pages: Pages, qtbot: QtBot, still: None) -> None:
    assert still is None
    line = pages.show(BusyLine(), 300)
    line.set_busy(True)
    qtbot.waitUntil(lambda: line.is_shown)
    image = seen(line)

    assert all(image.pixelColor(x, 0) == LIGHT.accent for x in range(line.width()))
    line.set_busy(False)
