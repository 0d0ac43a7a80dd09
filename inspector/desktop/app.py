"""The program with a window: QApplication, the asyncio loop on it, and what runs on the loop."""

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import Popen

# The binding must be there before qasync looks for one.
from PySide6.QtWidgets import QApplication  # isort: split

import qasync

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.settings import Settings, user_settings
from inspector.desktop.tour import Tour
from inspector.desktop.widgets.theme import apply_theme

log = logging.getLogger(__name__)

APPLICATION = "lmsp-inspector"
Use = Callable[[Inspector], Awaitable[None]]


def run_window(target: Target | None, *, task_id: str | None = None, reader: "Popen[bytes] | None" = None) -> None:
    """Show the window, with a file open in it, until it is closed."""

    async def use(inspector: Inspector) -> None:
        closed = shown(inspector)
        if target is not None:
            inspector.open(target, task_id=task_id, reader=reader)
        await closed.wait()

    run(use, user_settings())


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


def shown(inspector: Inspector) -> asyncio.Event:
    """Show the window of ``inspector``, and return the event that is set when it is closed."""
    closed = asyncio.Event()
    inspector.window.closed.connect(closed.set)
    inspector.window.show()
    return closed


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    if isinstance(error, Exception):
        sys.excepthook(type(error), error, error.__traceback__)
    else:
        log.error("%s", context.get("message"))
