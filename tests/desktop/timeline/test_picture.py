from inspector.desktop.moment import Moment
from inspector.desktop.timeline.geometry import Scale
from inspector.desktop.timeline.phases import History, at_moment, history_of
from inspector.desktop.timeline.picture import Picture, lane_bars, picture_of
from inspector.layout.pages import TaskTimeline, Tick
from inspector.layout.rows import TaskRow
from tests.desktop.timeline.histories import DELTA, RESTARTED, RUNNING, T0, log, task


def drawn(history: History, scale: Scale, *, is_live: bool = True) -> Picture:
    return picture_of(history, scale, most_ticks=5, ratio=1.0, bars=lane_bars(history, scale, 1.0), is_live=is_live)


def life(row: TaskRow, timeline: TaskTimeline) -> History:
    history = history_of(row, timeline)
    assert history is not None
    return history


def scale(to_ms: int, from_ms: int = 0) -> Scale:
    return Scale(T0 + from_ms, T0 + to_ms, 18.0, 500.0)


def test_an_open_task_has_a_live_edge_where_now_is() -> None:
    history = at_moment(life(task(), log(RUNNING)), Moment(T0 + 10_000))
    picture = drawn(history, scale(20_000))
    assert picture.live_x == 268
    assert not picture.ends_open
    assert picture.boxes[-1].right == 268


def test_a_file_that_does_not_move_has_no_live_edge_and_an_open_end() -> None:
    picture = drawn(life(task(), log(RUNNING)), scale(20_000), is_live=False)
    assert picture.live_x is None
    assert picture.ends_open


def test_a_finished_task_has_neither() -> None:
    picture = drawn(life(task("completed", finished_at=T0 + 21_000), log(RESTARTED)), scale(21_000))
    assert picture.live_x is None
    assert not picture.ends_open


def test_restarts_are_drawn_where_they_were_and_the_silence_before_them_is_marked() -> None:
    picture = drawn(life(task("completed", finished_at=T0 + 21_000), log(RESTARTED)), scale(21_000))
    assert list(picture.restarts) == [18 + round(500 * 12 / 21), 18 + round(500 * 20 / 21)]
    silent = [box for box in picture.boxes if box.silent_left is not None]
    assert [box.phase.attempt for box in silent] == [1, 2]
    assert all(box.left <= (box.silent_left or 0) <= box.right for box in silent)


def test_the_snapshot_is_shown_while_it_is_in_the_window() -> None:
    history = life(task(snapshot_seq=4), log(RUNNING))
    assert drawn(history, scale(20_000)).snapshot_seq == 4
    assert drawn(history, scale(20_000, 9_000)).snapshot_x is None


def test_holes_that_touch_are_one_hatched_stretch() -> None:
    ticks = tuple(Tick(2 * n + 1, f"response.{DELTA}", "running", T0 + n) for n in range(1_000))
    picture = drawn(life(task(), TaskTimeline("t", ticks, 1_000)), scale(1_000))
    assert len(picture.holes) == 1
    assert picture.holes[0].events == 999


def test_holes_outside_the_window_are_left_out() -> None:
    ticks = (Tick(1, "response.created", "queued", T0), Tick(9, f"response.{DELTA}", "queued", T0 + 10))
    history = life(task(), TaskTimeline("t", ticks, 2))
    assert drawn(history, scale(5_000)).holes
    assert not drawn(history, scale(5_000, 1_000)).holes


def test_equal_pictures_are_equal_so_that_nothing_is_painted_twice() -> None:
    history = life(task(), log(RUNNING))
    assert drawn(history, scale(20_000)) == drawn(history, scale(20_000))
    assert drawn(history, scale(20_000)) != drawn(history, scale(10_000))
