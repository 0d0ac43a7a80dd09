"""Databases in which one chosen page is broken: that of a table or of an index."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.pages import PAGE, root_of, zeroed
from tests.support.reading_databases import add_deltas, add_task, create, move_task

TASKS = 60
EVENTS = TASKS * 22
_TABLE_LEAF = 13


def many_pages(path: Path, *, journal: str = "delete") -> Path:
    """Make a database whose events take many pages."""
    db = create(path, journal=journal)
    db.execute("PRAGMA synchronous=OFF")
    for number in range(TASKS):
        add_task(db, f"task-{number:03}", client_id="c", model_id="m")
        move_task(db, f"task-{number:03}", "running")
        add_deltas(db, f"task-{number:03}", 20)
    db.close()
    return path


def without_a_page_of_events(path: Path) -> Path:
    """Overwrite one page of events in the midst of them."""
    data = bytearray(path.read_bytes())
    leaves = [
        at for at in range(0, len(data), PAGE)
        if data[at] == _TABLE_LEAF and b"response.output_text.delta" in data[at : at + PAGE]
    ]  # fmt: skip
    middle = leaves[len(leaves) // 2]
    data[middle : middle + PAGE] = bytes(PAGE)
    path.write_bytes(data)
    return path


def with_a_short_index(path: Path, index: str) -> Path:
    """Let the only page of ``index`` hold one entry less than the table has rows."""
    data = bytearray(path.read_bytes())
    at = (root_of(path, index) - 1) * PAGE
    entries = int.from_bytes(data[at + 3 : at + 5], "big")
    data[at + 3 : at + 5] = (entries - 1).to_bytes(2, "big")
    path.write_bytes(data)
    return path


def without_a_root(path: Path, name: str) -> Path:
    """Overwrite the first page of a table or an index."""
    return zeroed(path, path.read_bytes(), root_of(path, name))


def behind_the_back_of(path: Path, index: str, *statements: str) -> Path:
    """Run statements that ``index`` does not learn of, nor a trigger: SQLite follows it as before and says nothing."""
    hidden = "FROM sqlite_schema WHERE name = ? OR type = 'trigger'"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        rows = db.execute(f"SELECT type, name, tbl_name, rootpage, sql {hidden}", [index]).fetchall()
        db.execute(f"DELETE {hidden}", [index])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
        db.execute("PRAGMA writable_schema=ON")
        db.executemany("INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)", rows)
    return path
