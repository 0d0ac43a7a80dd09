"""The Tasks table hands None and True to Qt thousands of times a second: neither may lose or gain references."""

import sys
from datetime import UTC

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from inspector.desktop.moment import Moment
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.cells import FLASH_ROLE, STATUS_ROLE, WARN_ROLE
from tests.desktop.tasks.rows import NOW_MS, page, row

ROLES = (STATUS_ROLE, FLASH_ROLE, WARN_ROLE, int(Qt.ItemDataRole.ToolTipRole), int(Qt.ItemDataRole.DisplayRole))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="True and None cannot go there")
def test_references_to_none_and_true_stay_flat_over_data_signals_setters_and_frames(qtbot: QtBot) -> None:
    view = TasksView(UTC)
    qtbot.addWidget(view)
    view.resize(760, 400)
    view.show()
    view.show_page(page(*(row(number) for number in range(60, 0, -1))), selected=None)
    held = [True, None] * 100_000

    def work(times: int) -> None:
        for number in range(times):
            for column in TaskColumn:
                index = view.rows.index(number % 60, column)
                for role in ROLES:
                    index.data(role)
            view.show_changes((row(number % 60 + 1, "running", last_seq=number + 2),), ())
            view.set_moment(Moment(NOW_MS + number))
            view.set_may_act(True)
            view.table.viewport().repaint()

    work(50)
    before = sys.getrefcount(True), sys.getrefcount(None)
    work(300)
    after = sys.getrefcount(True), sys.getrefcount(None)

    assert len(held) == 200_000
    # What is kept by right: a few values for each row, not one for each of ten thousand calls.
    assert all(abs(was - now) < 1_000 for was, now in zip(before, after, strict=True)), (before, after)
