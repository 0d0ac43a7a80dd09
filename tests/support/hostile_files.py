"""Databases that somebody made to hold up, mislead or break whoever looks at them."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from inspector.layout import native
from tests.support.reading_databases import START_MS, add_task, create, move_task

MARKUP = '<img src="file:///etc/hostname" width=90000 height=90000><b>bold</b>'
ODD = "\u202e\u200b\x1b[2J\x1b]52;c;Zm9v\x07\x00\x85\u2028end"
HUGE = 10_000_000
GIGANTIC = 500_000_000
MANY_TABLES = 10_000
"""As many as SQLite itself reads in a few tenths of a second; ten times as many take it a hundred times as long."""
KEYS = ("id", "task_id", "seq", "status", "key", "client_id", "created_at")


def loose(path: Path) -> sqlite3.Connection:
    """Make a database with the native tables' names and columns, and none of their rules."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=OFF")
    native_db = create(path.with_name("native.db"), journal="delete")
    for table in native.TABLES:
        names = [row[1] for row in native_db.execute(f"PRAGMA table_xinfo({table})")]
        db.execute(f"CREATE TABLE {table} ({', '.join(names)})")
    native_db.close()
    path.with_name("native.db").unlink()
    return db


def fill(db: sqlite3.Connection, text: object, *, but: tuple[str, ...] = ("seq", "created_at", "status")) -> None:
    """Put ``text`` into each column of one row of each table, and some plain tasks beside it; then close ``db``."""
    for table in native.TABLES:
        names = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
        values = [_plain(name) if name in but else text for name in names]
        db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", values)
    for number in range(30):
        db.execute("INSERT INTO tasks (id, status, created_at) VALUES (?, 'queued', ?)", [f"plain-{number}", START_MS])
    db.close()


def _plain(name: str) -> object:
    return {"seq": 1, "created_at": START_MS + 5, "status": "running"}[name]


def markup_everywhere(path: Path) -> None:
    fill(loose(path), MARKUP)


def markup_in_numbers_too(path: Path) -> None:
    fill(loose(path), MARKUP, but=())


def odd_characters_in_numbers_too(path: Path) -> None:
    fill(loose(path), ODD, but=())


def odd_characters_everywhere(path: Path) -> None:
    fill(loose(path), ODD)


def huge_text_everywhere(path: Path) -> None:
    fill(loose(path), "x" * HUGE)


def huge_text_where_others_have_none(path: Path) -> None:
    """The columns that :func:`fill` leaves plain: statuses, times and numbers of events."""
    fill(loose(path), "plain")
    with closing(sqlite3.connect(path)) as db, db:
        for table in native.TABLES:
            for name in ("seq", "created_at", "status"):
                if name in [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]:
                    db.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = 1", ["x" * HUGE])


def one_gigantic_value(path: Path) -> None:
    """A request of 500 MB."""
    db = loose(path)
    rows = "INSERT INTO tasks (id, status, created_at, request) VALUES (?, 'running', ?, zeroblob(?))"
    db.execute(rows, ["plain", START_MS, GIGANTIC])
    db.close()


def huge_lines_everywhere(path: Path) -> None:
    fill(loose(path), "\n" * HUGE)


def controls_everywhere(path: Path) -> None:
    fill(loose(path), "\0" * 1_000_000)


def joined_signs_everywhere(path: Path) -> None:
    fill(loose(path), "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 60_000)


def combining_marks_everywhere(path: Path) -> None:
    fill(loose(path), "a" + "\u0301" * 100_000)


def blobs_everywhere(path: Path) -> None:
    fill(loose(path), b"\xff\x00<b>" * 100_000)


def deep_json(path: Path) -> None:
    fill(loose(path), '{"a":' * 20_000 + "1" + "}" * 20_000)


def wide_json(path: Path) -> None:
    fill(loose(path), "{" + ",".join(f'"k{n}": {n}' for n in range(20_000)) + "}")


def long_numbers(path: Path) -> None:
    fill(loose(path), '{"n": ' + "9" * 5_000 + ', "d": 0.2345678901234568, "i": 18446744073709551615}')


def endless_views(path: Path) -> None:
    db = create(path, journal="delete")
    add_task(db, "plain")
    for table in native.TABLES:
        if table not in ("tasks", "task_events"):
            db.execute(f"DROP TABLE {table}")
            db.execute(
                f"CREATE VIEW {table} AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
                "SELECT id, id AS name, id AS key, id AS value FROM n"
            )
    db.close()


def bombs(path: Path) -> None:
    db = loose(path)
    for table in native.TABLES:
        db.execute(f"ALTER TABLE {table} ADD COLUMN bomb AS (hex(zeroblob(100000000)))")
    for number in range(2):
        db.execute("INSERT INTO tasks (id, status, created_at) VALUES (?, 'running', ?)", [f"t{number}", START_MS])
    db.close()


def bombs_in_every_column(path: Path) -> None:
    """Each column that is no key is worked out at each read, to 200 MB."""
    _with_generated(path, "AS (hex(zeroblob(1))) VIRTUAL")
    # A row is only put in by working out all of them.
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'zeroblob(1)', 'zeroblob(100000000)')")


