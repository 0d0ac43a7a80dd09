"""An event that another view sends the reader to is chosen as soon as it can be."""

from dataclasses import replace
from datetime import UTC

import pytest
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.parts import DetailTab
from inspector.desktop.detail.view import DetailPane
from inspector.desktop.widgets.flash import FlashClock
from tests.desktop.detail.pages import detail, page, stored
from tests.desktop.timeline.histories import TASK, task


@pytest.fixture
def pane(qtbot: QtBot) -> DetailPane:
    made = DetailPane(UTC, flash=FlashClock(still=True))
    qtbot.addWidget(made)
    made.resize(560, 800)
    with qtbot.waitExposed(made):
        made.show()
    return made


def show(pane: DetailPane, task_id: str = TASK) -> None:
    pane.show_task(detail(replace(task("running", last_seq=5), id=task_id), snapshot=stored("{}")))


def chosen(pane: DetailPane) -> int | None:
    return pane.events.seq


def test_where_the_task_is_shown_it_is_chosen_at_once_in_the_list_and_in_the_timeline(pane: DetailPane) -> None:
    show(pane)
    pane.show_events(page(range(1, 6)), replace=True)
    pane.tabs.setCurrentIndex(DetailTab.SNAPSHOT)

    pane.go_to_event(TASK, 3)

    assert (pane.events.seq, pane.timeline.seq) == (3, 3)
    assert pane.tabs.currentIndex() == DetailTab.EVENTS


def test_a_task_that_is_on_its_way_is_waited_for_and_what_is_far_in_its_log_is_asked_for(pane: DetailPane) -> None:
    show(pane, "another task")
    pane.go_to_event(TASK, 3)
    assert chosen(pane) is None
    wanted: list[tuple[object, ...]] = []
    pane.events_wanted.connect(lambda *asked: wanted.append(asked))

    show(pane)
    assert chosen(pane) is None, "no event is there yet"
    pane.show_events(page(range(500, 520)), replace=True)

    assert chosen(pane) == 3
    assert wanted == [(TASK, 0, None)]


def test_whoever_went_to_another_task_meanwhile_is_not_sent_on(pane: DetailPane) -> None:
    pane.go_to_event(TASK, 3)
    show(pane, "another task")
    show(pane)
    pane.show_events(page(range(1, 6)), replace=True)
    assert chosen(pane) is None
