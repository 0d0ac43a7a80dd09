"""Where the parts of a task's timeline stand: time to x and back, boxes, bars and marks. Pure arithmetic.

Times are milliseconds, lengths are logical pixels; ``ratio`` is how many device pixels one logical pixel has. All is
computed before painting, so that a frame costs what is on screen and not what is in the log.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from inspector.desktop.timeline.axis import nice_step, tick_label, tick_offsets
from inspector.desktop.timeline.phases import History, Mark, Phase
from inspector.lmsp.statuses import FINAL
from inspector.lmsp.values import value

LEAST_WINDOW_MS: Final = 4
"""Zooming in stops here: times are whole milliseconds."""

SPARSE_PX: Final = 2.0
"""Progress nearer than this to its neighbour is drawn one bar per device pixel instead of one line per event."""

FEW: Final = 5
"""Up to so many events in one place are a line like any other."""

TICK_SHARE: Final = 2 / 3
"""How high such a line is, of the highest bar."""

_LOWEST_SHARE: Final = 4 / 15


@value
class Scale:
    """The window of time that is shown, and the stretch of pixels it is shown on."""

    start_ms: float
    end_ms: float
    left: float
    width: float

    @property
    def right(self) -> float:
        """Where the window ends."""
        return self.left + self.width

    @property
    def span_ms(self) -> float:
        """How long the window is."""
        return self.end_ms - self.start_ms

    def x(self, at_ms: float) -> float:
        """Return where ``at_ms`` stands; outside the window it is beyond the edges."""
        return self.left + (at_ms - self.start_ms) * self.width / self.span_ms

    def ms(self, x: float) -> float:
        """Return which time stands at ``x``."""
        return self.start_ms + (x - self.left) * self.span_ms / self.width

    def clamped(self, x: float) -> float:
        """Return ``x``, or the nearer edge where it is outside."""
        return min(max(x, self.left), self.right)

    def shows(self, at_ms: float) -> bool:
        """Whether ``at_ms`` is inside the window, edges included."""
        return self.start_ms <= at_ms <= self.end_ms


def whole_window(history: History, most_ticks: int) -> tuple[float, float]:
    """Return the window that shows all of ``history``: a millisecond or more, while it is open up to the next tick.

    Rounding up keeps what is drawn in place while a task goes on; only the live edge moves.
    """
    start = float(history.start_ms)
    # Near the ends of 64 bits a millisecond is less than what tells two floats apart.
    end = max(float(history.end_ms), start + 1, math.nextafter(start, math.inf))
    if not history.is_open:
        return start, end
    step = nice_step(end - start, most_ticks)
    ahead = -((history.zero_ms - end) // step) * step
    return start, max(end, history.zero_ms + ahead)


def zoomed(window: tuple[float, float], whole: tuple[float, float], at_ms: float, factor: float) -> tuple[float, float]:
    """Return ``window`` shortened by ``factor`` with ``at_ms`` kept in its place; never outside ``whole``."""
    start, end = window
    span = min(max((end - start) / factor, LEAST_WINDOW_MS), whole[1] - whole[0])
    share = (at_ms - start) / (end - start)
    return moved((at_ms - share * span, at_ms - share * span + span), whole, 0.0)


def moved(window: tuple[float, float], whole: tuple[float, float], by_ms: float) -> tuple[float, float]:
    """Return ``window`` moved by ``by_ms``, as far as ``whole`` goes."""
    span = min(window[1] - window[0], whole[1] - whole[0])
    start = min(max(window[0] + by_ms, whole[0]), whole[1] - span)
    return start, start + span


@value
class AxisTick:
    """One tick: where, and its label."""

    x: float
    label: str


def axis_ticks(scale: Scale, zero_ms: int, most: int) -> tuple[AxisTick, ...]:
    """Return the ticks of the window, at most ``most`` + 1, counted from ``zero_ms``."""
    step = nice_step(scale.span_ms, most)
    offsets = tick_offsets(scale.start_ms - zero_ms, scale.end_ms - zero_ms, step)
    return tuple(AxisTick(scale.x(zero_ms + offset), tick_label(offset, step)) for offset in offsets)


def on_device(x: float, ratio: float) -> float:
    """Return ``x`` moved to the nearest edge between two device pixels."""
    return round(x * ratio) / ratio


@value
class PhaseBox:
    """A phase on screen. Where it is shorter than a device pixel ``right`` equals ``left``; it is drawn as a line."""

    phase: Phase
    left: float
    right: float
    silent_left: float | None
    """Where the stretch before a restart begins in which nobody knows what happened."""
    starts_before: bool
    ends_after: bool
    """Whether the window cuts it, so that its edge is not drawn there."""

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.right - self.left


def phase_boxes(phases: Sequence[Phase], scale: Scale, ratio: float) -> tuple[PhaseBox, ...]:
    """Return the boxes of the phases in the window: in order, inside it, none over another, one line a pixel."""
    boxes: list[PhaseBox] = []
    for phase in phases:
        if phase.end_ms < scale.start_ms or phase.start_ms > scale.end_ms:
            continue
        left = on_device(scale.clamped(scale.x(phase.start_ms)), ratio)
        right = on_device(scale.clamped(scale.x(phase.end_ms)), ratio)
        silent = phase.silent_from_ms
        box = PhaseBox(
            phase,
            left,
            right,
            None if silent is None else on_device(scale.clamped(scale.x(silent)), ratio),
            phase.start_ms < scale.start_ms,
            phase.end_ms > scale.end_ms,
        )
        if boxes and left == right == boxes[-1].left == boxes[-1].right:
            boxes[-1] = box
        else:
            boxes.append(box)
    return tuple(boxes)


@value
class BoxContent:
    """What is written in a phase's box, by what fits."""

    with_shape: bool
    text: str


