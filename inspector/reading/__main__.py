"""``python -m inspector.reading [--background] [--mode MODE] [--] PATH``: a reader process, which a session starts.

With ``--errand`` instead it answers one long question. A reader stands between the start of the window and the first
page, so it loads only what it needs.
"""

import sys
import time

from inspector.layout.opened import Mode
from inspector.reading.process import run


def main(arguments: list[str]) -> int:
    """Serve one file until standard input ends, and return the exit status."""
    background = arguments[:1] == ["--background"]
    match arguments[1:] if background else arguments:
        case ["--errand", "--", path]:
            from inspector.reading.errand import run_errand  # noqa: PLC0415  a reader needs none of it

            return run_errand(path, _now_ms)
        case ["--mode", wanted, *rest] if wanted in Mode.__members__.values():
            mode: Mode | None = Mode(wanted)
        case rest:
            mode = None
    match rest:
        case ["--", path] | [path]:
            return run(path, mode, _now_ms, background=background)
    sys.stderr.write(f"usage: python -m inspector.reading [--background] [--mode {'|'.join(Mode)}] [--] PATH\n")
    return 2


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
