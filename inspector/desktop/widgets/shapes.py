"""The shapes of the seven statuses, of an unknown one and of a warning: hollow waits, filled is at rest or works.

All are drawn in a box of 16 units, so that a shape is the same in a cell, in a chip and on the timeline.
"""

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from inspector.desktop.widgets.palette import Tokens
from inspector.lmsp.statuses import Status

SHAPE = 14
"""The side of a shape beside a word, in pixels."""

_BOX = 16.0


def paint_state(painter: QPainter, box: QRectF, status: str, tokens: Tokens, behind: QColor) -> None:
    """Paint the shape of ``status`` into ``box``; a status that is none of the seven gets the diamond.

    ``behind`` is the colour on which it stands: what a shape leaves out, as the tick of ``completed``, shows it.
    """
    _in_box(painter, box, lambda: _SHAPES.get(status, _unknown)(painter, tokens.state(status), behind))


def paint_warning(painter: QPainter, box: QRectF, tokens: Tokens) -> None:
    """Paint the warning triangle into ``box``."""
    _in_box(painter, box, lambda: _warning(painter, tokens.warn_fg))


def state_pixmap(status: str, size: float, tokens: Tokens, ratio: float) -> QPixmap:
    """Return the shape of ``status``, ``size`` units wide, on a transparent ground, sharp at pixel ratio ``ratio``."""
    known = status if status in _SHAPES else ""
    return _pixmap(known, tokens.state(known).rgba(), size, ratio)


def warning_pixmap(size: float, tokens: Tokens, ratio: float) -> QPixmap:
    """Return the warning triangle, ``size`` units wide, on a transparent ground."""
    return _pixmap("!", tokens.warn_fg.rgba(), size, ratio)


@lru_cache(maxsize=512)
def _pixmap(status: str, rgba: int, size: float, ratio: float) -> QPixmap:
    pixels = max(1, round(size * ratio))
    pixmap = QPixmap(QSize(pixels, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    color = QColor.fromRgba(rgba)
    _in_box(painter, QRectF(0, 0, pixels, pixels), lambda: _DRAWN.get(status, _unknown)(painter, color, None))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def _in_box(painter: QPainter, box: QRectF, draw: Callable[[], None]) -> None:
    if box.isEmpty():
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(box.topLeft())
    painter.scale(box.width() / _BOX, box.height() / _BOX)
    draw()
    painter.restore()


def _stroke(color: QColor, width: float, *, round_ends: bool = False) -> QPen:
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap if round_ends else Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin if round_ends else Qt.PenJoinStyle.MiterJoin)
    return pen


def _ring(painter: QPainter, color: QColor, _behind: QColor | None) -> None:
    painter.setPen(_stroke(color, 1.6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(8, 8), 5.2, 5.2)


def _half_ring(painter: QPainter, color: QColor, behind: QColor | None) -> None:
    half = QPainterPath(QPointF(2.8, 8))
    half.arcTo(QRectF(2.8, 2.8, 10.4, 10.4), 180, 180)
    half.closeSubpath()
    painter.fillPath(half, color)
    _ring(painter, color, behind)


def _triangle(painter: QPainter, color: QColor, _behind: QColor | None) -> None:
    painter.setPen(_stroke(color, 1.0, round_ends=True))
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([QPointF(4.2, 2.6), QPointF(13.4, 8), QPointF(4.2, 13.4)]))


def _square_ring(painter: QPainter, color: QColor, _behind: QColor | None) -> None:
    painter.setPen(_stroke(color, 1.8))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(3.1, 3.1, 9.8, 9.8), 1.2, 1.2)


def _ticked_disc(painter: QPainter, color: QColor, behind: QColor | None) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(QPointF(8, 8), 6, 6)
    pen = _stroke(QColor(Qt.GlobalColor.black) if behind is None else behind, 1.7, round_ends=True)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if behind is None:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOut)
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF([QPointF(5, 8.2), QPointF(7.2, 10.4), QPointF(11.1, 5.9)]))


def _cross(painter: QPainter, color: QColor, _behind: QColor | None) -> None:
    painter.setPen(_stroke(color, 2.6, round_ends=True))
    painter.drawLine(QPointF(3.7, 3.7), QPointF(12.3, 12.3))
    painter.drawLine(QPointF(12.3, 3.7), QPointF(3.7, 12.3))


def _square(painter: QPainter, color: QColor, _behind: QColor | None) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(QRectF(2.8, 2.8, 10.4, 10.4), 1.2, 1.2)


def _unknown(painter: QPainter, color: QColor, _behind: QColor | None) -> None:
    painter.setPen(_stroke(color, 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolygon(QPolygonF([QPointF(8, 1.8), QPointF(14.2, 8), QPointF(8, 14.2), QPointF(1.8, 8)]))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(QPointF(8, 8), 1.6, 1.6)


def _warning(painter: QPainter, color: QColor, _behind: QColor | None = None) -> None:
    painter.setPen(_stroke(color, 1.4, round_ends=True))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolygon(QPolygonF([QPointF(8, 2.2), QPointF(14.4, 13.4), QPointF(1.6, 13.4)]))
    painter.drawLine(QPointF(8, 6.4), QPointF(8, 9.4))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(QPointF(8, 11.4), 0.9, 0.9)


_Draw = Callable[[QPainter, QColor, QColor | None], None]

_SHAPES: dict[str, _Draw] = {
    Status.QUEUED: _ring,
    Status.LOADING: _half_ring,
    Status.RUNNING: _triangle,
    Status.CANCELLING: _square_ring,
    Status.COMPLETED: _ticked_disc,
    Status.FAILED: _cross,
    Status.CANCELLED: _square,
}
_DRAWN: dict[str, _Draw] = {**_SHAPES, "!": _warning}
