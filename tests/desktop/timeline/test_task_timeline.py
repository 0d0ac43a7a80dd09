import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.desktop.moment import Moment
from inspector.desktop.timeline.task_timeline import TaskTimelineView
from inspector.desktop.widgets.palette import DARK, LIGHT, qpalette
from inspector.layout.pages import TaskTimeline, Tick
from inspector.layout.rows import TaskRow
from tests.desktop.timeline.histories import DELTA, RESTARTED, RUNNING, T0, TASK, Step, log, task

NOW = T0 + 19_200
LANE = 60
"""A height inside the event lane."""


@pytest.fixture
def view(qtbot: QtBot) -> TaskTimelineView:
    made = TaskTimelineView()
    qtbot.addWidget(made)
    made.setPalette(qpalette(LIGHT))
    made.resize(536, made.sizeHint().height())
    made.show()
    qtbot.waitExposed(made)
    made.show_timeline(log(RUNNING), task(), Moment(NOW))
    return made


def window(view: TaskTimelineView) -> tuple[float, float]:
    assert view.picture is not None
    return view.picture.scale.start_ms - T0, view.picture.scale.end_ms - T0


def x_of(view: TaskTimelineView, after_ms: int) -> int:
    assert view.picture is not None
    return round(view.picture.scale.x(T0 + after_ms))


def image_of(view: TaskTimelineView) -> QImage:
    return view.grab().toImage()


def wheel(view: TaskTimelineView, x: int, steps: int, modifier: Qt.KeyboardModifier) -> None:
    at = QPointF(x, LANE)
    turned = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, turned)


NO_KEY = Qt.KeyboardModifier.NoModifier


def test_a_click_selects_the_nearest_event(view: TaskTimelineView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.seq_selected) as selected:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, NO_KEY, QPoint(x_of(view, 7_040), LANE))
    assert selected.args == [4]
    assert view.seq == 4


def test_the_list_can_place_the_cursor_without_an_echo(view: TaskTimelineView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.seq_selected):
        view.select_seq(3)
    assert view.seq == 3
    view.select_seq(None)
    assert view.seq is None


@pytest.mark.parametrize(
    ("start", "key", "modifier", "end"),
    [
        (None, Qt.Key.Key_Right, NO_KEY, 1),
        (2, Qt.Key.Key_Right, NO_KEY, 3),
        (2, Qt.Key.Key_Left, NO_KEY, 1),
        (1, Qt.Key.Key_Left, NO_KEY, 1),
        (5, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier, 3),
        (1, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, 2),
        (3, Qt.Key.Key_Home, NO_KEY, 1),
        (3, Qt.Key.Key_End, NO_KEY, 5),
    ],
)
def test_keys_move_the_cursor(
    view: TaskTimelineView, qtbot: QtBot, start: int | None, key: Qt.Key, modifier: Qt.KeyboardModifier, end: int
) -> None:
    view.select_seq(start)
    with qtbot.waitSignal(view.seq_selected) as selected:
        QTest.keyClick(view, key, modifier)
    assert selected.args == [end]


def test_the_wheel_zooms_at_the_pointer_and_out_again(view: TaskTimelineView) -> None:
    before = window(view)
    x = x_of(view, 7_000)
    wheel(view, x, 4, NO_KEY)
    near = window(view)
    assert near[1] - near[0] < before[1] - before[0]
    assert abs(x_of(view, 7_000) - x) <= 1
    wheel(view, x, -10, NO_KEY)
    assert window(view) == before


def test_keys_zoom_at_the_cursor_and_0_shows_all(view: TaskTimelineView) -> None:
    before = window(view)
    view.select_seq(4)
    x = x_of(view, 7_000)
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert window(view) != before
    assert abs(x_of(view, 7_000) - x) <= 1
    QTest.keyClick(view, Qt.Key.Key_Minus)
    assert window(view) == before
    QTest.keyClick(view, Qt.Key.Key_Plus)
    QTest.keyClick(view, Qt.Key.Key_0)
    assert window(view) == before


