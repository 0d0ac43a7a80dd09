"""JSON as the store writes and reads it: checked before it is written, since the layout uses no JSON function."""

import json
from collections.abc import Mapping
from typing import Final

from inspector.store.arguments import wrong
from inspector.store.errors import Refused, Unusable

_READABLE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def to_json(value: object, what: str) -> str:
    """Return ``value`` as JSON text. Raises Refused for what JSON cannot say: NaN, other objects, a loop.

    ``what`` names the value in the sentence.
    """
    try:
        text = _READABLE.encode(value)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                # A lone surrogate has no UTF-8, but JSON can spell it.
                text = _ASCII.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"{what} cannot be stored as JSON: {error}; nothing was changed.") from error
    return text


def object_to_json(value: Mapping[str, object], what: str) -> str:
    """Return ``value`` as the text of a JSON object. Raises Refused for anything else."""
    if not isinstance(value, Mapping):
        raise wrong(what, "a JSON object, which is a dict with texts as its keys", value)
    return to_json(dict(value), what)


def from_json(text: str, what: str) -> object:
    """Return the value of stored JSON text. Raises Unusable where it is none, or nests too deep to read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{what} is not JSON that can be read.") from error
