"""Names that SQLite uses beside a database: what is written there would be taken for a part of it."""

import os
from pathlib import Path

from inspector.layout.visible import visible
from inspector.reading.companions import SUFFIXES


def why_not_new(path: Path, database: Path | None = None) -> str | None:
    """Say in a sentence why nothing new may be written to ``path``; None where it may.

    Something is there already, or SQLite would take it for the -wal, -shm or -journal of a file that is there:
    ``database``, by its name or by that of the file which it leads to, or any other one.
    """
    named = visible(str(path))
    if os.path.lexists(path):
        return f"{named} is there already and is left as it is: name a new one."
    suffix = next((each for each in SUFFIXES if path.name.endswith(each)), None)
    if suffix is None:
        return None
    of = path.with_name(path.name.removesuffix(suffix) or ".")
    places = [] if database is None else [_place(database), Path(os.path.realpath(database))]
    if _place(of) in places or of.is_file():
        return f"{named} is a name that SQLite uses beside {visible(of.name)}: name another one."
    return None


def _place(path: Path) -> Path:
    # Not Path.resolve: it raises where links lead in a circle.
    return Path(os.path.realpath(path.parent), path.name)
