"""A window on a database that does what it is told, a line of standard input each, and answers each with a line.

``window.py DB``; ``window.py --bare DB`` is a bare timer that asks ``data_version``, ``window.py --empty`` an empty
window. Words: ``scroll`` (by a page, from now on at each frame), ``still``, ``hide``, ``jump N`` (to N random places,
one after the other), ``search TEXT`` (in the events, from the newest on), ``end``.
"""

import asyncio
import random
import sqlite3
import sys
import time
from pathlib import Path

# The binding must be there before qasync looks for one.
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow  # isort: split

import qasync

from inspector.desktop.app import run
from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import POLL_EVERY_MS
from inspector.desktop.settings import Settings
from inspector.reading.requests import CountsRequest, EventSearchRequest

SCROLL_EVERY_MS = 50


def say(word: str) -> None:
    """Answer."""
    print(word, flush=True)


async def words() -> asyncio.Queue[str]:
    """Return the queue that the lines of standard input come into."""
    lines: asyncio.Queue[str] = asyncio.Queue()
    asyncio.get_running_loop().add_reader(0, lambda: lines.put_nowait(sys.stdin.readline().strip()))
    return lines


async def obey(inspector: Inspector, path: Path) -> None:
    """Open the window and do what the lines say."""
    inspector.window.show()
    inspector.open(Target(path))
    tasks = inspector.window.views.tasks
    bar = tasks.table.verticalScrollBar()
    while not tasks.rows.rowCount():
        await asyncio.sleep(0.01)
    lines = await words()
    scrolling = QTimer()
    scrolling.setInterval(SCROLL_EVERY_MS)
    scrolling.timeout.connect(lambda: bar.setValue((bar.value() + bar.pageStep()) % max(1, bar.maximum())))
    say("ready")
    background: set[asyncio.Task[object]] = set()
    while True:
        word, _, rest = (await lines.get()).partition(" ")
        match word:
            case "scroll":
                scrolling.start()
            case "still":
                scrolling.stop()
            case "hide":
                inspector.window.hide()
            case "jump":
                await jump(inspector, int(rest))
            case "search":
                for asked in (EventSearchRequest(rest), CountsRequest()):
                    background.add(asyncio.ensure_future(again_and_again(inspector, asked)))
            case _:
                break
        say(word)
    for task in background:
        task.cancel()
    say("end")


async def again_and_again(inspector: Inspector, request: EventSearchRequest | CountsRequest) -> None:
    """Ask for something long without a pause."""
    while True:
        await inspector.session.ask_in_background(request)


async def jump(inspector: Inspector, times: int) -> None:
    """Go to random places, each until its rows are there."""
    tasks = inspector.window.views.tasks
    bar = tasks.table.verticalScrollBar()
    order = random.Random(1)
    deadline = time.monotonic() + 60

    def is_whole() -> bool:
        # The scroll bar learns of new rows when the table is laid out, a moment after them.
        height = tasks.rows.rowCount() * tasks.table.rowHeight(0)
        return not tasks.rows.canFetchMore(tasks.table.rootIndex()) and bar.maximum() + bar.pageStep() >= height

    while not is_whole():
        if time.monotonic() > deadline:
            raise AssertionError("the table never came to its whole length")
        await asyncio.sleep(0.05)
    for _ in range(times):
        bar.setValue(order.randrange(max(1, bar.maximum())))
        await asyncio.sleep(0)
        while tasks.rows.missing(*tasks.table.shown_rows()):
            await asyncio.sleep(0.002)


async def bare(path: str) -> None:
    """Ask for the data version at the same rhythm, and nothing else."""
    conn = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    timer = QTimer()
    timer.setInterval(POLL_EVERY_MS)
    timer.timeout.connect(lambda: conn.execute("PRAGMA data_version").fetchall())
    timer.start()
    window = QMainWindow()
    window.resize(1440, 900)
    window.show()
    lines = await words()
    say("ready")
    await lines.get()
    timer.stop()
    conn.close()
    say("end")


async def empty() -> None:
    """Show an empty window until a line comes."""
    window = QMainWindow()
    window.resize(1440, 900)
    window.show()
    lines = await words()
    await asyncio.sleep(1)
    say("ready")
    await lines.get()
    say("end")


if sys.argv[1] in ("--bare", "--empty"):
    app = QApplication(sys.argv)
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(bare(sys.argv[2]) if sys.argv[1] == "--bare" else empty())
else:
    run(lambda inspector: obey(inspector, Path(sys.argv[1])), Settings(None))
