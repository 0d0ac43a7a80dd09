"""The program's own line icons, coloured when they are drawn.

Each is an SVG in ``resources/icons`` in a box of 16 units whose only colour is ``currentColor``.
"""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from inspector.desktop.widgets.resources import resource

SIZE = 16
_SIZES = (12, SIZE)


def icon(name: str, color: QColor) -> QIcon:
    """Return the icon ``name`` in ``color`` for Qt's buttons, actions and views; FileNotFoundError without such a one.

    It keeps its colour. Who keeps an icon makes it again when the palette changes.
    """
    return _icon(
        name, color.rgba(), max((screen.devicePixelRatio() for screen in QGuiApplication.screens()), default=1.0)
    )


def icon_pixmap(name: str, color: QColor, size: float, ratio: float) -> QPixmap:
    """Return the icon ``name`` in ``color``, ``size`` units wide, sharp at the device pixel ratio ``ratio``."""
    return _pixmap(name, color.rgba(), size, ratio)


@lru_cache(maxsize=256)
def _icon(name: str, rgba: int, ratio_now: float) -> QIcon:
    made = QIcon()
    faded = QColor.fromRgba(rgba)
    faded.setAlphaF(faded.alphaF() * 0.45)
    for ratio in sorted({1.0, 2.0, ratio_now}):
        for size in _SIZES:
            made.addPixmap(_pixmap(name, rgba, size, ratio))
            made.addPixmap(_pixmap(name, faded.rgba(), size, ratio), QIcon.Mode.Disabled)
    return made


@lru_cache(maxsize=2048)
def _pixmap(name: str, rgba: int, size: float, ratio: float) -> QPixmap:
    pixels = max(1, round(size * ratio))
    pixmap = QPixmap(QSize(pixels, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    color = QColor.fromRgba(rgba)
    source = _source(name).replace("currentColor", color.name())
    renderer = QSvgRenderer(QByteArray(source.encode()))
    painter = QPainter(pixmap)
    painter.setOpacity(color.alphaF())
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")
