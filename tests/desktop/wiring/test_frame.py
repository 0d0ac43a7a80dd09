"""How often the window tells ages anew: as often as their words change, and not at all while nobody sees them."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.tools import ModeBadge
from inspector.desktop.wiring.frame import PACES_MS, SLOWEST_MS
from inspector.layout.opened import Mode
from tests.support.archives import zipped
from tests.support.finding import found
from tests.support.foreign_databases import close_names
from tests.support.inspectors import an_inspector
from tests.support.live_file import Service, service_on
from tests.support.reading_databases import make
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

FASTEST_MS = PACES_MS[0][1]


@asynccontextmanager
async def inspector_on(path: Path) -> AsyncIterator[Inspector]:
    async with an_inspector() as inspector:
        inspector.open(Target(path))
        inspector.window.show()
        await until(lambda: inspector.window.views.tasks.rows.rowCount() and inspector.session.how is not None)
        yield inspector


def ticking(inspector: Inspector) -> QTimer:
    (timer,) = (each for each in inspector.frame.children() if isinstance(each, QTimer))
    return timer


@pytest.mark.parametrize(("since_ms", "pace_ms"), [(0, FASTEST_MS), (600_000, 1_000), (3 * 86_400_000, SLOWEST_MS)])
async def test_ages_are_told_as_often_as_their_words_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, since_ms: int, pace_ms: int
) -> None:
    then_ms = time.time_ns() // 1_000_000 - since_ms
    monkeypatch.setattr(Service, "now", lambda _self: then_ms)
    with service_on(tmp_path / "a.db") as service:
        service.accept(3)
        async with inspector_on(service.path) as inspector:
            await until(lambda: ticking(inspector).interval() == pace_ms)
            assert ticking(inspector).isActive()


async def test_a_change_on_an_old_file_brings_the_ticks_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_ms = time.time_ns() // 1_000_000
    monkeypatch.setattr(Service, "now", lambda _self: now_ms - 3 * 86_400_000)
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        async with inspector_on(service.path) as inspector:
            await until(lambda: ticking(inspector).interval() == SLOWEST_MS)
            monkeypatch.setattr(Service, "now", lambda _self: now_ms)
            service.run(task_id)
            await until(lambda: ticking(inspector).interval() == FASTEST_MS)


async def test_nobody_is_told_an_age_while_the_window_is_hidden(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(3)
        async with inspector_on(service.path) as inspector:
            await until(lambda: ticking(inspector).isActive())
            inspector.window.hide()
            assert not ticking(inspector).isActive()
            inspector.window.show()
            assert ticking(inspector).isActive()


def told(inspector: Inspector) -> set[str]:
    """Return what title, header, message bars and status bar say."""
    window = inspector.window
    bars = {bar.text() for bar in window.findChildren(MessageBar) if bar.isVisible()}
    labels = (*window.header.findChildren(QLabel), *window.statusBar().findChildren(QLabel))
    return {window.windowTitle(), window.statusBar().currentMessage(), *bars} | {
        label.text() for label in labels if label.isVisible()
    }


async def test_while_a_file_is_being_opened_it_alone_is_named_and_nothing_is_said_of_the_one_before(
    tmp_path: Path,
) -> None:
    (tmp_path / "packed").mkdir()
    packed = tmp_path / "packed" / "next.zip"
    packed.write_bytes(zipped([("service.db", make(tmp_path / "service.db", "t").read_bytes())]))
    async with inspector_on(close_names(tmp_path / "before.db")) as inspector:
        badge = found(inspector.window.header, ModeBadge)
        inspector.window.show_notice("A task failed", 60_000)
        await until(lambda: any("Read as the layout" in each for each in told(inspector)))
        session = inspector.session
        said: list[set[str]] = []

        def look() -> bool:
            if session.how is None:
                assert not badge.isVisible()
                said.append(told(inspector))
            return session.how is not None

        inspector.open(Target(packed))
        look()
        await until(look)

        folder = str(packed.parent)
        assert all(each - {""} == {"next.zip — LMSP Inspector", "next.zip", folder, "Being opened…"} for each in said)
        assert badge.isVisible()
        assert "Being opened…" not in told(inspector)


async def test_a_file_that_cannot_be_opened_is_named_in_the_title_too(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database")
    async with inspector_on(make(tmp_path / "before.db", "t")) as inspector:
        inspector.open(Target(tmp_path / "text.db"))
        await until(lambda: inspector.window.view == "start")
        assert inspector.window.windowTitle() == "text.db — LMSP Inspector"


async def test_another_mode_of_the_same_file_is_not_taken_for_what_its_service_did(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "t")
    async with inspector_on(path) as inspector:
        inspector.window.show_view("recovery")
        inspector.open(Target(path, Mode.COPY))
        await until(lambda: inspector.session.how is not None)
        assert inspector.window.statusBar().currentMessage() == ""
        assert inspector.window.view == "recovery"
