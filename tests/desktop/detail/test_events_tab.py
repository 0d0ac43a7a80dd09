import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.events_tab import EventsTab
from inspector.desktop.detail.item_model import EventColumn
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.tools import LinkButton
from inspector.layout.pages import EventPage
from tests.desktop.detail.pages import event, page, stored
from tests.desktop.timeline.histories import TASK


@pytest.fixture
def tab(qtbot: QtBot) -> EventsTab:
    made = EventsTab(FlashClock(still=True))
    qtbot.addWidget(made)
    made.resize(560, 480)
    made.show()
    qtbot.waitExposed(made)
    made.show_events(page(range(801, 1_001)), replace=True)
    made.set_totals(1_000, 2, 1_000)
    return made


def chosen(tab: EventsTab) -> str | None:
    index = tab.list.currentIndex()
    text: str | None = index.siblingAtColumn(EventColumn.SEQ).data() if index.isValid() else None
    return text


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(ElidedLabel) if label.isVisible()]


def test_a_chosen_event_is_told_and_its_data_shown(tab: EventsTab, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tab.seq_selected) as selected:
        tab.list.selectRow(tab.list.shown.rowCount() - 1)
    assert selected.args == [1_000]
    assert tab.seq == 1_000
    assert '"word 1000"' in tab.data_panel.view.shown_text()


