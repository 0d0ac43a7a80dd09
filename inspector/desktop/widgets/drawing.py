"""Text and pixmaps drawn into one line of a cell, an entry or a header, cut to the width that there is."""

from functools import lru_cache
from typing import Final, NamedTuple

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets.fonts import fixed_font, small_font, ui_font

LONGEST: Final = 500
"""The most characters that are measured and drawn; longer texts would hold the window up."""

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)


class Face(NamedTuple):
    """A font with its measure."""

    font: QFont
    metrics: QFontMetrics


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
    wanted = face.metrics.horizontalAdvance(text)
    if wanted > width:
        mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        text = face.metrics.elidedText(text, mode, width)
        wanted = width
    painter.setFont(face.font)
    painter.setPen(color)
    painter.drawText(room, _LEFT, text)
    return wanted


def draw_right(painter: QPainter, room: QRect, text: str, face: Face, color: QColor) -> int:
    """Draw ``text`` at the right of ``room``, cut to its width; return the width that it took."""
    width = room.width()
    if width <= 0 or not text:
        return 0
    wanted = face.metrics.horizontalAdvance(text)
    if wanted > width:
        text = face.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
        wanted = width
    painter.setFont(face.font)
    painter.setPen(color)
    painter.drawText(room, _RIGHT, text)
    return wanted


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
