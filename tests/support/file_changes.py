"""What somebody does to a database, or to what lies beside it, while it is open."""

import os
from collections.abc import Callable
from pathlib import Path


def halved(path: Path) -> None:
    """Cut the second half of the file off."""
    os.truncate(path, path.stat().st_size // 2)


def with_an_end(path: Path) -> None:
    """Add something at the end of the file."""
    with path.open("ab") as file:
        file.write(b"x" * 10_000)


def without_its(suffix: str) -> Callable[[Path], None]:
    """Return what removes a companion of the database."""
    return lambda path: path.with_name(path.name + suffix).unlink()


def with_emptied(suffix: str) -> Callable[[Path], None]:
    """Return what cuts a companion of the database to nothing."""
    return lambda path: os.truncate(path.with_name(path.name + suffix), 0)
