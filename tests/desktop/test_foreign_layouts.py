"""A database of another layout in the window: its tasks, what it is read as, and what is off for it."""

import sqlite3
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.wiring.totals import Totals
from tests.support.foreign_databases import SHIPPED, close_names
from tests.support.inspectors import an_inspector
from tests.support.proof import differences, touch_state
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def messages(inspector: Inspector) -> list[str]:
    return [bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible()]


def off(inspector: Inspector) -> set[str]:
    """Return the words of the views that cannot be gone to."""
    entries = inspector.window.navigation.model()
    indexes = [entries.index(row, 0) for row in range(entries.rowCount())]
    return {str(each.data()) for each in indexes if not each.flags() & Qt.ItemFlag.ItemIsEnabled}


def found_events(inspector: Inspector) -> list[int]:
    pane = inspector.window.views.late_detail.made
    return [] if pane is None else list(range(pane.events.list.model().rowCount()))


@pytest.mark.parametrize("name", SHIPPED)
async def test_its_tasks_and_events_are_shown_and_actions_are_off(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    before = touch_state(path)
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 3)
        assert any(f"Read as the layout “{name}”." in said for said in messages(inspector))
        assert inspector.session.acting.why_not == "This is not the native layout."
        assert off(inspector) == {"Models"}
        await until(lambda: len(found_events(inspector)) >= 3)
        inspector.window.show_view("recovery")
        inspector.window.show_view("tables")
    assert differences(before, touch_state(path)) == ()


async def test_a_file_without_tasks_is_shown_by_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "colours.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE colours (name)")
    connection.close()
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.view == "tables")
        assert any("No tasks were recognised in this file." in said for said in messages(inspector))
        assert off(inspector) == {"Tasks", "Models", "Search", "Recovery"}
        inspector.open(Target(close_names(tmp_path / "jobs.db")))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 3)
        assert off(inspector) == {"Models"}


async def test_what_a_file_does_not_have_is_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "colours.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE colours (name)")
    connection.close()
    async with an_inspector() as inspector:
        window, counted = inspector.window, Totals(inspector.session)
        window.show()
        inspector.open(Target(path))
        await until(lambda: counted.newest is not None)
        await until(lambda: "SQLite" in status_words(inspector))
        inspector.frame.tick()
        assert "task" not in status_words(inspector)
        assert entries(inspector) == ["Tasks", "Models", "Search", "Recovery", "Tables"]

        inspector.open(Target(close_names(tmp_path / "jobs.db")))
        await until(lambda: "3 tasks" in status_words(inspector))
        assert [each for each in entries(inspector) if "," in each] == ["Tasks, 1", "Recovery, 1"]


def status_words(inspector: Inspector) -> str:
    return " ".join(label.text() for label in inspector.window.statusBar().findChildren(QLabel))


def entries(inspector: Inspector) -> list[str]:
    """Return the names of the views in the navigation, with their counts."""
    names = inspector.window.navigation.model()
    indexes = [names.index(row, 0) for row in range(names.rowCount())]
    return [str(each.data(Qt.ItemDataRole.AccessibleTextRole) or each.data()) for each in indexes]


async def test_all_events_that_have_no_number_are_reached_by_scrolling_back(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE jobs (id TEXT PRIMARY KEY, state)")
    connection.execute("CREATE TABLE job_events (job_id, seq, payload)")
    connection.execute("INSERT INTO jobs VALUES ('t', 'running')")
    connection.executemany("INSERT INTO job_events VALUES ('t', NULL, ?)", [(f'{{"n":{at}}}',) for at in range(450)])
    connection.commit()
    connection.close()
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: len(found_events(inspector)) == 200)
        pane = inspector.window.views.late_detail.made
        assert pane is not None
        events = pane.events.list
        events.follow(False)
        events.verticalScrollBar().setValue(0)
        await until(lambda: len(found_events(inspector)) == 400)
        events.verticalScrollBar().setValue(0)
        await until(lambda: len(found_events(inspector)) == 450)
        entries = [events.events.entry(row) for row in range(450)]
        assert [getattr(entry, "data_text", None) for entry in entries] == [f'{{"n":{at}}}' for at in range(450)]
