"""Whether prompts and outputs of the open file are shown, or covered until somebody asks for them."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from inspector.desktop.session.session import Session
from inspector.desktop.settings import Settings
from inspector.layout.opened import Mode


class Content(QObject):
    """The choice for the open file, remembered for each file.

    Signals:
        changed: content is to be shown, or to be covered; carries which.
    """

    changed = Signal(bool)

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self._session = session
        self._settings = settings
        session.opened.connect(lambda _how: self.changed.emit(self.is_shown))

    @property
    def is_shown(self) -> bool:
        """Whether it is shown: on a live file from the start, on others once the user asked."""
        how = self._session.how
        return how is not None and self._settings.shows_content(Path(how.path), default=how.mode is Mode.LIVE)

    def show(self, shown: bool) -> None:
        """Show prompts and outputs of this file, or cover them."""
        how = self._session.how
        if how is not None:
            self._settings.keep_shows_content(Path(how.path), shown)
            self.changed.emit(shown)
