"""What is seen of a widget or a pixmap, as numbers."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QWidget


def luminance(color: QColor) -> float:
    """Return the relative luminance by the WCAG formula."""

    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF())


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two colours by the WCAG formula: 1 to 21."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def seen(widget: QWidget) -> QImage:
    """Return what the widget shows now."""
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def has_color(image: QImage, color: QColor) -> bool:
    """Say whether any pixel has exactly this colour."""
    wanted = color.rgb()
    return any(image.pixel(x, y) == wanted for y in range(image.height()) for x in range(image.width()))


def grey(pixmap: QPixmap, ground: QColor) -> list[int]:
    """Return the pixmap's pixels on ``ground``, without colour."""
    image = QImage(pixmap.size(), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(pixmap.devicePixelRatio())
    image.fill(ground)
    painter = QPainter(image)
    painter.drawPixmap(0, 0, pixmap)
    painter.end()
    image = image.convertToFormat(QImage.Format.Format_Grayscale8)
    return [QColor(image.pixel(x, y)).red() for y in range(image.height()) for x in range(image.width())]


def blank(width: int, height: int, ratio: float = 1.0) -> QPixmap:
    """Return an empty picture to paint on."""
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.white)
    return pixmap
