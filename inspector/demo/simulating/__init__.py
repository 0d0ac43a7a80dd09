"""A large, plausible history of a service that was never there, made at once: the same for the same seed.

Each task is led through its life on paper, with the queue, the workers and the restarts that it meets, and the rows
that a service would have written are loaded into a new file. ``lmsp.recovery`` says what a restart does to a task.

May import what the demo may. Never reads the clock, never holds more than the tasks that are under way.
"""

import os
from collections.abc import Callable

from inspector.demo.simulating.history import History
from inspector.demo.simulating.sizes import Impossible, Size
from inspector.store.bulk_loading import load_history

__all__ = ["Impossible", "simulate"]


def simulate(
    path: str | os.PathLike[str],
    *,
    tasks: int = 10_000,
    events: int | None = None,
    seed: int = 1,
    progress: Callable[[int], object] = lambda _: None,
    ending: Callable[[str], object] = lambda _: None,
) -> None:
    """Make a new database at ``path`` with so many tasks and events, ten for each task unless said.

    Its rows are the same for the same numbers, whenever and wherever it is made; the last task comes in on 1 December
    2026 at noon, UTC. ``progress`` is told how many events are written, ``ending`` what is done after the last of them.
    Raises Impossible where there is no such history, and store.Unusable where the file cannot be made; then nothing of
    it is left.
    """
    size = Size(tasks, 10 * tasks if events is None else events)
    load_history(path, History(size, seed).rows(progress), ending=ending)
