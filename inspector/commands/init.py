"""``init``: a new, empty database in the native layout."""

import contextlib
import os
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import database_argument
from inspector.commands.ending import NotDone
from inspector.commands.output import write_lines
from inspector.layout import native
from inspector.layout.visible import visible
from inspector.reading.beside import why_not_new
from inspector.store import Unusable, open_service_database

_COMPANIONS: Final = ("-wal", "-shm", "-journal")


@click.command()
@database_argument
def init(database: Path) -> None:
    """Create a new, empty database in the native layout.

    What is at DB already is not touched, whatever it is.
    """
    shown = visible(str(database))
    _claim(database, shown)
    try:
        open_service_database(database).close()
    except BaseException as error:
        _remove(database)
        if isinstance(error, Unusable):
            raise NotDone(f"{shown} was not created: {error.sentence}") from error
        raise
    write_lines(f"Created {shown}: the native layout, version {native.USER_VERSION}, with no task in it.")


def _claim(path: Path, shown: str) -> None:
    """Make the file, empty, in one step that fails where anything has its name; nobody else can make it after that."""
    try:
        if os.path.lexists(path):
            raise FileExistsError
        if (why_not := why_not_new(path)) is not None:
            raise NotDone(why_not)
        # SQLite would take what lies there for this file's own: it would roll it back into the new database.
        for beside in (Path(f"{path}{suffix}") for suffix in _COMPANIONS):
            if os.path.lexists(beside):
                raise NotDone(f"{shown} was not created: {visible(beside.name)} of an earlier database lies beside it.")
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    except FileExistsError as error:
        raise NotDone(f"{shown} is there already and was not touched.") from error
    except FileNotFoundError as error:
        raise NotDone(f"{shown} was not created: there is no folder {visible(str(path.parent))}.") from error
    except OSError as error:
        raise NotDone(f"{shown} was not created: {error.strerror}.") from error


def _remove(path: Path) -> None:
    for made in (path, *(Path(f"{path}{suffix}") for suffix in _COMPANIONS)):
        with contextlib.suppress(OSError):
            made.unlink()
