"""Opening a task with 100,000 events in a window: bar 11. Run by itself it is that window: ``big_task.py DB``."""

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

from verdicts import Databases, Verdict

from inspector.layout.pages import PAGE_ROWS

MOST = 1.5
MOST_FRAME_MS = 16.0
OPENINGS = 15
SHOWN_WITHIN_S = 20.0
READ_WITHIN_S = 60.0
RESTS_S = 0.4
TURN_S = 0.002
SHORT_EVENTS = 20
"""The list starts from a task with so many events, at least."""

PAGE = f"""SELECT id, seq, type, status, attempt, created_at, substr(data, 1, 4096)
           FROM task_events WHERE task_id = ? ORDER BY seq DESC LIMIT {PAGE_ROWS}"""


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts on the first page and on the frames while the whole log is read."""
    done = subprocess.run(
        [sys.executable, __file__, str(on.big)], stdout=subprocess.PIPE, check=True, text=True, timeout=300
    )
    found = json.loads(done.stdout.splitlines()[-1])
    note = f"{found['events']:,} events, {found['shown_ms']:.1f} ms"
    return [
        Verdict(
            "11 first page of a long log, beside query and frame",
            found["shown_ms"] / (found["query_ms"] + found["frame_ms"]),
            MOST,
            found["control"],
            note=note,
        ),
        Verdict("11 longest hold while all of it is read, median", found["turn_ms"], MOST_FRAME_MS, unit=" ms"),
    ]


def longest_and_short(path: Path) -> tuple[str, int, str]:
    """Return the id of the task with the most events, how many, and the id of another one."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as conn:
        ((task_id, events),) = conn.execute("SELECT id, max(last_seq) FROM tasks").fetchall()
        ((short,),) = conn.execute("SELECT id FROM tasks WHERE last_seq >= ? LIMIT 1", (SHORT_EVENTS,)).fetchall()
    return task_id, events, short


def query_ms(path: Path, task_id: str) -> float:
    """Return how long the rows of the page take by plain sqlite3, the median."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as conn:
        took = []
        for _ in range(OPENINGS):
            started = time.perf_counter()
            conn.execute(PAGE, (task_id,)).fetchall()
            took.append((time.perf_counter() - started) * 1e3)
    return statistics.median(took)


def show(path: Path) -> None:
    """Open the long task again and again from a short one, and print what was measured as JSON."""
    from PySide6.QtCore import QEvent, QObject

    from inspector.desktop.app import run
    from inspector.desktop.composition import Inspector
    from inspector.desktop.detail.event_list import EventList
    from inspector.desktop.session.launch import Target
    from inspector.desktop.settings import Settings

    task_id, events, short = longest_and_short(path)

    class Painted(QObject):
        """Says when the events of the wanted task have been painted."""

        def __init__(self, is_there: "Callable[[], bool]") -> None:
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
        detail = inspector.window.views.detail
        events_list = detail.findChild(EventList)

        async def opened(wanted: str) -> float:
            painted = Painted(lambda: detail.task_id == wanted and events_list.model().rowCount() > 0)
            events_list.viewport().installEventFilter(painted)
            started = time.perf_counter()
            inspector.selection.select(wanted)
            async with asyncio.timeout(SHOWN_WITHIN_S):
                await painted.done
            took = (time.perf_counter() - started) * 1e3
            events_list.viewport().removeEventFilter(painted)
            return took

        await opened(short)
        shown, frames, turns = [], [], []
        for _ in range(OPENINGS):
            shown.append(await opened(task_id))
            started = time.perf_counter()
            inspector.window.repaint()
            frames.append((time.perf_counter() - started) * 1e3)
            await opened(short)
            # What the long one still asked for is over.
            await asyncio.sleep(RESTS_S)
        await opened(task_id)
        ends_at = time.monotonic() + READ_WITHIN_S
        while time.monotonic() < ends_at and len(turns) < 10 * OPENINGS:
            started = time.perf_counter()
            await asyncio.sleep(TURN_S)
            # What is above the pause, something else held the loop for.
            turns.append((time.perf_counter() - started - TURN_S) * 1e3)
        first, second = shown[::2], shown[1::2]
        print(
            json.dumps(
                {
                    "events": events,
                    "shown_ms": statistics.median(shown),
                    "query_ms": query_ms(path, task_id),
                    "frame_ms": statistics.median(frames),
                    "turn_ms": statistics.median(sorted(turns)[-OPENINGS:]),
                    "control": statistics.median(first) / statistics.median(second),
                }
            ),
            flush=True,
        )

    run(use, Settings(None))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    show(Path(sys.argv[1]))
