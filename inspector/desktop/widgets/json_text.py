"""Stored JSON laid out over lines without reading its values: every token stays as it was written. Pure.

Numbers keep all their digits and strings their escapes; keys stay in their order, also where one stands twice.
"""

import json
import re

LONGEST = 65_536
"""The most characters of a text that are shown; more would hold the window up."""
MOST_LINES = 5_000

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
    | (?P<scalar>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)
    | (?P<mark>[\[\]{}:,])
    )\s*""",
    re.VERBOSE,
)
_STEP = "  "


def laid_out(text: str) -> str | None:
    """Return ``text`` with one member or element a line, or None where it is no JSON, too deep, or too long then."""
    if not _is_json(text):
        return None
    parts: list[str] = []
    length = depth = at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        at = found.end()
        piece = found["string"] or found["scalar"] or found["mark"]
        if piece in ("{", "["):
            depth += 1
            closing = _TOKEN.match(text, at)
            if closing is not None and closing["mark"] in ("}", "]"):
                depth -= 1
                at = closing.end()
                piece += closing["mark"]
            else:
                piece += "\n" + _STEP * depth
        elif piece in ("}", "]"):
            depth -= 1
            piece = "\n" + _STEP * depth + piece
        elif piece == ",":
            piece = ",\n" + _STEP * depth
        elif piece == ":":
            piece = ": "
        length += len(piece)
        if length > 2 * LONGEST:
            return None
        parts.append(piece)
    return "".join(parts)


def cut(text: str, length: int | None = None) -> tuple[str, str]:
    """Return what of ``text`` is shown, and a sentence about what is not, empty where all is shown.

    ``length`` is the whole length where ``text`` is itself only the beginning of what is stored.
    """
    whole = len(text) if length is None else max(length, len(text))
    shown = text[:LONGEST]
    lines = shown.split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        shown = "\n".join(lines[:MOST_LINES])
    if len(shown) == whole:
        return shown, ""
    return shown, f"Cut: {len(shown):,} of {whole:,} characters are shown."


def _is_json(text: str) -> bool:
    try:
        # As text: an integer of many thousand digits is refused by int(), and a float would lose digits.
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True
