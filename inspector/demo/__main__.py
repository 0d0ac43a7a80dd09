"""``python -m inspector.demo DB``: plays a scenario on the database DB until standard input is closed.

Standard output carries one line of JSON for each happening (see :mod:`inspector.demo.happenings`).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from inspector.demo.happenings import LineWriter
from inspector.demo.scenarios import DEFAULT_SCENARIO, InvalidScenario, find_scenario
from inspector.demo.starting import DEFAULT_COMMAND, DEFAULT_SEED, demo_arguments
from inspector.demo.supervisor import UNUSABLE, Supervisor

_STDIN, _STDOUT = 0, 1


def main(arguments: Sequence[str], *, command: Sequence[str] = DEFAULT_COMMAND) -> int:
    """Run the supervisor, or with ``--service`` the service that it starts; return the exit status.

    ``command`` is what starts this function in another process; a frozen program passes its own, and the arguments that
    lead here.
    """
    parser = _Parser(prog="inspector.demo", description="Plays a scenario of a simulated LMSP service.")
    parser.add_argument("db", type=Path, metavar="DB", help="a new file, or one that a demo has made")
    parser.add_argument("--scenario", default=DEFAULT_SCENARIO, metavar="NAME")
    parser.add_argument("--speed", type=_positive, default=1.0, metavar="X", help="so many times as fast")
    parser.add_argument(
        "--seed", type=int, default=DEFAULT_SEED, metavar="S", help="the same choices for the same number"
    )
    parser.add_argument("--service", type=int, metavar="LIFE", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    try:
        scenario = find_scenario(given.scenario)
    except InvalidScenario as error:
        parser.error(error.sentence)
    if given.service is not None:
        from inspector.demo.serving import serve  # noqa: PLC0415  the supervisor starts sooner without the store

        report = LineWriter(_STDOUT)
        return serve(given.db, scenario, given.seed, report, speed=given.speed, life=given.service, leash=_STDIN)
    again = demo_arguments(given.db, scenario.name, speed=given.speed, seed=given.seed)
    service = [*command, *again, "--service"]
    return Supervisor(service, scenario, speed=given.speed, leash=_STDIN, report=LineWriter(_STDOUT)).run()


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(UNUSABLE, f"{self.prog}: {message}\n")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
