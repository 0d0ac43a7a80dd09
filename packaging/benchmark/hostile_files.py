"""Files made to hold up the window: the longest pause of each. By itself: ``hostile_files.py FOLDER``."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from holds import TURN_S, Holds
from verdicts import Databases, Verdict

ROOT = Path(__file__).resolve().parents[2]
MOST_MS = 100.0
SETTLES_S = 0.15
HANGS_S = 30.0


def measure(on: Databases) -> list[Verdict]:
    """Return the verdict on the longest pause that any of the files caused."""
    done = subprocess.run(
        [sys.executable, __file__, str(on.folder)], stdout=subprocess.PIPE, check=True, text=True, timeout=600
    )
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    slowest = max(found, key=lambda name: found[name][1])
    worked_ms, passed_ms = found[slowest]
    return [
        Verdict(
            "hostile files, the longest that the window does not answer",
            passed_ms,
            MOST_MS,
            unit=" ms",
            note=f"{slowest}, of {len(found)} files; at work {worked_ms:.0f} ms of it",
        )
    ]


def show(folder: Path) -> None:
    """Open each file in a window, look at everything in it, and print the longest pauses as JSON."""
    sys.path.insert(0, str(ROOT))
    from inspector.desktop.app import run
    from inspector.desktop.composition import Inspector
    from inspector.desktop.session.launch import Target
    from inspector.desktop.settings import Settings
    from tests.support.hostile_files import HOSTILE

    async def walk(inspector: Inspector, path: Path) -> None:
        inspector.open(Target(path))
        rows = inspector.window.views.tasks.rows
        ends_at = time.monotonic() + HANGS_S
        while not (inspector.session.how and inspector.session.how.path == str(path) and rows.rowCount()):
            if time.monotonic() > ends_at:
                raise TimeoutError(path.name)
            await asyncio.sleep(TURN_S)
        inspector.window.views.tasks.table.setCurrentIndex(rows.index(0, 0))
        pane = inspector.window.views.detail
        pane.set_covered(False)
        for tab in range(pane.tabs.count()):
            pane.tabs.setCurrentIndex(tab)
            await asyncio.sleep(SETTLES_S)
        for view in ("models", "recovery", "tasks"):
            inspector.window.show_view(view)
            await asyncio.sleep(SETTLES_S)

    async def use(inspector: Inspector) -> None:
        inspector.window.show()
        inspector.window.resize(1200, 800)
        for view in ("models", "recovery", "tasks"):
            inspector.window.show_view(view)
            await asyncio.sleep(SETTLES_S)
        found = {}
        for made in HOSTILE:
            path = folder / f"{made.__name__}.db"
            made(path)
            async with Holds() as holds:
                await walk(inspector, path)
            path.unlink()
            found[made.__name__] = [holds.longest_ms, holds.passed_ms]
        print(json.dumps(found), flush=True)

    run(use, Settings(None))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    show(Path(sys.argv[1]))
