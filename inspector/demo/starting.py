"""Starting and stopping a demo from another process: what the command line and the window use."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from inspector.demo.happenings import Happening, parse_happening
from inspector.demo.leash import LeashedProcess
from inspector.demo.scenarios import DEFAULT_SCENARIO

DEFAULT_COMMAND: Final = (sys.executable, "-m", "inspector.demo")
"""What starts a demo from a Python that has this package; a frozen program has a command of its own."""

DEFAULT_SEED: Final = 7

_STOP_WAIT_S: Final = 8.0
"""More than the supervisor gives its service. If it must be killed, the service's leash goes with it."""


class RunningDemo(LeashedProcess):
    """A demo in processes of its own, which end with this one, whatever ends it. Made by :func:`start_demo`."""

    def happenings(self) -> Iterator[Happening]:
        """Give what happens, as it happens, until the demo has ended; waits for each. Need not be asked at all."""
        for line in self.output:
            happening = parse_happening(line)
            if happening is not None:
                yield happening

    def stop(self) -> int:
        """End the demo and return its exit status: no process of it is left. May be called again."""
        return self.end(within_s=_STOP_WAIT_S)


def demo_arguments(
    db_path: str | os.PathLike[str], scenario: str = DEFAULT_SCENARIO, *, speed: float = 1.0, seed: int = DEFAULT_SEED
) -> list[str]:
    """Return the arguments of a demo, for whoever starts the process in a way of their own."""
    # Absolute: a name that begins with a dash is no option.
    return [str(Path(db_path).absolute()), "--scenario", scenario, "--speed", str(speed), "--seed", str(seed)]


def start_demo(
    db_path: str | os.PathLike[str],
    scenario: str = DEFAULT_SCENARIO,
    *,
    speed: float = 1.0,
    seed: int = DEFAULT_SEED,
    command: Sequence[str] = DEFAULT_COMMAND,
) -> RunningDemo:
    """Start a demo on the database at ``db_path``: a new file, or one that a demo has made.

    Raises OSError where no process can be started. A database that cannot be used is a happening (``unusable``).
    """
    return RunningDemo([*command, *demo_arguments(db_path, scenario, speed=speed, seed=seed)])
