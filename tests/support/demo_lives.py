"""Lives of the simulated service in a time of their own: they pass at once, and come out the same for a seed."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from inspector.demo.happenings import Happening, HappeningKind
from inspector.demo.living import live
from inspector.demo.scenarios import Scenario, parse_scenario
from inspector.demo.service import Staging

BEGAN_MS = 1_795_000_000_000.0

FAST = """
title = "A small one"
description = "For tests."
workers = 4

[clients]
notes-desktop = 5
vscode-lmsp = 5
batch-indexer = 6
home-assistant = 9
cli = 9
"""


class Killed(Exception):
    """The process of this life was killed."""


class StageClock:
    """A time that passes only when waited for, at once, and that ends."""

    pace = 1.0

    def __init__(self, now_ms: float, ends_ms: float) -> None:
        self._now_ms = now_ms
        self._ends_ms = ends_ms

    def now_ms(self) -> float:
        return self._now_ms

    def wait(self, ms: float) -> bool:
        self._now_ms += max(0.0, ms)
        return self._now_ms < self._ends_ms


def scenario(text: str = FAST, **changes: str) -> Scenario:
    """Return the scenario of this text, with whole lines put in front of it, by key."""
    return parse_scenario("small", "".join(f"{key} = {value}\n" for key, value in changes.items()) + text)


def live_for(
    seconds: float,
    path: Path,
    played: Scenario,
    *,
    seed: int = 1,
    at_ms: float = BEGAN_MS,
    first: bool = True,
    dies: bool = False,
    watch: Callable[[Happening], None] = lambda _: None,
    stopwatch: Callable[[], float] = lambda: 0.0,
) -> list[Happening]:
    """Let a service live for so long, from ``at_ms`` on, and return what happened.

    ``dies`` kills it where its scenario wants it dead: nothing is written after that.
    """
    happenings: list[Happening] = []

    def report(happening: Happening) -> None:
        happenings.append(happening)
        watch(happening)
        if dies and happening.kind is HappeningKind.READY_TO_DIE:
            raise Killed

    clock = StageClock(at_ms, at_ms + seconds * 1000)
    with suppress(Killed):
        live(Staging(path, played, seed, report), clock, first=first, stopwatch=stopwatch)
    return happenings


def rows(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    """Return what a query finds in a database that nobody writes now."""
    with closing(sqlite3.connect(path)) as conn:
        return conn.execute(sql, values).fetchall()


def status_of_tasks(path: Path) -> dict[object, object]:
    """Return the status of each task in a database that nobody writes now, by the task's id."""
    return dict(rows(path, "SELECT id, status FROM tasks"))  # type: ignore[arg-type]  # two columns


def one_of(happenings: list[Happening], kind: HappeningKind) -> Happening:
    """Return the only happening of this kind."""
    (found,) = (happening for happening in happenings if happening.kind is kind)
    return found
