"""The thin bar of a progress, as it is painted in a cell."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from inspector.desktop.widgets.lines import frame
from inspector.desktop.widgets.palette import Tokens

BAR_WIDTH, BAR_HEIGHT = 84, 8


def paint_progress(painter: QPainter, bar: QRectF, fraction: float, tokens: Tokens) -> None:
    """Paint a bar filled to ``fraction`` (0 to 1, cut to that) into ``bar``."""
    painter.fillRect(bar, tokens.base)
    frame(painter, bar, tokens.edge, radius=2)
    done = max(0.0, min(1.0, fraction))
    if done > 0:
        painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * done, bar.height()), tokens.accent)
