"""The bar under the title of the detail pane: the question before a cancel, and in its place how it ended."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from inspector.desktop.detail.cancel_words import (
    WAITING,
    CancelAnswer,
    Said,
    Times,
    ending,
    finished_meanwhile,
    question,
)
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.words import grouped
from inspector.layout.rows import TaskRow
from inspector.lmsp.cancelling import CancelOutcome
from inspector.lmsp.statuses import FINAL, known_status


class CancelBar(MessageBar):
    """Asks, and then tells. Enter and Esc on the question are the safe answer.

    Signals:
        confirmed: the question was answered yes, or a busy database is to be tried again; carries the task's id.
        event_wanted: the reader wants to see the event that the outcome names; carries its number.
        dismissed: the question was answered no, or the bar was closed; carries whether the bar had the keyboard.
    """

    confirmed = Signal(str)
    event_wanted = Signal(int)
    dismissed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._task_id: str | None = None
        self._is_asking = False
        self._is_waiting = False
        self._answer: CancelAnswer | None = None
        self._keep = self.tr("Keep running")
        self._yes = self.tr("Cancel task")
        self._again = self.tr("Try again")
        self.verb_clicked.connect(self._on_verb)
        self.closed.connect(self.dismiss)
        self.hide()

    @property
    def is_asking(self) -> bool:
        """Whether the question stands."""
        return self._is_asking

    @property
    def is_waiting(self) -> bool:
        """Whether a cancel was confirmed and its answer is on its way."""
        return self._is_waiting

    def ask(self, task: TaskRow, now_ms: int | None) -> None:
        """Ask whether ``task`` is to be cancelled; the safe answer has the keyboard."""
        self._task_id, self._is_asking, self._is_waiting, self._answer = task.id, True, False, None
        said = question(task, now_ms)
        self.set_message(MessageKind.INFO, said.fact, said.meaning, verbs=(self._keep, self._yes), closable=False)
        self.show()
        for button in self.findChildren(QPushButton):
            is_verb = button.accessibleName() in (self._keep, self._yes)
            # Enter presses the button that has the keyboard; Qt does so in dialogs alone unless told.
            button.setAutoDefault(is_verb)
            if button.accessibleName() == self._keep:
                button.setDefault(True)
                button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_outcome(self, answer: CancelAnswer, times: Times, status: str | None = None) -> None:
        """Tell how the cancel ended, in the question's place."""
        self._task_id, self._is_asking, self._is_waiting, self._answer = answer.task_id, False, False, answer
        self._say(ending(answer, times, status=status), answer)

    def update_task(self, task: TaskRow, times: Times) -> None:
        """Keep what the bar says true while the task goes on."""
        if self._task_id != task.id:
            return
        if self._is_asking and known_status(task.status) in FINAL:
            self._is_asking = False
            self._say(finished_meanwhile(task.status, times), None)
        elif self._answer is not None and self._answer.outcome is CancelOutcome.CANCELLING:
            self._say(ending(self._answer, times, status=task.status), self._answer)

    def dismiss(self) -> None:
        """Close the bar: the safe answer to the question."""
        focused = QApplication.focusWidget()
        had_keyboard = focused is not None and self.isAncestorOf(focused)
        self.forget()
        self.dismissed.emit(had_keyboard)

    def forget(self) -> None:
        """Be gone, because the pane shows another task."""
        self._task_id, self._is_asking, self._is_waiting, self._answer = None, False, False, None
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _wait(self) -> None:
        # A database that is held makes the answer take seconds.
        self._is_asking, self._is_waiting, self._answer = False, True, None
        self.set_message(MessageKind.INFO, WAITING.fact, WAITING.meaning)

    def _say(self, said: Said, answer: CancelAnswer | None) -> None:
        busy = answer is not None and answer.outcome is CancelOutcome.BUSY
        links = () if answer is None or answer.seq is None else (self._link(answer.seq),)
        kind = MessageKind.WARN if said.warns else MessageKind.INFO
        self.set_message(kind, said.fact, said.meaning, verbs=(self._again,) if busy else (), links=links)
        self.show()

    def _link(self, seq: int) -> str:
        return self.tr("Event {seq}").format(seq=grouped(seq))

    def _on_verb(self, verb: str) -> None:
        task_id, answer = self._task_id, self._answer
        if verb == self._keep:
            self.dismiss()
        elif verb in (self._yes, self._again) and task_id is not None:
            self._wait()
            self.confirmed.emit(task_id)
        elif answer is not None and answer.seq is not None:
            self.event_wanted.emit(answer.seq)
