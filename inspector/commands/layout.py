"""``layout``: what a database is read as, as a description to keep and to correct."""

from pathlib import Path

import click

from inspector.commands.arguments import FilePath, database_argument, layout_option, mode_option
from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone, Refused
from inspector.commands.opening import layouts_of_others, opened_lines, reading
from inspector.commands.output import write_lines
from inspector.layout.description import toml_of
from inspector.layout.opened import Mode
from inspector.layout.visible import visible
from inspector.reading.layouts import NotSaved, save_description


@click.command()
@database_argument
@click.option("--save", "target", metavar="FILE", type=FilePath(), help="Write it to FILE, a new one.")
@mode_option
@layout_option
@click.pass_obj
def layout(clock: Clock, database: Path, target: Path | None, mode: Mode | None, layout: Path | None) -> None:
    """Print the description of the layout that DB is read as, where that is not the native one.

    It is TOML, to be corrected and given to --layout, or kept in the folder lmsp-inspector/layouts of your
    configuration, where it is found by itself.
    """
    with reading(database, mode, clock, layouts=layouts_of_others(layout)) as reader:
        description, opened = reader.description, reader.opened
    if description is None:
        raise Refused(f"{visible(database.name)} is read as the native layout: there is nothing to describe.")
    text = toml_of(description)
    if target is None:
        write_lines(*(visible(line) for line in text.splitlines()))
        return
    try:
        save_description(text, target)
    except NotSaved as error:
        raise NotDone(error.sentence) from error
    write_lines(f"Saved as {visible(str(target))}.", *opened_lines(opened))
