from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.navigation import Destination, NavigationList
from inspector.desktop.widgets.palette import LIGHT
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen

DESTINATIONS = (
    Destination("overview", "Overview", "overview"),
    Destination("tasks", "Tasks", "tasks"),
    Destination("models", "Models", "models"),
    Destination("recovery", "Recovery", "recovery", separated=True),
    Destination("tables", "Tables", "tables"),
)


def shown(pages: Pages) -> NavigationList:
    """Show the list at the left of a page."""
    page = QWidget()
    row = QHBoxLayout(page)
    row.setContentsMargins(0, 0, 0, 0)
    navigation = NavigationList(DESTINATIONS)
    row.addWidget(navigation)
    row.addStretch(1)
    page.setMinimumHeight(400)
    pages.show(page, 800)
    return navigation


def top(navigation: NavigationList, row: int) -> int:
    """Return where the entry itself begins, below the line that may stand above it."""
    rect = navigation.visualRect(navigation.model().index(row, 0))
    return rect.bottom() + 1 - 28


def test_entries_have_the_measures_of_the_design(pages: Pages) -> None:
    navigation = shown(pages)
    heights = [navigation.visualRect(navigation.model().index(row, 0)).height() for row in range(5)]

    assert navigation.width() == 176
    assert heights == [28, 28, 28, 42, 28]


def test_the_current_entry_has_the_bar_and_the_selection_s_fill(pages: Pages) -> None:
    navigation = shown(pages)
    navigation.set_current("models")
    image = seen(navigation.viewport())

    for row in range(5):
        y = top(navigation, row) + 3
        is_current = row == 2
        assert (image.pixelColor(1, y) == LIGHT.accent) is is_current
        assert image.pixelColor(8, y) == (LIGHT.select if is_current else LIGHT.window)
    assert navigation.current_name() == "models"


def test_a_line_stands_between_groups(pages: Pages) -> None:
    navigation = shown(pages)
    image = seen(navigation.viewport())
    column = [image.pixelColor(90, y) for y in range(top(navigation, 2) + 28, top(navigation, 3))]

    assert column.count(LIGHT.line) == 1


def test_the_user_s_way_is_announced_and_the_program_s_is_not(pages: Pages, qtbot: QtBot) -> None:
    navigation = shown(pages)
    with qtbot.assertNotEmitted(navigation.destination_chosen):
        navigation.set_current("tasks")
        navigation.set_current(None)
        navigation.set_current("tasks")

    navigation.setFocus()
    for key, name in ((Qt.Key.Key_Down, "models"), (Qt.Key.Key_End, "tables"), (Qt.Key.Key_R, "recovery")):
        with qtbot.waitSignal(navigation.destination_chosen) as chosen:
            QTest.keyClick(navigation, key)
        assert chosen.args == [name]

    place = navigation.visualRect(navigation.model().index(0, 0)).center()
    with qtbot.waitSignal(navigation.destination_chosen) as chosen:
        QTest.mouseClick(navigation.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == ["overview"]


def test_letters_jump_to_the_next_entry_that_begins_with_them(pages: Pages, qtbot: QtBot) -> None:
    navigation = shown(pages)
    navigation.set_current("overview")
    navigation.setFocus()

    with qtbot.waitSignal(navigation.destination_chosen) as chosen:
        QTest.keyClick(navigation, Qt.Key.Key_T)

    assert chosen.args == ["tasks"]


def test_counts_stand_at_the_right_and_are_told_to_screen_readers(pages: Pages) -> None:
    navigation = shown(pages)
    before = seen(navigation.viewport())
    navigation.set_count("tasks", 17_203)
    image = seen(navigation.viewport())

    differing = [
        x for x in range(image.width()) if any(image.pixel(x, y) != before.pixel(x, y) for y in range(image.height()))
    ]
    assert max(differing) in range(176 - 12 - 3, 176 - 12)
    assert min(differing) > 100
    interface = QAccessible.queryAccessibleInterface(navigation)
    names = {interface.child(at).text(QAccessible.Text.Name) for at in range(interface.childCount())}
    assert "Tasks, 17,203" in names
    navigation.set_count("tasks", None)
    assert seen(navigation.viewport()) == before


def test_while_it_is_off_everything_keeps_its_place_and_nothing_is_chosen(pages: Pages, qtbot: QtBot) -> None:
    navigation = shown(pages)
    places = [navigation.visualRect(navigation.model().index(row, 0)) for row in range(5)]
    navigation.set_current("overview")
    navigation.setEnabled(False)

    assert [navigation.visualRect(navigation.model().index(row, 0)) for row in range(5)] == places
    row = seen(navigation.viewport()).copy(0, top(navigation, 2), 176, 28)
    assert not has_color(row, LIGHT.text)
    assert has_color(row, LIGHT.text3)
    with qtbot.assertNotEmitted(navigation.destination_chosen):
        QTest.mouseClick(navigation.viewport(), Qt.MouseButton.LeftButton, pos=places[2].center())


def test_with_icons_only_words_are_tooltips(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    tips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _owner=None: tips.append(text))
    navigation = shown(pages)
    navigation.set_count("tasks", 14)
    at = navigation.visualRect(navigation.model().index(1, 0)).center()

    def hover() -> None:
        here = QPoint(10, at.y())
        QApplication.sendEvent(navigation.viewport(), QHelpEvent(QEvent.Type.ToolTip, here, here))

    hover()
    navigation.set_icons_only(True)
    hover()

    assert navigation.icons_only
    assert navigation.width() == 44
    assert tips == ["", '<p style="white-space:pre-wrap">Tasks 14</p>']
    navigation.set_icons_only(False)
    assert navigation.width() == 176


def test_the_focus_is_seen(pages: Pages, qtbot: QtBot) -> None:
    navigation = shown(pages)
    navigation.set_current("tasks")
    y = top(navigation, 1) + 14
    assert seen(navigation.viewport()).pixelColor(175, y) != LIGHT.accent

    navigation.setFocus()
    qtbot.waitUntil(navigation.hasFocus)

    image = seen(navigation.viewport())
    assert image.pixelColor(175, y) == image.pixelColor(174, y) == LIGHT.accent


def test_it_grows_with_the_font(pages: Pages, qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    navigation = shown(pages)

    larger_font(26)

    qtbot.waitUntil(lambda: navigation.width() > 176)
    qtbot.waitUntil(lambda: navigation.visualRect(navigation.model().index(0, 0)).height() > 30)


def test_an_unknown_name_is_a_mistake_of_ours(pages: Pages) -> None:
    with pytest.raises(KeyError):
        shown(pages).set_count("nowhere", 1)
