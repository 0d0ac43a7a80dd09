"""A disk without room under the store: each rule that writes is refused whole, and goes on when there is room again."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqlite_utils import Database

from tests.support.disk_writes import WRITES
from tests.support.power_state import state_on
from tests.support.subject import store


@dataclass
class Told:
    """What became of each rule without room, and afterwards; plain values, to be sent by a child process."""

    sentences: dict[str, str] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    """SQLite's name for the error behind each refusal."""
    left_open: list[str] = field(default_factory=list)
    """Rules after which a transaction was open."""
    changed: list[str] = field(default_factory=list)
    """Rules that were refused and changed something."""
    written: list[str] = field(default_factory=list)
    """Rules that were written though there was no room."""
    still_refused: dict[str, str] = field(default_factory=dict)
    """Rules that were refused when there was room again, on the same connection."""
    integrity: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return it as JSON can carry it."""
        return asdict(self)


def without_room(
    db: Database, *, take: Callable[[], object], give_back: Callable[[], object], rules: Iterable[str] = WRITES
) -> Told:
    """Call each rule after ``take`` has taken the room, and once more after ``give_back``; ``db`` is prepared."""
    told = Told()
    # Each commit is to need room of its own, not what a checkpoint has left over in the -wal.
    db.conn.execute("PRAGMA wal_autocheckpoint = 0")
    store.set_config(db, "before", "x" * 5000, now_ms=1)
    take()
    for name in rules:
        before = state_on(db.conn)
        try:
            WRITES[name](db)
            told.written.append(name)
        except store.Unusable as error:
            told.sentences[name] = error.sentence
            told.codes[name] = _code(error)
            if state_on(db.conn) != before:
                told.changed.append(name)
        if db.conn.in_transaction:
            told.left_open.append(name)
    give_back()
    for name in told.sentences:
        try:
            WRITES[name](db)
        except (store.Unusable, store.Refused) as error:
            told.still_refused[name] = error.sentence
    told.integrity = str(db.conn.execute("PRAGMA integrity_check").fetchall()[0][0])
    return told


def until_it_is_refused(db: Database, *, take: Callable[[], object], give_back: Callable[[], object]) -> dict[str, int]:
    """Write on, with checkpoints every few pages, until there is no room, and count what was acknowledged and kept."""
    db.conn.execute("PRAGMA wal_autocheckpoint = 4")
    acknowledged: list[str] = []
    take()
    refused = 0
    for number in range(10_000):
        try:
            request = {"prompt": "p" * 3000}
            store.accept_task(db, request=request, on_restart="retry", task_id=f"t{number}", now_ms=number)
            acknowledged.append(f"t{number}")
        except store.Unusable:
            refused += 1
            if refused == 3:
                break
    there = {task_id for (task_id,) in db.conn.execute("SELECT id FROM tasks").fetchall()}
    give_back()
    store.accept_task(db, request={}, on_restart="retry", task_id="after", now_ms=1)
    return {"acknowledged": len(acknowledged), "missing": len(set(acknowledged) - there), "refused": refused}


def opened_without_room(
    path: Path, *, take: Callable[[], object], give_back: Callable[[], object]
) -> dict[str, object]:
    """Open a database that is closed, and write to it, without room; then with it. Return what was said."""
    before = path.read_bytes()
    take()
    said = []
    for task_id in ("a", "b"):
        try:
            with closing(store.open_service_database(path)) as db:
                store.accept_task(db, request={}, on_restart="retry", task_id=task_id, now_ms=1)
        except store.Unusable as error:
            said.append(error.sentence)
    unchanged = path.read_bytes() == before
    give_back()
    with closing(store.open_service_database(path)) as db:
        store.accept_task(db, request={}, on_restart="retry", task_id="after", now_ms=1)
    return {"said": said, "unchanged": unchanged}


def _code(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, sqlite3.Error):
        cause = cause.__cause__
    return "" if cause is None else str(cause.sqlite_errorname)
