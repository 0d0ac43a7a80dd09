"""How often the window tells ages anew: as often as their words change, and not at all while nobody sees them."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.wiring.frame import PACES_MS, SLOWEST_MS
from tests.support.inspectors import an_inspector
from tests.support.live_file import Service, service_on
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
