from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.parts import DetailTab
from inspector.desktop.detail.stored_text import StoredTextPanel
from inspector.desktop.detail.view import DetailPane
from inspector.desktop.moment import Moment
from inspector.desktop.widgets.flash import FlashClock
from inspector.desktop.widgets.table import DenseTable
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow, TaskRow
from inspector.lmsp.cancelling import CancelOutcome
from tests.desktop.detail.pages import Answer, detail, event, page, stored
from tests.desktop.timeline.histories import DELTA, RESTARTED, RUNNING, T0, TASK, log, task

NOW = T0 + 19_200


@pytest.fixture
def pane(qtbot: QtBot) -> DetailPane:
    made = DetailPane(UTC, flash=FlashClock(still=True))
    qtbot.addWidget(made)
    made.resize(560, 800)
    made.show()
    made.activateWindow()
    qtbot.waitExposed(made)
    made.set_may_act(True, None)
    made.set_moment(Moment(NOW))
    return made


def show(pane: DetailPane, row: TaskRow | None = None, **texts: Any) -> None:  # noqa: ANN401
    pane.show_task(detail(task("running", started_at=T0 + 1_900, last_seq=5) if row is None else row, **texts))
    pane.show_timeline(log(RUNNING))
    pane.show_events(page(range(1, 6)), replace=True)


def words(widget: QWidget) -> list[str]:
    labels: list[QLabel] = widget.findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]


def verb(pane: DetailPane, word: str) -> QPushButton:
    return next(button for button in pane.bar.findChildren(QPushButton) if button.text() == word)


# What is shown


def test_without_a_task_there_is_one_sentence(pane: DetailPane) -> None:
    assert words(pane) == ["No task selected. Choose one in the list to see its life."]
    show(pane)
    assert "running" in words(pane)
    pane.show_task(None)
    assert words(pane) == ["No task selected. Choose one in the list to see its life."]


def test_a_task_has_its_state_its_id_and_its_times(pane: DetailPane) -> None:
    show(pane)
    shown = words(pane)
    for word in ("running", TASK, "llama-3.2-3b-instruct-q4", "00:53:20.000", "1.9 s", "17.3 s", "resume"):
        assert word in shown


def test_durations_of_an_unfinished_task_run_with_now(pane: DetailPane) -> None:
    show(pane)
    pane.set_moment(Moment(NOW + 1_000))
    assert "18.3 s" in words(pane)
    live = pane.timeline.picture
    pane.set_moment(Moment(None, NOW))
    assert pane.timeline.picture != live


def test_counts_are_those_of_the_whole_log(pane: DetailPane) -> None:
    show(pane, task(last_seq=9_000))
    pane.show_timeline(log(RUNNING, events=9_000))
    assert pane.tabs.tabData(DetailTab.EVENTS) == "9,000"


def test_a_finished_log_that_lacks_events_says_how_many_there_are(pane: DetailPane) -> None:
    show(pane, task("failed", finished_at=T0 + 8_000, last_seq=19))
    assert pane.tabs.tabData(DetailTab.EVENTS) == "5 of 19"


def test_tabs_without_content_are_off(pane: DetailPane) -> None:
    show(pane)
    on = [tab for tab in DetailTab if pane.tabs.isTabEnabled(tab)]
    assert on == [DetailTab.EVENTS, DetailTab.REQUEST, DetailTab.RAW_ROW]
    failed = replace(task("failed", finished_at=T0 + 8_000, snapshot_seq=3), error_code="boom")
    show(pane, failed, snapshot=stored("{}"), response=stored("{}"))
    assert all(pane.tabs.isTabEnabled(tab) for tab in DetailTab)
    assert pane.tabs.tabData(DetailTab.SNAPSHOT) == "3"


def test_a_tab_that_has_nothing_any_more_gives_way_to_the_events(pane: DetailPane) -> None:
    show(pane, snapshot=stored("{}"))
    pane.tabs.setCurrentIndex(DetailTab.SNAPSHOT)
    show(pane, snapshot=stored('{"later": 1}'))
    assert pane.tabs.currentIndex() == DetailTab.SNAPSHOT
    pane.show_task(detail(task(task_id="other")))
    assert pane.tabs.currentIndex() == DetailTab.EVENTS


