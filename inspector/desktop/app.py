"""The program with a window: QApplication, the asyncio loop on it, and what runs on the loop."""

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from subprocess import Popen

# The binding must be there before qasync looks for one.
from PySide6.QtWidgets import QApplication  # isort: split

import qasync

from inspector.demo.scenarios import Scenario
from inspector.desktop.composition import Inspector
from inspector.desktop.demonstration import Demonstration
from inspector.desktop.session.launch import Target
from inspector.desktop.settings import Settings, user_settings
from inspector.desktop.tour import Tour, TourFailed
from inspector.desktop.widgets.theme import apply_theme

log = logging.getLogger(__name__)

APPLICATION = "lmsp-inspector"
NOTICE_MS = 6_000
Use = Callable[[Inspector], Awaitable[None]]


def run_window(target: Target | None, *, task_id: str | None = None, reader: "Popen[bytes] | None" = None) -> None:
    """Show the window, with a file open in it, until it is closed."""

    async def use(inspector: Inspector) -> None:
        closed = _shown(inspector)
        if target is not None:
            inspector.open(target, task_id=task_id, reader=reader)
        await closed.wait()

    run(use, user_settings())


def run_demo(scenario: Scenario, *, speed: float) -> None:
    """Show the window on a demo until it is closed. Raises TourFailed where the demo cannot be played."""

    async def use(inspector: Inspector) -> None:
        async with _demo(scenario, speed) as demo:
            closed = _shown(inspector)
            demo.happened.connect(lambda happening: inspector.window.show_notice(happening.sentence, NOTICE_MS))
            await _ready(demo)
            inspector.open(Target(demo.path))
            await closed.wait()

    run(use, Settings(None))


def run_demo_tour(scenario: Scenario, folder: Path, made: Callable[[Path], None], *, speed: float) -> None:
    """Play a demo and save pictures of every view in ``folder``. Raises TourFailed where one cannot be made."""

    async def use(inspector: Inspector) -> None:
        async with _demo(scenario, speed) as demo:
            await _ready(demo)
            crashes = scenario.crash is not None
            await Tour(inspector, folder, made).of_a_demo(Target(demo.path), crashes=crashes)

    run(use, Settings(None))


def run_tour(target: Target, folder: Path, made: Callable[[Path], None]) -> None:
    """Save pictures of every view of a file in ``folder``. Raises TourFailed where one cannot be made."""

    async def use(inspector: Inspector) -> None:
        await Tour(inspector, folder, made).of_a_file(target)

    run(use, Settings(None))


def run(use: Use, settings: Settings) -> None:
    """Make the application and one :class:`Inspector`, let ``use`` run on it, and take everything apart again.

    SIGINT and SIGTERM end ``use`` in order. What it raises is raised here.
    """
    app = QApplication([APPLICATION])
    app.setApplicationName(APPLICATION)
    app.setApplicationDisplayName("LMSP Inspector")
    app.setDesktopFileName("org.lmsp.Inspector")
    app.setQuitOnLastWindowClosed(False)
    apply_theme(app, settings.theme())
    loop = qasync.QEventLoop(app)
    loop.set_exception_handler(_report)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(_use(app, use, settings))


async def _use(app: QApplication, use: Use, settings: Settings) -> None:
    inspector = Inspector(app, settings)
    work = asyncio.ensure_future(use(inspector))
    for ending in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(ending, work.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await work
    finally:
        inspector.window.hide()
        await inspector.ended()


def _shown(inspector: Inspector) -> asyncio.Event:
    """Show the window, and return what is set when it is closed."""
    closed = asyncio.Event()
    inspector.window.closed.connect(closed.set)
    inspector.window.show()
    return closed


@contextlib.asynccontextmanager
async def _demo(scenario: Scenario, speed: float) -> AsyncIterator[Demonstration]:
    demo = Demonstration(scenario, speed)
    try:
        yield demo
    finally:
        await demo.stopped()


async def _ready(demo: Demonstration) -> None:
    sentence = await demo.ready()
    if sentence is not None:
        raise TourFailed(sentence)


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    if isinstance(error, Exception):
        sys.excepthook(type(error), error, error.__traceback__)
    else:
        log.error("%s", context.get("message"))
