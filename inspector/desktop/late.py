"""Parts of the window that are made when they are first wanted: what nobody looks at yet costs nothing at the start."""

from collections.abc import Callable
from typing import Generic, TypeVar

Part = TypeVar("Part", covariant=True)


class Late(Generic[Part]):
    """A part that is imported and built when it is first asked for, and stays from then on.

    Who is to be connected to it leaves word with :meth:`then`, and does not make it exist by that.
    """

    def __init__(self, make: Callable[[], Part]) -> None:
        self._make = make
        self._made: Part | None = None
        self._wishes: list[Callable[[Part], object]] = []

    def __call__(self) -> Part:
        """Return the part; the first call makes it and then does what was left for it, in the order it was left."""
        if self._made is None:
            made = self._made = self._make()
            wishes, self._wishes = self._wishes, []
            for wish in wishes:
                wish(made)
        return self._made

    @property
    def made(self) -> Part | None:
        """The part, or None while nobody has asked for it."""
        return self._made

    def then(self, do: Callable[[Part], object]) -> None:
        """Do this with the part as soon as it is there: at once where it is."""
        if self._made is None:
            self._wishes.append(do)
        else:
            do(self._made)
