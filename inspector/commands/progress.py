"""How far a long command is: one line on standard error that is written over, where that is a terminal."""

import sys
import time
from contextlib import suppress
from typing import Final

_TELL_EVERY_S: Final = 0.1


class ProgressLine:
    """One line on standard error that is written over, where that is a terminal; nothing at all where it is not."""

    def __init__(self) -> None:
        self._shows = sys.stderr is not None and sys.stderr.isatty()
        self._next_at = 0.0
        self._width = 0

    def tell(self, sentence: str, *, at_once: bool = False) -> None:
        """Show how far it is, ten times a second at most, or ``at_once`` where it will be true for longer."""
        if self._shows and (at_once or time.monotonic() >= self._next_at):
            self._next_at = time.monotonic() + _TELL_EVERY_S
            self._write(f"\r{sentence}{' ' * (self._width - len(sentence))}")
            self._width = len(sentence)

    def clear(self) -> None:
        """Leave the line empty."""
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()
