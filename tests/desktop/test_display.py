"""Windows as a user sees them, wherever these tests run: offscreen, and on X11 under packaging/test."""

import os

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot


@pytest.mark.xvfb
def test_a_window_is_shown_on_the_platform_that_was_asked_for_and_takes_keys(qtbot: QtBot) -> None:
    line = QLineEdit()
    qtbot.addWidget(line)
    with qtbot.waitExposed(line):
        line.show()
    with qtbot.waitActive(line):  # without a window manager no window is active by itself
        line.activateWindow()
    line.setFocus()

    QTest.keyClicks(line, "lmsp")
    QTest.keyClick(line, Qt.Key.Key_Left)

    assert line.text() == "lmsp"
    assert line.cursorPosition() == 3
    assert QApplication.platformName() == os.environ["QT_QPA_PLATFORM"]
