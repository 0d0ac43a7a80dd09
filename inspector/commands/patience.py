"""How a command waits for another process that keeps the file locked, and what one that does not wait says of it."""

from inspector.commands.clock import Clock
from inspector.commands.output import write_error
from inspector.reading.errors import LockedOut, Unanswered, Unreadable
from inspector.reading.locked import BackOff


class Patience:
    """Waits for a lock to go, longer and longer each time, and says on standard error whose it is: once for each."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._back_off = BackOff()
        self._said: str | None = None

    def wait(self, sentence: str) -> None:
        """Say what the file is locked by, where that is news, and let some time pass."""
        if sentence != self._said:
            self._said = sentence
            write_error(f"{sentence} Waiting until it lets go.")
        self._clock.wait(self._back_off.rest_s())

    def over(self) -> None:
        """Take note that the file could be read."""
        self._back_off.reset()
        self._said = None


def why_not_read(error: Unreadable | Unanswered) -> str:
    """Return the sentence of ``error``, and what to do where it is a lock that will go."""
    is_locked = isinstance(error, LockedOut) or (isinstance(error, Unreadable) and error.is_locked)
    return f"{error.sentence} Try again when it has let go." if is_locked else error.sentence
