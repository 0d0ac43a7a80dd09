"""What of the file cannot be read, said once for each kind of what is shown."""

from typing import Final

from inspector.desktop.main_window import MainWindow
from inspector.desktop.session.session import Session
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.layout.opened import Opened

_FACTS: Final = {
    "tasks": "Part of the list of tasks cannot be read.",
    "events": "Part of this task's event log cannot be read.",
    "models": "Part of the models, or of the tasks that name them, cannot be read.",
    "search": "Part of the events cannot be searched.",
    "recovery": "Part of what recovery would find cannot be read.",
}


class Damage:
    """The bars about damage. A bar that was closed comes again only with another sentence, or another file."""

    def __init__(self, window: MainWindow, session: Session) -> None:
        self._window = window
        self._path: str | None = None
        self._told: dict[str, str] = {}
        session.opened.connect(self._on_opened)
        session.could_not_open.connect(lambda _sentence: self.forget())

    def tell(self, what: str, sentence: str) -> None:
        """Say of one of the kinds above what is missing, or with an empty sentence that nothing is."""
        if sentence == self._told.get(what, ""):
            return
        self._told[what] = sentence
        if sentence:
            self._window.show_message(f"damaged {what}", MessageKind.WARN, _FACTS[what], sentence)
        else:
            self._window.hide_message(f"damaged {what}")

    def forget(self) -> None:
        """Take the bars away: what they tell of is not shown any more."""
        self._path = None
        for what in tuple(self._told):
            self.tell(what, "")

    def _on_opened(self, how: Opened) -> None:
        if how.path != self._path:
            self.forget()
            self._path = how.path