def test_a_drag_pans_while_zoomed_in_and_selects_nothing(view: TaskTimelineView, qtbot: QtBot) -> None:
    wheel(view, 268, 6, NO_KEY)
    before = window(view)
    with qtbot.assertNotEmitted(view.seq_selected):
        QTest.mousePress(view, Qt.MouseButton.LeftButton, NO_KEY, QPoint(300, LANE))
        QTest.mouseMove(view, QPoint(250, LANE))
        QTest.mouseMove(view, QPoint(200, LANE))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, NO_KEY, QPoint(200, LANE))
    after = window(view)
    span = before[1] - before[0]
    assert after[0] - before[0] == pytest.approx(100 / 500 * span, rel=0.02)
    assert after[1] - after[0] == pytest.approx(span)


def test_shift_and_the_wheel_pan(view: TaskTimelineView) -> None:
    wheel(view, 268, 6, NO_KEY)
    before = window(view)
    wheel(view, 268, -1, Qt.KeyboardModifier.ShiftModifier)
    assert window(view)[0] > before[0]


def test_the_cursor_is_brought_into_the_window(view: TaskTimelineView) -> None:
    wheel(view, x_of(view, 8_000), 10, NO_KEY)
    view.select_seq(1)
    assert window(view)[0] == 0


def test_zoom_and_cursor_stay_while_events_arrive(view: TaskTimelineView) -> None:
    wheel(view, x_of(view, 7_000), 6, NO_KEY)
    view.select_seq(4)
    before = window(view)
    view.show_timeline(log([*RUNNING, (9_000, DELTA, "running")]), task(), Moment(NOW + 100))
    assert window(view) == before
    assert view.seq == 4


def test_another_task_starts_with_all_of_it_and_no_cursor(view: TaskTimelineView) -> None:
    wheel(view, 268, 6, NO_KEY)
    view.select_seq(4)
    other = task("completed", finished_at=T0 + 21_000, task_id="other")
    view.show_timeline(log(RESTARTED, task_id="other"), other, Moment(NOW))
    assert view.seq is None
    assert window(view) == (0, 21_000)


def test_the_live_edge_grows_with_now(view: TaskTimelineView) -> None:
    assert view.picture is not None
    before = view.picture.live_x
    view.set_moment(Moment(NOW + 500))
    assert before is not None
    assert view.picture.live_x is not None
    assert view.picture.live_x > before
    view.set_moment(Moment())
    assert view.picture.live_x is None


def test_a_moment_too_short_to_see_keeps_the_picture(view: TaskTimelineView) -> None:
    view.show_timeline(log(RUNNING), task(), Moment(NOW))
    same = view.picture
    view.show_timeline(log(RUNNING), task(), Moment(NOW))
    assert view.picture == same


def test_a_finished_task_ignores_the_clock(view: TaskTimelineView) -> None:
    view.show_timeline(log(RESTARTED), task("completed", finished_at=T0 + 21_000), Moment(NOW))
    before = view.picture
    view.set_moment(Moment(NOW + 10**6))
    assert view.picture is before


def test_the_text_for_those_who_do_not_see_it_follows_the_cursor(view: TaskTimelineView) -> None:
    assert view.accessibleDescription() == "queued 1.9 s; loading 4.2 s; running 13.1 s"
    view.select_seq(4)
    assert view.accessibleDescription() == "Event 4 of 5, response.output_text.delta, 7.000 s after the start, running"


def test_types_of_data_are_harmless_in_every_text(view: TaskTimelineView) -> None:
    ticks = (Tick(1, "\u202e<b>" + "x" * 500, "<img>\x1b", T0), Tick(2, "response.created", "queued", T0 + 5))
    view.show_timeline(TaskTimeline(TASK, ticks, 2), task(), Moment(NOW))
    view.select_seq(1)
    assert "\u202e" not in view.accessibleDescription()
    assert "\x1b" not in view.accessibleDescription()
    assert len(view.accessibleDescription()) < 300


