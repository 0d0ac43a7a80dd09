"""The arguments and options that several commands take."""

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


class TaskId(click.ParamType[str]):
    """The id of a task: any text, as far as it is text."""

    name = "task"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id; refuse bytes that are no text in the terminal's encoding."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"{text!r} is not UTF-8, as the id of a task is.", param, ctx)
        return text


database_argument: Final = click.argument("database", metavar="DB", type=FilePath())

task_argument: Final = click.argument("task_id", metavar="TASK", type=TaskId())

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")

mode_option: Final = click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    callback=lambda _ctx, _param, value: None if value is None else Mode(value),
    help="How to read the file. The default is found out; a wrong wish is refused with the reason.",
)
