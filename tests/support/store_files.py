"""Files that are not, or not quite, a database of the native layout."""

import hashlib
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from inspector.layout import native
from tests.support.subject import store

Maker = Callable[[Path], object]


def native_file(path: Path, *changes: str) -> None:
    """Make a native database with one queued task, t, and then run ``changes`` on it."""
    db = store.open_service_database(path)
    store.accept_task(db, request={}, on_restart="retry", task_id="t", now_ms=100)
    for change in changes:
        db.conn.execute(change)
    db.close()


def other_file(path: Path, *statements: str) -> None:
    """Make a database by these statements alone."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        for statement in statements:
            conn.execute(statement)


def changed(*changes: str) -> Maker:
    """Return what makes a native database and then changes it."""
    return lambda path: native_file(path, *changes)


def made_of(*statements: str) -> Maker:
    """Return what makes a database of other statements."""
    return lambda path: other_file(path, *statements)


_MARKS = (f"PRAGMA application_id = {native.APPLICATION_ID}", f"PRAGMA user_version = {native.USER_VERSION}")

NOT_OURS: dict[str, tuple[Maker, str]] = {
    "a database of others": (made_of("CREATE TABLE t (x)"), "not marked"),
    "a database of others with our tables": (
        made_of("CREATE TABLE tasks (id)", "CREATE TABLE task_events (id)"),
        "not",
    ),
    "a database of others in WAL": (made_of("PRAGMA journal_mode = WAL", "CREATE TABLE t (x)"), "not marked"),
    "a mark of others": (changed("PRAGMA application_id = 7"), "not marked"),
    "no mark": (changed("PRAGMA application_id = 0"), "not marked"),
    "our mark and nothing else": (made_of(*_MARKS), "lacks triggers"),
    "a newer version": (changed("PRAGMA user_version = 2"), "version 2"),
    "a version of before": (changed("PRAGMA user_version = 0"), "version 0"),
    "a trigger of others": (
        changed("CREATE TRIGGER evil AFTER UPDATE OF status ON tasks BEGIN DELETE FROM models; END"),
        "evil",
    ),
    "a trigger of others on another table": (
        changed("CREATE TRIGGER evil AFTER INSERT ON clients BEGIN DELETE FROM models; END"),
        "evil",
    ),
    "a trigger under our name": (
        changed(
            "DROP TRIGGER tasks_move_with_their_event",
            "CREATE TRIGGER tasks_move_with_their_event AFTER INSERT ON clients BEGIN SELECT 1; END",
        ),
        "tasks_move_with_their_event",
    ),
    "a trigger less": (changed("DROP TRIGGER task_events_never_change"), "task_events_never_change"),
    "a table less": (changed("DROP TABLE models"), "its layout: models."),
    "a column less": (changed("ALTER TABLE tasks DROP COLUMN error_message"), "its layout: tasks: error_message TEXT."),
    "a view for a table": (
        changed(
            "DROP TABLE models",
            """CREATE VIEW models AS SELECT 'm' AS id, 'm' AS name, '' AS digest, 1 AS size_bytes, '' AS path,
               '' AS format, '' AS metadata, 1 AS added_at""",
        ),
        "its layout: models.",
    ),
    "a virtual table for a table": (
        changed(
            "DROP TABLE models",
            """CREATE VIRTUAL TABLE models
               USING fts5 (id, name, digest, size_bytes, path, format, metadata, added_at)""",
        ),
        "its layout: models.",
    ),
    "a generated column for a column": (
        changed(
            "DROP TABLE models",
            """CREATE TABLE models (id TEXT, name TEXT, digest TEXT AS (hex(zeroblob(1000000000))), size_bytes INTEGER,
               path TEXT, format TEXT, metadata TEXT, added_at INTEGER)""",
        ),
        "models: digest TEXT NOT NULL CHECK",
    ),
}
"""Sound databases to which nothing may be written: how to make each, and what the sentence names."""


def half_a_database(path: Path) -> None:
    """Make a native database, and cut it in the middle."""
    native_file(path)
    os.truncate(path, path.stat().st_size // 2)


UNUSABLE: dict[str, Maker] = {
    "text": lambda path: path.write_text("not a database, but longer than a header of one hundred bytes " * 20),
    "a header and nothing else": lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(84)),
    "half a database": half_a_database,
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to(path.with_name("nothing")),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
}
"""What cannot be used at all, whoever opens it."""


def journal_that_names_another_file(path: Path, victim: Path) -> None:
    """Put a rollback journal beside the database that has SQLite 3.40 delete ``victim``."""
    name = os.fsencode(victim)
    record = (1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big")
    path.with_name(f"{path.name}-journal").write_bytes(
        bytes.fromhex("d9d505f920a163d7") + bytes(504) + record + bytes.fromhex("d9d505f920a163d7")
    )


def picture(folder: Path) -> dict[str, str]:
    """Return each regular file of the folder with a digest of its bytes, and each other thing with its kind."""
    return {
        entry.name: hashlib.sha256(entry.read_bytes()).hexdigest() if entry.is_file() else oct(entry.lstat().st_mode)
        for entry in folder.iterdir()
    }
