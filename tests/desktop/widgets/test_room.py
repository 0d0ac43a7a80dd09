from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.room import Room


def test_a_view_that_is_put_in_covers_the_room_at_once(qtbot: QtBot) -> None:
    room = Room()
    qtbot.addWidget(room)
    room.resize(200, 100)
    room.show()
    view = QLabel("x")
    view.setMinimumWidth(120)
    room.put(view)
    assert view.isVisible()
    assert view.size() == room.size()
    assert room.minimumSizeHint().width() == 120
