import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.desktop.timeline.axis import DAY, HOUR, MINUTE, SECOND, nice_step, tick_label, tick_offsets


@pytest.mark.parametrize(
    ("offset", "step", "label"),
    [
        (0, 1, "0"),
        (1, 1, "+1 ms"),
        (500, 100, "+500 ms"),
        (-20, 10, "−20 ms"),
        (5 * SECOND, 5 * SECOND, "+5 s"),
        (70 * SECOND, 10 * SECOND, "+70 s"),
        (17_540, 20, "+17.54 s"),
        (17_500, 500, "+17.5 s"),
        (17_001, 1, "+17.001 s"),
        (3 * MINUTE, MINUTE, "+3 min"),
        (150 * SECOND, 30 * SECOND, "+2:30 min"),
        (125_500, 500, "+2:05.5 min"),
        (3 * HOUR, HOUR, "+3 h"),
        (150 * MINUTE, 30 * MINUTE, "+2:30 h"),
        (2 * HOUR + 5 * SECOND, 5 * SECOND, "+2:00:05 h"),
        (2 * DAY, DAY, "+2 d"),
        (DAY, DAY, "+1 d"),
        (HOUR, HOUR, "+1 h"),
        (MINUTE, MINUTE, "+1 min"),
        (MINUTE, 30 * SECOND, "+60 s"),
        (60 * HOUR, 12 * HOUR, "+2 d 12 h"),
        (2 * DAY + 90 * MINUTE, 30 * MINUTE, "+2 d 1:30"),
    ],
)
def test_a_label_is_as_exact_as_its_step(offset: int, step: int, label: str) -> None:
    assert tick_label(offset, step) == label


@given(span=st.floats(min_value=0.5, max_value=1e18), most=st.integers(1, 40))
def test_at_most_the_wanted_number_of_steps_fit(span: float, most: int) -> None:
    step = nice_step(span, most)
    assert step >= 1
    assert span / step <= most * 1.000001


@given(start=st.integers(-(10**9), 10**12), span=st.integers(1, 10**12), most=st.integers(2, 12))
def test_ticks_lie_in_the_window_and_no_two_labels_are_the_same(start: int, span: int, most: int) -> None:
    step = nice_step(span, most)
    offsets = tick_offsets(start, start + span, step)
    assert all(start <= offset <= start + span for offset in offsets)
    labels = [tick_label(offset, step) for offset in offsets]
    assert len(set(labels)) == len(labels)
