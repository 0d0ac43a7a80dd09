"""Whether another process keeps the file locked that is open or being opened, as its reader tells."""

from PySide6.QtCore import QObject, Signal


class FileLock(QObject):
    """What is known of it. The reader tries the file less and less often for as long as the lock lasts.

    Signals:
        met: the file is locked, or locked by another process than before; carries one sentence. Until ``lifted``
            nothing of it can be read, or it cannot be opened.
        lifted: nothing waits for a lock any more.
    """

    met = Signal(str)
    lifted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sentence: str | None = None

    @property
    def sentence(self) -> str | None:
        """The sentence on the lock that lasts; None where there is none."""
        return self._sentence

    def meet(self, sentence: str) -> None:
        """Take note of a lock, and tell."""
        self._sentence = sentence
        self.met.emit(sentence)

    def lift(self) -> None:
        """Take note that nothing waits for a lock, and tell where that is news."""
        if self._sentence is not None:
            self._sentence = None
            self.lifted.emit()

    def forget(self) -> None:
        """Know of no lock, and tell nobody: no file is open."""
        self._sentence = None
