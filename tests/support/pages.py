"""The pages of a database that was made by the tests, by their numbers, and how to take some away."""

import sqlite3
from contextlib import closing
from pathlib import Path

PAGE = 4096
"""The bytes of a page of all databases here."""


def root_of(path: Path, name: str) -> int:
    """Return the number of the first page of a table or index."""
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [name]).fetchone()
    assert isinstance(root, int)
    return root


def children(data: bytes, page: int) -> list[int]:
    """Return the pages below an interior page of a b-tree, in order (SQLite's file format, section 1.6)."""
    start = (page - 1) * PAGE
    if data[start] not in (2, 5):
        return []
    count = int.from_bytes(data[start + 3 : start + 5], "big")
    cells = [int.from_bytes(data[start + 12 + 2 * at : start + 14 + 2 * at], "big") for at in range(count)]
    below = [int.from_bytes(data[start + cell : start + cell + 4], "big") for cell in cells]
    below.append(int.from_bytes(data[start + 8 : start + 12], "big"))
    return [each for child in below for each in (child, *children(data, child))]


def without(path: Path, whole: bytes, *broken: tuple[str, int]) -> Path:
    """Write the database of these bytes to ``path``, without pages of tables and indexes, each by name and place.

    The place 0 is the root, the others are the pages below it in their order.
    """
    path.write_bytes(whole)
    pages = [[root_of(path, name), *children(whole, root_of(path, name))][place] for name, place in broken]
    return zeroed(path, whole, *pages)


def zeroed(path: Path, whole: bytes, *pages: int) -> Path:
    """Write the database of these bytes to ``path``, with nothing but zeros in these pages."""
    data = bytearray(whole)
    for page in pages:
        data[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    path.write_bytes(data)
    return path
