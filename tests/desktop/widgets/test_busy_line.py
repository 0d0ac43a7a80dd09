from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.busy_line import BusyLine
from inspector.desktop.widgets.palette import LIGHT
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen


def test_what_is_answered_soon_shows_nothing(pages: Pages) -> None:
    line = pages.show(BusyLine())

    line.set_busy(True)
    assert not line.is_shown
    line.set_busy(False)

    assert not has_color(seen(line), LIGHT.accent)


def test_after_a_while_a_bar_runs_and_then_stops(pages: Pages, qtbot: QtBot) -> None:
    line = pages.show(BusyLine())
    line.set_busy(True)

    qtbot.waitUntil(lambda: line.is_shown)
    qtbot.waitUntil(lambda: has_color(seen(line), LIGHT.accent))
    first = seen(line)
    qtbot.waitUntil(lambda: seen(line) != first)
    assert line.accessibleDescription() == "Busy"

    line.set_busy(False)
    assert not line.is_shown
    assert not has_color(seen(line), LIGHT.accent)
    assert line.accessibleDescription() == ""


def test_being_told_again_does_not_start_anew(pages: Pages, qtbot: QtBot) -> None:
    line = pages.show(BusyLine())
    line.set_busy(True)
    qtbot.waitUntil(lambda: line.is_shown)

    line.set_busy(True)

    assert line.is_shown
    line.set_busy(False)


def test_it_takes_the_same_room_whether_it_runs_or_not(pages: Pages, qtbot: QtBot) -> None:
    line = pages.show(BusyLine())
    assert line.height() == 2

    line.set_busy(True)
    qtbot.waitUntil(lambda: line.is_shown)

    assert line.height() == 2
    line.set_busy(False)


def test_where_nothing_may_move_the_whole_line_is_coloured(pages: Pages, qtbot: QtBot) -> None:
    line = pages.show(BusyLine(still=True), 300)
    line.set_busy(True)
    qtbot.waitUntil(lambda: line.is_shown)
    image = seen(line)

    assert all(image.pixelColor(x, 0) == LIGHT.accent for x in range(line.width()))
    line.set_busy(False)


def test_out_of_sight_nothing_runs(pages: Pages, qtbot: QtBot) -> None:
    line = pages.show(BusyLine())
    line.set_busy(True)
    qtbot.waitUntil(lambda: line.is_shown)

    line.hide()

    assert not line.is_shown
