"""Everything that a task's timeline shows in one window of time, computed before it is painted. Pure."""

from typing import Final

from inspector.desktop.timeline.geometry import (
    AxisTick,
    PhaseBox,
    PlacedMark,
    ProgressBar,
    Scale,
    axis_ticks,
    on_device,
    phase_boxes,
    placed_marks,
    progress_bars,
)
from inspector.desktop.timeline.phases import History
from inspector.lmsp.values import value

MARK_PX: Final = 14.0
"""How near two shapes in the event lane may come."""


@value
class HoleSpan:
    """Where events are missing."""

    left: float
    right: float
    events: int


@value
class Picture:
    """What is painted, in logical pixels. Two equal pictures look the same."""

    scale: Scale
    ticks: tuple[AxisTick, ...]
    boxes: tuple[PhaseBox, ...]
    bars: tuple[ProgressBar, ...]
    marks: tuple[PlacedMark, ...]
    holes: tuple[HoleSpan, ...]
    restarts: tuple[float, ...]
    snapshot_x: float | None
    snapshot_seq: int | None
    live_x: float | None
    """Where now is, for a task that goes on."""
    ends_open: bool
    """Whether the last box has no end that anybody knows."""


def picture_of(
    history: History, scale: Scale, *, most_ticks: int, ratio: float, bars: tuple[ProgressBar, ...], is_live: bool
) -> Picture:
    """Return the picture of ``history`` in the window of ``scale``.

    ``bars`` are those of :func:`lane_bars` for the same window; they are passed in because they stay the same while
    only now moves on.
    """
    live_x = None
    if history.is_open and is_live and scale.shows(history.end_ms):
        live_x = on_device(scale.x(history.end_ms), ratio)
    marks = placed_marks(history.marks, scale, MARK_PX, ratio)
    snapshot = history.snapshot
    is_shown = snapshot is not None and scale.shows(snapshot.at_ms)
    return Picture(
        scale=scale,
        ticks=axis_ticks(scale, history.zero_ms, most_ticks),
        boxes=phase_boxes(history.phases, scale, ratio),
        bars=bars,
        marks=marks,
        holes=_hole_spans(history, scale, ratio),
        restarts=tuple(sorted({item.x for item in marks if item.mark.is_restart})),
        snapshot_x=on_device(scale.x(snapshot.at_ms), ratio) if snapshot is not None and is_shown else None,
        snapshot_seq=snapshot.seq if snapshot is not None and is_shown else None,
        live_x=live_x,
        ends_open=history.is_open and not is_live,
    )


def lane_bars(history: History, scale: Scale, ratio: float) -> tuple[ProgressBar, ...]:
    """Return the bars of progress in the window: the one part that costs a pass over the log."""
    return progress_bars(history.progress, scale, ratio)


def _hole_spans(history: History, scale: Scale, ratio: float) -> tuple[HoleSpan, ...]:
    spans: list[HoleSpan] = []
    for hole in history.holes:
        if hole.end_ms < scale.start_ms or hole.start_ms > scale.end_ms:
            continue
        left = on_device(scale.clamped(scale.x(hole.start_ms)), ratio)
        right = on_device(scale.clamped(scale.x(hole.end_ms)), ratio)
        if spans and left <= spans[-1].right:
            # Holes that touch on screen are one hatched stretch: a log with every second event lost has thousands.
            last = spans.pop()
            spans.append(HoleSpan(last.left, max(last.right, right), last.events + hole.events))
        else:
            spans.append(HoleSpan(left, right, hole.events))
    return tuple(spans)
