"""Starting the reader process. Imports no Qt, so that the reader is at work while Qt is still being loaded."""

import contextlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inspector.layout.opened import FileIdentity, Mode
from inspector.lmsp.values import value
from inspector.reading.command import reader_command, same_as_arguments

if TYPE_CHECKING:
    from inspector.reading.requests import Request

DEADLINE_MS: Final = 5_000
"""How long a request may take before its answer is given up."""


@value
class Target:
    """A file to open, and how: ``mode`` None lets the reader choose."""

    path: Path
    mode: Mode | None = None
    layout: Path | None = None
    """The description of the layout that it is read as; None where that is found out."""
    same_as: FileIdentity | None = None
    """Which file has to lie there; None for any."""


def launch_reader(target: Target, command: Sequence[str] | None = None) -> subprocess.Popen[bytes]:
    """Start a reader process on ``target``: requests go to its standard input, messages come from its output."""
    layout = [] if target.layout is None else ["--layout", str(target.layout.absolute())]
    mode = [] if target.mode is None else ["--mode", target.mode.value]
    return subprocess.Popen(
        # Behind the two dashes a path may begin with one.
        [*(command or reader_command()), *layout, *mode, *same_as_arguments(target.same_as), "--", str(target.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@value
class Launched:
    """A reader process at work, and the questions that it was asked already, numbered from 1."""

    process: subprocess.Popen[bytes]
    asked: "tuple[Request, ...]" = ()


def launch_with_first_page(target: Target) -> Launched:
    """Start a reader process and ask it for the first page of tasks, which then waits until there is a window for it.

    A reader that has ended by now is found out by whoever reads its messages.
    """
    process = launch_reader(target)
    # The reader is loaded meanwhile, on another core.
    from inspector.reading.messages import Asked  # noqa: PLC0415
    from inspector.reading.requests import TaskPageRequest  # noqa: PLC0415
    from inspector.reading.wire import encode  # noqa: PLC0415

    request = TaskPageRequest()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.write(encode(Asked(1, request, DEADLINE_MS)))
            process.stdin.flush()
    return Launched(process, (request,))
