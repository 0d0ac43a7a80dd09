"""What a layout of others tells no number for is a dash in every view: neither 0 nor a number that was worked out."""

import json
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QTableView, QToolTip
from pytestqt.qtbot import QtBot

from inspector.desktop.composition import Inspector
from inspector.desktop.detail.item_model import EventColumn, EventItemModel
from inspector.desktop.detail.parts import DetailParts, DetailTab
from inspector.desktop.detail.raw_row import COLUMNS, RawColumn, RawRowItemModel
from inspector.desktop.detail.stored_text import EventDataPanel
from inspector.desktop.detail.summary import Clock, Names, summary
from inspector.desktop.moment import Moment
from inspector.desktop.recovery.words import attempt_words, event_text, field_changes, seq_words
from inspector.desktop.search.words import HitColumn, hit_cells
from inspector.desktop.session.launch import Target
from inspector.desktop.tasks.words import TaskColumn, task_cells
from inspector.desktop.timeline.phases import history_of
from inspector.desktop.timeline.task_timeline import TaskTimelineView
from inspector.desktop.widgets.flash import FlashClock
from inspector.layout.pages import TaskTimeline
from inspector.layout.rows import EventRow, OddEventRow, OddTaskRow, TaskRow
from inspector.lmsp.recovery import Number, RecoveryStep, plan_step
from inspector.lmsp.values import extended
from tests.desktop.detail.pages import detail, event, page
from tests.desktop.recovery.plans import leftover
from tests.desktop.search.hits import NOW_MS, hit
from tests.desktop.timeline.histories import DELTA, RESTARTED, T0, Step, log, task
from tests.support.foreign_databases import SHIPPED
from tests.support.inspectors import an_inspector
from tests.support.waiting import until


def untold(row: TaskRow) -> TaskRow:
    return extended(OddTaskRow, row, (("last_seq", None), ("attempt", None)))


def nameless(row: EventRow) -> EventRow:
    return extended(OddEventRow, row, (("seq", None), ("attempt", None)))


def unnumbered(timeline: TaskTimeline) -> TaskTimeline:
    return replace(timeline, ticks=tuple(replace(tick, is_numbered=False) for tick in timeline.ticks))


def step(status: str = "running", policy: str = "retry", *unknown: Number) -> RecoveryStep:
    left = leftover("t", status, policy, attempt=0, last_seq=0)
    return plan_step(replace(left, unknown=frozenset(unknown or (Number.ATTEMPT, Number.LAST_SEQ))))


@pytest.mark.parametrize(("counted", "shown"), [(0, "–"), (3_000, "3,000")])
def test_the_list_shows_how_many_events_were_counted_and_no_nought_for_nobody_knows(counted: int, shown: str) -> None:
    cells = task_cells(untold(task(last_seq=counted, attempt=0)), Moment(), UTC)
    assert cells[TaskColumn.EVENTS].text == shown
    assert task_cells(task(last_seq=0), Moment(), UTC)[TaskColumn.EVENTS].text == "0"


@pytest.mark.usefixtures("qapp")
def test_the_top_of_the_detail_pane_and_the_raw_row() -> None:
    row = untold(task(last_seq=3, attempt=0))
    told = {each.caption: each.value for column in summary(row, Clock(UTC), Names()) for each in column}
    assert (told["Attempt"], told["Last seq"]) == ("–", "–")
    raw = RawRowItemModel()
    raw.show(detail(row), covered=False)
    for name in ("last_seq", "attempt"):
        assert raw.data(raw.index(COLUMNS.index(name), RawColumn.VALUE)) == "none"


def test_events_keep_their_order_and_the_caption_of_their_data_has_no_number(qtbot: QtBot) -> None:
    model = EventItemModel(lambda: 1_000)
    events = tuple(nameless(event(seq, f'{{"n": {seq}}}')) for seq in (1, 2, 3))
    model.show_page(replace(page([1]), events=events))
    assert [model.data(model.index(row, EventColumn.SEQ)) for row in range(3)] == ["–"] * 3
    assert [model.data(model.index(row, EventColumn.DATA)) for row in range(3)] == ['"n": 1', '"n": 2', '"n": 3']
    panel = EventDataPanel()
    qtbot.addWidget(panel)
    panel.show_event(events[1])
    assert panel.caption.accessibleName().startswith("Data of event –, ")
    panel.show_event(event(2_000))
    assert panel.caption.accessibleName().startswith("Data of event 2000, ")


@pytest.mark.usefixtures("qapp")
def test_a_type_that_is_not_there_is_a_dash() -> None:
    model = EventItemModel(lambda: 1_000)
    odd = extended(OddEventRow, replace(event(1), type=""), (("type", None),))
    model.show_page(replace(page([1]), events=(odd, replace(event(2), type=""))))
    assert [model.data(model.index(row, EventColumn.TYPE)) for row in range(2)] == ["–", ""]
    raw = RawRowItemModel()
    raw.show(detail(extended(OddTaskRow, replace(task(), kind=""), (("kind", None),))), covered=False)
    assert raw.data(raw.index(COLUMNS.index("kind"), RawColumn.VALUE)) == "none"


def test_data_is_asked_for_by_the_place_of_an_event_without_a_number(qtbot: QtBot) -> None:
    panel = EventDataPanel()
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.whole_wanted) as wanted:
        panel.show_event(nameless(event(2, "xx", length=9_000)))
    assert wanted.args == [2]