def stored_bombs(path: Path) -> None:
    """Each column that is no key was worked out as its row was written."""
    _with_generated(path, "AS (hex(zeroblob(150000))) STORED")


def _with_generated(path: Path, how: str) -> None:
    db = loose(path)
    for table in native.TABLES:
        names = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
        keys = [name for name in names if name in KEYS]
        db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE TABLE {table} ({', '.join(name if name in keys else f'{name} {how}' for name in names)})")
        plain = {"seq": 1, "created_at": START_MS, "status": "running"}
        db.execute(
            f"INSERT INTO {table} ({', '.join(keys)}) VALUES ({', '.join('?' * len(keys))})",
            [plain.get(name, "plain") for name in keys],
        )
    db.close()


def many_tables(path: Path, count: int = MANY_TABLES) -> None:
    db = create(path, journal="delete")
    add_task(db, "plain")
    db.execute("CREATE TABLE empty (a)")
    ((root,),) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'empty'")
    db.execute("PRAGMA writable_schema = ON")
    db.execute("BEGIN")
    rows = ((f"t{at}", f"t{at}", root, f"CREATE TABLE t{at} (a)") for at in range(count))
    db.executemany("INSERT INTO sqlite_schema VALUES ('table', ?, ?, ?, ?)", rows)
    db.execute("COMMIT")
    db.close()


def many_columns(path: Path) -> None:
    """2,000 columns in each table, the most that SQLite takes; a text in each."""
    db = loose(path)
    for table in native.TABLES:
        names = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
        names += [f"more{at}" for at in range(2_000 - len(names))]
        db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE TABLE {table} ({', '.join(names)})")
    fill(db, "plain")


def odd_triggers(path: Path) -> None:
    db = create(path, journal="delete")
    add_task(db, "plain")
    move_task(db, "plain", "running")
    db.execute("CREATE TRIGGER wipe AFTER UPDATE OF status ON tasks BEGIN DELETE FROM clients; END")
    db.close()


def many_leftovers(path: Path) -> None:
    """60,000 unfinished tasks, half of them of a status of their own."""
    db = loose(path)
    rows = ((f"t{at}", "running" if at % 2 else f"odd {at}", START_MS + at) for at in range(60_000))
    db.execute("BEGIN")
    db.executemany("INSERT INTO tasks (id, status, created_at) VALUES (?, ?, ?)", rows)
    db.execute("COMMIT")
    db.close()


HOSTILE: tuple[Callable[[Path], None], ...] = (
    *(markup_everywhere, odd_characters_everywhere, huge_text_everywhere, huge_lines_everywhere),
    *(markup_in_numbers_too, odd_characters_in_numbers_too),
    *(
        controls_everywhere,
        joined_signs_everywhere,
        combining_marks_everywhere,
        blobs_everywhere,
        deep_json,
        wide_json,
        long_numbers,
    ),
    *(endless_views, bombs, bombs_in_every_column, stored_bombs, odd_triggers, many_leftovers),
    *(huge_text_where_others_have_none, one_gigantic_value, many_tables, many_columns),
)
"""Each makes a whole file."""

SPELLED: dict[str, str | bytes] = {
    "in capitals": "TRIGGER",
    "as a blob": b"trigger",
    "with a NUL behind it": "trigger\0index",
}
"""How a row of the schema may name its type, and still be a trigger for SQLite."""


def spelled(path: Path, kind: str | bytes) -> None:
    """Give the type of the trigger of others in another spelling, and see that SQLite runs it all the same."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET type = ? WHERE name = 'evil'", [kind])
        db.execute(f"PRAGMA schema_version = {db.execute('PRAGMA schema_version').fetchone()[0] + 1}")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        steps = db.execute("EXPLAIN UPDATE tasks SET status = status").fetchall()
        db.execute("ROLLBACK")
    assert any("evil" in str(step) for step in steps)
