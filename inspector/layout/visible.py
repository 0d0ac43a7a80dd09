"""How stored text is made visible: one line of a person's text, with nothing in it that acts (faults.md T15, T16)."""

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def visible(text: str, *, keep: str = "") -> str:
    r"""Return ``text`` with each control, format, surrogate, private-use and line-separating character as ``\uXXXX``.

    Characters in ``keep`` (a newline, say) stay as they are. What is returned neither moves a terminal's cursor nor
    turns the direction of what stands beside it.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_Shown(keep))


def or_as_stored(told: str, stored: str | None) -> str:
    """Return ``told``, what the field of a number tells, or ``stored`` where its column holds something else."""
    return told if stored is None else visible(stored) or _EMPTY


def number_words(told: int | str | None, words: Callable[[int], str], nothing: str) -> str:
    """Return what a column of numbers holds: a number in ``words``, something else as stored, ``nothing`` for None."""
    if told is None:
        return nothing
    return words(told) if isinstance(told, int) else visible(told) or _EMPTY


LONGEST_NAME: Final = 100
"""So many characters of a name stand within a sentence: SQLite takes one of a million."""


def shortened(name: str) -> str:
    """Return a name for a sentence: all of it, or as much as stands in one, with its length."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}… ({len(name):,} characters)"


def some_of(some: Sequence[str], count: int) -> str:
    """Return ``some`` of ``count`` words for a sentence, and how many more there are."""
    more = count - len(some)
    return ", ".join(some) + (f" and {more:,} more" if more > 0 else "")


_EMPTY: Final = "(empty text)"


class _Shown(dict[int, str]):
    """What is shown of each character of one text: found out once, since it may hold millions of the same."""

    def __init__(self, keep: str) -> None:
        super().__init__()
        self._keep = keep

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_shown = character in self._keep or unicodedata.category(character) not in _HIDDEN
        self[code] = character if is_shown else _escaped(code)
        return self[code]


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
