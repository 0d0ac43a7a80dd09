"""A cleanup that is killed at any statement: each task is wholly there or wholly gone, and the next run goes on."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.store_invariants import broken_invariants
from tests.support.store_old_tasks import clean, leave_old
from tests.support.subject import store

pytestmark = [pytest.mark.ours, pytest.mark.process, pytest.mark.timeout(300)]

DIES = """
import json, os, shutil, sys
from pathlib import Path
from tests.support.store_factory import tapped
from tests.support.store_old_tasks import KEEP, NOW
from tests.support.subject import store

folder, hold_ms = Path(sys.argv[1]), float(sys.argv[2])

def run(number):
    db = store.open_service_database(folder / f"{number}.db")
    plan = store.plan_retention(db, now_ms=NOW, keep_ms=KEEP)
    left = number

    def die(sql):
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(9)

    with tapped(db, after=die):
        store.apply_retention(db, plan, now_ms=NOW, hold_ms=hold_ms, pause=lambda _: None)
    os._exit(0)

number, ended = 0, 9
while ended == 9:
    number += 1
    shutil.copy(folder / "made.db", folder / f"{number}.db")
    child = os.fork()
    if child == 0:
        try:
            run(number)
        finally:
            os._exit(1)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps([number, ended]))
"""
"""Kills a run after its first statement, another after its second, and so on to the one that comes to its end."""


def state(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {
            table: conn.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
            for table in ("tasks", "task_events", "responses", "idempotency_keys")
        }


@pytest.mark.parametrize("hold_ms", [0.001, 20.0], ids=["a task in each batch", "all in one batch"])
def test_a_killed_cleanup_is_made_good_by_the_next(tmp_path: Path, hold_ms: float) -> None:
    made = tmp_path / "made.db"
    with closing(store.open_service_database(made)) as db:
        old = leave_old(db, 4)
    started = state(made)
    done = subprocess.run(
        [sys.executable, "-c", DIES, tmp_path, str(hold_ms)], stdout=subprocess.PIPE, timeout=250, check=True
    )
    last, ended = json.loads(done.stdout)
    assert ended == 0
    ends = state(tmp_path / f"{last}.db")
    assert {row[0] for row in ends["tasks"]} == {row[0] for row in started["tasks"]} - set(old)
    seen = set()
    for number in range(1, last):
        path = tmp_path / f"{number}.db"
        left = state(path)
        gone = [task_id for task_id in old if task_id not in {row[0] for row in left["tasks"]}]
        seen.add(len(gone))
        assert gone == old[: len(gone)]
        assert left["task_events"] == [row for row in started["task_events"] if row[1] not in gone]
        with closing(store.open_service_database(path)) as db:
            run = store.config_value(db, "retention.last_run")
            assert (run["tasks"] if isinstance(run, dict) else 0) == len(gone)
            assert broken_invariants(db.conn) == []
            assert clean(db).tasks == len(old) - len(gone)
        assert state(path) == ends
    assert seen == ({0, 1, 2, 3, 4} if hold_ms < 1 else {0, 4})
