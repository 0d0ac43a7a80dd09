"""The program with a window: QApplication, the asyncio loop on it, and what runs on the loop."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

# The binding must be there before qasync looks for one.
from PySide6.QtWidgets import QApplication  # isort: split

import qasync

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Launched, Target
from inspector.desktop.settings import Settings, user_settings
from inspector.desktop.tour import Tour
from inspector.desktop.widgets.theme import apply_theme

log = logging.getLogger(__name__)

APPLICATION = "lmsp-inspector"
SHOWN_WITHIN_S = 0.3
"""How long the window waits for its first page, so that it need not be painted twice; then it is shown without."""
COLLECTS_AFTER_S = 1.0
Use = Callable[[Inspector], Awaitable[None]]


def run_window(target: Target | None, *, task_id: str | None = None, reader: Launched | None = None) -> None:
    """Show the window, with a file open in it, until it is closed."""

    async def use(inspector: Inspector) -> None:
        if target is not None:
            inspector.open(target, task_id=task_id, reader=reader)
            await inspector.session.first_answers(SHOWN_WITHIN_S)
        closed = shown(inspector)
        asyncio.get_running_loop().call_later(COLLECTS_AFTER_S, _collect_garbage)
        await closed.wait()

    run(use, user_settings())


def run_tour(target: Target, folder: Path, made: Callable[[Path], None]) -> int:
    """Save pictures of every view of a file in ``folder``, and return the exit status.

    Raises TourFailed where one cannot be made.
    """

    async def use(inspector: Inspector) -> None:
        await Tour(inspector, folder, made).of_a_file(target)

    return run(use, Settings(None))


def run(use: Use, settings: Settings) -> int:
    """Make the application and one :class:`Inspector`, let ``use`` run on it, and take everything apart again.

    SIGINT and SIGTERM end ``use`` in order; returned is 0, or 128 and the number of the signal. What ``use`` raises is
    raised here.
    """
    # As an argument, since to set it would load what the first page needs nothing of: see widgets/style_states.py.
    app = QApplication([APPLICATION, "-style", "fusion"])
    app.setApplicationName(APPLICATION)
    app.setApplicationDisplayName("LMSP Inspector")
    app.setDesktopFileName("org.lmsp.Inspector")
    app.setQuitOnLastWindowClosed(False)
    apply_theme(app, settings.theme())
    loop = qasync.QEventLoop(app)
    loop.set_exception_handler(_report)
    asyncio.set_event_loop(loop)
    with loop:
        work: asyncio.Task[int] = loop.create_task(_use(app, use, settings))
        try:
            loop.run_until_complete(work)
        except RuntimeError:
            if work.done():
                raise
            # Qt has ended the loop: the display is gone, which Qt has told, and every window with it. Nothing can be
            # taken apart in order any more; what was started ends with this process.
            os._exit(1)
    return work.result()


async def _use(app: QApplication, use: Use, settings: Settings) -> int:
    inspector = Inspector(app, settings)
    work = asyncio.ensure_future(use(inspector))
    status = 0

    def end(number: int) -> None:
        nonlocal status
        status = 128 + number
        work.cancel()

    for ending in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(ending, end, ending)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await work
    finally:
        inspector.window.hide()
        await inspector.ended()
    return status


def shown(inspector: Inspector) -> asyncio.Event:
    """Show the window of ``inspector``, and return the event that is set when it is closed."""
    closed = asyncio.Event()
    inspector.window.closed.connect(closed.set)
    inspector.window.show()
    return closed


def _collect_garbage() -> None:
    """Look for garbage from now on, and never again at what was loaded for the start: all of that stays."""
    gc.freeze()
    gc.enable()


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    if isinstance(error, Exception):
        sys.excepthook(type(error), error, error.__traceback__)
    else:
        log.error("%s", context.get("message"))
