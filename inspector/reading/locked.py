"""A file that another process keeps locked: what is said of it and when, and how soon it is tried again."""

from typing import Final

from inspector.reading.errors import BUSY, primary_code, sentence_of
from inspector.reading.holders import exclusive_holder
from inspector.reading.messages import Locked, Unlocked

FIRST_REST_S: Final = 0.25
LONGEST_REST_S: Final = 4.0

_SEEN_TWICE: Final = 2


class BackOff:
    """How long to leave a locked file alone before each try: twice as long each time, up to 4 s."""

    def __init__(self) -> None:
        self._next_s = FIRST_REST_S

    def rest_s(self) -> float:
        """Return how many seconds to wait before the next try."""
        rest_s = self._next_s
        self._next_s = min(2 * rest_s, LONGEST_REST_S)
        return rest_s

    def reset(self) -> None:
        """Begin with the shortest wait again: the file could be read."""
        self._next_s = FIRST_REST_S


class LockWatch:
    """Whether another process keeps the file locked now, told when it begins, when it is another one, when it ends.

    What a look meets is told only at the second look in a row: a long commit is no news.
    """

    def __init__(self) -> None:
        self._looks = 0
        self._told: str | None = None
        self.sentence: str | None = None
        """What was said where the file was last tried, None where that went well."""

    def met(self, sentence: str, *, by_a_look: bool) -> tuple[Locked, ...]:
        """Take note that a look or a question was locked out, with this sentence; return what there is to tell."""
        self.sentence = sentence
        self._looks += by_a_look
        if sentence == self._told or (by_a_look and self._told is None and self._looks < _SEEN_TWICE):
            return ()
        self._told = sentence
        return (Locked(sentence),)

    def passed(self) -> tuple[Unlocked, ...]:
        """Take note that the file could be read, or is lost; return what there is to tell."""
        was_told = self._told is not None
        self._looks, self._told, self.sentence = 0, None, None
        return (Unlocked(),) if was_told else ()


def sentence_on(error: BaseException, name: str, path: str) -> str:
    """Say what ``error`` means as :func:`sentence_of` does, and of a lock also who holds it, as far as is listed.

    Opens nothing of the file at ``path``.
    """
    sentence = sentence_of(error, name)
    holder = exclusive_holder(path) if primary_code(error) in BUSY else None
    return sentence if holder is None else f"{sentence.removesuffix('.')}: {holder}."
