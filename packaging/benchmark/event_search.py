"""A text searched for in all events, in a window: the second half of bar 13. By itself: ``event_search.py DB``."""

import asyncio
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from holds import TURN_S, Holds
from verdicts import Databases, Verdict

MOST_TO_STOP_MS = 100.0
MOST_HOLD_MS = 16.0
MOST_OF_WHOLE = 0.1
LEAST_TOLD_A_S = 2.0
ROUNDS = 15
MORE = 4
"""So often a search for what nearly every event holds goes on: a thousand hits each time."""
RUNS_S = 0.3
"""So long a search has gone on when it is stopped."""
ENDS_WITHIN_S = 120.0


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts on the first hit, on the progress, on stopping, and on what holds the window."""
    done = subprocess.run(
        [sys.executable, __file__, str(on.big)], stdout=subprocess.PIPE, check=True, text=True, timeout=600
    )
    found = json.loads(done.stdout.splitlines()[-1])
    first, whole = found["first_ms"], found["whole_ms"]
    return [
        Verdict(
            "13 first hit on screen, beside the whole search",
            first / whole,
            MOST_OF_WHOLE,
            found["control"],
            note=f"{first:.0f} ms of {whole:,.0f} ms, {found['events']:,} events",
        ),
        Verdict(
            "13 progress told while it goes on",
            found["told_a_s"],
            LEAST_TOLD_A_S,
            at_least=True,
            unit=" times a second",
        ),
        Verdict(
            "13 from Stop until its process is free, the longest",
            max(found["stop_ms"]),
            MOST_TO_STOP_MS,
            unit=" ms",
            steady=True,
            note=f"the median {statistics.median(found['stop_ms']):.1f} ms",
        ),
        Verdict(
            "13 longest work of the window without a pause while hits come, median",
            statistics.median(found["holds_ms"]),
            MOST_HOLD_MS,
            unit=" ms",
            note=f"{found['hits']:,} hits, the longest of all {max(found['holds_ms']):.1f} ms; with what it waited for "
            f"a processor {found['passed_ms']:.1f} ms; a frame of the table alone {found['frame_ms']:.1f} ms",
        ),
    ]


def rare_text(path: Path) -> tuple[str, int]:
    """Return a text that only one event holds, which is near the newest ones, and how many events there are."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as conn:
        ((newest,),) = conn.execute("SELECT max(id) FROM task_events").fetchall()
        ((data,),) = conn.execute(
            "SELECT data FROM task_events WHERE id < ? AND type = 'response.completed' ORDER BY id DESC LIMIT 1",
            (newest * 99 // 100,),
        ).fetchall()
    return json.loads(data)["response_id"], newest


def show(path: Path) -> None:
    """Search in a window, again and again, and print what was measured as JSON."""
    from PySide6.QtCore import QEvent, QObject

    from inspector.desktop.app import run
    from inspector.desktop.composition import Inspector
    from inspector.desktop.search.standing import State
    from inspector.desktop.session.launch import Target
    from inspector.desktop.settings import Settings
    from inspector.reading.requests import EventSearchRequest

    rare, events = rare_text(path)

    class Painted(QObject):
        """Says when hits have been painted."""

        def __init__(self, is_there: Callable[[], bool]) -> None:
            super().__init__()
            self._is_there = is_there
            self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and self._is_there():
                # The filter runs before the paint: what follows it in the loop runs after.
                asyncio.get_running_loop().call_soon(lambda: self.done.done() or self.done.set_result(None))
            return False

    async def use(inspector: Inspector) -> None:
        inspector.window.show()
        inspector.open(Target(path))
        while inspector.session.how is None:
            await asyncio.sleep(TURN_S)
        inspector.window.show_view("search")
        view = inspector.window.views.search

        def begin(text: str) -> float:
            view.bar.field.setText(text)
            view.bar.wanted.emit()
            return time.perf_counter()

        async def over() -> None:
            async with asyncio.timeout(ENDS_WITHIN_S):
                while view.standing.state is State.SEARCHING:
                    await asyncio.sleep(TURN_S)

        async def first_ms() -> float:
            painted = Painted(lambda: view.hits.rowCount() > 0)
            view.table.viewport().installEventFilter(painted)
            started = begin(rare)
            async with asyncio.timeout(ENDS_WITHIN_S):
                await painted.done
            took = (time.perf_counter() - started) * 1e3
            view.table.viewport().removeEventFilter(painted)
            return took

        async def stop_ms() -> float:
            begin("no such text in any event")
            await asyncio.sleep(RUNS_S)
            started = time.perf_counter()
            view.strip.stop_button.click()
            # A question without a text is answered at once, by a process that does nothing else any more.
            await inspector.session.ask_in_background(EventSearchRequest(""))
            return (time.perf_counter() - started) * 1e3

        async def hold_ms() -> tuple[float, float]:
            async with Holds() as holds:
                begin('"delta"')
                await over()
                for _ in range(MORE):
                    if view.standing.state is State.FULL:
                        view.strip.more_button.click()
                        await over()
            return holds.longest_ms, holds.passed_ms

        told: list[str] = []
        await first_ms()
        await over()
        firsts = []
        for _ in range(ROUNDS):
            firsts.append(await first_ms())
            view.strip.stop_button.click()
            await inspector.session.ask_in_background(EventSearchRequest(""))
        started = begin(rare)
        while view.standing.state is State.SEARCHING:
            if told[-1:] != [view.strip.text]:
                told.append(view.strip.text)
            await asyncio.sleep(TURN_S)
        whole = (time.perf_counter() - started) * 1e3
        stops = [await stop_ms() for _ in range(ROUNDS)]
        holds, frames = [], []
        for _ in range(ROUNDS):
            holds.append(await hold_ms())
            worked = time.thread_time()
            view.table.viewport().repaint()
            frames.append((time.thread_time() - worked) * 1e3)
        print(
            json.dumps(
                {
                    "events": events,
                    "first_ms": statistics.median(firsts),
                    "control": statistics.median(firsts[::2]) / statistics.median(firsts[1::2]),
                    "whole_ms": whole,
                    "told_a_s": len(told) / whole * 1e3,
                    "stop_ms": stops,
                    "holds_ms": [worked for worked, _ in holds],
                    "frame_ms": statistics.median(frames),
                    "passed_ms": statistics.median(passed for _, passed in holds),
                    "hits": view.hits.rowCount(),
                }
            ),
            flush=True,
        )

    run(use, Settings(None))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    show(Path(sys.argv[1]))
