"""How a reader process is started. Imports next to nothing: a window starts one before anything else is loaded."""

import sys
from typing import Final

READER_ARGUMENT: Final = "--run-reader"
"""How a frozen program is told to be the reader: it has no ``python -m``."""


def same_as_arguments(identity: object) -> list[str]:
    """Return how a reader process is told which file has to lie at its path: ``identity``, or any where it is None."""
    return [] if identity is None else ["--same-as", str(identity)]


def reader_command() -> list[str]:
    """Return the command that starts a reader process, from source or frozen, without the file's path."""
    if getattr(sys, "frozen", False):
        return [sys.executable, READER_ARGUMENT]
    return [sys.executable, "-m", "inspector.reading"]
