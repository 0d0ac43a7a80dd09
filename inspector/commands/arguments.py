"""The arguments and options that several commands take."""

import math
import os
from pathlib import Path
from typing import Final

import click

from inspector.layout.opened import Mode


class FilePath(click.ParamType[Path]):
    """A path as it was typed; whether something is there is for the command to say."""

    name = "path"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; refuse an empty one, which would be the current folder."""
        text = str(value)
        if not text:
            self.fail("the path is empty.", param, ctx)
        if "\0" in text:
            self.fail("a path holds no NUL character.", param, ctx)
        return Path(text)


class StoredId(click.ParamType[str]):
    """An id as a database holds it: any text, as far as it is text."""

    name = "id"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id, whatever the locale made of its UTF-8; refuse bytes that are none."""
        text = str(value)
        try:
            # What the locale could not decode is there as lone surrogates; the C locale decodes nothing but ASCII.
            return text if _is_text(text) else os.fsencode(text).decode()
        except UnicodeError:
            self.fail(f"{text!r} is not UTF-8, and no text can be given as anything else.", param, ctx)


class RealNumber(click.FloatRange):
    """A number within a range; what is no number at all is outside."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or refuse it in words."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self.min}<=x<={self.max}.", param, ctx)
        return number


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


database_argument: Final = click.argument("database", metavar="DB", type=FilePath())

task_argument: Final = click.argument("task_id", metavar="TASK", type=StoredId())

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")

mode_option: Final = click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    callback=lambda _ctx, _param, value: None if value is None else Mode(value),
    help="How to read the file. The default is found out; a wrong wish is refused with the reason.",
)

layout_option: Final = click.option(
    "--layout",
    metavar="FILE",
    type=FilePath(),
    help="Read the file as the layout that FILE describes. The default is found out.",
)

proof_option: Final = click.option(
    "--proof", "proving", is_flag=True, help="Hash the file before and after, and say in one line that it is the same."
)
