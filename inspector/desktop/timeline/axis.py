"""The steps of a time axis and their labels, for spans from one millisecond to years. Times are milliseconds."""

import math
from typing import Final

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_STEPS: Final = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500),
    *(SECOND * n for n in (1, 2, 5, 10, 20, 30)),
    *(MINUTE * n for n in (1, 2, 5, 10, 20, 30)),
    *(HOUR * n for n in (1, 2, 3, 6, 12)),
)
"""Steps that a person counts in; from a day on it is 1, 2 and 5 times a power of ten of days."""


def nice_step(span_ms: float, most: int) -> int:
    """Return the smallest step of which at most ``most`` (at least 1) fit into ``span_ms``."""
    least = span_ms / max(1, most)
    for step in _STEPS:
        if step >= least:
            return step
    days = least / DAY
    power = 10.0 ** math.floor(math.log10(days)) if days > 1 else 1.0
    for factor in (1, 2, 5):
        if factor * power >= days:
            return round(factor * power) * DAY
    return round(10 * power) * DAY


def tick_offsets(start_ms: float, end_ms: float, step_ms: int) -> range:
    """Return the multiples of ``step_ms`` from ``start_ms`` to ``end_ms``, both included: offsets from zero."""
    return range(math.ceil(start_ms / step_ms) * step_ms, math.floor(end_ms / step_ms) * step_ms + 1, step_ms)


def tick_label(offset_ms: int, step_ms: int) -> str:
    """Return the label of the tick ``offset_ms`` after the axis' zero, as exact as ``step_ms`` needs it."""
    if offset_ms == 0:
        return "0"
    sign = "+" if offset_ms > 0 else "−"
    size = abs(offset_ms)
    if size < SECOND and step_ms < SECOND:
        return f"{sign}{size} ms"
    if size < 2 * MINUTE and step_ms % MINUTE:
        return f"{sign}{size / SECOND:.{_places(step_ms)}f} s"
    if size < 2 * HOUR and step_ms % HOUR:
        minutes, rest = divmod(size, MINUTE)
        return f"{sign}{minutes} min" if step_ms % MINUTE == 0 else f"{sign}{minutes}:{_seconds(rest, step_ms)} min"
    if size < 2 * DAY and step_ms % DAY:
        hours, rest = divmod(size, HOUR)
        return f"{sign}{hours} h" if step_ms % HOUR == 0 else f"{sign}{hours}:{_clock(rest, step_ms)} h"
    days, rest = divmod(size, DAY)
    if step_ms % DAY == 0:
        return f"{sign}{days} d"
    hours, rest = divmod(rest, HOUR)
    return f"{sign}{days} d {hours} h" if step_ms % HOUR == 0 else f"{sign}{days} d {hours}:{_clock(rest, step_ms)}"


def _seconds(rest: int, step_ms: int) -> str:
    places = _places(step_ms)
    return f"{rest / SECOND:0{2 + places + (places > 0)}.{places}f}"


def _places(step_ms: int) -> int:
    """Return how many decimals of a second a multiple of ``step_ms`` can need."""
    return 0 if step_ms % SECOND == 0 else 1 if step_ms % 100 == 0 else 2 if step_ms % 10 == 0 else 3


def _clock(rest: int, step_ms: int) -> str:
    minutes, seconds = divmod(rest, MINUTE)
    return f"{minutes:02d}" if step_ms % MINUTE == 0 else f"{minutes:02d}:{_seconds(seconds, step_ms)}"
