from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.palette import LIGHT
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen


@pytest.mark.parametrize(("in_pane", "height"), [(False, 24), (True, 22)])
def test_a_chip_has_the_height_of_its_place(pages: Pages, in_pane: bool, height: int) -> None:
    assert Chip("All", in_pane=in_pane).plain_height() == height
    # The font of the tests is a little higher than what the smaller chip was drawn for.
    assert pages.show(Chip("All", in_pane=in_pane)).height() == 24


def test_a_chip_grows_with_the_font(qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    chip = Chip("All")
    qtbot.addWidget(chip)
    before = chip.sizeHint()

    larger_font(30)

    assert chip.sizeHint().height() > 30
    assert chip.sizeHint().width() > before.width()


@pytest.mark.usefixtures("app")
def test_a_count_makes_room_for_itself_and_is_told_to_screen_readers(qtbot: QtBot) -> None:
    chip = Chip("queued", status="queued")
    qtbot.addWidget(chip)
    narrow = chip.sizeHint().width()

    chip.set_count(17_203)
    assert chip.sizeHint().width() > narrow
    assert QAccessible.queryAccessibleInterface(chip).text(QAccessible.Text.Name) == "queued, 17,203"

    chip.set_count(None)
    assert chip.sizeHint().width() == narrow


def test_a_count_that_is_late_recedes(pages: Pages) -> None:
    chip = Chip("Unfinished")
    chip.set_count(14)
    pages.show(chip)
    assert has_color(seen(chip), LIGHT.text2)

    chip.set_count(14, is_late=True)

    assert has_color(seen(chip), LIGHT.text3)
    assert not has_color(seen(chip), LIGHT.text2)


def test_checked_it_has_the_selection_s_fill_and_an_accent_frame(pages: Pages) -> None:
    chip = pages.show(Chip("failed", status="failed"))
    off = seen(chip)
    assert not has_color(off, LIGHT.accent)
    assert not has_color(off, LIGHT.select)
    assert has_color(off, LIGHT.state("failed"))

    chip.click()

    assert chip.isChecked()
    assert has_color(seen(chip), LIGHT.select)
    assert seen(chip).pixelColor(chip.width() // 2, 0) == LIGHT.accent
    assert seen(chip).pixelColor(chip.width() // 2, 1) == LIGHT.select


def test_it_is_reached_and_switched_by_keyboard_and_shows_where_the_focus_is(qtbot: QtBot, pages: Pages) -> None:
    chip = pages.show(Chip("running", status="running"))
    chip.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(chip.hasFocus)
    image = seen(chip)

    assert [image.pixelColor(chip.width() // 2, y) == LIGHT.accent for y in range(3)] == [True, True, False]
    QTest.keyClick(chip, Qt.Key.Key_Space)
    assert chip.isChecked()


def test_a_disabled_chip_is_fainter(pages: Pages) -> None:
    chip = pages.show(Chip("running", status="running"))
    assert has_color(seen(chip), LIGHT.text)

    chip.setEnabled(False)

    assert not has_color(seen(chip), LIGHT.text)
    assert not has_color(seen(chip), LIGHT.state("running"))


@pytest.mark.usefixtures("app")
def test_an_ampersand_in_a_word_is_no_shortcut(qtbot: QtBot) -> None:
    chip = Chip("R&D")
    qtbot.addWidget(chip)

    assert chip.shortcut().isEmpty()
    assert chip.word == "R&D"
    chip.set_word("a&b")
    assert chip.word == "a&b"
    assert chip.accessibleName() == "a&b"
