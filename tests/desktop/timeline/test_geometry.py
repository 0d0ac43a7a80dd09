from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.desktop.moment import Moment
from inspector.desktop.timeline.geometry import (
    LEAST_WINDOW_MS,
    TICK_SHARE,
    EventFinder,
    Scale,
    axis_ticks,
    box_content,
    moved,
    phase_boxes,
    placed_marks,
    progress_bars,
    whole_window,
    zoomed,
)
from inspector.desktop.timeline.phases import History, Mark, Phase, at_moment, history_of
from inspector.layout.pages import TaskTimeline, Tick
from tests.desktop.timeline.histories import RESTARTED, RUNNING, T0, log, task

SCALES = st.builds(
    Scale,
    start_ms=st.floats(T0 - 1e6, T0 + 1e6),
    end_ms=st.floats(T0 + 1e6 + 1, T0 + 1e9),
    left=st.integers(0, 20).map(float),
    width=st.integers(40, 3_000).map(float),
)
RATIOS = st.sampled_from([1.0, 1.25, 1.5, 2.0])
TIMES = st.lists(st.integers(T0 - 10**6, T0 + 10**9), max_size=60).map(sorted)


def running() -> History:
    history = history_of(task(), log(RUNNING))
    assert history is not None
    return history


@given(scale=SCALES, share=st.floats(0, 1))
def test_time_to_x_and_back_is_the_same_time(scale: Scale, share: float) -> None:
    at = scale.start_ms + share * scale.span_ms
    assert abs(scale.ms(scale.x(at)) - at) <= scale.span_ms * 1e-6
    assert scale.left - 1e-6 <= scale.x(at) <= scale.right + 1e-6


def test_an_open_task_is_shown_up_to_the_next_tick_so_that_only_its_edge_moves() -> None:
    windows = {whole_window(at_moment(running(), Moment(T0 + now)), 6) for now in (15_100, 17_000, 19_900)}
    assert windows == {(float(T0), float(T0 + 20_000))}


def test_a_finished_task_fills_its_window_and_a_single_instant_still_has_a_width() -> None:
    done = history_of(task("completed", finished_at=T0 + 21_000), log(RESTARTED))
    assert done is not None
    assert whole_window(done, 6) == (T0, T0 + 21_000)
    instant = history_of(task("failed", finished_at=T0), log([(0, "created", "queued"), (0, "failed", "failed")]))
    assert instant is not None
    assert whole_window(instant, 6) == (T0, T0 + 1)


@given(factor=st.floats(0.01, 100), share=st.floats(0, 1), first=st.floats(0, 900), span=st.floats(5, 100))
def test_zooming_keeps_the_time_under_the_pointer_and_stays_inside(
    factor: float, share: float, first: float, span: float
) -> None:
    whole = (0.0, 1_000.0)
    at = first + share * span
    start, end = zoomed((first, first + span), whole, at, factor)
    assert whole[0] <= start < end <= whole[1] + 1e-6
    assert end - start >= LEAST_WINDOW_MS - 1e-6
    if start > whole[0] + 1e-6 and end < whole[1] - 1e-6:
        assert abs((at - start) / (end - start) - share) < 1e-6


def test_a_window_shorter_than_the_least_one_stays_whole() -> None:
    assert zoomed((0.0, 1.0), (0.0, 1.0), 0.5, 8) == (0.0, 1.0)


def test_panning_stops_at_the_ends() -> None:
    assert moved((10.0, 20.0), (0.0, 100.0), -50) == (0.0, 10.0)
    assert moved((10.0, 20.0), (0.0, 100.0), 500) == (90.0, 100.0)


@given(scale=SCALES, most=st.integers(1, 12))
def test_axis_ticks_rise_inside_the_window(scale: Scale, most: int) -> None:
    ticks = axis_ticks(scale, T0, most)
    assert len(ticks) <= most + 1
    xs = [tick.x for tick in ticks]
    assert xs == sorted(set(xs))
    assert all(scale.left - 1e-3 <= x <= scale.right + 1e-3 for x in xs)


