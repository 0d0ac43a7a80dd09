"""Shown, and memory, beside DB Browser for SQLite on the same file and display: bar 3.

What a user sees decides: Xvfb keeps its screen in a file, and a program has shown itself in the first moment in which
all but one percent of the final picture is there. What comes later are counts, for which nothing waits. Needs Xvfb and
sqlitebrowser.
"""

import mmap
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from processes import family, pss_mib
from verdicts import Databases, Verdict

WIDTH, HEIGHT = 1440, 900
PIECE = 4 * 120
"""Bytes of a row of pixels that are compared at once."""
SETTLED_S = 3.0
GIVES_UP_S = 30.0
NEARLY = 0.99
BLINKS = 40
"""A cursor that blinks changes no more pieces than that."""
MOST_TIME, MOST_MEMORY = 0.5, 1.0
DISPLAY_STARTS_WITHIN_S = 20.0


class Seen(NamedTuple):
    """What was seen of one program."""

    shown_ms: float
    pss_mib: float


class Screen:
    """A virtual display whose pixels can be looked at."""

    def __init__(self, xvfb: str, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lmsp-bench-screen-")))
        number = 100 + os.getpid() % 800
        self.environment = os.environ | {
            "DISPLAY": f":{number}",
            "QT_QPA_PLATFORM": "xcb",
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
        }
        server = subprocess.Popen(
            [xvfb, f":{number}", "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp", "-fbdir", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(server.wait)
        stack.callback(server.terminate)
        pixels = folder / "Xvfb_screen0"
        ends_at = time.monotonic() + DISPLAY_STARTS_WITHIN_S
        while not pixels.exists() or pixels.stat().st_size < 4 * WIDTH * HEIGHT:
            if time.monotonic() > ends_at:
                raise AssertionError("the virtual display does not start")
            time.sleep(0.05)
        file = stack.enter_context(pixels.open("rb"))
        self._map = stack.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        (header,) = struct.unpack(">I", self._map[:4])
        colours = struct.unpack(">25I", self._map[:100])[19]
        self._start = header + 12 * colours

    def pieces(self) -> list[bytes]:
        """Return the picture of this moment, piece by piece."""
        picture = self._map[self._start : self._start + 4 * WIDTH * HEIGHT]
        return [picture[at : at + PIECE] for at in range(0, len(picture), PIECE)]

    def watch(self, *command: str) -> Seen:
        """Start a program, wait until its picture rests, and end it."""
        empty = self.pieces()
        started = time.perf_counter()
        process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )  # fmt: skip
        try:
            pictures, last = [(0.0, empty)], 0.0
            while True:
                now = time.perf_counter() - started
                picture = self.pieces()
                changed = sum(map(bytes.__ne__, picture, pictures[-1][1]))
                if changed:
                    pictures.append((now, picture))
                if changed > BLINKS:
                    last = now
                if now > GIVES_UP_S or (len(pictures) > 1 and now - last > SETTLED_S):
                    break
                time.sleep(0.01)
            memory = pss_mib(family(process.pid))
        finally:
            process.terminate()
            process.wait()
        final = pictures[-1][1]
        drawn = differing(final, empty)
        for moment, picture in pictures:
            if drawn and differing(final, picture) <= (1 - NEARLY) * drawn:
                return Seen(moment * 1e3, memory)
        return Seen(GIVES_UP_S * 1e3, memory)


def differing(one: list[bytes], other: list[bytes]) -> int:
    """Return how many pixels of two pictures differ."""
    pairs = ((a, b) for a, b in zip(one, other, strict=True) if a != b)
    return sum(sum(map(int.__ne__, memoryview(a).cast("I"), memoryview(b).cast("I"))) for a, b in pairs)


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts on time and memory; none where there is no such browser or no Xvfb."""
    browser, xvfb = shutil.which("sqlitebrowser"), shutil.which("Xvfb")
    if browser is None or xvfb is None:
        print("3 beside DB Browser for SQLite: not measured, sqlitebrowser or Xvfb is not installed")
        return []
    verdicts = []
    with ExitStack() as stack:
        screen = Screen(xvfb, stack)
        ours = [sys.executable, "-m", "inspector", str(on.big)]
        for table in ("tasks", "task_events"):
            seen: dict[str, list[Seen]] = {"ours": [], "theirs": []}
            for _ in range(max(3, on.rounds // 2)):
                seen["ours"].append(screen.watch(*ours))
                seen["theirs"].append(screen.watch(browser, "-R", "-t", table, str(on.big)))
            shown, memory = (
                [statistics.median(getattr(one, name) for one in seen[arm]) for arm in ("ours", "theirs")]
                for name in ("shown_ms", "pss_mib")
            )
            verdicts += [
                Verdict(
                    f"3 shown, beside DB Browser on {table}",
                    shown[0] / shown[1],
                    MOST_TIME,
                    note=f"{shown[0]:.0f} and {shown[1]:.0f} ms",
                ),
                Verdict(
                    f"3 memory, beside DB Browser on {table}",
                    memory[0] / memory[1],
                    MOST_MEMORY,
                    note=f"{memory[0]:.0f} and {memory[1]:.0f} MB",
                ),
            ]
    return verdicts