def test_tabs_that_are_off_are_left_out_where_they_do_not_fit(pane: DetailPane) -> None:
    show(pane)
    pane.resize(900, 800)
    assert all(pane.tabs.isTabVisible(tab) for tab in DetailTab)
    pane.resize(320, 800)
    shown = [tab for tab in DetailTab if pane.tabs.isTabVisible(tab)]
    assert shown == [DetailTab.EVENTS, DetailTab.REQUEST, DetailTab.RAW_ROW]


def test_stored_texts_are_shown_in_their_tabs(pane: DetailPane) -> None:
    show(pane, response=stored('{"output":"done"}'), error_message=stored("why"))
    assert '"why"' in pane.parts.panel(DetailTab.REQUEST).view.shown_text()
    assert '"done"' in pane.parts.panel(DetailTab.RESPONSE).view.shown_text()
    assert pane.parts.panel(DetailTab.ERROR).view.shown_text() == "why"


def test_a_text_is_laid_out_when_its_tab_is_looked_at_and_is_then_that_of_the_task_on_screen(pane: DetailPane) -> None:
    show(pane)
    assert [panel for panel in pane.findChildren(StoredTextPanel) if panel is not pane.events.data_panel] == []
    pane.tabs.setCurrentIndex(DetailTab.REQUEST)
    (panel,) = [panel for panel in pane.findChildren(StoredTextPanel) if panel is not pane.events.data_panel]
    assert panel.isVisible()
    assert '"why"' in panel.view.shown_text()

    pane.show_task(detail(task(task_id="other"), request=stored('"another"')))
    assert panel.view.shown_text() == '"another"'
    pane.tabs.setCurrentIndex(DetailTab.EVENTS)
    pane.show_task(detail(task(task_id="third"), request=stored('"the third"')))
    pane.tabs.setCurrentIndex(DetailTab.REQUEST)
    assert panel.view.shown_text() == '"the third"'

    pane.tabs.setCurrentIndex(DetailTab.RAW_ROW)
    assert [table.accessibleName() for table in pane.findChildren(DenseTable) if table.isVisible()] == ["Raw row"]


def test_hidden_content_is_hidden_everywhere_until_it_is_wanted(pane: DetailPane, qtbot: QtBot) -> None:
    secret = "a secret prompt"
    data = EventPage(TASK, (event(1, f'{{"x": "{secret}"}}'),), False, False)
    pane.set_covered(True)
    pane.show_task(detail(request=stored(secret), response=stored(secret), snapshot=stored(secret)))
    pane.show_events(data, replace=True)
    pane.events.select_seq(1)
    for tab in DetailTab:
        pane.tabs.setCurrentIndex(tab)
        assert not any(secret in text for text in [*words(pane), *everything(pane)])
    with qtbot.waitSignal(pane.content_wanted):
        pane.parts.panel(DetailTab.REQUEST).uncover_wanted.emit()
    pane.set_covered(False)
    assert pane.parts.panel(DetailTab.REQUEST).view.shown_text() == secret


def everything(pane: DetailPane) -> list[str]:
    """All that any part of the pane holds to show, on screen or not."""
    found = [pane.timeline.accessibleDescription(), pane.events.data_panel.view.shown_text()]
    texts = (DetailTab.REQUEST, DetailTab.RESPONSE, DetailTab.SNAPSHOT, DetailTab.ERROR)
    found += [pane.parts.panel(tab).view.shown_text() for tab in texts]
    for model in (pane.events.list.shown, pane.parts.raw_row):
        for row in range(model.rowCount()):
            found += [str(model.index(row, column).data()) for column in range(model.columnCount())]
    for label in pane.findChildren(QLabel):
        found += [label.text(), label.toolTip(), label.accessibleName()]
    for button in pane.findChildren(QAbstractButton):
        found += [button.text(), button.accessibleName()]
    for index in range(pane.tabs.count()):
        found += [pane.tabs.tabText(index), str(pane.tabs.tabData(index))]
    return found


@pytest.mark.parametrize("evil", ["<img src=/etc/passwd>", "a\u202eb", "\x1b[2Jx", "\x00", "\u200b<b>", "\u2028"])
def test_no_text_of_data_is_markup_or_does_anything(pane: DetailPane, evil: str) -> None:
    row = TaskRow(
        id=evil, client_id=evil, model_id=evil, kind=evil, status=evil, on_restart=evil, snapshot_seq=1, last_seq=1,
        attempt=1, error_code=evil, created_at=T0, started_at=T0, finished_at=None, updated_at=T0,
    )  # fmt: skip
    shown = EventRow(1, evil, 1, evil, evil, 1, T0, evil, len(evil))
    pane.show_task(detail(row, request=stored(evil), error_message=stored(evil)))
    pane.show_timeline(log([(0, evil, evil)], task_id=evil))
    pane.show_events(EventPage(evil, (shown,), False, False), replace=True)
    pane.events.select_seq(1)
    pane.show_cancel_question(row)
    pane.show_cancel_outcome(Answer(CancelOutcome.REFUSED, evil, 1, evil, task_id=evil))
    pane.grab()
    hidden = [character for character in evil if not character.isprintable()]
    for text in everything(pane):
        assert not any(character in text for character in hidden), ascii(text)
    for label in pane.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText
    for widget in pane.findChildren(QWidget):
        tip = widget.toolTip()
        assert "<img" not in tip.replace("&lt;img", "")