@given(times=TIMES, scale=SCALES, ratio=RATIOS)
def test_boxes_are_in_order_in_bounds_and_never_overlap(times: list[int], scale: Scale, ratio: float) -> None:
    phases = [Phase("running", start, end, 1) for start, end in pairwise(times)]
    boxes = phase_boxes(phases, scale, ratio)
    edge = scale.left - 1 / ratio
    for box in boxes:
        assert edge <= box.left <= box.right <= scale.right + 1 / ratio
        edge = box.right
    assert len(boxes) <= 2 * scale.width * ratio + 2


def test_many_phases_shorter_than_a_pixel_become_one_line_a_pixel() -> None:
    phases = [Phase("running", T0 + n, T0 + n + 1, n + 1) for n in range(10_000)]
    boxes = phase_boxes(phases, Scale(T0, T0 + 10_000, 0.0, 100.0), 1.0)
    assert len(boxes) <= 201
    assert boxes[-1].right == 100


def test_a_cut_phase_says_on_which_side() -> None:
    box = phase_boxes([Phase("running", T0, T0 + 100, 1)], Scale(T0 + 10, T0 + 90, 0.0, 80.0), 1.0)[0]
    assert (box.left, box.right, box.starts_before, box.ends_after) == (0, 80, True, True)


def test_what_fits_is_written() -> None:
    texts = ("running 13.1 s", "13.1 s")

    def content(width: float) -> tuple[bool, str]:
        found = box_content(width, 14, texts, lambda text: 6.0 * len(text), 4)
        return found.with_shape, found.text

    assert content(200) == (True, "running 13.1 s")
    assert content(80) == (True, "13.1 s")
    assert content(30) == (True, "")
    assert content(10) == (False, "")


@given(times=TIMES, scale=SCALES, ratio=RATIOS)
def test_bars_rise_inside_the_window_and_count_what_is_in_it(times: list[int], scale: Scale, ratio: float) -> None:
    bars = progress_bars(times, scale, ratio)
    assert bool(bars) == any(scale.shows(at) for at in times)
    edge = scale.left - 1e-6
    for bar in bars:
        assert bar.x >= edge
        assert bar.x + bar.width <= scale.right + 1 / ratio
        assert 0 < bar.share <= 1
        edge = bar.x + bar.width - 1e-6


def heights(counts: list[int]) -> list[float]:
    """Return the bars' heights for so many events in places that lie apart."""
    times = [T0 + 10 * place for place, count in enumerate(counts) for _ in range(count)]
    return [bar.share for bar in progress_bars(times, Scale(T0, T0 + 10 * len(counts), 0.0, 10.0 * len(counts)), 1.0)]


def test_in_a_crowd_a_bar_is_as_high_as_its_count() -> None:
    assert heights([40, 20, 10, 40]) == [1.0, 0.5, pytest.approx(4 / 15), 1.0]


def test_a_few_events_in_one_place_are_a_line_like_any_other() -> None:
    assert heights([1, 3, 1]) == [TICK_SHARE] * 3


def test_a_batch_among_lines_stands_out_and_makes_no_other_lower() -> None:
    low, batch, middle, _ = heights([1, 40, 20, 1])
    assert low == TICK_SHARE
    assert batch == 1.0
    assert TICK_SHARE < middle < batch


@given(counts=st.lists(st.integers(1, 60), min_size=2, max_size=20))
def test_more_events_are_never_a_lower_bar(counts: list[int]) -> None:
    pairs = sorted(zip(counts, heights(counts), strict=True))
    assert all(lower[1] <= higher[1] + 1e-9 for lower, higher in pairwise(pairs))


def test_crowded_progress_is_a_device_pixel_wide_and_sparse_progress_a_logical_one() -> None:
    crowded = progress_bars([T0, T0 + 1], Scale(T0, T0 + 100, 0.0, 100.0), 2.0)
    sparse = progress_bars([T0, T0 + 10], Scale(T0, T0 + 100, 0.0, 100.0), 2.0)
    assert {bar.width for bar in crowded} == {0.5}
    assert {bar.width for bar in sparse} == {1.0}