def box_content(
    width: float, shape: float, texts: Sequence[str], measure: Callable[[str], float], gap: float
) -> BoxContent:
    """Return the shape with the first of ``texts`` that fits beside it, else the shape alone, else nothing."""
    for text in texts:
        if shape + measure(text) + 3 * gap <= width:
            return BoxContent(with_shape=True, text=text)
    return BoxContent(with_shape=shape + 2 * gap <= width, text="")


@value
class ProgressBar:
    """Progress at one place: a line for each event where there is room, else one bar a device pixel."""

    x: float
    width: float
    share: float
    """How high it is, of the highest that a bar can be: above 0, up to 1."""


def progress_bars(times: Sequence[int], scale: Scale, ratio: float) -> tuple[ProgressBar, ...]:
    """Return the bars for ``times`` (rising) in the window, from left to right, at most one a device pixel."""
    first, last = bisect_left(times, scale.start_ms), bisect_right(times, scale.end_ms)
    columns_per_ms = scale.width * ratio / scale.span_ms
    rightmost = max(0, int(scale.width * ratio) - 1)
    start = scale.start_ms
    # One pass in C over what is in the window: 20,000 events in about 3 ms.
    counts = Counter([int((at - start) * columns_per_ms) for at in times[first:last]])
    for beyond in [column for column in counts if column > rightmost]:
        counts[rightmost] += counts.pop(beyond)
    by_count = sorted(counts.values())
    peak = by_count[-1] if by_count else 0
    is_crowd = bool(by_count) and by_count[(len(by_count) - 1) // 2] > FEW
    columns = sorted(counts)
    near = SPARSE_PX * ratio
    bars = []
    for place, column in enumerate(columns):
        crowded = counts[column] > 1
        crowded |= place > 0 and column - columns[place - 1] < near
        crowded |= place + 1 < len(columns) and columns[place + 1] - column < near
        width = 1 / ratio if crowded else min(1.0, (rightmost + 1 - column) / ratio)
        bars.append(ProgressBar(scale.left + column / ratio, width, _share(counts[column], peak, is_crowd=is_crowd)))
    return tuple(bars)


def _share(count: int, peak: int, *, is_crowd: bool) -> float:
    """Return a bar's height: in a crowd its count of the highest; elsewhere a line, higher where many pile up."""
    if is_crowd:
        return max(_LOWEST_SHARE, count / peak)
    return TICK_SHARE if count <= FEW else TICK_SHARE + (1 - TICK_SHARE) * (count - FEW) / (peak - FEW)


@value
class PlacedMark:
    """A change of status in the event lane, at its own time. Where shapes would cover one another it is a stub."""

    mark: Mark
    x: float
    whole: bool


def placed_marks(marks: Sequence[Mark], scale: Scale, size: float, ratio: float) -> tuple[PlacedMark, ...]:
    """Return the marks in the window from left to right; whole shapes are never nearer than ``size``.

    Nothing is moved aside, so that a mark always tells its time. Where there is no room the end of the task comes
    first, then what happened earlier; the others are stubs. There is at most one mark a device pixel.
    """
    shown = [mark for mark in marks if scale.shows(mark.at_ms)]
    shown.sort(key=lambda mark: mark.status not in FINAL)
    cells: dict[int, float] = {}
    taken: set[float] = set()
    placed = []
    for mark in shown:
        x = on_device(scale.x(mark.at_ms), ratio)
        if x in taken:
            continue
        taken.add(x)
        cell = int(x // size)
        whole = all(abs(x - cells.get(cell + beside, -1e9)) >= size for beside in (-1, 0, 1))
        if whole:
            cells[cell] = x
        placed.append(PlacedMark(mark, x, whole))
    placed.sort(key=lambda item: item.x)
    return tuple(placed)


class EventFinder:
    """Finds the event nearest to a time, and the events before and after one, in a log that may jump in time."""

    def __init__(self, history: History) -> None:
        self._seqs = history.seqs
        self._times = history.times
        self._changes = [mark.seq for mark in history.marks if mark.seq is not None]
        self._by_time = sorted(zip(history.times, history.seqs, strict=True))

    def time_of(self, seq: int) -> int | None:
        """Return the time of event ``seq``; of the nearest one before it where it is not at hand, else of the first."""
        return self._times[max(0, bisect_right(self._seqs, seq) - 1)] if self._seqs else None

    def nearest(self, at_ms: float) -> int | None:
        """Return the sequence number of the event nearest to ``at_ms``; of several at the same time the first."""
        if not self._by_time:
            return None
        after = bisect_left(self._by_time, (at_ms, 0))
        near = self._by_time[max(0, after - 1) : after + 1]
        best = min(near, key=lambda pair: (abs(pair[0] - at_ms), pair[1]))
        return self._by_time[bisect_left(self._by_time, (best[0], 0))][1]

    def step(self, seq: int | None, by: int, *, changes: bool = False) -> int | None:
        """Return the event one before (``by`` -1) or after (1) ``seq``, or the change of status; the end ones stay.

        Without ``seq`` a step forward comes to the first and a step back to the last.
        """
        among = self._changes if changes else self._seqs
        if not among:
            return None
        if seq is None:
            return among[0] if by > 0 else among[-1]
        place = bisect_right(among, seq) if by > 0 else bisect_left(among, seq) - 1
        return among[place] if 0 <= place < len(among) else seq

    def end(self, *, last: bool) -> int | None:
        """Return the first or the last event."""
        return None if not self._seqs else self._seqs[-1 if last else 0]
