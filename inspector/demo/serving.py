"""The process of the simulated service: one life of it, in real time."""

import contextlib
import signal
import time
from pathlib import Path
from typing import Final

from inspector.demo.happenings import Happening, HappeningKind, Report
from inspector.demo.living import live
from inspector.demo.playing import LiveClock
from inspector.demo.scenarios import Scenario
from inspector.demo.service import Staging
from inspector.demo.supervisor import UNUSABLE
from inspector.store import Unusable

SERVICE_NAME: Final = "lmspd"


def serve(path: Path, scenario: Scenario, seed: int, report: Report, *, speed: float, life: int, leash: int) -> int:
    """Let the service live on the database at ``path`` until the leash is closed; return the exit status."""
    # Ctrl+C in a terminal reaches the supervisor as well, which then ends this process in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whoever looks at who has the file open reads the service's name, not Python's. Only Linux has such a place.
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(SERVICE_NAME, encoding="ascii")
    clock = LiveClock(speed, leash)
    try:
        live(Staging(path, scenario, seed, report), clock, first=life == 1, stopwatch=time.perf_counter)
    except Unusable as error:
        report(Happening(HappeningKind.UNUSABLE, int(clock.now_ms()), error.sentence))
        return UNUSABLE
    return 0
