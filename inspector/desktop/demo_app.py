"""The program with a window on a demo: apart from the rest, so that no other start pays for it."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from inspector.demo.scenarios import Scenario
from inspector.desktop.app import run, shown
from inspector.desktop.composition import Inspector
from inspector.desktop.demonstration import Demonstration
from inspector.desktop.session.launch import Target
from inspector.desktop.settings import Settings
from inspector.desktop.tour import Tour, TourFailed

NOTICE_MS = 6_000
"""How long the status bar tells what happens in a demo."""


def run_demo(scenario: Scenario, *, speed: float) -> None:
    """Show the window on a demo until it is closed. Raises TourFailed where the demo cannot be played."""

    async def use(inspector: Inspector) -> None:
        async with _demo(scenario, speed) as demo:
            closed = shown(inspector)
            demo.happened.connect(lambda happening: inspector.window.show_notice(happening.sentence, NOTICE_MS))
            await _ready(demo)
            inspector.open(Target(demo.path))
            await closed.wait()

    run(use, Settings(None))


def run_demo_tour(scenario: Scenario, folder: Path, made: Callable[[Path], None], *, speed: float) -> int:
    """Play a demo, save pictures of every view in ``folder``, and return the exit status.

    Raises TourFailed where one cannot be made.
    """

    async def use(inspector: Inspector) -> None:
        async with _demo(scenario, speed) as demo:
            await _ready(demo)
            crashes = scenario.crash is not None
            await Tour(inspector, folder, made).of_a_demo(Target(demo.path), crashes=crashes)

    return run(use, Settings(None))


@contextlib.asynccontextmanager
async def _demo(scenario: Scenario, speed: float) -> AsyncIterator[Demonstration]:
    demo = Demonstration(scenario, speed)
    try:
        yield demo
    finally:
        await demo.stopped()


async def _ready(demo: Demonstration) -> None:
    sentence = await demo.ready()
    if sentence is not None:
        raise TourFailed(sentence)
