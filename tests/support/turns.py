"""How long the GUI thread works in one turn of its loop, in processor time: so a busy machine does not count."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QAbstractEventDispatcher, QObject


class Turns(QObject):
    """Measures from each time the loop looks for events, or is about to wait for some, to the next.

    Waiting takes no processor time. Where events wait already the loop does not wait, but takes them in turn.
    """

    def __init__(self) -> None:
        super().__init__()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        self.longest_ms = 0.0
        self.count = 0
        self._began_s = time.thread_time()
        self._dispatcher = dispatcher
        dispatcher.aboutToBlock.connect(self._end)
        dispatcher.awake.connect(self._end)

    def _end(self) -> None:
        now_s = time.thread_time()
        self.count += 1
        self.longest_ms = max(self.longest_ms, (now_s - self._began_s) * 1_000)
        self._began_s = now_s

    def stop(self) -> None:
        """Measure no more."""
        self._dispatcher.aboutToBlock.disconnect(self._end)
        self._dispatcher.awake.disconnect(self._end)


@contextmanager
def turns() -> Iterator[Turns]:
    """Measure the turns of the loop within the block.

    What the tests before it have left is not looked through for garbage meanwhile: no window carries all of them.
    """
    gc.freeze()
    measured = Turns()
    try:
        yield measured
    finally:
        measured.stop()
        gc.unfreeze()
