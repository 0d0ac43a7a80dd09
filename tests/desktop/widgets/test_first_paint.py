from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.first_paint import FirstPaint


def test_it_tells_once_and_only_after_a_paint(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    first = FirstPaint(window)
    told: list[None] = []
    first.passed.connect(lambda: told.append(None))
    assert told == []
    with qtbot.waitSignal(first.passed):
        window.show()
    window.repaint()
    with qtbot.waitExposed(window):
        window.update()
    assert len(told) == 1


def test_a_window_that_ends_before_is_told_nothing(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    first = FirstPaint(window)
    first.stop()
    with qtbot.assertNotEmitted(first.passed, wait=100):
        window.show()
