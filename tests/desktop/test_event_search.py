"""The search of all events in the whole window, on real files."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.desktop.composition import Inspector
from inspector.desktop.search.standing import State
from inspector.desktop.search.view import SearchView
from inspector.desktop.session import session as session_module
from inspector.desktop.session.launch import Target
from tests.support.inspectors import an_inspector
from tests.support.live_file import service_on
from tests.support.reading_databases import add_deltas, add_task, create, move_task
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@asynccontextmanager
async def inspector_on(path: Path) -> AsyncIterator[Inspector]:
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.session.how is not None and inspector.window.view_menu.actions())
        yield inspector


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose events take many steps to search."""
    path = tmp_path_factory.mktemp("search") / "service.db"
    with closing(create(path)) as db:
        add_task(db, "a")
        move_task(db, "a", "running")
        add_deltas(db, "a", 4_000, data=f'{{"delta":"{"word " * 4_000}"}}')
        add_deltas(db, "a", 1, data='{"delta":"the needle"}')
    return path


def search_for(view: SearchView, text: str) -> None:
    view.bar.field.setText(text)
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)


def state(view: SearchView) -> State:
    return view.standing.state


async def test_from_the_menu_to_a_text_to_its_event_in_its_task(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        ids = service.accept(200)
        service.run(ids[7], deltas=300)
        service.run(ids[150], deltas=3)
        async with inspector_on(service.path) as inspector:
            (action,) = [
                each for each in inspector.window.view_menu.actions() if each.text().startswith("Search events")
            ]
            assert action.shortcut().toString() == "Ctrl+Shift+F"
            action.trigger()
            view = inspector.window.views.search
            assert inspector.window.view == "search"
            assert view.bar.field.hasFocus()

            search_for(view, "WORD 2 ")
            await until(lambda: state(view) is State.ENDED)
            assert [view.hits.hit_at(row) is not None for row in range(3)] == [True, True, False]
            QTest.keyClick(view.bar.field, Qt.Key.Key_Down)
            QTest.keyClick(view.table, Qt.Key.Key_Down)
            QTest.keyClick(view.table, Qt.Key.Key_Return)

            assert inspector.window.view == "tasks"
            assert inspector.selection.task_id == ids[7]
            pane = inspector.window.views.detail
            await until(lambda: pane.task_id == ids[7] and pane.events.seq == 5)
            # It is far from the end, with which the list begins.
            await until(lambda: pane.events.list.events.event_row(5) is not None)
            await until(lambda: pane.timeline.seq == 5)
            await until(lambda: pane.events.list.currentIndex().siblingAtColumn(0).data() == "5")

            # Chosen again, it is gone to again.
            table = inspector.window.views.tasks.table
            row = inspector.window.views.tasks.rows.row_of(ids[7])
            assert row is not None
            table.scrollToTop()
            action.trigger()
            QTest.keyClick(view.table, Qt.Key.Key_Return)
            first, last = table.shown_rows()
            assert 0 < first <= row <= last


@pytest.mark.parametrize("way", ["file", "window"])
async def test_closing_ends_a_search_and_its_process(long_log: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr(session_module, "AT_ONCE_MS", 1)
    async with inspector_on(long_log) as inspector:
        inspector.window.show_view("search")
        view = inspector.window.views.search
        search_for(view, "no such text")
        await until(lambda: view.standing.of is not None)
        pid = inspector.session.background_pid
        assert pid is not None
        if way == "file":
            closing = (each for each in inspector.window.file_menu.actions() if each.text() == "Close file")
            next(closing).trigger()
            assert state(view) is State.NONE
            await until(lambda: not Path(f"/proc/{pid}").exists())
            assert state(view) is State.NONE
    await until(lambda: not Path(f"/proc/{pid}").exists())


async def test_hits_are_shown_while_it_goes_on_and_stopping_ends_the_walk(
    long_log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "AT_ONCE_MS", 1)
    async with inspector_on(long_log) as inspector:
        inspector.window.show_view("search")
        view = inspector.window.views.search
        search_for(view, "needle")
        await until(lambda: view.hits.rowCount() == 1)
        assert state(view) is State.SEARCHING
        QTest.keyClick(view.table, Qt.Key.Key_Escape)
        assert state(view) is State.STOPPED
        done = view.standing.done
        assert done < 4_000
        # The process answers in turn: had the walk gone on, its progress would come before the answer.
        search_for(view, "delta")
        await until(lambda: state(view) is State.FULL)
        assert view.hits.rowCount() == 1_000


async def test_a_file_whose_events_hold_no_data_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("""
            CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, created_at INTEGER);
            CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id TEXT, seq INTEGER);
            INSERT INTO tasks VALUES ('a', 'queued', 1);
            INSERT INTO task_events VALUES (1, 'a', 1);
        """)
    async with inspector_on(path) as inspector:
        inspector.window.show_view("search")
        view = inspector.window.views.search
        search_for(view, "needle")
        await until(lambda: state(view) is State.FAILED)
        assert view.strip.text.startswith("The events of this file cannot be searched")
