"""Lines one device pixel wide, wherever they fall: what parts panes, rows and columns."""

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSplitter, QWidget

from inspector.desktop.widgets.palette import tokens_of


def hairline(color: QColor) -> QPen:
    """Return a pen that stays one device pixel wide at every scale."""
    pen = QPen(color, 1)
    pen.setCosmetic(True)
    return pen


def line_below(painter: QPainter, rect: QRectF, color: QColor) -> None:
    """Draw a hairline along the inner lower edge of ``rect``."""
    y = rect.bottom() - _half(painter)
    _draw(painter, QLineF(rect.left(), y, rect.right(), y), color)


def line_above(painter: QPainter, rect: QRectF, color: QColor) -> None:
    """Draw a hairline along the inner upper edge of ``rect``."""
    y = rect.top() + _half(painter)
    _draw(painter, QLineF(rect.left(), y, rect.right(), y), color)


def line_right(painter: QPainter, rect: QRectF, color: QColor) -> None:
    """Draw a hairline along the inner right edge of ``rect``."""
    x = rect.right() - _half(painter)
    _draw(painter, QLineF(x, rect.top(), x, rect.bottom()), color)


def frame(painter: QPainter, rect: QRectF, color: QColor, width: float = 1.0, radius: float = 0.0) -> None:
    """Draw a frame of ``width`` units inside ``rect``; one of 1 is one device pixel wide."""
    thin = width <= 1.0
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, radius > 0)
    pen = hairline(color) if thin else QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inset = _half(painter) if thin else width / 2
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)
    painter.restore()


class HairLine(QWidget):
    """A line between two parts, 1 high or 1 wide, in the ``line`` or the ``edge`` colour."""

    def __init__(
        self,
        orientation: Qt.Orientation = Qt.Orientation.Horizontal,
        parent: QWidget | None = None,
        *,
        edge: bool = False,
    ) -> None:
        super().__init__(parent)
        self._edge = edge
        lies = orientation is Qt.Orientation.Horizontal
        fixed, grows = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding
        self.setSizePolicy(grows if lies else fixed, fixed if lies else grows)

    def sizeHint(self) -> QSize:
        return QSize(1, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.edge if self._edge else tokens.line)
        painter.end()


class PaneSplitter(QSplitter):
    """A splitter whose handle is a line; no pane collapses when it is dragged."""

    def __init__(self, orientation: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)


def _half(painter: QPainter) -> float:
    """Return half a device pixel in the painter's units."""
    return 0.5 / painter.device().devicePixelRatio()


def _draw(painter: QPainter, line: QLineF, color: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(hairline(color))
    painter.drawLine(line)
    painter.restore()
