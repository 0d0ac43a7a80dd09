"""Pages of the reader beside the same rows by plain sqlite3: bar 4, and the first half of bar 13."""

import sqlite3
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from itertools import takewhile
from typing import NamedTuple

from verdicts import Databases, Verdict, in_turns, ratio

from inspector.layout.pages import PAGE_ROWS, TaskFilter, TaskKey
from inspector.reading.companions import Watched, guard_of
from inspector.reading.reader import Reader, open_reader
from inspector.reading.recognising import TASK_COLUMNS
from inspector.reading.requests import EventPageRequest, Request, TaskPageRequest, TasksByPrefixRequest

COLUMNS = ", ".join(TASK_COLUMNS)
NEWEST = "ORDER BY created_at DESC, id DESC LIMIT 201"
NEWEST_IDS = f"ORDER BY id DESC LIMIT {PAGE_ROWS}"
"""Where more tasks begin with a prefix than a page holds, these are the ones that the reader gives."""
EVENTS = f"""SELECT id, seq, type, status, attempt, created_at, data
             FROM task_events WHERE task_id = ? AND seq > 0 ORDER BY seq LIMIT {PAGE_ROWS + 1}"""
BURST = 5
"""So often each arm is asked in its turn."""
LEAST_ROUNDS = 30
MOST = 1.5


class Query(NamedTuple):
    """A question to the reader, and the same rows in SQL."""

    name: str
    request: Request
    sql: str
    values: tuple[object, ...] = ()


def queries(conn: sqlite3.Connection) -> list[Query]:
    """Return what is asked, with keys, models and ids of this database."""

    def one(sql: str, *values: object) -> tuple[object, ...]:
        return conn.execute(sql, values).fetchall()[0]

    ((oldest, newest),) = conn.execute("SELECT min(created_at), max(created_at) FROM tasks").fetchall()
    deep = one(
        "SELECT created_at, id FROM tasks WHERE created_at >= ? ORDER BY created_at, id LIMIT 1",
        oldest + (newest - oldest) // 10,
    )
    last = conn.execute("SELECT created_at, id FROM tasks ORDER BY created_at, id LIMIT 201").fetchall()[-1]
    (model,) = one("SELECT model_id FROM tasks WHERE status = 'completed' AND model_id IS NOT NULL LIMIT 1")
    (task_id,) = one("SELECT id FROM tasks WHERE created_at >= ? ORDER BY created_at LIMIT 1", (oldest + newest) // 2)
    after = f"SELECT {COLUMNS} FROM tasks WHERE (created_at, id) < (?, ?) {NEWEST}"
    ids = [str(each) for (each,) in conn.execute("SELECT id FROM tasks WHERE id >= ? LIMIT 100", (task_id,))]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ids[0], ids[-1], strict=False)))
    prefix = ids[0][:same]
    long_one, _ = one("SELECT id, max(last_seq) FROM tasks")
    return [
        Query("first page", TaskPageRequest(), f"SELECT {COLUMNS} FROM tasks {NEWEST}"),
        Query("deep page", TaskPageRequest(after=TaskKey(*deep)), after, deep),
        Query("last page", TaskPageRequest(after=TaskKey(*last)), after, last),
        Query(
            "page of one status",
            TaskPageRequest(TaskFilter(frozenset({"completed"}))),
            f"SELECT {COLUMNS} FROM tasks WHERE status = 'completed' {NEWEST}",
        ),
        Query(
            "page by status and model",
            TaskPageRequest(TaskFilter(frozenset({"completed"}), model_id=str(model))),
            f"""SELECT {COLUMNS} FROM tasks INDEXED BY tasks_by_status
                WHERE status = 'completed' AND model_id = ? {NEWEST}""",
            (model,),
        ),
        Query(
            "page by id prefix",
            TasksByPrefixRequest(prefix),
            f"SELECT {COLUMNS} FROM tasks WHERE id >= ? AND id < ? {NEWEST_IDS}",
            (prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)),
        ),
        Query(
            "page by exact id",
            TasksByPrefixRequest(str(task_id)),
            f"SELECT {COLUMNS} FROM tasks WHERE id >= ? AND id < ? {NEWEST_IDS}",
            (task_id, f"{task_id}~"),
        ),
        Query("page of events", EventPageRequest(str(long_one), after_seq=0), EVENTS, (long_one,)),
        Query("events of a short task", EventPageRequest(str(task_id), after_seq=0), EVENTS, (task_id,)),
    ]


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts on each page, and on a deep page beside the first."""
    verdicts = []
    watched = Watched(str(on.big), guard_of(str(on.big)))
    with (
        closing(sqlite3.connect(f"file:{on.big}?mode=ro&immutable=1", uri=True)) as conn,
        open_reader(on.big, now_ms=lambda: time.time_ns() // 1_000_000) as reader,
    ):
        took: dict[str, list[float]] = {}
        for query in queries(conn):
            plain = _plain(conn, query)
            arms = {
                "reader": _asked(reader, query.request),
                "plain": plain,
                "again": plain,
                "guarded": _guarded(plain, watched),
            }
            seconds = in_turns(arms, max(LEAST_ROUNDS, on.rounds), warm=3)
            took[query.name] = seconds["reader"]
            found, control = ratio(seconds["reader"], seconds["plain"]), ratio(seconds["again"], seconds["plain"])
            bar = 13 if " id" in query.name else 4
            floor = ratio(seconds["guarded"], seconds["plain"])
            note = (
                f"{statistics.median(seconds['reader']) / BURST * 1e6:.0f} µs; with the look at the file {floor:.2f} x"
            )
            verdicts.append(Verdict(f"{bar} {query.name} beside plain sqlite3", found, MOST, control, note=note))
    deep = ratio(took["deep page"], took["first page"])
    verdicts.append(Verdict("4 deep page beside the first", deep, MOST, steady=True))
    return verdicts


def _asked(reader: Reader, request: Request) -> Callable[[], object]:
    def ask() -> None:
        for _ in range(BURST):
            reader.answer(request)

    return ask


def _guarded(plain: Callable[[], object], watched: Watched) -> Callable[[], object]:
    """Return ``plain`` with the look whether the file has moved, which no reader of one at rest can do without."""

    def fetch() -> None:
        plain()
        for _ in range(BURST):
            watched.has_changed()

    return fetch


def _plain(conn: sqlite3.Connection, query: Query) -> Callable[[], object]:
    def fetch() -> None:
        for _ in range(BURST):
            conn.execute(query.sql, query.values).fetchall()

    return fetch
