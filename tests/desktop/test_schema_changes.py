"""A service that changes its schema while the window is on it: the list, the bar and the actions follow, also back."""

import sqlite3
from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.layout.opened import LayoutKind
from tests.support.inspectors import an_inspector
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def statuses(inspector: Inspector) -> dict[str, str]:
    rows = inspector.window.views.tasks.rows
    tasks = (rows.task_at(row) for row in range(rows.rowCount()))
    return {task.id: task.status for task in tasks if task is not None}


def messages(inspector: Inspector) -> list[str]:
    return [bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible()]


def layout(inspector: Inspector) -> LayoutKind | None:
    return None if inspector.session.how is None else inspector.session.how.layout


async def test_a_column_renamed_and_back_leaves_the_list_as_it_was_and_going_on(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", "b")
    with service_on(path) as service:
        async with an_inspector() as inspector:
            inspector.window.show()
            inspector.open(Target(path))
            expected = {"a": "queued", "b": "queued"}
            await until(lambda: statuses(inspector) == expected)
            service.execute("ALTER TABLE tasks RENAME COLUMN status TO state")
            await until(lambda: layout(inspector) is LayoutKind.OTHER)
            await until(lambda: any("guessed from its names" in said for said in messages(inspector)))
            assert statuses(inspector) == expected
            service.execute("ALTER TABLE tasks RENAME COLUMN state TO status")
            await until(lambda: layout(inspector) is LayoutKind.NATIVE)
            add_task(service, "new", created_at=1_796_000_100_000)
            expected["new"] = "queued"
            await until(lambda: statuses(inspector) == expected)
            assert messages(inspector) == []


async def test_tasks_that_were_out_of_sight_with_their_table_come_back(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL").fetchall()
    db.execute("CREATE TABLE jobs (id TEXT PRIMARY KEY, state TEXT, created_at INTEGER)")
    db.execute("CREATE TABLE job_events (job_id TEXT, seq INTEGER, type TEXT)")
    db.execute("INSERT INTO jobs VALUES ('a', 'queued', 1796000000000), ('b', 'running', 1796000000001)")
    db.execute("INSERT INTO job_events VALUES ('a', 1, 'made')")
    db.close()
    with service_on(path) as service:
        async with an_inspector() as inspector:
            inspector.window.show()
            inspector.open(Target(path))
            await until(lambda: statuses(inspector) == {"a": "queued", "b": "running"})
            service.execute("ALTER TABLE jobs RENAME TO things")
            await until(lambda: any("No tasks were recognised" in said for said in messages(inspector)))
            service.execute("ALTER TABLE things RENAME TO jobs")
            service.execute("INSERT INTO jobs VALUES ('new', 'queued', 1796000000002)")
            await until(lambda: statuses(inspector) == {"a": "queued", "b": "running", "new": "queued"})
            assert not any("No tasks were recognised" in said for said in messages(inspector))


async def test_a_newer_version_ends_the_actions_and_says_so(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service:
        async with an_inspector() as inspector:
            inspector.window.show()
            inspector.open(Target(path))
            await until(lambda: inspector.session.acting.may_act)
            service.execute("PRAGMA user_version=7")
            await until(lambda: not inspector.session.acting.may_act)
            assert any("The layout is version 7" in said for said in messages(inspector))
            service.execute("PRAGMA user_version=1")
            await until(lambda: inspector.session.acting.may_act and not messages(inspector))
