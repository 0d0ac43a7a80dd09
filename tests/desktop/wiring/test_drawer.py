"""The drawer in the window: hashes and checks in the background, what they find, and their end."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from inspector.desktop.composition import Inspector
from inspector.desktop.drawer.view import Drawer
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.wiring import drawer as wiring
from inspector.desktop.wiring.drawer import DrawerWiring
from inspector.layout.opened import Mode
from inspector.reading.companions import other_wal
from inspector.reading.requests import CountsRequest
from tests.support.broken_pages import many_pages, without_a_page_of_events
from tests.support.inspectors import an_inspector
from tests.support.live_file import service_on
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on as service_process
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first look at a file follow its opening at once."""
    monkeypatch.setattr(wiring, "AFTER_OPENING_S", 0.0)


@asynccontextmanager
async def window_on(path: Path) -> AsyncIterator[tuple[Inspector, DrawerWiring, Drawer]]:
    """Give a window on ``path`` with its drawer open."""
    async with an_inspector() as inspector:
        inspector.open(Target(path))
        inspector.window.show()
        await until(lambda: inspector.session.how is not None)
        await until(lambda: inspector.window.findChildren(DrawerWiring))
        [drawing] = inspector.window.findChildren(DrawerWiring)
        if drawing.drawer is None or not drawing.drawer.isVisible():
            inspector.window.header.drawer_requested.emit()
        drawer = drawing.drawer
        assert drawer is not None
        yield inspector, drawing, drawer


async def test_a_sound_file_is_hashed_and_checked_by_itself_and_a_second_look_is_the_proof(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    path = make(tmp_path / "db" / "service.db", "a")
    before = touch_state(path)
    async with window_on(path) as (_inspector, _drawing, drawer):
        await until(lambda: drawer.check_text.startswith("Checked: 7 tables sound"))
        await until(lambda: drawer.proof.title.startswith("Hashed once"))
        drawer.look_wanted.emit()
        await until(lambda: drawer.proof.title == "Nothing was touched")
        assert [row.verdict for row in drawer.proof.rows] == ["same", "same"]

        drawer.copy_wanted.emit(drawer.proof.line)
        copied = QGuiApplication.clipboard().text()
        assert copied.startswith("service.db untouched: service.db sha256 ")
        (path.parent / "note.txt").touch()
        drawer.look_wanted.emit()
        await until(lambda: "note.txt appeared." in drawer.proof.title)
        drawer.closed.emit()
        assert not drawer.isVisible()
        (path.parent / "note.txt").unlink()
    assert differences(before, touch_state(path)) == ("The folder was written to.",)


async def test_damage_opens_the_drawer_by_itself_and_is_named_in_a_bar(tmp_path: Path) -> None:
    path = without_a_page_of_events(many_pages(tmp_path / "service.db"))
    async with window_on(path) as (inspector, drawing, drawer):
        inspector.window.header.drawer_requested.emit()
        assert not drawer.isVisible()
        drawer.check_wanted.emit(False)

        await until(drawer.isVisible)
        await until(lambda: any(note.is_fault and "task_events" in note.text for note in drawer.notes))
        bars = [bar.text() for bar in inspector.window.findChildren(MessageBar)]
        assert any(text.startswith("Part of this file cannot be read. Part of task_events") for text in bars)
        # The views that do not need what is lost go on.
        assert inspector.window.views.tasks.rows.rowCount() == 60

        drawing.forget()
        assert not drawer.isVisible()


async def test_a_live_file_is_neither_hashed_nor_checked(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(2)
        async with window_on(service.path) as (_inspector, drawing, drawer):
            await until(lambda: drawer.proof.title.startswith("No proof for a live file"))
            assert drawer.check_text.startswith("A live file is not checked")
            assert drawing.drawer is drawer
            assert drawer.proof.rows == ()


async def test_a_large_file_waits_until_it_is_asked_for_and_then_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "CHECKED_ALONE_BELOW", 1)
    async with window_on(make(tmp_path / "service.db", "a")) as (_inspector, _drawing, drawer):
        await until(lambda: "only when you ask for it" in drawer.check_text)
        assert drawer.proof.title == "Not hashed yet"

        drawer.check_wanted.emit(True)
        drawer.look_wanted.emit()
        assert drawer.proof.is_running
        drawer.check_stop_wanted.emit()
        drawer.look_stop_wanted.emit()
        await until(lambda: drawer.check_text == "The check was stopped.")
        await until(lambda: not drawer.proof.is_running)

        drawer.check_wanted.emit(True)
        await until(lambda: drawer.check_text == "Checked: 7 tables sound, with their indexes.")


async def test_the_first_look_at_a_faulty_file_has_the_drawer_open(tmp_path: Path) -> None:
    path = many_pages(tmp_path / "service.db")
    os.truncate(path, path.stat().st_size - 4096)
    async with an_inspector() as inspector:
        inspector.open(Target(path))
        inspector.window.show()
        await until(lambda: any(each.isVisible() for each in inspector.window.findChildren(Drawer)))

        [drawer] = inspector.window.findChildren(Drawer)
        assert any("shorter than its header says" in note.text and note.is_fault for note in drawer.notes)


async def test_a_file_that_goes_from_mode_to_mode_is_read_as_a_whole_by_itself_once(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    async with window_on(path) as (inspector, _drawing, drawer):
        await until(lambda: drawer.check_text.startswith("Checked: "))
        await until(lambda: drawer.proof.rows)
        how = inspector.session.how
        assert how is not None
        inspector.session.opened.emit(replace(how, mode=Mode.LIVE))
        assert drawer.check_text.startswith("A live file is not checked")
        inspector.session.opened.emit(how)

        assert drawer.check_text == ""
        assert drawer.proof.title == "Not hashed yet"
        await inspector.session.ask(CountsRequest())
        assert drawer.proof.title == "Not hashed yet"
        assert not drawer.proof.is_running


async def test_damage_beside_a_wal_that_a_dead_service_left_names_what_may_be_why(tmp_path: Path) -> None:
    path = many_pages(tmp_path / "service.db", journal="wal")
    with service_process(path, "wal_autocheckpoint=0") as service:
        add_task(service, "late")
        service.kill()
    without_a_page_of_events(path)
    async with window_on(path) as (inspector, _drawing, _drawer):
        assert inspector.window.header.shown is not None
        assert inspector.window.header.shown.mode is Mode.CRASHED
        await until(lambda: any(other_wal("service.db") in bar.text() for bar in bars_of(inspector)))


def bars_of(inspector: Inspector) -> list[MessageBar]:
    return inspector.window.findChildren(MessageBar)