# Updates


def test_the_same_values_again_change_nothing(pane: DetailPane) -> None:
    show(pane)
    pane.events.select_seq(4)
    seen: list[object] = []
    for model in (pane.events.list.events, pane.parts.raw_row):
        for signal in (model.dataChanged, model.modelReset, model.rowsInserted, model.rowsRemoved):
            signal.connect(lambda *_: seen.append(1))
    picture = pane.timeline.picture
    show(pane)
    assert not seen
    assert pane.timeline.picture == picture
    assert pane.events.seq == 4


def test_a_task_that_goes_on_keeps_place_and_selection_and_resets_nothing(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    pane.events.show_events(page(range(6, 200)), replace=False)
    pane.events.list.selectRow(19)
    bar = pane.events.list.verticalScrollBar()
    place = bar.value()
    with (
        qtbot.assertNotEmitted(pane.events.list.events.modelReset),
        qtbot.assertNotEmitted(pane.parts.raw_row.modelReset),
    ):
        pane.show_task(detail(task("cancelling", started_at=T0 + 1_900, last_seq=201)))
        pane.show_timeline(log([*RUNNING, (9_000, DELTA, "running"), (9_001, "cancelling", "cancelling")]))
        pane.show_events(page(range(200, 202)), replace=False)
    assert bar.value() == place
    assert pane.events.seq == 20
    assert pane.timeline.seq == 20
    assert "cancelling" in words(pane)


def test_a_row_that_a_commit_made_is_shown_at_once_and_the_texts_stay(pane: DetailPane) -> None:
    show(pane, response=stored('"text"'))
    pane.show_row(task("completed", started_at=T0 + 1_900, finished_at=T0 + 9_000, last_seq=6))
    assert "completed" in words(pane)
    assert not pane.title.cancel_button.isEnabled()
    assert pane.parts.panel(DetailTab.RESPONSE).view.shown_text() == '"text"'
    pane.show_row(task("failed", task_id="other"))
    assert "failed" not in words(pane)


def test_another_task_starts_afresh(pane: DetailPane) -> None:
    show(pane)
    pane.events.select_seq(4)
    pane.show_task(detail(task(task_id="other")))
    assert pane.events.list.shown.rowCount() == 0
    assert pane.events.seq is None
    assert pane.timeline.seq is None


def test_answers_for_another_task_are_dropped(pane: DetailPane) -> None:
    show(pane)
    pane.show_timeline(log(RESTARTED, task_id="other"))
    pane.show_events(page(range(1, 9), task_id="other"), replace=True)
    pane.show_cancel_outcome(Answer(CancelOutcome.CANCELLED, task_id="other"))
    assert pane.events.list.shown.rowCount() == 5
    assert not pane.bar.isVisible()


# List and timeline


def test_a_row_moves_the_cursor(pane: DetailPane) -> None:
    show(pane)
    pane.events.list.selectRow(3)
    assert pane.timeline.seq == 4


def test_the_cursor_moves_the_row_and_shows_the_events(pane: DetailPane) -> None:
    show(pane)
    pane.tabs.setCurrentIndex(DetailTab.REQUEST)
    pane.timeline.setFocus()
    QTest.keyClick(pane.timeline, Qt.Key.Key_Home)
    QTest.keyClick(pane.timeline, Qt.Key.Key_Right)
    assert pane.events.list.currentIndex().row() == 1
    assert pane.tabs.currentIndex() == DetailTab.EVENTS
    assert '"word 2"' in pane.events.data_panel.view.shown_text()


def test_events_and_data_are_wanted_for_the_task_that_is_shown(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane, task(last_seq=1_000))
    pane.show_events(EventPage(TASK, (event(6, '{"a', length=99),), True, False), replace=False)
    with qtbot.waitSignal(pane.events_wanted) as wanted:
        pane.events.select_seq(700)
    assert wanted.args == [TASK, 600, None]
    with qtbot.waitSignal(pane.event_data_wanted) as data:
        pane.events.select_seq(6)
    assert data.args == [TASK, 6]
    pane.show_event_data(6, stored('{"all": 1}'))
    assert '"all"' in pane.events.data_panel.view.shown_text()


# Cancel


def test_nothing_is_cancelled_before_the_question_is_answered_yes(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    with qtbot.assertNotEmitted(pane.cancel_requested):
        pane.title.cancel_button.click()
        assert pane.bar.isVisible()
        assert "It is running since 17 s." in pane.bar.text()
        verb(pane, "Keep running").click()
    assert not pane.bar.isVisible()
    pane.title.cancel_button.click()
    with qtbot.waitSignal(pane.cancel_requested) as requested:
        verb(pane, "Cancel task").click()
    assert requested.args == [TASK]


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_the_safe_answer_has_the_keyboard(pane: DetailPane, qtbot: QtBot, key: Qt.Key) -> None:
    show(pane)
    pane.title.cancel_button.setFocus()
    QTest.keyClick(pane.title.cancel_button, Qt.Key.Key_Space)
    qtbot.waitUntil(verb(pane, "Keep running").hasFocus)
    with qtbot.assertNotEmitted(pane.cancel_requested):
        QTest.keyClick(verb(pane, "Keep running"), key)
    assert not pane.bar.isVisible()
    assert pane.title.cancel_button.hasFocus()


def test_a_cancel_by_keyboard_alone(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    pane.ask_cancel()
    qtbot.waitUntil(verb(pane, "Keep running").hasFocus)
    QTest.keyClick(verb(pane, "Keep running"), Qt.Key.Key_Tab)
    assert verb(pane, "Cancel task").hasFocus()
    with qtbot.waitSignal(pane.cancel_requested):
        QTest.keyClick(verb(pane, "Cancel task"), Qt.Key.Key_Return)


def test_a_second_press_while_the_cancel_is_written_does_nothing_and_says_why(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    pane.ask_cancel()
    verb(pane, "Cancel task").click()
    assert pane.bar.text() == "Writing the cancel. Waiting for the database."
    assert "on its way" in pane.title.cancel_button.toolTip()
    with qtbot.assertNotEmitted(pane.cancel_requested):
        pane.title.cancel_button.click()
        pane.ask_cancel()
    pane.show_cancel_outcome(Answer(CancelOutcome.BUSY, reason="It was held."))
    assert pane.title.cancel_button.isEnabled()


def test_a_bar_that_goes_with_its_task_leaves_the_keyboard_where_it_is(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    pane.ask_cancel()
    pane.timeline.setFocus()
    qtbot.waitUntil(pane.timeline.hasFocus)
    pane.show_task(detail(task(task_id="other")))
    assert pane.timeline.hasFocus()


def test_esc_anywhere_in_the_pane_is_the_safe_answer(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    pane.ask_cancel()
    pane.events.list.setFocus()
    with qtbot.assertNotEmitted(pane.cancel_requested):
        QTest.keyClick(pane.events.list, Qt.Key.Key_Escape)
    assert not pane.bar.isVisible()
    assert pane.events.list.hasFocus()


@pytest.mark.parametrize("status", ["queued", "loading", "running", "cancelling"])
def test_an_unfinished_task_can_be_cancelled(pane: DetailPane, status: str) -> None:
    show(pane, task(status))
    assert pane.title.cancel_button.isEnabled()


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled", "paused"])
def test_others_cannot_and_say_why(pane: DetailPane, status: str) -> None:
    show(pane, task(status))
    assert not pane.title.cancel_button.isEnabled()
    assert status in pane.title.cancel_button.toolTip()
    pane.ask_cancel()
    assert not pane.bar.isVisible()


def test_where_nothing_may_be_written_the_reason_is_told(pane: DetailPane) -> None:
    show(pane)
    pane.set_may_act(False, "This is a copy.")
    assert not pane.title.cancel_button.isEnabled()
    assert "This is a copy." in pane.title.cancel_button.toolTip()
    pane.ask_cancel()
    assert not pane.bar.isVisible()


def test_a_question_for_a_task_that_is_on_its_way_waits_for_it(pane: DetailPane) -> None:
    show(pane, task(task_id="other"))
    pane.ask_cancel(TASK)
    assert not pane.bar.isVisible()
    show(pane)
    assert pane.bar.is_asking
    pane.show_task(None)
    pane.ask_cancel()
    show(pane)
    assert pane.bar.is_asking


def test_another_task_takes_the_question_away(pane: DetailPane) -> None:
    show(pane)
    pane.ask_cancel()
    pane.show_task(detail(task(task_id="other")))
    assert not pane.bar.isVisible()


def test_the_outcome_stands_where_the_question_stood_until_it_is_closed(pane: DetailPane) -> None:
    show(pane)
    pane.ask_cancel()
    verb(pane, "Cancel task").click()
    pane.show_cancel_outcome(Answer(CancelOutcome.CANCELLING, "cancelling", 6))
    assert pane.bar.text().startswith("Cancelling. Its worker will see it")
    show(pane, task("cancelling", started_at=T0 + 1_900, last_seq=6))
    assert pane.bar.isVisible()


def test_cancelling_becomes_cancelled_in_its_place(pane: DetailPane) -> None:
    show(pane)
    pane.show_cancel_outcome(Answer(CancelOutcome.CANCELLING, "cancelling", 6))
    pane.show_timeline(log([*RUNNING, (9_000, "cancelling", "cancelling"), (10_400, "cancelled", "cancelled")]))
    pane.show_task(detail(task("cancelled", started_at=T0 + 1_900, finished_at=T0 + 10_400, last_seq=7)))
    assert pane.bar.text().startswith("Cancelled 1.4 s after you asked.")


def test_a_task_that_finishes_while_the_question_stands_answers_it(pane: DetailPane) -> None:
    show(pane)
    pane.ask_cancel()
    show(pane, task("completed", started_at=T0 + 1_900, finished_at=T0 + 9_000, last_seq=6))
    assert pane.bar.text() == "Not cancelled: it finished first. Completed at 00:53:29.000. Nothing was written."
    assert not pane.bar.is_asking


def test_the_outcome_leads_to_its_event(pane: DetailPane) -> None:
    show(pane, task("completed", finished_at=T0 + 9_000, last_seq=5))
    pane.show_cancel_outcome(Answer(CancelOutcome.ALREADY_FINISHED, "completed", 5))
    verb(pane, "Event 5").click()
    assert pane.events.seq == 5
    assert pane.timeline.seq == 5


def test_a_busy_database_can_be_tried_again(pane: DetailPane, qtbot: QtBot) -> None:
    show(pane)
    pane.show_cancel_outcome(Answer(CancelOutcome.BUSY, reason="Another process held it for 5 s."))
    with qtbot.waitSignal(pane.cancel_requested) as requested:
        verb(pane, "Try again").click()
    assert requested.args == [TASK]


def test_the_id_is_copied_as_it_is_stored(pane: DetailPane) -> None:
    show(pane, task(task_id="task_\u202eevil"))
    copy = next(button for button in pane.title.findChildren(QAbstractButton) if "Copy" in button.accessibleName())
    copy.click()
    assert QGuiApplication.clipboard().text() == "task_\u202eevil"


# Room


@pytest.mark.parametrize("width", [320, 400, 560, 720, 1_000])
@pytest.mark.parametrize("height", [220, 300, 400, 560, 800])
@pytest.mark.parametrize("asks", [False, True])
def test_nothing_overlaps_or_is_cut_at_any_size(pane: DetailPane, width: int, height: int, asks: bool) -> None:
    show(pane)
    pane.resize(width, height)
    if asks:
        pane.ask_cancel()
    pane.grab()
    assert (pane.width(), pane.height()) == (width, height)
    end = 0
    parts = (pane.title, pane.bar, pane.timeline, pane.tabs, pane.events.filter_line, pane.events.list)
    for part in parts:
        if part.isVisible():
            top = part.mapTo(pane, QPoint()).y()
            assert top >= end
            end = top + part.height()
    assert end <= height
    rows = pane.events.list
    assert rows.height() >= 3 * rows.verticalHeader().defaultSectionSize() or (asks and not rows.isVisible())
    if asks:
        assert pane.bar.height() >= pane.bar.heightForWidth(width)


def test_a_low_pane_keeps_the_timeline_before_the_summary(pane: DetailPane) -> None:
    show(pane)
    assert "Created" in words(pane)
    pane.resize(560, pane.minimumSizeHint().height())
    assert pane.timeline.isVisible()
    assert pane.minimumSizeHint().height() <= 300
    assert "Created" not in words(pane)
    pane.resize(560, 220)
    assert not pane.timeline.isVisible()
