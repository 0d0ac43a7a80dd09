"""In the window too an id with characters that nobody sees is told from the one without."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QPlainTextEdit, QWidget

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.tasks.words import TaskColumn
from inspector.layout.visible import visible
from tests.support.inspectors import an_inspector
from tests.support.odd_signs import ids_with_odd_signs
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

ROWS = 60
COLUMNS = 20


def shown(inspector: Inspector) -> Iterator[str]:
    """Give every text that stands in the window, or in a cell of a list of it."""
    yield inspector.window.windowTitle()
    for part in inspector.window.findChildren(QWidget):
        yield part.toolTip()
        yield part.accessibleName()
        if isinstance(part, QLabel | QAbstractButton):
            yield part.text()
        if isinstance(part, QPlainTextEdit):
            yield part.toPlainText().replace("\n", "")
        if isinstance(part, QAbstractItemView) and (model := part.model()) is not None:
            for row in range(min(ROWS, model.rowCount())):
                for column in range(min(COLUMNS, model.columnCount())):
                    yield str(model.index(row, column).data() or "")


def unseen(inspector: Inspector) -> set[str]:
    characters = set().union(*shown(inspector))
    return {each for each in characters if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}


@pytest.mark.threat(id="T15")
async def test_nothing_unseen_stands_in_any_view(tmp_path: Path) -> None:
    path = tmp_path / "odd\u202e\u200bbd.db"
    ids = ids_with_odd_signs(path)
    async with an_inspector() as inspector:
        inspector.window.resize(1600, 900)
        inspector.window.show()
        inspector.window.show_view("tasks")
        inspector.open(Target(path))
        rows, pane = inspector.window.views.tasks.rows, inspector.window.views.detail
        await until(lambda: rows.rowCount() == len(ids))
        pane.set_covered(False)
        listed = [rows.index(row, TaskColumn.TASK).data() for row in range(len(ids))]
        assert sorted(listed) == sorted(visible(each) for each in ids)
        for task_id in ids[::8]:
            inspector.selection.select(task_id)
            await until(lambda: pane.task is not None and pane.task.id == task_id)  # noqa: B023  awaited at once
            for tab in range(pane.tabs.count()):
                pane.tabs.setCurrentIndex(tab)
                assert unseen(inspector) == set(), (task_id, tab)
        for view in ("models", "recovery", "search", "tables"):
            inspector.window.show_view(view)
            assert unseen(inspector) == set(), view
        tables = inspector.window.views.tables
        await until(lambda: tables.names.model().rowCount())
        tables.choose("tasks")
        await until(lambda: tables.rows.rowCount())
        assert unseen(inspector) == set()
