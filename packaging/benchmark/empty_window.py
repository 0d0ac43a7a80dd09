"""The arm to compare with: an empty QMainWindow of the same size on PySide6 and qasync, until it has painted."""

import asyncio
import sys
import time

import qasync
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow


class Window(QMainWindow):
    """Ends the loop after its first paint."""

    painted = None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.painted is not None and not self.painted.done():
            self.painted.set_result(time.monotonic_ns())


async def show() -> int:
    """Show the window and return the moment of its first paint."""
    window = Window()
    window.painted = asyncio.get_running_loop().create_future()
    window.resize(1440, 900)
    window.show()
    return await window.painted


app = QApplication(sys.argv)
loop = qasync.QEventLoop(app)
asyncio.set_event_loop(loop)
with loop:
    print(loop.run_until_complete(show()))
