"""The empty window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.start.view import RecentFile, StartView
from inspector.desktop.widgets.tools import HeaderButton
from tests.support.finding import found

HERE, GONE = RecentFile(Path("/data/a.db"), True), RecentFile(Path("/data/gone\x07.db"), False)


@pytest.fixture
def view(qtbot: QtBot) -> StartView:
    view = StartView()
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    return view


def test_without_recent_files_enter_asks_for_one(view: StartView, qtbot: QtBot) -> None:
    assert not found(view, QListWidget).isVisible()
    with qtbot.waitSignal(view.open_requested):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_enter_opens_the_first_recent_file_that_is_there(view: StartView, qtbot: QtBot) -> None:
    view.show_recent([GONE, HERE])
    with qtbot.waitSignal(view.recent_requested) as asked:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert asked.args == [HERE.path]


def test_a_recent_file_that_is_not_there_says_so_and_cannot_be_chosen(view: StartView) -> None:
    view.show_recent([HERE, GONE])
    listed = found(view, QListWidget)
    assert "not there now" in listed.item(1).text()
    assert listed.item(1).flags() == Qt.ItemFlag.NoItemFlags
    assert listed.item(1).text().isprintable()
    assert listed.item(0).flags() & Qt.ItemFlag.ItemIsEnabled


def test_both_ways_to_open_are_buttons(view: StartView, qtbot: QtBot) -> None:
    opening, copying = view.findChildren(HeaderButton)
    with qtbot.waitSignal(view.open_requested):
        opening.click()
    with qtbot.waitSignal(view.copy_requested):
        copying.click()
