"""The URI by which SQLite opens a file."""

import os
from typing import Final

_PLAIN: Final = frozenset(b"-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""The bytes that stand for themselves in a URI; urllib would do the same, and take a tenth of the start to load.

No slash: what follows two of them at the start would be taken for the name of a machine.
"""


def uri_of(path: str, options: str) -> str:
    """Return the URI that SQLite opens ``path`` by, quoted by bytes, so that no name can smuggle an option in."""
    quoted = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in os.fsencode(path))
    return f"file:{quoted}?{options}"
