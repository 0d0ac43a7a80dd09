"""Processor time when nothing happens, beside a bare timer that asks for the data version: bar 7."""

import contextlib
import sqlite3
import statistics
import time
from contextlib import closing

from processes import since
from told import ToldWindow
from verdicts import Databases, Verdict

SETTLED_BELOW = 0.05
"""Of a core, over a second, three times in a row: then what follows an opening is over."""
SETTLES_WITHIN_S = 120.0
SPELL_S = 10.0
MOST, MOST_HIDDEN = 2.0, 0.5
MOST_OF_A_CORE = 0.5


def measure(on: Databases) -> list[Verdict]:
    """Let windows stand on the file, which another process has open, and return the verdicts."""
    arms = {"shown": [str(on.big)], "hidden": [str(on.big)], "bare": ["--bare", str(on.big)]}
    spells: dict[str, list[float]] = {name: [] for name in [*arms, "again"]}
    with closing(sqlite3.connect(on.big)) as service, contextlib.ExitStack() as stack:
        # A service that has the file open and does nothing.
        service.execute("SELECT count(*) FROM models").fetchall()
        windows = {name: stack.enter_context(ToldWindow(*arguments)) for name, arguments in arms.items()}
        windows["again"] = stack.enter_context(ToldWindow(*arms["bare"]))
        windows["hidden"].tell("hide")
        settle(list(windows.values()))
        for _ in range(max(3, on.rounds)):
            before = {name: window.processor_seconds() for name, window in windows.items()}
            time.sleep(SPELL_S)
            for name, window in windows.items():
                spells[name].append(since(before[name], window.processor_seconds()) / SPELL_S * 100)
    percent = {name: statistics.fmean(found) for name, found in spells.items()}
    for name, of_a_core in percent.items():
        print(f"   idle, {name}: {of_a_core:.2f} % of a core")
    control = percent["again"] / percent["bare"]
    return [
        Verdict("7 idle beside a bare timer", percent["shown"] / percent["bare"], MOST, control),
        Verdict("7 idle, of a core", percent["shown"], MOST_OF_A_CORE, unit=" %"),
        Verdict("7 hidden beside shown", percent["hidden"] / percent["shown"], MOST_HIDDEN, control),
    ]


def settle(windows: list[ToldWindow]) -> None:
    """Wait until the windows do nothing any more. Raises AssertionError where they never rest."""
    ends_at = time.monotonic() + SETTLES_WITHIN_S
    calm = 0
    while calm < 3:
        if time.monotonic() > ends_at:
            raise AssertionError(f"after {SETTLES_WITHIN_S:.0f} s the windows are still at work")
        before = [window.processor_seconds() for window in windows]
        time.sleep(1)
        used = [since(earlier, window.processor_seconds()) for window, earlier in zip(windows, before, strict=True)]
        calm = calm + 1 if all(each < SETTLED_BELOW for each in used) else 0
