"""A reader process's end of the line to its session: messages out, and the signal to stop."""

import os
import select
import signal
from types import FrameType

from inspector.reading.messages import Message
from inspector.reading.wire import encode


class StopSignal:
    """SIGTERM as something that a select waits for and that a running query asks about."""

    def __init__(self) -> None:
        self._stopped = False
        self.wakes, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the session, which then ends us

    def wait(self, seconds: float) -> None:
        """Wait for the signal, for so long at most."""
        if not self._stopped:
            select.select([self.wakes], [], [], seconds)

    def is_set(self) -> bool:
        """Say whether the process is to end."""
        return self._stopped

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        self._stopped = True


def send(output: int, message: Message, stop: StopSignal) -> None:
    """Write a message as fast as it is taken; at a stop its rest is dropped, since nobody waits for it any more.

    Raises TooLarge, and BrokenPipeError where nobody reads.
    """
    left = memoryview(encode(message))
    os.set_blocking(output, False)
    while left and not stop.is_set():
        _, ready, _ = select.select([stop.wakes], [output], [])
        if ready:
            left = left[os.write(output, left) :]
