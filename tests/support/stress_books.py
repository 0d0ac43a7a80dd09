"""Holds what the processes of a stress run were told against all that there ever was: the database and its archive."""

import csv
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

_ONE_OF: Final = "'response.completed', 'response.failed', 'response.cancelled'"

_BREAKS: Final = {
    "an acknowledged event is not there, or is another": """
        SELECT a.task_id, a.seq, a.type, a.status, a.attempt, e.type, e.status, e.attempt
        FROM told AS a LEFT JOIN task_events AS e ON e.task_id = a.task_id AND e.seq = a.seq
        WHERE a.kind IN ('wrote', 'replayed')
              AND (e.type, e.status) IS NOT (a.type, a.status)""",
    "an event was acknowledged to two": """
        SELECT task_id, seq, count(*) FROM told WHERE kind = 'wrote' GROUP BY task_id, seq HAVING count(*) > 1""",
    "an event was acknowledged to nobody": """
        SELECT e.task_id, e.seq, e.type
        FROM task_events AS e LEFT JOIN told AS a ON a.task_id = e.task_id AND a.seq = e.seq AND a.kind = 'wrote'
        WHERE a.kind IS NULL""",
    "an attempt has written what is another's": """
        SELECT a.task_id, a.seq, a.type, a.attempt, e.attempt
        FROM told AS a JOIN task_events AS e ON e.task_id = a.task_id AND e.seq = a.seq
        WHERE a.kind = 'wrote' AND a.attempt <> e.attempt AND a.attempt <> 0""",
    "an attempt has written after recovery had raised it": """
        SELECT DISTINCT a.task_id, a.seq, a.type, a.attempt
        FROM told AS a JOIN task_events AS e ON e.task_id = a.task_id AND e.seq < a.seq AND e.attempt > a.attempt
        WHERE a.kind = 'wrote' AND a.attempt <> 0""",
    "an end of a task has not exactly one winner": f"""
        SELECT t.id, t.status, count(a.kind)
        FROM tasks AS t LEFT JOIN told AS a ON a.task_id = t.id AND a.kind = 'wrote' AND a.type IN ({_ONE_OF})
        GROUP BY t.id
        HAVING count(a.kind) <> (t.status IN ('completed', 'failed', 'cancelled'))""",
    "a loser was told of an end that is not there": """
        SELECT a.task_id, a.seq, a.status, e.status
        FROM told AS a LEFT JOIN task_events AS e
             ON e.task_id = a.task_id AND e.seq = a.seq AND e.type = 'response.' || a.status
        WHERE a.kind = 'seen' AND e.status IS NOT a.status""",
    "a task was not found though nothing had deleted it": """
        SELECT task_id FROM told WHERE kind = 'missed' AND task_id NOT IN (SELECT task_id FROM deleted)""",
    "a task was not accepted by exactly one": """
        SELECT task_id, count(*) FROM told
        WHERE type = 'response.created' GROUP BY task_id HAVING sum(kind = 'wrote') <> 1""",
    "a task was acknowledged for two keys, or two requests with one key": """
        SELECT task_id, count(DISTINCT key) FROM told
        WHERE type = 'response.created' GROUP BY task_id HAVING count(DISTINCT key) <> 1""",
    "a key led to a second task while it was kept": """
        SELECT a.key, a.task_id, b.task_id
        FROM told AS a
        JOIN told AS b ON substr(b.key, 1, length(b.key) - 2) = substr(a.key, 1, length(a.key) - 2)
                          AND b.kind = 'wrote' AND a.kind = 'wrote'
        JOIN task_events AS first ON first.task_id = a.task_id AND first.seq = 1
        JOIN task_events AS second ON second.task_id = b.task_id AND second.seq = 1
        LEFT JOIN deleted AS d ON d.task_id = a.task_id
        WHERE a.type = 'response.created' AND b.type = 'response.created' AND first.id < second.id
              AND (d.last_event IS NULL OR d.last_event >= second.id)""",
    "cleanup has deleted what had not ended before its cutoff": """
        SELECT task_id, status, finished_at, cutoff_ms FROM deleted
        WHERE status NOT IN ('completed', 'failed', 'cancelled') OR finished_at IS NULL OR finished_at >= cutoff_ms""",
    "a task was deleted twice": """
        SELECT task_id, count(*) FROM deleted GROUP BY task_id HAVING count(*) > 1""",
    "an acknowledged snapshot is lost": """
        SELECT a.task_id, a.attempt, a.seq, t.snapshot
        FROM told AS a JOIN tasks AS t ON t.id = a.task_id
        WHERE a.kind = 'kept' AND (t.snapshot IS NULL
              OR (a.attempt, a.seq) > (json_extract(t.snapshot, '$.attempt'), json_extract(t.snapshot, '$.number')))""",
    "a snapshot was saved by an attempt that held the task no more": """
        SELECT t.id, t.snapshot, e.attempt
        FROM tasks AS t JOIN task_events AS e ON e.task_id = t.id AND e.seq = t.snapshot_seq
        WHERE json_extract(t.snapshot, '$.attempt') <> e.attempt""",
}
"""Each break with the query that finds it. What was told is in ``told``.

In a snapshot ``seq`` is its number. ``key`` is the key of an acceptance, a space, and which request came with it.
"""


def open_books(archive: Path, books: Iterable[Path]) -> sqlite3.Connection:
    """Open the completed archive of a run, and put beside it what its processes were told."""
    conn = sqlite3.connect(archive, isolation_level=None)
    conn.execute("PRAGMA synchronous = OFF")
    conn.execute("PRAGMA temp_store = FILE")
    conn.execute("""
        CREATE TEMP TABLE told (kind TEXT, task_id TEXT, seq INTEGER, type TEXT, status TEXT, attempt INTEGER,
                                key TEXT)""")
    conn.execute("BEGIN")
    for book in books:
        with book.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            conn.executemany("INSERT INTO told VALUES (?, ?, ?, ?, ?, ?, ?)", lines)
    conn.execute("COMMIT")
    conn.execute("CREATE INDEX told_by_task ON told (task_id, seq)")
    conn.execute("CREATE INDEX told_by_key ON told (substr(key, 1, length(key) - 2))")
    return conn


def breaks_in(conn: sqlite3.Connection) -> Iterator[str]:
    """Give a sentence for each way in which what was told is not what is there."""
    for what, sql in _BREAKS.items():
        rows = conn.execute(sql).fetchall()
        if rows:
            yield f"{what}: {len(rows)} times, such as {json.dumps(rows[:3])}"


def told_and_untrue(archive: Path, books: Iterable[Path]) -> list[str]:
    """Return a sentence for each way in which what was told is not what is there."""
    with closing(open_books(archive, books)) as conn:
        return list(breaks_in(conn))
