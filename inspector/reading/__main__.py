"""``python -m inspector.reading PATH [--mode MODE]``: the reader process that a session starts and owns."""

import argparse
import sys
import time

from inspector.layout.opened import Mode
from inspector.reading.process import run


def main(arguments: list[str] | None = None) -> int:
    """Serve one file until standard input ends, and return the exit status."""
    parser = argparse.ArgumentParser(prog="inspector.reading")
    parser.add_argument("path")
    parser.add_argument("--mode", type=Mode, choices=tuple(Mode), default=None)
    wanted = parser.parse_args(arguments)
    return run(wanted.path, wanted.mode, lambda: time.time_ns() // 1_000_000)


if __name__ == "__main__":
    sys.exit(main())