def test_the_tab_of_the_events_counts_none_before_they_are_read(qtbot: QtBot) -> None:
    parts = DetailParts(FlashClock())
    qtbot.addWidget(parts)
    for row, remark in ((untold(task(last_seq=0)), None), (untold(task(last_seq=4)), 4), (task(last_seq=0), 0)):
        parts.show_detail(detail(row))
        parts.show_counts(None, None)
        assert parts.tabs.tabData(DetailTab.EVENTS) == (None if remark is None else str(remark))


def test_a_hit_has_no_number() -> None:
    found = hit(5, seq=3, odd=(("seq", None),))
    assert hit_cells(found, NOW_MS, UTC, is_covered=False)[HitColumn.SEQ].text == "–"


def test_the_timeline_names_no_event_by_a_number(qtbot: QtBot) -> None:
    view = TaskTimelineView()
    qtbot.addWidget(view)
    view.show_timeline(unnumbered(log(RESTARTED)), untold(task("completed", finished_at=T0 + 21_000)), Moment())
    assert "attempt" not in view.accessibleDescription()
    view.select_seq(4)
    assert view.accessibleDescription() == "Event – of 8, response.queued, 12.000 s after the start, queued"


BACKWARDS: list[Step] = [(0, "created", "queued"), (900, "in_progress", "running"), (5, DELTA, "running")]


@pytest.mark.parametrize(("is_told", "number"), [(True, "event 3 is earlier"), (False, "event – is earlier")])
def test_the_warning_of_a_clock_names_an_event_only_by_a_number_that_is_told(
    qtbot: QtBot, is_told: bool, number: str
) -> None:
    view = TaskTimelineView()
    qtbot.addWidget(view)
    view.resize(536, view.sizeHint().height())
    timeline = log(BACKWARDS)
    view.show_timeline(timeline if is_told else unnumbered(timeline), task(), Moment())
    said = {tool_tip(view, QPoint(view.width() - 10, y)) for y in range(view.height())}
    assert any(number in words for words in said)


def tool_tip(view: TaskTimelineView, at: QPoint) -> str:
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, at, at))
    return QToolTip.text()


def test_attempts_are_counted_only_where_the_task_tells_one() -> None:
    done = task("completed", finished_at=T0 + 21_000, attempt=3)
    told, not_told = history_of(done, log(RESTARTED)), history_of(untold(done), log(RESTARTED))
    assert told is not None
    assert not_told is not None
    assert max(phase.attempt for phase in told.phases) == 3
    assert {phase.attempt for phase in not_told.phases} == {1}


@pytest.mark.parametrize(
    ("policy", "status"), [("retry", "running"), ("resume", "running"), ("fail", "queued"), ("retry", "cancelling")]
)
def test_the_preview_of_a_restart_makes_up_no_number(policy: str, status: str) -> None:
    one = step(status, policy)
    assert one.event is not None
    assert (attempt_words(one), seq_words(one)) == ("–", "seq –")
    changes = {change.name: (change.before, change.after) for change in field_changes(one)}
    assert changes["last_seq"] == ("–", "–")
    assert changes["attempt"] == ("–", "–" if one.raises_attempt else None)
    written = json.loads(event_text(one) or "")
    assert (written["seq"], written["attempt"]) == (None, None)
    assert written["data"].get("attempt") is None


def test_of_two_numbers_the_one_that_is_known_is_told() -> None:
    one = step("running", "retry", Number.LAST_SEQ)
    assert (attempt_words(one), seq_words(one)) == ("0 → 1", "seq –")
    two = step("running", "retry", Number.ATTEMPT)
    assert (attempt_words(two), seq_words(two)) == ("–", "seq 1")


def test_a_task_that_stays_tells_no_number_either() -> None:
    one = step("queued", "retry")
    assert (one.event, attempt_words(one), seq_words(one)) == (None, "–", "")
    changes = {change.name: (change.before, change.after) for change in field_changes(one)}
    assert changes["last_seq"] == changes["attempt"] == ("–", None)


def seqs_on_screen(inspector: Inspector) -> list[str]:
    pane = inspector.window.views.late_detail.made
    rows = None if pane is None else pane.events.list.model()
    return [] if rows is None else [str(rows.index(row, EventColumn.SEQ).data()) for row in range(rows.rowCount())]


@pytest.mark.process
@pytest.mark.usefixtures("qloop")
async def test_in_a_window_no_number_of_such_a_file_is_made_up(tmp_path: Path) -> None:
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(SHIPPED["events as JSON lines"](tmp_path / "other.db")))
        await until(lambda: len(seqs_on_screen(inspector)) == 4)
        assert seqs_on_screen(inspector) == ["–"] * 4
        inspector.window.show_view("recovery")
        await until(lambda: any("seq –" in shown for shown in _texts(inspector)))
        assert not any("seq 1" in shown or "seq 5" in shown for shown in _texts(inspector))


def _texts(inspector: Inspector) -> list[str]:
    """Return what the cells of all visible tables show, with their notes."""
    found = []
    for table in inspector.window.findChildren(QTableView):
        rows = table.model()
        if table.isVisible() and rows is not None:
            places = [(row, column) for row in range(rows.rowCount()) for column in range(rows.columnCount())]
            for at in places:
                found += [str(rows.index(*at).data(role)) for role in (0, int(Qt.ItemDataRole.AccessibleTextRole))]
    return found