def test_a_cursor_that_moves_to_a_loaded_event_chooses_it_without_an_echo(tab: EventsTab, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(tab.seq_selected), qtbot.assertNotEmitted(tab.events_wanted):
        tab.select_seq(850)
    assert chosen(tab) == "850"
    assert '"word 850"' in tab.data_panel.view.shown_text()


def test_an_event_that_is_not_loaded_is_asked_for_with_those_around_it(tab: EventsTab, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        tab.select_seq(300)
    assert wanted.args == [200, None]
    assert not tab.list.is_following
    with qtbot.assertNotEmitted(tab.seq_selected):
        tab.show_events(page(range(201, 401), after=True), replace=False)
    assert chosen(tab) == "300"
    assert tab.list.events.first_seq == 201
    assert '"word 300"' in tab.data_panel.view.shown_text()


def test_news_that_come_before_the_jump_is_answered_do_not_take_its_place(tab: EventsTab) -> None:
    tab.select_seq(300)
    tab.show_events(page(range(1_001, 1_003)), replace=False)
    tab.show_events(page(range(201, 401), after=True), replace=False)
    assert chosen(tab) == "300"


def test_why_no_events_came_is_said_until_some_come_or_another_task_is_shown(tab: EventsTab, qtbot: QtBot) -> None:
    said = "No more events can be read. The file is gone."
    assert said not in texts(tab)
    tab.list.before_wanted.emit()
    tab.show_none_came(said)
    assert said in texts(tab)
    assert tab.list.shown.rowCount() == 200

    with qtbot.waitSignal(tab.events_wanted) as wanted:
        tab.list.before_wanted.emit()
    assert wanted.args == [None, 801], "it may go well the next time"
    tab.show_events(page(range(601, 801)), replace=False)
    assert said not in texts(tab)

    tab.show_none_came(said)
    tab.forget()
    assert said not in texts(tab)


def test_stepping_through_what_is_on_its_way_asks_once(tab: EventsTab, qtbot: QtBot) -> None:
    tab.select_seq(300)
    with qtbot.assertNotEmitted(tab.events_wanted):
        tab.select_seq(301)
        tab.select_seq(302)
    tab.show_events(page(range(201, 401), after=True), replace=False)
    assert chosen(tab) == "302"


def test_following_from_the_middle_asks_for_the_end_and_goes_there(tab: EventsTab, qtbot: QtBot) -> None:
    tab.select_seq(300)
    tab.show_events(page(range(201, 401), after=True), replace=False)
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        tab.filter_line.follow_chip.click()
    assert wanted.args == [None, None]
    tab.show_events(page(range(801, 1_001)), replace=False)
    assert tab.list.events.last_seq == 1_000
    assert tab.list.is_following
    assert tab.filter_line.follow_chip.isChecked()


def test_home_asks_for_the_first_events_and_goes_to_the_very_first(tab: EventsTab, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        QTest.keyClick(tab.list, Qt.Key.Key_Home)
    assert wanted.args == [-(1 << 63), None]
    tab.show_events(page(range(1_001, 1_005)), replace=False)
    with qtbot.waitSignal(tab.seq_selected) as selected:
        tab.show_events(page(range(1, 201), after=True), replace=False)
    assert selected.args == [1]
    assert tab.list.events.first_seq == 1
    assert tab.seq == 1
    assert tab.list.viewport().rect().contains(tab.list.visualRect(tab.list.currentIndex()).center())


def test_the_end_of_a_stretch_asks_for_what_follows_once(tab: EventsTab, qtbot: QtBot) -> None:
    tab.select_seq(300)
    tab.show_events(page(range(201, 401), after=True), replace=False)
    bar = tab.list.verticalScrollBar()
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        bar.setValue(bar.maximum())
    assert wanted.args == [400, None]
    with qtbot.assertNotEmitted(tab.events_wanted):
        bar.setValue(bar.maximum() - 1)
        bar.setValue(bar.maximum())
    tab.show_events(page(range(401, 601), after=True), replace=False)
    tab.list.doItemsLayout()
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        bar.setValue(bar.maximum())
    assert wanted.args == [600, None]


def test_the_top_asks_for_what_was_before_once(tab: EventsTab, qtbot: QtBot) -> None:
    bar = tab.list.verticalScrollBar()
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        bar.setValue(0)
    assert wanted.args == [None, 801]
    with qtbot.assertNotEmitted(tab.events_wanted):
        bar.setValue(20)
        bar.setValue(0)


def test_the_chip_follows_the_list(tab: EventsTab) -> None:
    bar = tab.list.verticalScrollBar()
    bar.setValue(bar.maximum() - 200)
    assert not tab.filter_line.follow_chip.isChecked()
    tab.filter_line.follow_chip.click()
    assert bar.value() == bar.maximum()


def test_there_is_nothing_to_follow_in_a_log_that_has_ended(tab: EventsTab) -> None:
    tab.set_growing(False)
    assert not tab.filter_line.follow_chip.isVisible()


def test_a_filter_says_how_much_of_the_log_it_saw(tab: EventsTab, qtbot: QtBot) -> None:
    tab.filter_line.text_field.setText("word 99")
    assert "10 of the 200 events loaded here, 1,000 in all" in texts(tab)
    earlier = next(link for link in tab.findChildren(LinkButton) if link.isVisible())
    with qtbot.waitSignal(tab.events_wanted) as wanted:
        earlier.click()
    assert wanted.args == [None, 801]
    tab.filter_line.text_field.clear()
    assert not any("loaded here" in text for text in texts(tab))


def test_a_filter_keeps_the_chosen_event(tab: EventsTab) -> None:
    tab.select_seq(990)
    tab.filter_line.text_field.setText("word 99")
    assert chosen(tab) == "990"
    tab.filter_line.text_field.setText("nothing has this")
    assert chosen(tab) is None
    tab.filter_line.text_field.clear()
    assert chosen(tab) == "990"


def test_changes_of_status_only_and_all_again(tab: EventsTab) -> None:
    tab.show_events(page(range(1, 801)), replace=False)
    tab.filter_line.changes_chip.click()
    assert tab.list.shown.rowCount() == 2
    assert not tab.filter_line.all_chip.isChecked()
    tab.filter_line.all_chip.click()
    assert tab.list.shown.rowCount() == 1_000


def test_chips_count_the_whole_log(tab: EventsTab) -> None:
    assert "1,000" in tab.filter_line.all_chip.accessibleName() or "1,000" in tab.filter_line.all_chip.text()


def test_the_find_key_goes_to_the_filter_and_esc_empties_it(tab: EventsTab, qtbot: QtBot) -> None:
    tab.list.setFocus()
    QTest.keyClick(tab.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(tab.filter_line.text_field.hasFocus)
    QTest.keyClicks(tab.filter_line.text_field, "word 9")
    assert tab.list.shown.rowCount() == 100
    QTest.keyClick(tab.filter_line.text_field, Qt.Key.Key_Escape)
    assert tab.list.shown.rowCount() == 200


def test_the_whole_data_of_a_cut_event_is_asked_for_and_shown(tab: EventsTab, qtbot: QtBot) -> None:
    tab.show_events(EventPage(TASK, (event(1_001, '{"a": "xx', length=9_000),), True, False), replace=False)
    with qtbot.waitSignal(tab.event_data_wanted) as wanted:
        tab.select_seq(1_001)
    assert wanted.args == [1_001]
    tab.show_event_data(1_001, stored('{"a": "whole"}'))
    assert "whole" in tab.data_panel.view.shown_text()


def test_another_task_begins_with_nothing_and_follows(tab: EventsTab) -> None:
    tab.list.verticalScrollBar().setValue(0)
    tab.select_seq(850)
    tab.forget()
    assert tab.seq is None
    assert tab.list.shown.rowCount() == 0
    assert tab.list.is_following
    assert "word" not in tab.data_panel.view.shown_text()
    tab.show_events(page(range(1, 31)), replace=True)
    assert tab.list.verticalScrollBar().value() == tab.list.verticalScrollBar().maximum()


@pytest.mark.parametrize(
    ("width", "height", "has_line", "has_data"),
    [(560, 480, True, True), (560, 160, True, False), (560, 90, False, False), (1_000, 160, True, True)],
)
def test_a_low_tab_leaves_out_what_has_no_room(
    tab: EventsTab, width: int, height: int, has_line: bool, has_data: bool
) -> None:
    tab.resize(width, height)
    assert tab.list.isVisible()
    assert tab.filter_line.isVisible() == has_line
    assert tab.data_panel.isVisible() == has_data
    tab.resize(560, 480)
    assert tab.data_panel.isVisible()
