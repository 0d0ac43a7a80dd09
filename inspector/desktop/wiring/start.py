"""The start view on the settings: the files that were open lately."""

from pathlib import Path

from inspector.desktop.settings import Settings
from inspector.desktop.start.view import RecentFile, StartView


class StartWiring:
    """Shows the recent files, and forgets them when told."""

    def __init__(self, view: StartView, settings: Settings) -> None:
        self._view = view
        self._settings = settings
        view.recent_cleared.connect(self._forget)
        self.show_recent()

    def show_recent(self) -> None:
        """Show the files that were open lately, and which of them are there now."""
        self._view.show_recent([RecentFile(path, _is_there(path)) for path in self._settings.recent()])

    def _forget(self) -> None:
        self._settings.forget_recent()
        self.show_recent()


def _is_there(path: Path) -> bool:
    """Say whether there is such a file, or an archive of which this may be a member; not where none may look."""
    try:
        return any(each.is_file() for each in (path, *path.parents))
    except OSError:
        return False
