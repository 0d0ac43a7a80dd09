"""The whole window on real files: what a person sees while a service works."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import POLL_EVERY_MS
from inspector.desktop.tasks.words import TaskColumn
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.tools import HeaderButton, ModeBadge
from inspector.layout.opened import Mode
from inspector.layout.pages import TaskFilter
from inspector.reading.requests import CountsRequest
from tests.support.damage import many_pages
from tests.support.finding import found
from tests.support.inspectors import an_inspector
from tests.support.live_file import Service, service_on
from tests.support.pages import without
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@asynccontextmanager
async def inspector_on(path: Path | None, *, task_id: str | None = None) -> AsyncIterator[Inspector]:
    async with an_inspector() as inspector:
        inspector.window.show()
        if path is not None:
            inspector.open(Target(path), task_id=task_id)
            await until(lambda: inspector.session.how is not None or messages(inspector))
            if inspector.session.how is not None:
                await until(lambda: inspector.window.views.tasks.rows.rowCount() or nothing_there(inspector))
        yield inspector


def nothing_there(inspector: Inspector) -> bool:
    return not inspector.window.views.tasks.table.isVisible()


def messages(inspector: Inspector) -> list[str]:
    bars = inspector.window.findChildren(MessageBar)
    return [bar.text() for bar in bars if bar.isVisible() and bar.parentWidget() is not None and bar.text()]


def touched(folder: Path) -> dict[str, object]:
    """Return what would tell that something in a folder was written: bytes, times, names."""
    files = {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in folder.iterdir()}
    return {**files, ".": folder.stat().st_mtime_ns}


def statuses(inspector: Inspector) -> dict[str, str]:
    rows = inspector.window.views.tasks.rows
    tasks = (rows.task_at(row) for row in range(rows.rowCount()))
    return {task.id: task.status for task in tasks if task is not None}


def badge(inspector: Inspector) -> str:
    return found(inspector.window, ModeBadge).text()


@contextmanager
def service_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A service in a process of its own: it has accepted three tasks, runs the first, and holds the file open."""
    program = """
import sys
from tests.support.live_file import Service
service = Service(sys.argv[1])
ids = service.accept(3)
service.run(ids[0], deltas=5)
print(*ids, flush=True)
for line in sys.stdin:
    ids += service.accept(int(line))
    print(ids[-1], flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_what_a_service_commits_is_shown_without_a_reset_and_nothing_moves(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        ids = service.accept(60)
        async with inspector_on(service.path) as inspector:
            view = inspector.window.views.tasks
            await until(lambda: view.rows.rowCount() == 60)
            resets: list[None] = []
            view.rows.modelReset.connect(lambda: resets.append(None))
            view.table.verticalScrollBar().setValue(307)
            inspector.selection.select(ids[30])
            top = view.table.indexAt(QPoint(0, 0)).siblingAtColumn(TaskColumn.TASK).data()

            service.run(ids[30], deltas=2)
            service.accept(2)
            await until(lambda: statuses(inspector)[ids[30]] == "running" and view.rows.new_count == 2)

            assert view.table.verticalScrollBar().value() == 307
            assert view.table.indexAt(QPoint(0, 0)).siblingAtColumn(TaskColumn.TASK).data() == top
            assert inspector.selection.task_id == ids[30]
            assert resets == []


async def test_the_pane_follows_the_selected_task_through_its_life(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        async with inspector_on(service.path) as inspector:
            pane = inspector.window.views.detail
            await until(lambda: pane.task_id == task_id and pane.events.list.events.rowCount() == 1)
            service.run(task_id, deltas=300)
            await until(lambda: pane.events.list.events.rowCount() == 302)
            service.complete(task_id)
            await until(lambda: pane.events.list.events.rowCount() == 303)
            assert statuses(inspector) == {task_id: "completed"}


async def test_no_sql_runs_in_the_window_s_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    with service_process(path) as service:
        assert service.stdout is not None
        assert service.stdin is not None
        ids = service.stdout.readline().split()
        connected: list[str] = []
        connect = sqlite3.connect

        def noted(*arguments: object, **named: object) -> sqlite3.Connection:
            connected.append(threading.current_thread().name)
            return connect(*arguments, **named)  # type: ignore[call-overload,no-any-return]  # as it was called

        monkeypatch.setattr(sqlite3, "connect", noted)
        async with inspector_on(path) as inspector:
            service.stdin.write("4\n")
            service.stdin.flush()
            await until(lambda: len(statuses(inspector)) == 7)
            for view in ("models", "recovery", "tasks"):
                inspector.window.show_view(view)
            inspector.window.views.tasks.want(TaskFilter(text="task"))
            await until(lambda: len(statuses(inspector)) == 7)
            assert connected == [], "looking opens no connection here"
            result = await inspector.session.cancel_task(ids[1])
            assert result.outcome == "cancelled"
            assert connected
            assert threading.main_thread().name not in connected, "an action does not hold up the window"


async def test_a_cancel_is_asked_for_done_and_its_outcome_told(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        service.run(task_id)
        async with inspector_on(service.path) as inspector:
            pane = inspector.window.views.detail
            inspector.window.views.tasks.cancel_requested.emit(task_id)
            await until(pane.bar.isVisible)
            assert statuses(inspector) == {task_id: "running"}, "asked is not yet done"
            verb = next(each for each in pane.bar.findChildren(QPushButton) if each.text() == "Cancel task")
            QTest.mouseClick(verb, Qt.MouseButton.LeftButton)
            await until(lambda: statuses(inspector) == {task_id: "cancelling"})
            await until(lambda: "Cancelling" in pane.bar.text())


async def test_paused_nothing_changes_and_resumed_all_is_caught_up(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        async with inspector_on(service.path) as inspector:
            inspector.session.pause()
            # The reader answers in order: once this is answered it knows of the pause.
            await inspector.session.ask(CountsRequest())
            moved: list[object] = []
            inspector.session.moved.connect(moved.append)
            service.run(task_id)
            service.accept(3)
            inspector.window.activateWindow()
            await asyncio.sleep(3 * POLL_EVERY_MS / 1000)
            assert moved == []
            assert statuses(inspector) == {task_id: "queued"}
            assert any("Paused." in message for message in messages(inspector))
            inspector.session.resume()
            await until(lambda: statuses(inspector).get(task_id) == "running" and len(statuses(inspector)) == 4)
            assert messages(inspector) == []


@pytest.mark.parametrize("kind", ["missing", "directory", "text", "empty", "fifo"])
async def test_a_file_that_cannot_be_opened_is_told_inline(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.db"
    make_bad_file(path, kind)
    before = sorted(os.listdir(tmp_path))  # noqa: PTH208  names only
    async with inspector_on(path) as inspector:
        (message,) = messages(inspector)
        assert "file.db" in message
        assert inspector.window.view == "start"
        assert not inspector.window.navigation.isEnabled()
    assert sorted(os.listdir(tmp_path)) == before  # noqa: PTH208


def make_bad_file(path: Path, kind: str) -> None:
    match kind:
        case "directory":
            path.mkdir()
        case "text":
            path.write_text("this is no database\n" * 100)
        case "empty":
            path.touch()
        case "fifo":
            os.mkfifo(path)
        case missing:
            assert missing == "missing"


async def test_the_mode_follows_the_service_through_its_death_and_its_return(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_process(path) as service:
        assert service.stdout is not None
        ids = service.stdout.readline().split()
        async with inspector_on(path) as inspector:
            await until(lambda: badge(inspector) == "live")
            os.kill(service.pid, signal.SIGKILL)
            await until(lambda: badge(inspector) == "crashed")
            inspector.window.show_view("recovery")
            await until(lambda: inspector.window.views.recovery.findChildren(MessageBar))
            assert set(statuses(inspector)) == set(ids)
            with service_on(path) as again:
                again.accept()
                await until(lambda: badge(inspector) == "live" and len(statuses(inspector)) == 4)
            await until(lambda: badge(inspector) != "live")


async def test_a_resting_file_is_shown_whole_and_not_a_byte_of_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_on(path) as service:
        service.accept(5)
    before = touched(tmp_path)
    async with inspector_on(path) as inspector:
        assert badge(inspector) == "resting"
        await until(lambda: len(statuses(inspector)) == 5)
        for view in ("models", "recovery", "tasks"):
            inspector.window.show_view(view)
        await inspector.session.ask(CountsRequest())
    assert touched(tmp_path) == before


async def test_what_a_killed_service_left_is_shown_whole_and_not_a_byte_of_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_process(path) as service:
        assert service.stdout is not None
        ids = service.stdout.readline().split()
        service.kill()
        service.wait()
    before = touched(tmp_path)
    assert set(before) == {".", "a.db", "a.db-wal", "a.db-shm"}
    async with inspector_on(path) as inspector:
        assert badge(inspector) == "crashed"
        await until(lambda: set(statuses(inspector)) == set(ids))
        for view in ("models", "recovery", "tasks"):
            inspector.window.show_view(view)
        await inspector.session.ask(CountsRequest())
    assert touched(tmp_path) == before


async def test_a_file_that_is_deleted_stays_on_screen_and_is_said_to_be_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_on(path) as service:
        service.accept(2)
    async with inspector_on(path) as inspector:
        await until(lambda: len(statuses(inspector)) == 2)
        path.unlink()
        await until(lambda: any("gone" in message for message in messages(inspector)))
        assert len(statuses(inspector)) == 2
        [bar] = [each for each in inspector.window.findChildren(MessageBar) if "gone" in each.text()]
        assert bar.text().startswith("The file is gone. It was removed at ")
        assert bar.text().endswith(". This shows the last read.")

        bar.verb_clicked.emit("Open the new file")
        await until(lambda: any("is not there" in message for message in messages(inspector)))
        assert len(statuses(inspector)) == 2, "what was read stays as long as nothing else can be opened"

        with service_on(path) as service:
            [new] = service.accept()
        bar.verb_clicked.emit("Open the new file")
        await until(lambda: set(statuses(inspector)) == {new})
        await until(lambda: inspector.selection.task_id == new)
        assert not any("gone" in message for message in messages(inspector))


async def test_a_task_that_cannot_be_read_any_more_is_not_taken_for_another(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_on(path) as service:
        first, second = service.accept(2)
    async with inspector_on(path, task_id=first) as inspector:
        pane = inspector.window.views.detail
        await until(lambda: pane.task_id == first)
        path.unlink()
        await until(lambda: any("gone" in message for message in messages(inspector)))
        inspector.selection.select(second)
        await until(lambda: pane.task_id is None)
        told = [label.text() for label in pane.findChildren(QLabel)]
        assert any(text.startswith(f"Task {second} cannot be read.") for text in told)


async def test_what_is_said_of_a_file_goes_with_it(tmp_path: Path) -> None:
    whole = many_pages(tmp_path / "whole.db")
    path = without(tmp_path / "damaged.db", whole, ("task_events", -2), ("tasks_by_created", 0))
    (tmp_path / "text.db").write_text("no database")
    async with inspector_on(path) as inspector:
        await until(lambda: any("Part of the list of tasks" in message for message in messages(inspector)))
        inspector.open(Target(tmp_path / "text.db"))
        await until(lambda: any("text file" in message for message in messages(inspector)))
        assert len(messages(inspector)) == 1


async def test_a_task_named_at_the_start_is_the_one_shown(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        ids = service.accept(3)
        async with inspector_on(service.path, task_id=ids[0]) as inspector:
            await until(lambda: inspector.window.views.detail.task_id == ids[0])
            assert inspector.window.views.tasks.table.currentIndex().row() == 2


async def test_the_one_task_whose_id_begins_with_what_is_searched_for_is_selected(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        ids = service.accept(5)
        async with inspector_on(service.path) as inspector:
            await until(lambda: inspector.selection.task_id is not None)
            wanted = next(each for each in ids if each != inspector.selection.task_id)
            tasks = inspector.window.views.tasks
            tasks.want(TaskFilter(text=wanted[:-1]))
            await until(lambda: inspector.selection.task_id == wanted)
            tasks.want(TaskFilter(text="task_"))
            await until(lambda: tasks.rows.rowCount() == len(ids))
            assert inspector.selection.task_id == wanted


async def test_the_tasks_of_a_model_are_a_filter_away(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(3)
        async with inspector_on(service.path) as inspector:
            inspector.window.views.models.model_tasks_requested.emit("another-model")
            await until(lambda: not statuses(inspector))
            assert inspector.window.view == "tasks"
            inspector.window.views.models.model_tasks_requested.emit("small-model")
            await until(lambda: len(statuses(inspector)) == 3)


def has_ended(pid: int | None) -> bool:
    return not Path(f"/proc/{pid}").exists()


async def test_closing_in_the_midst_of_a_refresh_leaves_nothing_behind(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        ids = service.accept(5)
        for round_ in range(10):
            async with inspector_on(service.path) as inspector:
                pid = inspector.session.reader_pid
                service.accept(1)
                inspector.window.show_view("models")
                if round_ == 0:
                    service.run(ids[0], deltas=50)
            await until(partial(has_ended, pid))


async def test_a_second_file_replaces_the_first(tmp_path: Path) -> None:
    first, second = Service(tmp_path / "a.db"), Service(tmp_path / "b.db")
    try:
        first.accept(2)
        ids = second.accept(3)
        async with inspector_on(first.path) as inspector:
            inspector.open(Target(second.path))
            await until(lambda: set(statuses(inspector)) == set(ids))
            assert inspector.session.how is not None
            assert inspector.session.how.mode is Mode.LIVE
            assert "b.db" in inspector.window.windowTitle()
    finally:
        first.close()
        second.close()


async def test_a_service_that_died_during_a_pause_is_noticed_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with service_process(path) as service:
        assert service.stdout is not None
        ids = service.stdout.readline().split()
        async with inspector_on(path) as inspector:
            inspector.session.pause()
            await inspector.session.ask(CountsRequest())
            service.kill()
            service.wait()
            before = path.read_bytes(), path.with_name("a.db-wal").read_bytes()
            result = await inspector.session.cancel_task(ids[1])
            assert result.outcome == "refused"
            assert result.reason is not None
            assert (path.read_bytes(), path.with_name("a.db-wal").read_bytes()) == before


async def test_another_file_opened_during_a_pause_is_not_paused(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service, service_on(tmp_path / "b.db") as other:
        service.accept(1)
        other.accept(2)
        async with inspector_on(service.path) as inspector:
            inspector.session.pause()
            inspector.open(Target(other.path))
            await until(lambda: len(statuses(inspector)) == 2)
            assert messages(inspector) == []
            assert found(inspector.window.header, HeaderButton).text() == "Pause"


async def test_a_task_that_is_not_in_the_file_is_said_not_to_be_there(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(1)
        async with inspector_on(service.path, task_id="nobody") as inspector:
            await until(lambda: "nobody" in inspector.window.statusBar().currentMessage())


async def test_a_file_at_rest_says_from_the_start_when_it_was_read(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept()
    async with an_inspector() as inspector:
        inspector.window.show()
        said: list[str] = []
        inspector.session.opened.connect(
            lambda _how: said.extend(label.text() for label in inspector.window.header.findChildren(QLabel))
        )
        inspector.open(Target(tmp_path / "a.db"))
        await until(lambda: said)
        words = [text for text in said if "read " in text]
        assert len(words) == 1
        assert words[0].split("read ")[1].count(":") == 2
