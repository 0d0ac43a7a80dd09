from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QHeaderView, QListView, QTableView, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.viewport import own_viewport


def looks(viewport: QWidget) -> dict[str, object]:
    attributes = {
        name: viewport.testAttribute(attribute)
        for name, attribute in Qt.WidgetAttribute.__members__.items()
        if attribute != Qt.WidgetAttribute.WA_AttributeCount
    }
    return attributes | {
        "name": viewport.objectName(),
        "ground": viewport.backgroundRole(),
        "fills": viewport.autoFillBackground(),
        "tracks": viewport.hasMouseTracking(),
        "place": viewport.geometry(),
        "focus": viewport.focusPolicy(),
        "drops": viewport.acceptDrops(),
    }


@pytest.mark.parametrize("make", [QTableView, QListView, lambda: QHeaderView(Qt.Orientation.Horizontal)])
def test_it_is_like_the_one_that_the_area_came_with(qtbot: QtBot, make: Callable[[], QAbstractScrollArea]) -> None:
    theirs, ours = make(), make()
    own_viewport(ours, theirs.viewport().backgroundRole())
    for area in (theirs, ours):
        qtbot.addWidget(area)
        area.setMouseTracking(True)
        area.resize(200, 100)
        area.show()
    assert looks(ours.viewport()) == looks(theirs.viewport())
    assert ours.viewport().focusProxy() is ours
