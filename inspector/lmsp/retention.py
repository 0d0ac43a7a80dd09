"""Retention (section 11.2): what cleanup may delete, as of one moment; and periods as a person writes them.

Only finished tasks go, and only those that finished longer ago than the period. The preview and the store both ask
here.
"""

import re
from typing import Final

from inspector.lmsp.statuses import FINAL
from inspector.lmsp.values import value

KEEP_KEY: Final = "retention.keep_ms"
"""Where the period stands in ``service_config``: a whole number of milliseconds."""

LAST_RUN_KEY: Final = "retention.last_run"
"""Where ``service_config`` says what the last cleanup deleted."""

DELETABLE: Final = tuple(sorted(FINAL))
"""The statuses that a task may be deleted in. What is none of the seven is not among them."""

LONGEST_MS: Final = (1 << 63) - 1
"""The longest period in milliseconds: what SQLite stores as an integer."""

_UNITS_MS: Final = {"w": 604_800_000, "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_PERIOD: Final = re.compile(r"([0-9]+)(w|d|h|m|s|ms)")
_STORED: Final = re.compile(r"[ \t\r\n]*(0|[1-9][0-9]*)[ \t\r\n]*")
_MOST_DIGITS: Final = len(str(LONGEST_MS))


class InvalidPeriod(ValueError):
    """The text is no period. ``sentence`` says what one looks like."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@value
class RetentionPlan:
    """What cleanup would delete as of one moment: how much, and by which cutoff. The store applies it."""

    cutoff_ms: int
    """A task goes that has finished before this moment, in Unix milliseconds."""
    keep_ms: int
    """The period that the cutoff was made from."""
    tasks: int
    """Tasks that go, each whole: with these events, responses and idempotency keys."""
    events: int
    responses: int
    keys: int
    kept_unfinished: int
    """Tasks that are in no final status, also those whose status is none of the seven. They never go."""
    kept_recent: int
    """Finished tasks that stay: they finished within the period, or nobody wrote when."""
    expired_responses: int
    """Responses that go because they have expired, of tasks that stay."""
    expired_keys: int
    """Idempotency keys that go because they have expired, of tasks that stay."""


def cutoff_of(now_ms: int, keep_ms: int) -> int:
    """Return the moment before which a task must have finished to be deleted: exactly one period ago it stays."""
    return max(now_ms - keep_ms, -LONGEST_MS)


def is_period(value: object) -> bool:
    """Say whether ``value`` is a period: a whole number of milliseconds from 0 to 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LONGEST_MS


def stored_period(text: object) -> int | None:
    """Return the period that ``service_config`` holds as JSON text; None where it is no whole number in its range."""
    found = _STORED.fullmatch(text) if isinstance(text, str) else None
    return None if found is None else _in_range(found[1], 1)


def parse_period(text: str) -> int:
    """Return a period such as ``30d``, ``2w``, ``12h``, ``45m``, ``90s`` or ``500ms`` in milliseconds.

    Raises InvalidPeriod for anything else: a sign, a fraction, a number without its unit, more than 64 bits.
    """
    found = _PERIOD.fullmatch(text)
    if found is None:
        raise InvalidPeriod(f"{text!r} is no period: write a whole number and w, d, h, m, s or ms, such as 30d.")
    keep_ms = _in_range(found[1], _UNITS_MS[found[2]])
    if keep_ms is None:
        raise InvalidPeriod("The period is longer than 64 bits of milliseconds can say.")
    return keep_ms


def _in_range(digits: str, unit_ms: int) -> int | None:
    digits = digits.lstrip("0") or "0"
    # Python reads no number of very many digits.
    keep_ms = int(digits) * unit_ms if len(digits) <= _MOST_DIGITS else LONGEST_MS + 1
    return keep_ms if is_period(keep_ms) else None


def period_text(keep_ms: int) -> str:
    """Return a period as :func:`parse_period` reads it, in the largest unit that it is whole in."""
    if keep_ms == 0:
        return "0s"
    return next(f"{keep_ms // length}{unit}" for unit, length in _UNITS_MS.items() if keep_ms % length == 0)
