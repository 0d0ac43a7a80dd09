"""Fonts, all derived from the application's font, so that a user's larger font scales them together.

Digits have equal width everywhere, where the font can do it. Sizes are in pixels at scale 1.
"""

from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetrics
from PySide6.QtWidgets import QApplication

PLAIN_PX = 13
"""The size of the application's font where the system sets none; the others are in proportion to it."""

_TABULAR = QFont.Tag("tnum")
_LIGATURES = (QFont.Tag("liga"), QFont.Tag("calt"), QFont.Tag("dlig"))
# What Qt answers where no desktop and no setting names a font.
_NOBODYS_FONT = ("Sans Serif", 9.0)


def system_font() -> QFont:
    """Return the system's font, at 13 px where the system sets no size of its own."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if is_nobodys(font):
        font.setPixelSize(PLAIN_PX)
    return font


def is_nobodys(font: QFont) -> bool:
    """Say whether ``font`` is the one that Qt falls back on, which nobody chose."""
    return (font.family(), font.pointSizeF()) == _NOBODYS_FONT


def ui_font(*, bold: bool = False) -> QFont:
    """Return the plain font of the window; ``bold`` is semibold."""
    return _derived(QApplication.font().toString(), PLAIN_PX, bold)


def small_font(*, bold: bool = False) -> QFont:
    """Return the font of headers, captions and counts."""
    return _derived(QApplication.font().toString(), 12, bold)


def tiny_font() -> QFont:
    """Return the font of axes."""
    return _derived(QApplication.font().toString(), 11, False)


def title_font() -> QFont:
    """Return the font of a pane's title, semibold."""
    return _derived(QApplication.font().toString(), 15, True)


def counter_font(*, bold: bool = True) -> QFont:
    """Return the font of the large numbers of a counter strip."""
    return _derived(QApplication.font().toString(), 19, bold)


def hero_font() -> QFont:
    """Return the font of the one sentence of a window without a file, semibold."""
    return _derived(QApplication.font().toString(), 20, True)


def fixed_font(*, bold: bool = False) -> QFont:
    """Return the fixed-width font of ids, digests, event types and JSON, without ligatures."""
    return _derived_fixed(QApplication.font().toString(), bold)


def row_height(dense: bool = False) -> int:
    """Return the height of a table's row in pixels; ``dense`` is for lists of events and results."""
    return max(24 if dense else 25, line_height(ui_font()) + 9)


def header_height(dense: bool = False) -> int:
    """Return the height of a table's header in pixels."""
    return max(24 if dense else 26, line_height(small_font()) + 9)


def at_least(height: int, font: QFont | None = None, room: int = 9) -> int:
    """Return ``height``, or more where ``font`` (the plain one) with ``room`` around it needs more."""
    return max(height, line_height(ui_font() if font is None else font) + room)


def scaled(pixels: int) -> int:
    """Return a width meant for the plain font of 13 px, for the font that there is: what holds text grows with it."""
    return max(pixels, round(pixels * QFontInfo(ui_font()).pixelSize() / PLAIN_PX))


def line_height(font: QFont) -> int:
    """Return the height of one line of ``font`` in pixels."""
    return _line_height(font.toString())


@lru_cache(maxsize=64)
def _line_height(described: str) -> int:
    font = QFont()
    font.fromString(described)
    return QFontMetrics(font).height()


@lru_cache(maxsize=64)
def _derived(described: str, size: int, bold: bool) -> QFont:
    font = QFont()
    font.fromString(described)
    font.setPixelSize(_scaled(font, size))
    font.setFeature(_TABULAR, 1)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


@lru_cache(maxsize=16)
def _derived_fixed(described: str, bold: bool) -> QFont:
    base = QFont()
    base.fromString(described)
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(_scaled(base, 12))
    for tag in _LIGATURES:
        font.setFeature(tag, 0)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def _scaled(base: QFont, size: int) -> int:
    return max(1, round(QFontInfo(base).pixelSize() * size / PLAIN_PX))
