"""Stored values as the fields of our rows: whatever a file that is not ours holds, this never raises."""

import math
from collections.abc import Iterable
from typing import Final

from inspector.layout.rows import Odd, StoredText
from inspector.reading.connection import Value, decoded

BLOB_BYTES_SHOWN: Final = 32

_ODD_CHARACTERS: Final = 300
"""Of something that stands where a number belongs no more is told."""


def text(value: Value) -> str:
    """Return ``value`` as text. NULL is empty; a blob is shown as SQL writes one, so that no blob equals a word."""
    return "" if value is None else text_or_none(value) or ""


def text_or_none(value: Value) -> str | None:
    """Return ``value`` as text, or None for NULL."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        more = "…" if len(value) > BLOB_BYTES_SHOWN else ""
        return f"x'{value[:BLOB_BYTES_SHOWN].hex()}{more}'"
    return _real(value) if isinstance(value, float) else str(value)


def exact(value: Value) -> str:
    """Return ``value`` as :func:`text` does, of a REAL with as many digits as tell it from every other one."""
    return repr(value) if isinstance(value, float) and math.isfinite(value) else text(value)


def integer_or_none(value: Value) -> int | None:
    """Return ``value`` where it is an integer, else None."""
    return value if isinstance(value, int) else None


def integer(value: Value) -> int:
    """Return ``value`` where it is an integer, else 0."""
    return value if isinstance(value, int) else 0


NEVER_NONE: Final = frozenset(("id", "seq", "last_seq", "attempt"))
"""Numbers whose fields have no word for nothing."""


def odd_ones(numbers: Iterable[tuple[str, Value]]) -> Odd:
    """Return those of these columns of numbers that hold something else, with the start of it as text.

    Also those that hold nothing where their field cannot say so, with None.
    """
    return tuple(
        (column, None if value is None else _start(exact(value)))
        for column, value in numbers
        if not isinstance(value, int) and (value is not None or column in NEVER_NONE)
    )


def untold(texts: Iterable[tuple[str, Value]]) -> Odd:
    """Return those of these columns of texts that hold nothing, where their field is an empty text."""
    return tuple((column, None) for column, value in texts if value is None)


def _start(stored: str) -> str:
    return stored if len(stored) <= _ODD_CHARACTERS else f"{stored[:_ODD_CHARACTERS]}…"


def stored_text(start: Value, length: Value) -> StoredText | None:
    """Return the large text whose first bytes are ``start`` and whose whole length in bytes is ``length``.

    None for NULL. A text that was cut inside a character ends before it.
    """
    if start is None:
        # SQLite's substr of an empty blob is NULL, its length is not.
        return None if length is None else StoredText("", 0)
    if not isinstance(start, bytes):
        shown = exact(start)
        return StoredText(shown, len(shown))
    whole = max(integer(length), len(start))
    if whole == len(start):
        shown = decoded(start)
        return StoredText(shown, len(shown))
    shown = decoded(without_half_character(start))
    return StoredText(shown, max(whole, len(shown) + 1))


def without_half_character(cut: bytes) -> bytes:
    """Return ``cut`` without the first bytes of a character whose last ones were cut off."""
    for back in range(1, min(4, len(cut)) + 1):
        lead = cut[-back]
        if lead & 0xC0 == 0x80:
            continue
        needed = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        return cut[:-back] if needed > back else cut
    return cut


def _real(number: float) -> str:
    """Return ``number`` as SQLite turns a REAL into text: so a filter finds what is shown, save for a 15th digit."""
    if not math.isfinite(number):
        return "Inf" if number > 0 else "-Inf"
    digits, exponent_mark, exponent = f"{number:.15g}".partition("e")
    return digits + ("" if "." in digits else ".0") + exponent_mark + exponent
