"""The layout of a database that is written to: created, brought up to the newest version, and checked."""

import sqlite3
from collections.abc import Mapping

from sqlite_utils import Database

from inspector.layout import native
from inspector.layout.comparing import differences
from inspector.layout.native import Layout
from inspector.store.errors import NotOurs, Unusable
from inspector.store.pragmas import asked, set_pragma
from inspector.store.writing import write_transaction


def create_or_migrate(db: Database, layouts: Mapping[int, Layout]) -> None:
    """Create the newest of the layouts in an empty database, or bring one that has an older one of them up to it.

    Either is one transaction: another process sees the database before it or after it, and a crash leaves it as it was.
    Raises NotOurs where the older layout is not as it should be, Unusable where rows do not fit the newest; then
    nothing was changed. Foreign keys are not checked on this connection afterwards: switch them on.
    """
    newest = max(layouts)
    if not _is_empty(db.conn) and not _is_older(db.conn, layouts):
        return
    # A statement that rebuilds a table would delete what refers to it. SQLite does not take this in a transaction.
    set_pragma(db.conn, "foreign_keys", "OFF", 0)
    with write_transaction(db) as conn:
        # Two processes may open it at once: the second finds the layout of the first.
        if _is_empty(conn):
            for statement in layouts[newest].statements:
                conn.execute(statement)
        elif _is_older(conn, layouts):
            _migrate(conn, layouts)


def _migrate(conn: sqlite3.Connection, layouts: Mapping[int, Layout]) -> None:
    newest = max(layouts)
    version = int(str(asked(conn, "user_version")))
    check_layout(conn, layouts[version])
    for step in range(version + 1, newest + 1):
        for statement in layouts[step].upgrade:
            conn.execute(statement)
        conn.execute(f"PRAGMA user_version = {step}")
    check_layout(conn, layouts[newest])
    if conn.execute("PRAGMA foreign_key_check").fetchall():
        raise Unusable(
            f"The database has rows whose task is gone: it stays at layout version {version}, nothing was changed."
        )


def _is_older(conn: sqlite3.Connection, layouts: Mapping[int, Layout]) -> bool:
    version = asked(conn, "user_version")
    return (
        asked(conn, "application_id") == native.APPLICATION_ID
        and isinstance(version, int)
        and version in layouts
        and version < max(layouts)
    )


def check_layout(conn: sqlite3.Connection, layout: Layout) -> None:
    """Raise NotOurs where the database is anything but this version of the layout with its own triggers, all of them.

    Its tables have each column, key and CHECK of the layout, in its words; tables and columns more are no hindrance
    unless they act on other rows, and neither are indexes less. A newer version is named, and what to do about it.
    """
    if asked(conn, "application_id") != native.APPLICATION_ID:
        raise NotOurs("The database is not marked as an LMSP database of the native layout.")
    version = asked(conn, "user_version")
    if version != layout.version:
        raise NotOurs(_other_version(version, layout.version))
    schema = conn.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    for what, names in differences(schema, layout):
        raise NotOurs(f"The database {what}: {'; '.join(names)}.")


def _is_empty(conn: sqlite3.Connection) -> bool:
    rows = conn.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    return rows[0][0] == 0 and asked(conn, "application_id") == 0 and asked(conn, "user_version") == 0


def _other_version(found: object, known: int) -> str:
    if isinstance(found, int) and found > known:
        return (
            f"The database has layout version {found}, newer than version {known} which is known here: "
            "it can be read; to write to it, use a newer release of this program."
        )
    return (
        f"The database has layout version {found}, and version {known} is written here: "
        "start its service with this release, which brings the older versions it knows up to date."
    )
