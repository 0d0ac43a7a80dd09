"""Starting the reader process. Imports no Qt, so that the reader is at work while Qt is still being loaded."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector.layout.opened import Mode

READER_ARGUMENT: Final = "--run-reader"
"""How a frozen program is told to be the reader: it has no ``python -m``."""


def reader_command() -> list[str]:
    """Return the command that starts a reader process, from source or frozen, without the file's path."""
    if getattr(sys, "frozen", False):
        return [sys.executable, READER_ARGUMENT]
    return [sys.executable, "-m", "inspector.reading"]


@dataclass(frozen=True, slots=True)
class Target:
    """A file to open, and how: ``mode`` None lets the reader choose."""

    path: Path
    mode: Mode | None = None


def launch_reader(target: Target, command: Sequence[str] | None = None) -> subprocess.Popen[bytes]:
    """Start a reader process on ``target``: requests go to its standard input, messages come from its output."""
    mode = [] if target.mode is None else ["--mode", target.mode.value]
    return subprocess.Popen(
        # Behind the two dashes a path may begin with one.
        [*(command or reader_command()), *mode, "--", str(target.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