HOSTILE: list[Step] = [(n, "resumed" if n % 2 else "queued", "x" * n) for n in range(300)]

LIVES: dict[str, tuple[TaskRow, TaskTimeline | None, int | None]] = {
    "no log": (task("completed", started_at=T0 + 300, finished_at=T0 + 5_000), TaskTimeline(TASK, (), 0), None),
    "log on its way": (task(), None, NOW),
    "one event": (task("queued"), log(RUNNING[:1]), NOW),
    "one event, not moving": (task("queued"), log(RUNNING[:1]), None),
    "all at once": (
        task("failed", finished_at=T0),
        log([(0, "created", "queued"), (0, "in_progress", "running"), (0, "failed", "failed")]),
        None,
    ),
    "backwards": (
        task("completed", finished_at=T0 + 5),
        log(
            [
                (0, "created", "queued"),
                (900, "in_progress", "running"),
                (5, DELTA, "running"),
                (5, "completed", "completed"),
            ]
        ),
        None,
    ),
    "no creation time": (task(created_at=None), log(RUNNING), NOW),
    "nothing known": (task(created_at=None), None, None),
    "far apart": (task(created_at=-(2**62)), log([(0, "created", "queued"), (2**60, DELTA, "queued")]), NOW),
    "restarted": (task("completed", finished_at=T0 + 21_000), log(RESTARTED), None),
    "unknown statuses": (task("paused"), log(HOSTILE), NOW),
    "many": (task(), log([(n, DELTA, "running") for n in range(20_000)]), NOW),
    "thinned": (task(), log([(n * 9, DELTA, "running") for n in range(500)], events=99_000), NOW),
    "missing events": (task(), TaskTimeline(TASK, (*log(RUNNING).ticks, Tick(99, "x", "running", T0 + 9_000)), 6), NOW),
}


@pytest.mark.parametrize("name", LIVES)
@pytest.mark.parametrize("width", [20, 120, 536, 2_000])
def test_whatever_is_in_a_log_is_painted(view: TaskTimelineView, name: str, width: int) -> None:
    row, timeline, now_ms = LIVES[name]
    view.resize(width, view.height())
    view.show_timeline(timeline, row, Moment(now_ms))
    view.select_seq(2)
    assert len({colour for x in range(0, width, 3) for colour in colours(image_of(view), x)}) > 1
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Plus, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Minus):
        QTest.keyClick(view, key)
        image_of(view)


def colours(image: QImage, x: int) -> set[str]:
    return {QColor(image.pixel(x, y)).name() for y in range(image.height())}


def test_the_cursor_is_painted_over_what_stays(view: TaskTimelineView) -> None:
    view.clearFocus()
    x = x_of(view, 7_000)
    accent = LIGHT.accent.name()
    assert accent not in colours(image_of(view), x)
    view.select_seq(4)
    assert accent in colours(image_of(view), x)
    view.select_seq(1)
    assert accent not in colours(image_of(view), x)


def test_phases_have_the_colour_of_their_state(view: TaskTimelineView) -> None:
    image = image_of(view)
    assert LIGHT.state("running").name() in colours(image, x_of(view, 15_000))
    assert LIGHT.state("loading").name() in colours(image, x_of(view, 4_000))
    assert LIGHT.state("queued").name() in colours(image, x_of(view, 1_500))


def test_the_picture_turns_dark_with_the_palette(view: TaskTimelineView) -> None:
    view.setPalette(qpalette(DARK))
    image = image_of(view)
    assert QColor(image.pixel(5, LANE)).name() == DARK.base.name()
    assert DARK.state("running").name() in colours(image, x_of(view, 15_000))


def test_the_height_follows_the_font(view: TaskTimelineView, qapp: QApplication) -> None:
    assert view.sizeHint().height() >= 92
    font = qapp.font()
    larger = qapp.font()
    larger.setPixelSize(26)
    try:
        qapp.setFont(larger)
        assert view.sizeHint().height() > 120
    finally:
        qapp.setFont(font)
