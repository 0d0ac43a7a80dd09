"""What Recovery and Models come to, for the status bar: told whenever it is another, and forgotten with its file."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC
from typing import Any, Protocol

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from inspector.desktop.digests.view import ModelsView
from inspector.desktop.recovery.view import RecoveryView
from inspector.desktop.session.file_checks import FileChecks
from inspector.desktop.wiring.models import ModelsWiring
from inspector.desktop.wiring.recovery import RecoveryWiring
from inspector.layout.pages import Leftovers
from inspector.layout.rows import ModelRow
from tests.desktop.digests import standings
from tests.desktop.recovery.plans import leftover
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("qloop")


class Summed(Protocol):
    """What a wiring does for the status bar."""

    def set_on_screen(self, on_screen: bool) -> None: ...
    def summary(self) -> str: ...
    def forget(self) -> None: ...


class Answering(QObject):
    """A session whose answers a test gives."""

    opened = Signal(object)
    moved = Signal(object)
    lost = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.how = None
        self.is_lost = False
        self.read_at_ms = 1_796_000_000_000
        self.asked: list[asyncio.Future[object]] = []
        self.work: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.work.add(task)
        task.add_done_callback(self.work.discard)

    def ask(self, _request: object) -> "asyncio.Future[object]":
        self.asked.append(asyncio.get_running_loop().create_future())
        return self.asked[-1]

    ask_in_background = ask


class Unlooked(FileChecks):
    """Looks at no file."""

    def look_at(self, models: Sequence[ModelRow]) -> None:
        assert models


def recovery(qtbot: QtBot, session: Any, said: Callable[[], None]) -> Summed:  # noqa: ANN401  as much as is needed
    view = RecoveryView(UTC)
    qtbot.addWidget(view)
    return RecoveryWiring(view, session, lambda _sentence: None, said)


def models(qtbot: QtBot, session: Any, said: Callable[[], None]) -> Summed:  # noqa: ANN401  as above
    view = ModelsView(UTC)
    qtbot.addWidget(view)
    return ModelsWiring(view, session, Unlooked(view), lambda _page: None, lambda _sentence: None, said)


ANSWERS = {
    recovery: (Leftovers((leftover("a"),)), "1 leftover task: 1 would move, 0 stay"),
    models: (standings.page(standings.model("small", size=3)), "1 model, 3 bytes"),
}


@pytest.mark.parametrize("make", ANSWERS, ids=lambda make: make.__name__)
async def test_whoever_shows_the_summary_is_told_of_each_other_one_and_none_outlives_its_file(
    qtbot: QtBot, make: Callable[..., Summed]
) -> None:
    answer, words = ANSWERS[make]
    session, said = Answering(), list[str]()
    wiring: Summed = make(qtbot, session, lambda: said.append(wiring.summary()))
    wiring.set_on_screen(True)
    await until(lambda: session.asked)
    session.asked[0].set_result(answer)
    await until(lambda: not session.work)
    assert said == [words]

    session.moved.emit(None)
    await until(lambda: len(session.asked) == 2)
    wiring.forget()
    session.asked[1].set_result(answer)
    await until(lambda: not session.work)
    assert said == [words, ""], "an answer of the file before comes too late"
