"""Figures in words: durations, ages, times of day, sizes, counts. Pure; any integer gives words, none raises.

None, where a row has no such figure, is a dash. Durations are cut, not rounded, as a stopwatch cuts them: what is shown
has passed.
"""

from datetime import datetime, tzinfo

NOTHING = "–"
"""Stands where there is no figure."""

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNITS = ("kB", "MB", "GB", "TB", "PB", "EB")


def duration(ms: int | None) -> str:
    """Return how long something took: "12 ms", "17.3 s", "1:04 min", "2:07 h", "3 d 4 h"."""
    if ms is None:
        return NOTHING
    if ms < 0:
        return "−" + duration(-ms)
    if ms < _SECOND:
        return f"{ms} ms"
    if ms < _MINUTE:
        return f"{ms // _SECOND}.{ms % _SECOND // 100} s"
    return _minutes_and_up(ms)


def age(ms: int | None) -> str:
    """Return how long ago something was: "0.3 s", "38 s", "1:04 min", "2:07 h", "3 d 4 h".

    The tenths go after ten seconds: a column of ages would never come to rest.
    """
    if ms is None:
        return NOTHING
    if ms < 0:
        return "−" + age(-ms)
    if ms < 10 * _SECOND:
        return f"{ms // _SECOND}.{ms % _SECOND // 100} s"
    if ms < _MINUTE:
        return f"{ms // _SECOND} s"
    return _minutes_and_up(ms)


def offset(ms: int | None) -> str:
    """Return a distance to the millisecond: "0", "41 ms", "17.538 s", "1:02.679", "1:00:02.679"."""
    if ms is None:
        return NOTHING
    if ms < 0:
        return "−" + offset(-ms)
    if ms == 0:
        return "0"
    if ms < _SECOND:
        return f"{ms} ms"
    if ms < _MINUTE:
        return f"{ms // _SECOND}.{ms % _SECOND:03d} s"
    rest = f"{ms % _MINUTE // _SECOND:02d}.{ms % _SECOND:03d}"
    if ms < _HOUR:
        return f"{ms // _MINUTE}:{rest}"
    return f"{grouped(ms // _HOUR)}:{ms % _HOUR // _MINUTE:02d}:{rest}"


def spoken(ms: int | None) -> str:
    """Return a duration as it stands in a sentence: "0.3 s", "38 s", "17 min 6 s", "2 h 7 min", "3 d 4 h"."""
    if ms is None:
        return NOTHING
    if ms < 0:
        return "−" + spoken(-ms)
    if ms < _MINUTE:
        return age(ms)
    if ms < _HOUR:
        return _two(ms, _MINUTE, "min", _SECOND, "s")
    if ms < _DAY:
        return _two(ms, _HOUR, "h", _MINUTE, "min")
    return _two(ms, _DAY, "d", _HOUR, "h")


def clock_time(at_ms: int | None, now_ms: int | None, zone: tzinfo, *, digits: int = 3) -> str:
    """Return the time of day, with the date before it when it is not today's: "14:02:17.412", "30 Nov 09:12:05.003".

    The year stands there when it is not this year's. Without ``now_ms`` the date is left out. ``digits`` of the second
    are shown, 0 to 3.
    """
    if at_ms is None:
        return NOTHING
    at = _moment(at_ms, zone)
    if at is None:
        return f"{grouped(at_ms)} ms"
    clock = f"{at.hour:02d}:{at.minute:02d}:{at.second:02d}"
    if digits > 0:
        clock += f".{at_ms % _SECOND:03d}"[: digits + 1]
    now = None if now_ms is None else _moment(now_ms, zone)
    if now is None or at.date() == now.date():
        return clock
    return f"{_date(at, now)} {clock}"


def short_time(at_ms: int | None, now_ms: int | None, zone: tzinfo) -> str:
    """Return a moment in one short word for a narrow column: "14:02:17", "28 Nov 13:58", "14 Nov 2025".

    Without ``now_ms`` it is the time of day.
    """
    at = None if at_ms is None else _moment(at_ms, zone)
    now = None if now_ms is None else _moment(now_ms, zone)
    if at is None or now is None or at.date() == now.date():
        return clock_time(at_ms, None, zone, digits=0)
    return f"{_date(at, now)} {at.hour:02d}:{at.minute:02d}" if at.year == now.year else _date(at, now)


def day_time(at_ms: int | None, now_ms: int, zone: tzinfo) -> str:
    """Return a moment roughly: "today 13:58", "yesterday", "28 Nov", "14 Nov 2025"."""
    if at_ms is None:
        return NOTHING
    at, now = _moment(at_ms, zone), _moment(now_ms, zone)
    if at is None or now is None:
        return f"{grouped(at_ms)} ms"
    days = now.toordinal() - at.toordinal()
    if days == 0:
        return f"today {at.hour:02d}:{at.minute:02d}"
    return "yesterday" if days == 1 else _date(at, now)


def byte_size(n: int | None) -> str:
    """Return a size in powers of ten: "138 bytes", "3.1 MB", "274 MB", "4.7 GB"."""
    if n is None:
        return NOTHING
    if n < 0:
        return "−" + byte_size(-n)
    if n < 1_000:
        return f"{n} byte" if n == 1 else f"{n} bytes"
    power = 1_000
    for unit in _UNITS:
        tenths = (n * 10 + power // 2) // power
        if tenths < 1_000:
            return f"{tenths // 10}.{tenths % 10} {unit}"
        if (whole := (n + power // 2) // power) < 1_000 or unit == _UNITS[-1]:
            return f"{grouped(whole)} {unit}"
        power *= 1_000
    raise AssertionError("the last unit takes any size")


def grouped(n: int | None) -> str:
    """Return a count with its thousands set apart: "18,412"."""
    if n is None:
        return NOTHING
    if n < 0:
        return "−" + grouped(-n)
    # Python refuses to write out integers of more than some 4,300 digits; no such one is a count.
    return f"{n:,}" if n.bit_length() <= 4_096 else f"more than 2^{n.bit_length() - 1}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: "1 task", "31 tasks"."""
    return f"{grouped(n)} {one if n == 1 else many or one + 's'}"


def _minutes_and_up(ms: int) -> str:
    if ms < _HOUR:
        return f"{ms // _MINUTE}:{ms % _MINUTE // _SECOND:02d} min"
    if ms < _DAY:
        return f"{ms // _HOUR}:{ms % _HOUR // _MINUTE:02d} h"
    return _two(ms, _DAY, "d", _HOUR, "h")


def _two(ms: int, large: int, large_unit: str, small: int, small_unit: str) -> str:
    first, rest = divmod(ms, large)
    second = rest // small
    return f"{grouped(first)} {large_unit}" + (f" {second} {small_unit}" if second else "")


def _moment(at_ms: int, zone: tzinfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(at_ms // _SECOND, tz=zone)
    except (ValueError, OverflowError, OSError):
        return None


def _date(at: datetime, now: datetime) -> str:
    day = f"{at.day} {_MONTHS[at.month - 1]}"
    return day if at.year == now.year else f"{day} {at.year}"
