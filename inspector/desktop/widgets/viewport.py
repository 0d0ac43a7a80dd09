"""The viewport of a scroll area, made here and not by Qt."""

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def own_viewport(area: QAbstractScrollArea, ground: QPalette.ColorRole = QPalette.ColorRole.Base) -> QWidget:
    """Give ``area`` a viewport on ``ground``, in all else like the one that it came with, and return it.

    Asked for a widget that Qt has made, PySide first loads every class of widgets there is, to find out which one it
    is: a tenth of the time to the first page. One that Python has made is known. To be called before anything else is
    set on ``area``.
    """
    viewport = QWidget(area)
    viewport.setObjectName("qt_scrollarea_viewport")
    viewport.setBackgroundRole(ground)
    viewport.setAutoFillBackground(True)
    area.setViewport(viewport)
    return viewport
