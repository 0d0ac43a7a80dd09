"""When a file may be asked for more than its first page of tasks."""

from PySide6.QtCore import QObject, Signal

from inspector.desktop.main_window import MainWindow
from inspector.desktop.session.session import Session


class Settling(QObject):
    """Tells of each file that is open, also in another way than before, but not before the window was painted once.

    What nobody sees in the first moment is asked then, and so never stands before the first page in the reader's queue.

    Signals:
        file_settled: the open file may be asked.
    """

    file_settled = Signal()

    def __init__(self, window: MainWindow, session: Session) -> None:
        super().__init__(window)
        self._session = session
        self._window_stands = False
        session.opened.connect(self._tell)
        window.first_paint.passed.connect(self._on_window_settled)

    def _on_window_settled(self) -> None:
        self._window_stands = True
        self._tell()

    def _tell(self, _how: object = None) -> None:
        if self._window_stands and self._session.how is not None:
            self.file_settled.emit()