def test_twenty_thousand_events_become_at_most_a_bar_a_device_pixel() -> None:
    bars = progress_bars(range(T0, T0 + 20_000), Scale(T0, T0 + 20_000, 0.0, 500.0), 2.0)
    assert len(bars) == 1_000


@given(times=TIMES, scale=SCALES, ratio=RATIOS)
def test_shapes_never_cover_one_another_and_stand_at_their_own_time(
    times: list[int], scale: Scale, ratio: float
) -> None:
    placed = placed_marks([Mark(n, "running", at) for n, at in enumerate(times)], scale, 14.0, ratio)
    whole = [item.x for item in placed if item.whole]
    assert all(right - left >= 14 for left, right in pairwise(whole))
    assert all(abs(item.x - scale.x(item.mark.at_ms)) <= 1 / ratio for item in placed)
    assert bool(placed) == any(scale.shows(at) for at in times)


def test_the_end_of_a_task_is_whole_before_all_others() -> None:
    marks = [Mark(1, "queued", T0), Mark(2, "running", T0 + 99), Mark(3, "failed", T0 + 100)]
    placed = placed_marks(marks, Scale(T0, T0 + 100, 0.0, 100.0), 14.0, 1.0)
    assert [(item.mark.seq, item.whole) for item in placed] == [(1, True), (2, False), (3, True)]


def test_the_nearest_event_is_found_and_of_several_at_once_the_first() -> None:
    finder = EventFinder(running())
    assert finder.nearest(T0 - 500) == 1
    assert finder.nearest(T0 + 7_400) == 4
    assert finder.nearest(T0 + 7_600) == 5
    same = history_of(task(), log([(0, "created", "queued"), (3, "in_progress", "running"), (3, "x", "running")]))
    assert same is not None
    assert EventFinder(same).nearest(T0 + 3) == 2


def test_stepping_goes_by_number_and_stops_at_the_ends() -> None:
    finder = EventFinder(running())
    assert finder.step(None, 1) == 1
    assert finder.step(None, -1) == 5
    assert finder.step(3, 1) == 4
    assert finder.step(5, 1) == 5
    assert finder.step(1, -1) == 1
    assert finder.step(5, -1, changes=True) == 3
    assert finder.step(3, 1, changes=True) == 3
    assert finder.end(last=True) == 5


def test_a_log_of_no_events_finds_nothing() -> None:
    empty = history_of(task(), None)
    assert empty is not None
    finder = EventFinder(empty)
    assert finder.nearest(0) is None
    assert finder.step(None, 1) is None
    assert finder.end(last=False) is None
    assert finder.time_of(3) is None


@given(times=st.lists(st.integers(0, 50), min_size=1, max_size=20), at=st.floats(-10, 60))
def test_no_event_is_nearer_than_the_nearest(times: list[int], at: float) -> None:
    history = history_of(task(), log([(after, "x", "running") for after in times]))
    assert history is not None
    assume(history.has_log)
    found = EventFinder(history).nearest(T0 + at)
    assert found is not None
    best = min(abs(after - at) for after in times)
    assert abs(abs(times[found - 1] - at) - best) < 1e-3


@pytest.mark.parametrize("at_ms", [2**63 - 1, 2**62, 0, -(2**63), 10**15])
def test_a_window_has_a_length_wherever_its_times_are(at_ms: int) -> None:
    ticks = tuple(Tick(seq, "response.created", "queued", at_ms) for seq in (1, 2))
    history = history_of(task("queued", created_at=at_ms, updated_at=at_ms), TaskTimeline("t", ticks, 2))
    assert history is not None
    start, end = whole_window(history, 6)
    scale = Scale(start, end, 0.0, 300.0)

    assert scale.span_ms > 0
    assert all(0 <= bar.x <= 300 for bar in progress_bars(history.progress, scale, 1.0))
    assert len(axis_ticks(scale, history.zero_ms, 6)) <= 7
