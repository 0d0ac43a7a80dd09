"""Light, dark or as the system says: palette and style sheet of the application, switchable at run time."""

from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QStyleHints
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets.fonts import is_nobodys, system_font
from inspector.desktop.widgets.palette import DARK, LIGHT, Tokens, qpalette, tokens_of
from inspector.desktop.widgets.style_sheet import style_sheet


class Theme(StrEnum):
    """What the user chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Give ``app``, which has the style Fusion, the palette of ``theme`` and the style sheet made from it.

    May be called again at any time: widgets get a PaletteChange and draw themselves anew. ``SYSTEM`` follows the
    desktop's colour scheme as it is now; a desktop that asks for more contrast keeps its own palette.
    """
    if is_nobodys(app.font()):
        app.setFont(system_font())
    tokens = _chosen(app, theme)
    if tokens is None:
        app.setPalette(QPalette())
        tokens = tokens_of(app.palette())
    else:
        app.setPalette(qpalette(tokens))
    app.setStyleSheet(style_sheet(tokens))


def _chosen(app: QApplication, theme: Theme) -> Tokens | None:
    """Return the tokens for ``theme``, or None where the system's palette stays."""
    if theme is not Theme.SYSTEM:
        return DARK if theme is Theme.DARK else LIGHT
    hints = app.styleHints()
    if _wants_contrast(hints):
        return None
    return DARK if hints.colorScheme() is Qt.ColorScheme.Dark else LIGHT


def _wants_contrast(hints: QStyleHints) -> bool:
    # Qt tells from 6.10 on.
    accessibility = getattr(hints, "accessibility", None)
    return accessibility is not None and accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast
