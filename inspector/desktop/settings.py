"""What the window remembers between two runs, in the user's own configuration folder."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QSettings

from inspector.desktop.widgets.theme import Theme

RECENT_FILES: Final = 10
CONTENT_CHOICES: Final = 100
_VERSION: Final = 1


class Settings:
    """Window geometry, theme, recent files. ``store`` is where they are kept; None keeps nothing (pictures, demos)."""

    def __init__(self, store: QSettings | None) -> None:
        self._store = store
        self._content: dict[str, bool] | None = None

    def geometry(self) -> QByteArray | None:
        """Return the window's geometry as it was left, or None."""
        stored = self._value(f"window/{_VERSION}/geometry")
        return stored if isinstance(stored, QByteArray) else None

    def keep_geometry(self, geometry: QByteArray) -> None:
        """Remember the window's geometry."""
        self._keep(f"window/{_VERSION}/geometry", geometry)

    def theme(self) -> Theme:
        """Return the chosen theme; the system's where none was."""
        stored = self._value("theme")
        return next((theme for theme in Theme if theme == stored), Theme.SYSTEM)

    def keep_theme(self, theme: Theme) -> None:
        """Remember the theme."""
        self._keep("theme", theme.value)

    def recent(self) -> tuple[Path, ...]:
        """Return the files that were open lately, newest first."""
        stored = self._value("recent")
        texts = [stored] if isinstance(stored, str) else stored if isinstance(stored, list) else []
        return tuple(Path(text) for text in texts if isinstance(text, str) and text)[:RECENT_FILES]

    def keep_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        others = [old for old in self.recent() if old != path]
        self._keep("recent", [str(file) for file in [path, *others][:RECENT_FILES]])

    def forget_recent(self) -> None:
        """Forget the recent files."""
        self._keep("recent", [])

    def shows_content(self, path: Path, *, default: bool) -> bool:
        """Return whether prompts and outputs of this file are shown, or ``default`` where nothing was chosen for it."""
        return self._contents().get(str(path), default)

    def keep_shows_content(self, path: Path, shown: bool) -> None:
        """Remember whether prompts and outputs of this file are shown."""
        chosen = self._contents()
        chosen.pop(str(path), None)
        chosen[str(path)] = shown
        newest = list(chosen.items())[-CONTENT_CHOICES:]
        self._content = dict(newest)
        from json import dumps  # noqa: PLC0415  not for the first page

        self._keep("content", dumps(newest))

    def _contents(self) -> dict[str, bool]:
        if self._content is None:
            stored = self._value("content")
            self._content = _choices(stored) if isinstance(stored, str) else {}
        return self._content

    def _value(self, key: str) -> object:
        return None if self._store is None else self._store.value(key)

    def _keep(self, key: str, value: object) -> None:
        if self._store is not None:
            self._store.setValue(key, value)


def _choices(stored: str) -> dict[str, bool]:
    from json import loads  # noqa: PLC0415  not for the first page of who has chosen nothing

    try:
        return {str(path): bool(shown) for path, shown in loads(stored)}
    except (ValueError, TypeError):
        return {}


def user_settings() -> Settings:
    """Return the settings of this user."""
    return Settings(
        QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "lmsp-inspector", "lmsp-inspector")
    )
