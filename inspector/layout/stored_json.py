"""Stored JSON, put into a document as it stands: no number is read and written again, so every digit is kept."""

import json
import re
from typing import Final, NoReturn

from inspector.layout.visible import visible

DEEPEST: Final = 250
"""How deep a text may nest: an array counts once, an object twice. With the document around it, jq 1.6 still reads
that, and Python's json a good deal more."""

_STRINGS_AND_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[][{}]')
_SPACES: Final = " \t\n\r"
"""What JSON takes as space between its values. Inside a string only the first may stand."""


def spliced(text: str) -> str | None:
    r"""Return stored ``text`` as it may stand inside a JSON document, or None where it is not JSON, or nests too deep.

    Only what a terminal would act on or not show is written another way, with the same meaning: such a character inside
    a string as ``\u…``, a carriage return between values as a space.
    """
    if not _nests_little(text):
        return None
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return _escaped(text).replace("\r", " ")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _nests_little(text: str) -> bool:
    if text.count("[") + 2 * text.count("{") <= DEEPEST:
        return True
    depth = 0
    for found in _STRINGS_AND_BRACKETS.finditer(text):
        match found[0]:
            case "[":
                depth += 1
            case "{":
                depth += 2
            case "]":
                depth -= 1
            case "}":
                depth -= 2
        if depth > DEEPEST:
            return False
    return True


def json_escapes(text: str) -> str:
    r"""Return ``text`` with every character as ``\uXXXX``, a pair of them beyond the basic plane."""
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _escaped(text: str) -> str:
    if visible(text, keep=_SPACES) == text:
        return text
    return "".join(
        character if visible(character, keep=_SPACES) == character else json_escapes(character) for character in text
    )
