"""A running task in an old copy: its durations stop at the copy's last moment, wherever the window tells them."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.tasks.words import TaskColumn
from inspector.layout.opened import Mode
from tests.support.inspectors import an_inspector
from tests.support.reading_databases import START_MS, add_task, create, move_task
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a copy of last month, in which one task runs since its first minute, and another one ended its last."""
    path = tmp_path / "old.db"
    db = create(path)
    add_task(db, "runs", created_at=START_MS)
    add_task(db, "done", created_at=START_MS + 1)
    db.execute("BEGIN")
    db.execute("UPDATE tasks SET started_at = ? WHERE id = 'runs'", [START_MS + 60_000])
    db.execute("COMMIT")
    move_task(db, "runs", "running", at=START_MS + 60_000)
    move_task(db, "done", "cancelled", at=START_MS + 3_660_000)
    db.close()
    return path


def said(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def run_of(inspector: Inspector, task_id: str) -> str:
    rows = inspector.window.views.tasks.rows
    row = rows.row_of(task_id)
    return "" if row is None else str(rows.index(row, TaskColumn.RUN).data())


@pytest.mark.parametrize("mode", [None, Mode.COPY])
async def test_its_durations_stop_at_the_copy_s_last_moment_and_say_so(old: Path, mode: Mode | None) -> None:
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(old, mode), task_id="runs")
        await until(lambda: run_of(inspector, "runs") == "≥ 1:00 h")
        await until(lambda: inspector.window.views.late_detail.made is not None)
        pane = inspector.window.views.late_detail.made
        assert pane is not None
        await until(lambda: any(text.startswith("1:00 h to ") for text in said(pane)))
        assert any(text.startswith("ends ") and ", read " in text for text in said(inspector.window.header))
        await until(lambda: pane.timeline.picture is not None)
        assert "running 1:00 h" in pane.timeline.accessibleDescription()
