from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor, QCursor, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.palette import LIGHT
from inspector.desktop.widgets.row_button import RowButton
from inspector.desktop.widgets.table import DenseTable
from inspector.desktop.widgets.tools import FlatTool, HeaderButton, LinkButton, ModeBadge, PillButton
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import contrast, has_color, seen


def corner_ground(button: RowButton) -> QColor:
    return seen(button).pixelColor(4, button.height() // 2)


def test_a_button_of_a_bar_is_framed_and_a_flat_tool_is_not(pages: Pages) -> None:
    framed, flat = pages.show(HeaderButton("Pause", "pause")), pages.show(FlatTool("Filter", "plus"))

    assert framed.height() == flat.height() == 26
    assert seen(framed).pixelColor(framed.width() // 2, 0) == LIGHT.edge
    assert corner_ground(framed) == LIGHT.base
    assert seen(flat).pixelColor(flat.width() // 2, 0) == LIGHT.window
    assert corner_ground(flat) == LIGHT.window


def test_a_checked_button_has_the_selection_s_fill_and_an_accent_frame(pages: Pages) -> None:
    button = HeaderButton("As of…", "clock")
    button.setCheckable(True)
    pages.show(button)

    button.setChecked(True)

    assert corner_ground(button) == LIGHT.select
    assert seen(button).pixelColor(button.width() // 2, 0) == LIGHT.accent


def test_the_default_button_is_framed_by_the_accent(pages: Pages) -> None:
    button = pages.show(HeaderButton("Open…"))
    button.set_default(True)

    assert seen(button).pixelColor(button.width() // 2, 0) == LIGHT.accent


def test_a_button_that_is_off_is_fainter_and_does_nothing(pages: Pages, qtbot: QtBot) -> None:
    button = pages.show(HeaderButton("Pause", "pause"))
    button.setEnabled(False)
    image = seen(button)

    assert not has_color(image, LIGHT.text)
    with qtbot.assertNotEmitted(button.clicked):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(("word", "strong"), [("Filters", "2"), ("Client: R&D", "")])
def test_words_are_shown_and_told(pages: Pages, word: str, strong: str) -> None:
    button = pages.show(HeaderButton("x", opens=True))
    narrow = button.sizeHint().width()

    button.set_word(word, strong)

    assert button.sizeHint().width() > narrow
    name = QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name)
    assert name == ", ".join(part for part in (word, strong) if part)
    assert button.shortcut().isEmpty()


def test_a_button_with_a_menu_has_our_arrow_and_no_other(pages: Pages) -> None:
    button = HeaderButton("Model: any", opens=True)
    before = pages.show(button).sizeHint()
    picture = seen(button)

    button.setMenu(QMenu(button))
    button.setPopupMode(HeaderButton.ToolButtonPopupMode.InstantPopup)

    assert button.sizeHint() == before
    assert seen(button) == picture


def test_another_icon_is_another_picture(pages: Pages) -> None:
    button = pages.show(HeaderButton("Pause", "pause"))
    before = seen(button)

    button.set_icon_name("play")

    assert seen(button) != before


@pytest.mark.parametrize("mode", ["live", "resting", "crashed", "copy", "as-of"])
def test_the_badge_says_the_mode_without_colour(pages: Pages, mode: str) -> None:
    badge = ModeBadge()
    badge.set_mode(mode, "Read from <b>a</b> copy.")
    image = seen(pages.show(badge))

    assert badge.accessibleName() == mode.replace("-", " ")
    assert badge.accessibleDescription() == "Read from <b>a</b> copy."
    assert "&lt;b&gt;" in badge.toolTip()
    # Only greys: the ground, the frame, the ink, and what lies between them.
    saturations = [image.pixelColor(x, y).hsvSaturation() for x in range(image.width()) for y in range(image.height())]
    assert max(saturations) <= 60


def test_every_mode_has_a_picture_of_its_own(pages: Pages) -> None:
    pictures = []
    for mode in ("live", "resting", "crashed", "copy"):
        badge = ModeBadge()
        badge.set_mode(mode, "")
        pictures.append(seen(pages.show(badge)).copy(4, 0, 18, 22))

    assert all(one != other for at, one in enumerate(pictures) for other in pictures[at + 1 :])


def test_a_mode_nobody_foresaw_is_a_word(pages: Pages) -> None:
    badge = ModeBadge()
    badge.set_mode("stranger", "why")

    assert not seen(pages.show(badge)).isNull()


def table_with_pill(qtbot: QtBot) -> tuple[DenseTable, PillButton]:
    table = DenseTable()
    qtbot.addWidget(table)
    table.setModel(QStandardItemModel(200, 3, table))
    table.setGeometry(0, 0, 400, 300)
    QCursor.setPos(398, 298)  # nothing is to be under the pointer
    with qtbot.waitExposed(table):
        table.show()
    return table, PillButton(table.viewport())


def inside(pill: PillButton, table: DenseTable) -> tuple[int, int, int]:
    """Return the room to the left, to the right and above, within the table's rows."""
    viewport = table.viewport().geometry()
    place = pill.geometry()
    return place.left() - viewport.left(), viewport.right() - place.right(), place.top() - viewport.top()


@pytest.mark.usefixtures("app")
def test_the_pill_lies_in_the_middle_under_the_header_also_after_scrolling_and_resizing(qtbot: QtBot) -> None:
    table, pill = table_with_pill(qtbot)
    pill.set_count(3)

    for scrolled, width in ((0, 400), (500, 400), (700, 640)):
        table.resize(width, 300)
        table.verticalScrollBar().setValue(scrolled)
        qtbot.waitUntil(lambda: abs(inside(pill, table)[0] - inside(pill, table)[1]) <= 1)
        assert inside(pill, table)[2] == 6
        assert pill.isVisible()


@pytest.mark.usefixtures("app")
def test_the_pill_says_what_came_in_and_hides_when_nothing_did(qtbot: QtBot) -> None:
    _, pill = table_with_pill(qtbot)
    assert pill.isHidden()

    pill.set_count(1_204)
    assert pill.accessibleName() == "1,204 new above"
    pill.set_count(3, sorted_in=False)
    assert pill.accessibleName() == "3 new, not yet sorted in"
    assert has_color(seen(pill), LIGHT.accent)
    assert contrast(LIGHT.base, pill.ground(LIGHT)) >= 4.5

    pill.set_count(0)
    assert pill.isHidden()


@pytest.mark.usefixtures("app")
def test_a_click_on_the_pill_does_not_reach_the_row_below(qtbot: QtBot) -> None:
    table, pill = table_with_pill(qtbot)
    pill.set_count(3)

    with qtbot.waitSignal(pill.clicked):
        QTest.mouseClick(pill, Qt.MouseButton.LeftButton)

    assert not table.selectedIndexes()


def test_a_link_is_reached_by_keyboard_and_shows_the_focus(pages: Pages, qtbot: QtBot) -> None:
    link = pages.show(LinkButton("Show R&D"))
    assert has_color(seen(link), LIGHT.accent)
    before = seen(link)
    link.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(link.hasFocus)

    assert seen(link) != before
    assert link.shortcut().isEmpty()
    with qtbot.waitSignal(link.clicked):
        QTest.keyClick(link, Qt.Key.Key_Space)


def test_buttons_grow_with_the_font(qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    buttons = [HeaderButton("Pause", "pause"), FlatTool("Filter"), ModeBadge()]
    for button in buttons:
        qtbot.addWidget(button)

    larger_font(30)

    assert all(button.sizeHint().height() > 30 for button in buttons)
