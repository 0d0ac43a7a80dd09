"""The archive of a stress run: what cleanup deletes stays there, so that it can still be checked at the end.

A trigger on the cleaner's own connection copies each task in the transaction that deletes it. So the archive holds
exactly what was deleted, as it was then, and with it the cutoff and the last event that there was at that moment.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlite_utils import Database

TABLES: Final = ("tasks", "task_events", "responses", "idempotency_keys")


def archive_in(folder: Path) -> Path:
    """Return where the archive of a run lies."""
    return folder / "archive.db"


def attach_archive(db: Database, archive: Path) -> None:
    """Make the archive, and let this connection's deletions of tasks fill it."""
    conn = db.conn
    conn.execute("ATTACH ? AS archive", (str(archive),))
    # Nobody is told that it is durable.
    conn.execute("PRAGMA archive.journal_mode = MEMORY").fetchall()
    conn.execute("PRAGMA archive.synchronous = OFF")
    for table in TABLES:
        conn.execute(f"CREATE TABLE archive.archived_{table} AS SELECT * FROM main.{table} WHERE 0")
    conn.execute("CREATE TABLE archive.deleted (task_id, status, finished_at, cutoff_ms, last_event)")
    conn.execute("CREATE TEMP TABLE cleaning (cutoff_ms)")
    conn.execute("INSERT INTO cleaning VALUES (NULL)")
    # Within a trigger a table that is written to has no name of its database: so these are named apart.
    conn.execute("""
        CREATE TEMP TRIGGER archive_tasks BEFORE DELETE ON main.tasks
        BEGIN
            INSERT INTO deleted
            SELECT OLD.id, OLD.status, OLD.finished_at, cutoff_ms,
                   (SELECT seq FROM main.sqlite_sequence WHERE name = 'task_events')
            FROM cleaning;
            INSERT INTO archived_tasks SELECT * FROM main.tasks WHERE id = OLD.id;
            INSERT INTO archived_task_events SELECT * FROM main.task_events WHERE task_id = OLD.id;
            INSERT INTO archived_responses SELECT * FROM main.responses WHERE task_id = OLD.id;
            INSERT INTO archived_idempotency_keys SELECT * FROM main.idempotency_keys WHERE task_id = OLD.id;
        END""")


def say_cutoff(db: Database, cutoff_ms: int) -> None:
    """Note before which moment a task has finished that is deleted from now on."""
    db.conn.execute("UPDATE cleaning SET cutoff_ms = ?", (cutoff_ms,))


def complete_archive(archive: Path, path: Path) -> None:
    """Add to the archive what was never deleted from the database at ``path``: it is then all that there ever was.

    For when the run is over. Its tables get the names of the layout.
    """
    with closing(sqlite3.connect(archive, isolation_level=None)) as conn:
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute("ATTACH ? AS service", (str(path),))
        conn.execute("BEGIN")
        for table in TABLES:
            conn.execute(f"ALTER TABLE main.archived_{table} RENAME TO {table}")
            conn.execute(f"INSERT INTO main.{table} SELECT * FROM service.{table}")
        # A task that was in the archive and in the database is a fault that these do not take.
        conn.execute("CREATE UNIQUE INDEX tasks_by_id ON tasks (id)")
        conn.execute("CREATE UNIQUE INDEX events_by_task ON task_events (task_id, seq)")
        conn.execute("CREATE UNIQUE INDEX events_by_id ON task_events (id)")
        for table in ("responses", "idempotency_keys"):
            conn.execute(f"CREATE INDEX {table}_by_task ON {table} (task_id)")
        conn.execute("COMMIT")
