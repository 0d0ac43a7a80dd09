"""How a command ends when it is not done."""

from pathlib import Path
from typing import Final

import click

REFUSED: Final = 1
"""A rule said no, or what was asked for is not there."""
UNUSABLE: Final = 2
"""The input or the arguments cannot be used."""
INTERRUPTED: Final = 130
"""Ended from the keyboard, as a shell reports it."""
NOBODY_READS: Final = 141
"""Standard output was closed by its reader, as a shell reports it of any program that dies of it."""


class NotDone(click.ClickException):
    """The command ends here with one sentence on standard error and nothing more on standard output."""

    exit_code = UNUSABLE


def unusable(path: Path, sentence: str) -> NotDone:
    """Return what to raise where the file at ``path`` cannot be used: its name, and the reason."""
    return NotDone(f"{path.name}: {sentence}")


class Refused(NotDone):
    """A rule said no, or what was asked for is not there."""

    exit_code = REFUSED
