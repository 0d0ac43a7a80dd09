from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.palette import LIGHT
from inspector.desktop.widgets.tabs import UnderlineTabs
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen


def made(pages: Pages, width: int = 700) -> UnderlineTabs:
    tabs = UnderlineTabs()
    tabs.add_tab("Events", 1_204)
    tabs.add_tab("Request")
    tabs.add_tab("Raw row", "now only")
    return pages.show(tabs, width)


def test_the_current_tab_alone_is_underlined(pages: Pages) -> None:
    tabs = made(pages)
    assert tabs.height() == 30

    for current in range(3):
        tabs.setCurrentIndex(current)
        image = seen(tabs)
        for index in range(3):
            rect = tabs.tabRect(index)
            under = [image.pixelColor(rect.center().x(), y) for y in range(tabs.height() - 3, tabs.height())]
            assert [color == LIGHT.accent for color in under] == [False, index == current, index == current]


def test_choosing_a_tab_moves_none(pages: Pages) -> None:
    tabs = made(pages)
    before = [tabs.tabRect(index) for index in range(3)]

    tabs.setCurrentIndex(2)

    assert [tabs.tabRect(index) for index in range(3)] == before


def test_a_count_makes_room_and_is_told_to_screen_readers(pages: Pages, qtbot: QtBot) -> None:
    tabs = made(pages)
    before = tabs.tabRect(1).width()

    tabs.set_remark(1, "hidden")

    qtbot.waitUntil(lambda: tabs.tabRect(1).width() > before)
    interface = QAccessible.queryAccessibleInterface(tabs)
    names = [interface.child(at).text(QAccessible.Text.Name) for at in range(3)]
    assert names == ["Events, 1,204", "Request, hidden", "Raw row, now only"]
    tabs.set_remark(1, None)
    assert interface.child(1).text(QAccessible.Text.Name) == "Request"


def test_it_is_gone_through_by_keyboard_and_shows_the_focus(pages: Pages, qtbot: QtBot) -> None:
    tabs = made(pages)
    before = seen(tabs)
    tabs.setFocus()
    qtbot.waitUntil(tabs.hasFocus)
    assert seen(tabs) != before

    with qtbot.waitSignal(tabs.currentChanged) as changed:
        QTest.keyClick(tabs, Qt.Key.Key_Right)

    assert changed.args == [1]


def test_an_ampersand_is_shown(pages: Pages) -> None:
    tabs = UnderlineTabs()
    tabs.add_tab("R&D")
    plain = UnderlineTabs()
    plain.add_tab("RD")
    pages.show(tabs)
    pages.show(plain)

    assert tabs.tabRect(0).width() > plain.tabRect(0).width()
    assert tabs.accessibleTabName(0) in ("", "R&D")


def test_a_tab_that_is_off_is_fainter(pages: Pages) -> None:
    tabs = UnderlineTabs()
    tabs.add_tab("II")
    tabs.add_tab("IIIIII")
    tabs.setTabEnabled(1, False)
    pages.show(tabs)
    image = seen(tabs).copy(tabs.tabRect(1))

    assert has_color(image, LIGHT.text3)
    assert not has_color(image, LIGHT.text2)


def test_tabs_grow_with_the_font(pages: Pages, qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    tabs = made(pages, 1_200)
    before = tabs.tabRect(0)

    larger_font(28)

    qtbot.waitUntil(lambda: tabs.tabRect(0).height() > before.height())
    assert tabs.tabRect(0).width() > before.width()
