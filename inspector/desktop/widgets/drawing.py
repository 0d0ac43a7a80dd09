"""Text and pixmaps drawn into one line of a cell, an entry or a header, cut to the width that there is."""

from functools import lru_cache
from typing import Final, NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets.fonts import fixed_font, small_font, ui_font

LONGEST: Final = 500
"""The most characters that are measured and drawn; longer texts would hold the window up."""

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)


_MOST_FITS: Final = 2_048


class Fit(NamedTuple):
    """A text as it fits a width."""

    text: str
    """Cut, where it is longer."""
    taken: int
    """The whole pixels that it takes of the width."""
    width: float
    """How wide it is drawn."""
    plain: bool
    """Whether it can be drawn where it stands: no character of it moves, joins or reaches above the line."""


class Face:
    """A font with its measure. Texts are measured and cut once: the same ones stand there frame after frame."""

    __slots__ = ("_exact", "_fits", "above", "font", "high", "metrics")

    def __init__(self, font: QFont, metrics: QFontMetrics) -> None:
        self.font = font
        self.metrics = metrics
        self._exact = QFontMetricsF(font)
        self.above: float = self._exact.ascent()
        self.high: float = self._exact.ascent() + self._exact.descent()
        self._fits: dict[tuple[str, int, bool], Fit] = {}

    def fit(self, text: str, width: int, *, middle: bool) -> Fit:
        """Return ``text`` cut to ``width`` pixels, at its end or in its ``middle``."""
        key = text, width, middle
        known = self._fits.get(key)
        if known is None:
            if len(self._fits) >= _MOST_FITS:
                self._fits.clear()
            known = self._fits[key] = self._fit(text, width, middle)
        return known

    def _fit(self, text: str, width: int, middle: bool) -> Fit:
        plain = text.isascii() and text.isprintable()
        taken = self.metrics.horizontalAdvance(text)
        if taken > width:
            text = self.metrics.elidedText(
                text, Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight, width
            )
            taken = width
        return Fit(text, taken, self._exact.horizontalAdvance(text), plain)


def ui_face(*, bold: bool = False) -> Face:
    """Return the plain face of cells."""
    return _face(QApplication.font().toString(), "ui", bold)


def small_face(*, bold: bool = False) -> Face:
    """Return the face of headers and counts."""
    return _face(QApplication.font().toString(), "small", bold)


def fixed_face(*, bold: bool = False) -> Face:
    """Return the face of ids."""
    return _face(QApplication.font().toString(), "fixed", bold)


def one_line(value: object) -> str:
    """Return ``value`` as the one line that a cell shows of it; None is empty."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def draw_left(painter: QPainter, room: QRect, text: str, face: Face, color: QColor, *, middle: bool = False) -> int:
    """Draw ``text`` at the left of ``room``, cut to its width; return the width that it took."""
    width = room.width()
    if width <= 0 or not text:
        return 0
    fit = face.fit(text, width, middle=middle)
    painter.setFont(face.font)
    painter.setPen(color)
    if fit.plain and face.high <= room.height():
        painter.drawText(QPointF(room.x(), _baseline(room, face)), fit.text)
    else:
        painter.drawText(room, _LEFT, fit.text)
    return fit.taken


def draw_right(painter: QPainter, room: QRect, text: str, face: Face, color: QColor) -> int:
    """Draw ``text`` at the right of ``room``, cut to its width; return the width that it took."""
    width = room.width()
    if width <= 0 or not text:
        return 0
    fit = face.fit(text, width, middle=False)
    painter.setFont(face.font)
    painter.setPen(color)
    if fit.plain and face.high <= room.height():
        painter.drawText(QPointF(room.x() + width - fit.width, _baseline(room, face)), fit.text)
    else:
        painter.drawText(room, _RIGHT, fit.text)
    return fit.taken


def _baseline(room: QRect, face: Face) -> float:
    """Return where Qt itself puts the baseline of a line in the middle of ``room``, without its laying out a text."""
    return room.y() + (room.height() - face.high) / 2 + face.above


def draw_pixmap(painter: QPainter, room: QRect, pixmap: QPixmap, size: int) -> None:
    """Draw ``pixmap``, ``size`` units wide, at the left of ``room``, in the middle of its height, cut to its width."""
    top = room.top() + (room.height() - size + 1) // 2
    if room.width() >= size:
        painter.drawPixmap(room.left(), top, pixmap)
    elif room.width() > 0:
        ratio = pixmap.devicePixelRatio()
        part = QRectF(0, 0, room.width() * ratio, size * ratio)
        painter.drawPixmap(QRectF(room.left(), top, room.width(), size), pixmap, part)


@lru_cache(maxsize=64)
def _face(_described: str, kind: str, bold: bool) -> Face:
    made = {"ui": ui_font, "small": small_font, "fixed": fixed_font}[kind](bold=bold)
    return Face(made, QFontMetrics(made))
