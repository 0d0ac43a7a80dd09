"""``python -m inspector.reading [--background] [--layout FILE] [--mode MODE] [--] PATH``: a session's reader process.

With ``--errand`` instead it answers one long question. ``--same-as IDENTITY`` before the dashes: which file has to lie
at PATH, as a reader of the same session found it. A reader stands between the start of the window and the first
page, so it loads only what it needs.
"""

import os
import sys
import time
from pathlib import Path

from inspector.layout.opened import FileIdentity, Mode
from inspector.reading.layouts import layouts_of
from inspector.reading.process import refuse, run


def main(arguments: list[str]) -> int:
    """Serve one file until standard input ends, and return the exit status."""
    background = arguments[:1] == ["--background"]
    layout = None
    rest = arguments[1:] if background else arguments
    match rest:
        case ["--errand", "--", path]:
            return _run_errand(path, None)
        case ["--errand", "--same-as", told, "--", path]:
            return _run_errand(path, FileIdentity.parsed(told))
        case ["--layout", file, *others]:
            layout, rest = Path(file), others
        case _:
            pass
    mode = None
    match rest:
        case ["--mode", wanted, *others] if wanted in Mode.__members__.values():
            mode, rest = Mode(wanted), others
        case _:
            pass
    match rest:
        case ["--same-as", told, "--", path]:
            return _run(path, mode, layout, background=background, same_as=FileIdentity.parsed(told))
        case ["--", path] | [path]:
            return _run(path, mode, layout, background=background)
    sys.stderr.write(
        f"usage: python -m inspector.reading [--background] [--layout FILE] [--mode {'|'.join(Mode)}] [--] PATH\n"
    )
    return 2


def _run_errand(path: str, same_as: FileIdentity | None) -> int:
    from inspector.reading.errand import run_errand  # noqa: PLC0415  a reader needs none of it

    return run_errand(path, _now_ms, same_as)


def _run(
    path: str, mode: Mode | None, layout: Path | None, *, background: bool, same_as: FileIdentity | None = None
) -> int:
    try:
        layouts = layouts_of(layout, os.environ, any_tables=True)
    except ValueError as error:
        return refuse(str(error), _now_ms())
    return run(path, mode, _now_ms, background=background, layouts=layouts, same_as=same_as)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
