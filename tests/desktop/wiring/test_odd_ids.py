"""Tasks of other layouts whose ids are no plain texts: a chosen row shows itself, or why nothing leads to it."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from inspector.desktop.detail.parts import DetailTab
from inspector.desktop.session.launch import Target
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.empty import EmptySentence
from tests.support.any_tables import made
from tests.support.inspectors import an_inspector
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


async def test_each_row_that_is_chosen_shows_its_own_task_or_says_why_not(tmp_path: Path) -> None:
    stored = {
        "NULL": "NULL",
        "''": "",
        "x'00ff'": "x'00ff'",
        "'x''00ff'''": "'x''00ff'''",
        "CAST(x'fffe61' AS TEXT)": r"\xff\xfea",
    }
    path = made(
        tmp_path / "odd.db",
        "CREATE TABLE tasks (id, status, created_at, request)",
        "CREATE TABLE task_events (task_id, seq, type, data)",
        *(f"INSERT INTO tasks VALUES ({sql}, 'running', {at}, '\"of {at}\"')" for at, sql in enumerate(stored, 1)),
    )
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        rows, pane = inspector.window.views.tasks.rows, inspector.window.views.detail
        await until(lambda: rows.rowCount() == len(stored))
        assert [rows.index(row, TaskColumn.TASK).data() for row in range(len(stored))] == [*reversed(stored.values())]

        for at, (sql, shown) in enumerate(stored.items(), 1):
            inspector.selection.select(shown)
            if sql.startswith(("NULL", "CAST")):
                await until(lambda: told(pane) and "The Tables view shows its row." in told(pane)[0])
                continue
            await until(lambda: pane.task is not None and pane.task.id == shown)  # noqa: B023  awaited at once
            pane.tabs.setCurrentIndex(DetailTab.REQUEST)
            assert pane.task is not None
            assert pane.task.created_at == at


def told(pane: QWidget) -> list[str]:
    return [each.accessibleName() for each in pane.findChildren(EmptySentence) if each.isVisible()]
