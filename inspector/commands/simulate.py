"""``simulate``: a new database with a large history that is made up."""

import time
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import database_argument
from inspector.commands.ending import NotDone
from inspector.commands.output import write_lines
from inspector.commands.progress import ProgressLine
from inspector.demo.simulating import Impossible
from inspector.demo.simulating import simulate as simulate_history
from inspector.layout.visible import visible
from inspector.reading.beside import why_not_new
from inspector.store import Unusable

_EVENTS_A_TASK: Final = 10
_MOST_SEED: Final = (1 << 63) - 1
_BAR: Final = 30


@click.command()
@database_argument
@click.option("--tasks", metavar="N", type=click.IntRange(min=1), default=10_000, show_default=True, help="So many.")
@click.option("--events", metavar="M", type=click.IntRange(min=1), help="So many in all.  [default: 10 for each task]")
@click.option(
    "--seed",
    metavar="S",
    type=click.IntRange(0, _MOST_SEED),
    default=1,
    show_default=True,
    help="The same history for the same numbers.",
)
def simulate(database: Path, tasks: int, events: int | None, seed: int) -> None:
    """Create a database with the history of a service that was never there.

    It keeps every rule of section 11, and ends on 1 December 2026 at about noon (UTC), with some tasks unfinished. A
    million events take about 350 MB. What is at DB already is not touched, whatever it is.
    """
    shown = visible(str(database))
    if (why_not := why_not_new(database)) is not None:
        raise NotDone(why_not)
    wanted = _EVENTS_A_TASK * tasks if events is None else events
    bar = _Bar(wanted)
    try:
        simulate_history(database, tasks=tasks, events=wanted, seed=seed, progress=bar.at, ending=bar.ending)
    except Impossible as error:
        raise NotDone(error.sentence) from error
    except Unusable as error:
        raise NotDone(f"{shown} was not created: {error.sentence}") from error
    finally:
        bar.clear()
    write_lines(f"Created {shown}: a history of {_many(tasks, 'task')} and {wanted:,} events, from seed {seed}.")


class _Bar:
    """How many events are written, as a bar, and how long the rest will take."""

    def __init__(self, wanted: int) -> None:
        self._line = ProgressLine()
        self._wanted = wanted
        self._began_s = time.monotonic()

    def at(self, written: int) -> None:
        """Show that so many are written."""
        full = _BAR * written // self._wanted
        left_s = (time.monotonic() - self._began_s) * (self._wanted - written) / written
        self._line.tell(
            f"[{'#' * full}{'-' * (_BAR - full)}] {100 * written // self._wanted} %, {written:,} of {self._wanted:,} "
            f"events, {_time(left_s)} left"
        )

    def ending(self, doing: str) -> None:
        """Show what is done after the last event."""
        self._line.tell(f"[{'#' * _BAR}] {doing}", at_once=True)

    def clear(self) -> None:
        """Leave the line empty."""
        self._line.clear()


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
